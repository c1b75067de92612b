"""The panel *Tokenizers*: every vocabulary on the same text. `playground/survey.py` computes it."""

from __future__ import annotations

import streamlit as st

from embviz.playground.survey import survey
from embviz.settings.model_settings import MODEL
from embviz.ui.state.address import settings
from embviz.ui.state.session import cached, session


def draw() -> None:
    """Draw a line for each vocabulary; also for a text that the chosen one refuses."""
    model = settings(MODEL)
    if model["input"] != "text":
        st.info("Vocabularies cut a text, and here ids are typed. Type a text instead.")
        return
    file = session().weights_file
    made_of = (model, file)
    with st.spinner("A large vocabulary is loaded, once for this server …"):  # drawn after 0.5 s
        found = cached("survey", made_of, lambda: survey(model, file, cached, False))
    whole = st.column_config.NumberColumn(format="localized")
    columns = {"tokens": st.column_config.ListColumn(width=420), "rows": whole}
    alt = "Each vocabulary on the same text"
    st.dataframe(found, hide_index=True, column_config=columns, alt=alt)
