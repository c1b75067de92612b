"""What a browser asks for and gets, without Streamlit: parameters, inputs, the stage's bytes."""
