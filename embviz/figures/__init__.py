"""Results in; Plotly figures, and tables for a page, out. No Streamlit; nothing is measured."""
