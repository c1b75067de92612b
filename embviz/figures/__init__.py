"""Plotly figures: results in, `go.Figure` out. No Streamlit, no computing of results."""
