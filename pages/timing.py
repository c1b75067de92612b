"""Live timing: lookup against matmul, on the machine that runs this page."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.timing import page

st.markdown("##### A lookup reads one row for each token; a matmul reads the whole table.")
body(page.draw)()
