"""The English text that pages learn from, gathered and encoded once for all sessions."""

import string

import streamlit as st
import torch

from embviz.core.vocabulary import Vocabulary
from embviz.training import text

PRINTABLE = Vocabulary(string.printable)


@st.cache_resource(show_spinner="Gathering English from Python's own library")
def library(learn_on: str = "characters") -> torch.Tensor:
    """Docstrings of Python's own library as ids of `text.symbols`; shared, so never changed."""
    return text.prepare(text.library_text(), text.symbols(learn_on))
