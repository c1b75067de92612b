"""The requests of a browser, without Streamlit: parameters, inputs, the stage's bytes."""
