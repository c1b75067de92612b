"""A real Sentence-BERT on the page: its first layer is an nn.Embedding, its last is contextual.

An optional extra. The model is loaded once per process, when somebody asks for
it, and shared; what it says of one session's sentences stays in that session.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
import torch

from embviz.context.pieces import MAX_SENTENCES, Cosines, WordVectors, check_sentences, cosines_of
from embviz.context.sentence import (
    SLICE_ROWS,
    ModelError,
    SentenceModel,
    available,
    load,
    model_name,
)
from embviz.core.comparison import Comparison
from embviz.figures.context import layers_figure, similarity_figure
from embviz.request.markdown import literal
from embviz.server.eager import let_compiler_in
from embviz.server.memory import freeze_after
from embviz.server.scheduler import time_slice
from embviz.ui.parts.chart import chart
from embviz.ui.parts.theme import chart_colours, diverging_colours
from embviz.ui.parts.widgets import text_line, text_lines
from embviz.ui.state.session import cached, setting

PAIRS = 15  # of sentences, drawn layer by layer
LONGEST_WAIT_S = 20.0  # for a turn at computing


@dataclass(frozen=True)
class Found:
    """What the model says of the sentences."""

    words: list[WordVectors]
    cosines: Cosines
    pooled: torch.Tensor
    bags: torch.Tensor
    proof: Comparison
    cut: list[int]


_loaded: dict[str, SentenceModel] = {}


@st.cache_resource(show_spinner="Loading the model, which takes some seconds")
def _model(name: str) -> SentenceModel:
    let_compiler_in()
    _loaded[name] = load(name)
    freeze_after("sentence_transformers")
    return _loaded[name]


def compare() -> None:
    """Sentences that the user edits, one word in all of them."""
    with st.sidebar:
        st.caption(
            "The model brings a table of its own, so the settings of the other chapters "
            "play no part here."
        )
    if missing := available():
        st.info(
            literal(missing) + " Everything else here works without it.",
            icon=":material/extension:",
        )
        return
    name = model_name()
    if name not in _loaded:
        # Which folder of the server it is in is the server's own business.
        shown = "in this server's folder" if Path(name).is_dir() else f"`{name}`"
        st.markdown(
            "A Sentence-BERT turns sentences into vectors. It begins with the very layer of this "
            "app: here you see that this layer gives a word the same row in every sentence, and "
            "that the layers on top do not."
        )
        st.markdown(
            f"The model {shown} is not loaded yet. If it is not on this machine, it is fetched "
            "from Hugging Face first (about 90 MB for the default one)."
        )
        if not st.button("Load it", type="primary", icon=":material/download:"):
            return
        try:
            _model(name)
        except ModelError as error:
            st.error(literal(str(error)), icon=":material/block:")
            return
        st.rerun()
    model = _model(name)
    left, right = st.columns([3, 1], gap="medium")
    with left:
        text_lines(f"Sentences, one a line, up to {MAX_SENTENCES}", "sentences", height=130)
    with right:
        text_line("A word that all of them have", "word", "bank", label_visibility="visible")
    sentences = [one.strip() for one in setting("sentences").splitlines() if one.strip()]
    check_sentences(sentences)
    made_of = (name, tuple(sentences), setting("word"))
    found = cached("sentences", made_of, lambda: _ask(model, sentences, setting("word")))
    _first_layer(model, found)
    _word(found, setting("word").strip())
    _whole(found, model)


def _ask(model: SentenceModel, sentences: list[str], word: str) -> Found:
    with time_slice(sentences, wait_s=LONGEST_WAIT_S) as mine:
        if not mine:
            raise ValueError("Too many are computing at once. Wait a little and press a key.")
        words = [model.word_vectors(one, word) for one in sentences]
        ids = sorted({piece.id for one in sentences for piece in model.words(one)})
        return Found(
            words,
            cosines_of(words),
            *model.sentence_cosines(sentences),
            model.one_hot_proof(ids),
            [model.pieces_cut(one) for one in sentences],
        )


def _first_layer(model: SentenceModel, found: Found) -> None:
    proof = found.proof
    same = (
        "the same bits"
        if proof.bitwise_equal
        else f"not the same bits, max |difference| {proof.max_abs_error:.2g}"
    )
    st.markdown(
        f"**Its first layer is `{model.first_layer}`.** For the {len(proof.lookup):,} different "
        f"pieces of these sentences, one-hot × Linear gives {same} ({proof.num_equal:,} of "
        f"{proof.num_values:,} values; multiplied in slices of {SLICE_ROWS:,} rows)."
    )
    rows = []
    for number, (one, cut) in enumerate(zip(found.words, found.cut, strict=True), start=1):
        pieces = " ".join(piece.text for piece in one.pieces)
        said = f"{pieces}: their mean is taken" if len(one.pieces) > 1 else pieces
        if any(piece.is_unknown for piece in one.pieces):
            said += " (not in the model's vocabulary)"
        if one.occurrences > 1:
            said += f" (the first of {one.occurrences})"
        if cut:
            said += f"; the last {cut} pieces of the sentence are not read"
        rows.append({"": number, "sentence": one.sentence, "read as": said})
    st.table(pd.DataFrame(rows), hide_index=True)


def _word(found: Found, word: str) -> None:
    numbers = [str(k + 1) for k in range(len(found.words))]
    if len(numbers) < 2:
        st.info("One sentence has nothing to be compared with: write another with the same word.")
        return
    pairs = list(combinations(range(len(numbers)), 2))
    static = [float(found.cosines.static[pair]) for pair in pairs]
    last = [float(found.cosines.layers[-1][pair]) for pair in pairs]
    st.markdown(
        f"**{literal(word)}**, every two sentences: the rows of the first layer have cosine "
        f"{min(static):.4f} to {max(static):.4f}; the vectors of the last layer {min(last):.4f} to "
        f"{max(last):.4f}. The cosine says how alike two vectors point: 1 is the same direction."
    )
    left, middle, right = st.columns([1, 1, 1], gap="small")
    with left:
        _alike(found.cosines.static, "First layer", "bert_static")
    with middle:
        _alike(found.cosines.layers[-1], "Last layer", "bert_last")
    with right:
        drawn = pairs[:PAIRS]
        layers = [found.cosines.static, *found.cosines.layers]
        columns = np.array([[float(layer[pair]) for pair in drawn] for layer in layers])
        names = [f"{a + 1} and {b + 1}" for a, b in drawn]
        chart(
            layers_figure(columns, names, _fall(static, last), chart_colours()), key="bert_layers"
        )
    if len(pairs) > PAIRS:
        st.caption(f"The first {PAIRS} of {len(pairs)} pairs are drawn layer by layer.")


def _whole(found: Found, model: SentenceModel) -> None:
    if len(found.words) < 2:
        return
    st.markdown("###### Whole sentences")
    left, right = st.columns(2, gap="small")
    with left:
        _alike(found.bags, "Mean of the rows", "bert_bags")
    with right:
        _alike(found.pooled, f"The model's vectors ({model.pooling or 'pooled'})", "bert_pooled")


def _alike(cosines: torch.Tensor, name: str, key: str) -> None:
    """Every two sentences compared, named by their numbers."""
    numbers = [str(k + 1) for k in range(len(cosines))]
    title = f"{name}: {_span(_pairs(cosines))}"
    chart(
        similarity_figure(cosines.numpy(), numbers, title, diverging_colours(), "sentence"), key=key
    )


def _pairs(cosines: torch.Tensor) -> list[float]:
    """Those of two different sentences."""
    return [float(cosines[pair]) for pair in combinations(range(len(cosines)), 2)]


def _fall(static: list[float], last: list[float]) -> str:
    first, end = sum(static) / len(static), sum(last) / len(last)
    return f"Mean cosine from {first:.2f} to {end:.2f}"


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"
