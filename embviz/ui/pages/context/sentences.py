"""A real Sentence-BERT on the page: its first layer is an nn.Embedding, its last is contextual.

It is an optional extra. A button loads the model once for the process, and all sessions share it;
the results for a session's sentences stay in that session.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

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
from embviz.core.comparison import Comparison, bits
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.figures.context import layers_figure, similarity_grid
from embviz.figures.grid import Grid
from embviz.request.markdown import literal
from embviz.server.scheduler import time_slice
from embviz.ui.parts.chart import chart
from embviz.ui.parts.grid import draw_grids
from embviz.ui.parts.links import link
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.strips import Band, Letters, Strips, draw_strips
from embviz.ui.parts.terms import say, typed
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import PAUSE, text_line, text_lines
from embviz.ui.state.session import cached, setting

SHOWN_PAIRS = 15  # pairs of sentences, drawn layer by layer
MAX_WAIT_S = 20.0  # for a time slice


@dataclass(frozen=True)
class Found:
    """The model's results for the sentences.

    Attributes:
        words: the word's vectors, for each sentence.
        cosines: of these vectors, every sentence with every other.
        pooled, bags: cosines of whole sentences, by the model and by means of rows.
        proof: the first layer's lookup against one-hot x Linear.
        cut: for each sentence, the pieces at its end that the model does not read.
    """

    words: list[WordVectors]
    cosines: Cosines
    pooled: torch.Tensor
    bags: torch.Tensor
    proof: Comparison
    cut: list[int]


_loaded: dict[str, SentenceModel] = {}


@st.cache_resource(show_spinner="Loading the model, which takes some seconds")
def _model(name: str) -> SentenceModel:
    _loaded[name] = load(name)
    return _loaded[name]


def draw() -> None:
    """The user's sentences, and one word that stands in all of them."""
    name = model_name()
    missing = available()
    if not missing and name in _loaded:
        _with_model(_loaded[name])
        return
    if missing:
        st.info(
            literal(missing) + " Everything else here works without it.",
            icon=":material/extension:",
        )
    elif _load_button(name):
        st.rerun()
    sentences = _given_sentences()
    check_sentences(sentences)
    ends = [*sentences[:1], *sentences[1:][-1:]]  # the first and the last
    draw_strips(_without_model(ends, setting("word").strip()), "word_rows")
    with st.expander("Which pieces does the model read?"):
        _in_the_playground()


def _load_button(name: str) -> bool:
    """Draw the button that loads the model; whether it is loaded now."""
    # The server's folders are not shown to visitors.
    shown = "in this server's folder" if Path(name).is_dir() else f"`{name}`"
    help = (
        f"The model {shown}: its rows have learnt. If it is not on this machine, it is fetched "
        "from Hugging Face first (about 90 MB for the default one)."
    )
    if st.button("Load it", type="primary", icon=":material/download:", help=help):
        try:
            _model(name)
        except ModelError as error:
            refuse(error)
    return name in _loaded


def _given_sentences() -> list[str]:
    return [one.strip() for one in setting("sentences").splitlines() if one.strip()]


def _without_model(sentences: list[str], word: str) -> Strips:
    """The sentences' words and their rows in a small random table, which is not the model's."""
    lines = [one.lower().split() for one in sentences]
    words = [one for line in lines for one in line]
    vocabulary = list(dict.fromkeys(words))
    ids = torch.tensor([vocabulary.index(one) for one in words], dtype=torch.int64)
    layers = tie(Config("", max(1, len(vocabulary))))
    rows = layers.lookup(ids)
    places = [k for k, one in enumerate(words) if one == word.lower()]
    said = "The word stands in none of them"
    if places:
        mine = bits(rows[places])
        same = "one row, bit for bit" if bool((mine == mine[:1]).all()) else "different rows"
        said = f"**{literal(word)}** at {len(places)} places: {same}"
    letters = Letters(
        words,
        ids.tolist(),
        [Band("row", rows)],
        f"{said} (a small random table, not the model's).",
        {
            token: f"**{literal(one)}** is id {token}: row {token}, "
            f"{'once' if (times := words.count(one)) == 1 else f'{times} times'}."
            for token, one in enumerate(vocabulary)
        },
        [len(line) for line in lines],
    )
    return Strips(letters, lit=places[0] if places else None)


def _with_model(model: SentenceModel) -> None:
    left, right = st.columns([3, 1], gap="medium")
    with left:
        text_lines(
            f"Sentences, one a line, up to {MAX_SENTENCES}", "sentences", height=130, help=None
        )
    with right:
        text_line("A word that all of them have", "word", live=PAUSE, help=None)
    sentences = _given_sentences()
    check_sentences(sentences)
    made_of = (model_name(), tuple(sentences), setting("word"))
    found = cached("sentences", made_of, lambda: _compute(model, sentences, setting("word")))
    if len(sentences) < 2:
        st.info("One sentence has nothing to be compared with: write another with the same word.")
    else:
        _word(found, setting("word").strip())
    with st.expander("Is its first layer an nn.Embedding?"):
        _first_layer(model, found)
    with st.expander("Which pieces does the model read?"):
        _in_the_playground()
    if len(sentences) > 1:
        with st.expander("How alike are whole sentences?"):
            _sentences(found, model)


def _compute(model: SentenceModel, sentences: list[str], word: str) -> Found:
    with time_slice(sentences, wait_s=MAX_WAIT_S) as seconds:
        if not seconds:
            raise Refused("Too many sessions are computing at once. Wait a little and press a key.")
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
        read_as = f"{pieces}: their mean is taken" if len(one.pieces) > 1 else pieces
        if any(piece.is_unknown for piece in one.pieces):
            read_as += " (not in the model's vocabulary)"
        if one.occurrences > 1:
            read_as += f" (the first of {one.occurrences})"
        if cut:
            read_as += f"; the last {cut} pieces of the sentence are not read"
        rows.append({"": number, "sentence": one.sentence, "read as": read_as})
    st.table(pd.DataFrame(rows), hide_index=True)


def _in_the_playground() -> None:
    """A link to the first sentence, in pieces, on the playground."""
    sentence = setting("sentences").strip().partition("\n")[0]
    say(
        "The model reads pieces of words ({{WordPiece}}): one more vocabulary, with a row for each "
        "piece, as the byte-pair pieces of the playground have."
    )
    words, icon = "The first sentence in byte-pair pieces", ":material/arrow_forward:"
    link("playground", typed(sentence, vocab="bpe"), label=words, icon=icon)


def _word(found: Found, word: str) -> None:
    pairs = list(combinations(range(len(found.words)), 2))
    static = [float(found.cosines.static[pair]) for pair in pairs]
    last = [float(found.cosines.layers[-1][pair]) for pair in pairs]
    st.markdown(
        f"**{literal(word)}**, every two sentences: the rows of the first layer have cosine "
        f"{min(static):.4f} to {max(static):.4f}; the vectors of the last layer {min(last):.4f} to "
        f"{max(last):.4f}. The cosine says how alike two vectors point: 1 is the same direction."
    )
    left, right = st.columns([2, 1], gap="small")
    with left:
        ends = (found.cosines.static, "First layer"), (found.cosines.layers[-1], "Last layer")
        draw_grids([_alike(*one) for one in ends], "bert_word")
    with right:
        drawn = pairs[:SHOWN_PAIRS]
        layers = [found.cosines.static, *found.cosines.layers]
        columns = np.array([[float(layer[pair]) for pair in drawn] for layer in layers])
        names = [f"{a + 1} and {b + 1}" for a, b in drawn]
        chart(
            layers_figure(
                columns,
                names,
                f"Mean cosine from {fmean(static):.2f} to {fmean(last):.2f}",
                chart_colours(),
            ),
            key="bert_layers",
        )
    if len(pairs) > SHOWN_PAIRS:
        st.caption(f"The first {SHOWN_PAIRS} of {len(pairs)} pairs are drawn layer by layer.")


def _sentences(found: Found, model: SentenceModel) -> None:
    own = f"The model's vectors ({model.pooling or 'pooled'})"
    draw_grids([_alike(found.bags, "Mean of the rows"), _alike(found.pooled, own)], "bert_whole")


def _alike(cosines: torch.Tensor, name: str) -> Grid:
    """Every two sentences compared, named by their numbers."""
    numbers = [str(k + 1) for k in range(len(cosines))]
    values = [float(cosines[pair]) for pair in combinations(range(len(cosines)), 2)]
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    title = f"{name}: {low if low == high else f'{low} to {high}'}"
    return similarity_grid(cosines.numpy(), numbers, title, "sentence")
