"""Where lookup and product part ways, each case proved on the installed PyTorch."""

import streamlit as st

from embviz.ui.pages.limits import browse

st.markdown(
    "##### Where `nn.Embedding` and one-hot × `nn.Linear` part ways, or are said to: each case "
    "proved now, with its fix."
)
browse.summary()
browse.show(browse.choose())

st.markdown("""
**Try this**
- Search *nan*: a NaN in a row that nobody asked for spoils the product and not the lookup.
- Paste the last line of an error you met, such as `IndexError: index out of range in self`.
- Show only the verdict *same*: what people say differs, and does not.
""")
