"""The Streamlit side: the shell, its controls and the stage.

The only package under `embviz/` that imports streamlit.
"""
