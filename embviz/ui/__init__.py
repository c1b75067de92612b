"""The Streamlit side: the shell, its controls and the stage.

Only it, `server`, `pages` and `app.py` import streamlit.
"""
