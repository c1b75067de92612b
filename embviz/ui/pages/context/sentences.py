"""A real Sentence-BERT on the page: its first layer is an nn.Embedding, its last is contextual.

The page opens with a recorded run. A button loads the model once for the process, and all sessions
share it; the runs of a session's sentences stay in that session. Both are drawn alike.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
import torch
from torch.nn import functional as F

from embviz.context.pieces import MAX_SENTENCES
from embviz.context.sentence import ModelError, SentenceModel, load, model_name
from embviz.context.shared_word import SharedWord, cosine, recorded
from embviz.figures.output_tables import of_layers
from embviz.request.drawings.strips import Band, LetterStrips, Strips
from embviz.request.drawings.text import alike, same_bits
from embviz.request.markdown import literal
from embviz.server.scheduler import time_slice
from embviz.text.refused import Refused, refusals_about
from embviz.ui.frame.body import framed
from embviz.ui.parts.strips import draw_strips
from embviz.ui.parts.widgets import PAUSE, fold, text_line, text_lines
from embviz.ui.state.session import cached, refuse_long, setting, settings, usual

OWN = "sentences", "word"
SHOWN_DIMS = 24  # numbers of a strip
MAX_WAIT_S = 20.0  # Seconds to wait for a time slice.

_loaded: dict[str, SentenceModel] = {}


@st.cache_resource(show_spinner="Loading the model, which takes some seconds")
def _model(name: str) -> SentenceModel:
    _loaded[name] = load(name)
    return _loaded[name]


def draw() -> None:
    """A recorded run, or the user's sentences and one word that stands in all of them."""
    if model_name() in _loaded:
        framed(lambda: _shown(_own_run()), above=_fields)
    else:
        _shown(recorded(), _offer)


def _fields() -> None:
    left, right = st.columns([3, 1], gap="medium")
    with left:
        label = f"Sentences, one a line, up to {MAX_SENTENCES}"
        text_lines(label, "sentences", height=80, help=None)
    with right:
        text_line("A word that all of them have", "word", live=PAUSE, help=None)


def _own_run() -> SharedWord:
    """The model's run of the user's sentences."""
    sentences = [one.strip() for one in setting("sentences").splitlines() if one.strip()]
    word = setting("word")
    with refusals_about("sentences"):
        refuse_long(*OWN)
        return cached("sentences", (model_name(), *sentences, word), lambda: _live(sentences, word))


def _shown(run: SharedWord, below: Callable[[SharedWord], None] | None = None) -> None:
    draw_strips(strips_of(run), "sentence_strips")
    if below is not None:
        below(run)
    fold("What does each layer add?", _by_layer, run)


def _live(sentences: list[str], word: str) -> SharedWord:
    # An object of its own: two sessions may use the model at once.
    with time_slice(object(), wait_s=MAX_WAIT_S) as is_left:
        if not is_left():
            raise Refused("Too many sessions are computing at once. Wait a little and press a key.")
        return _loaded[model_name()].run(sentences, word)


def _offer(run: SharedWord) -> None:
    """A note on the recorded run, and how to have one's own sentences read."""
    said = f"Recorded with `{run.model.rpartition('/')[2]}`, {run.date}."
    if settings(OWN) != usual(OWN):
        said += " Your own sentences are not read yet."
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button("Your own sentences", icon=":material/edit:")
        st.caption(said)
    if pressed:
        try:
            _model(model_name())
        except ModelError as error:
            st.info(f"{literal(str(error))} The recorded run stays.")
            return
        st.rerun()


def strips_of(run: SharedWord) -> Strips:
    """The first and the last sentence: of each piece its row, and its vector above all layers."""
    ends = [*run.sentences[:1], *run.sentences[1:][-1:]]
    lines = [len(one.ids) for one in ends]
    ids = [token for one in ends for token in one.ids]
    labels = [piece for one in ends for piece in one.pieces]
    rows = torch.cat([one.rows for one in ends])
    vectors = torch.cat([one.vectors for one in ends])
    low, high = (F.normalize(one.double(), dim=1)[:, :SHOWN_DIMS] for one in (rows, vectors))
    bands = [Band("row", low), Band("layers", high - low, shown=False), Band("last layer", high)]
    names = [f"{k} of sentence {line}" for line, many in enumerate(lines, 1) for k in range(many)]
    told = alike(ids, labels, rows, names)
    for token, said in told.items():
        if ids.count(token) > 1:
            same = cosine(vectors[torch.tensor(ids) == token])
            said[-1] += f" Last layer: cosine {float(same.min()):.3f}."
    return Strips(LetterStrips(labels, ids, bands, _verdict(run), told, lines), lit=ends[0].word[0])


def _verdict(run: SharedWord) -> list[str]:
    count = len(run.sentences)
    if count < 2:
        return ["", run.word, " in one sentence: write another sentence with it, and compare."]
    same = same_bits(torch.stack([one.static for one in run.sentences]))
    rows = "one row, bit for bit" if same else "different rows"
    told = (
        f" in {count} sentences: {rows}. After {len(run.layer_cosines) - 1} layers the cosine is "
    )
    others = run.layer_cosines[-1][*torch.triu_indices(count, count, 1)]
    ends = dict.fromkeys(f"{float(one):.3f}" for one in (others.min(), others.max()))
    return ["", run.word, told, " to ".join(ends), "."]


def _by_layer(run: SharedWord) -> None:
    same = "all the same bits" if run.equal == run.values else "not all the same bits"
    st.markdown(
        f"**The first layer is `{run.first_layer}`.** For these pieces of WordPiece, one-hot × "
        f"Linear gives {same}: {run.equal:,} of {run.values:,} values."
    )
    if len(run.sentences) > 1:
        st.dataframe(of_layers(run))
        st.caption(
            f"Sentences 1 and 2 as a whole: cosine {float(run.bag_cosines[0, 1]):.3f} by the mean "
            f"of their rows, {float(run.sentence_cosines[0, 1]):.3f} by the model "
            f"({run.pooling or 'pooled'})."
        )
    for number, one in enumerate(run.sentences, start=1):
        pieces = literal(" ".join(one.pieces[k] for k in one.word))
        said = {
            f"the word has the mean of {pieces}": len(one.word) > 1,
            f"the first of {one.occurrences} counts": one.occurrences > 1,
            f"the last {one.cut} pieces are not read": one.cut,
        }
        if any(said.values()):
            st.caption(f"Sentence {number}: {', '.join(filter(said.get, said))}.")
    made = f"Recorded in float16 on {run.date}; {run.made}. " if run.date else ""
    st.caption(
        f"{made}The model is `{run.model}`. A strip: the first {SHOWN_DIMS} of "
        f"{run.sentences[0].rows.shape[1]} numbers, of the vector at length 1."
    )
