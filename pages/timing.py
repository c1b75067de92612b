"""Live timing: lookup against matmul, on the machine that runs this page."""

import streamlit as st

from embviz.ui.pages.timing import measuring

measuring.settings()
st.markdown(
    "##### A lookup reads one row for each token; a matmul reads the whole table: time both, on "
    "the machine that runs this page."
)
measuring.questions()
measuring.watch()

with st.expander("Compare with other runs"):
    measuring.compare()
with st.expander("What exactly is inside the clock"):
    measuring.methods()
    st.markdown(
        "Each point is measured in a process of its own, with the clock of "
        "`torch.utils.benchmark`. Its methods alternate in blocks of about 1.5 ms. Warm-up is "
        "discarded, all other times are kept. The band is the middle half of the blocks. The first "
        "method is measured twice under two names: the difference is the noise, and methods that "
        "differ by less are not told apart. The dotted line is a model, "
        "`max(bytes / bandwidth, flops / rate) + overhead`, from copies and matrix products timed "
        "on the same machine; expect it within about 2x."
    )
with st.expander("The machine"):
    measuring.machine()

st.markdown("""
**Try this**
- Press *When does matmul win?*: at one token and few rows there is little to skip, and the matmul
  may win.
- Press *Why is my backward slow?*: the dense gradient is as large as the table, however few rows
  you looked up. With `sparse=True` it is as small as they are.
- Set `ids` to `equal`: one row is read over and over, and stays in the cache.
""")
