"""Learn to write: the map of the rows, and what the model writes, from first to last step."""

from __future__ import annotations

import math
import weakref

import plotly.graph_objects as go
import streamlit as st

from embviz.figures.training_charts import map_figure, training_figure
from embviz.request.markdown import literal
from embviz.request.pages import MAX_STEPS
from embviz.request.shared_cache import digest, shared_cache
from embviz.request.table_rows import read_text
from embviz.text.refused import Refused, refusals_about
from embviz.text.wording import printable
from embviz.training import corpus
from embviz.training.writing import Writing
from embviz.ui.frame.body import framed
from embviz.ui.pages.training.page_training import page_training
from embviz.ui.parts.chart import chart
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import fold, number, opens, segments
from embviz.ui.state.session import cached, setting

GOAL = 2_000  # steps of one press
FRAMES = 5  # from one map to the next while it trains
KEPT_BYTES = 16 << 20  # bytes of the trainings that all sessions share; one has 2 to 6 MB
LINES = 5  # moments whose writing is shown


def _choose() -> None:
    """Widgets: how boldly it writes; which text; how many numbers a row has."""
    segments("Temperature", "temperature")
    is_set = opens("write", "corpus", "char_dim")
    box = st.expander("The text, and the numbers of a row", is_set)
    with box.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learn from", "corpus")
        number("embedding_dim", "char_dim")


def draw() -> None:
    """The training, the map, and what it writes."""
    framed(_train, below=_choose)


def _train() -> None:
    words = corpus.constitution()
    if setting("corpus") == "own":
        if setting("input") == "ids":
            fix = {"Learn from a text": {"input": "text"}}
            raise Refused("There is no text above: choose text instead of ids.", fix, "input")
        with refusals_about("text"):
            words = read_text(setting("text"))
    made_of = words, setting("char_dim"), setting("seed")
    with refusals_about("text"):
        page_training("learn_steps", made_of, lambda: _training(*made_of), GOAL, _draw)


@shared_cache(KEPT_BYTES, lambda writing: writing.most_bytes(MAX_STEPS), digest)
def _training(words: str, dim: int, seed: int) -> Writing:
    """One for all sessions that ask for the same."""
    return Writing(words, corpus.PRINTABLE, dim, seed)


def _draw(shared: Writing, runs: bool) -> None:
    writing = shared.at(setting("learn_steps"))
    # Plotly builds a changed chart anew, which takes a busy browser seconds: few while it trains.
    moment = len(writing.frames) // FRAMES if runs else writing.steps
    # The session keeps what is drawn, and not by it another training.
    shown = weakref.ref(shared), runs, moment, setting("temperature"), chart_colours()
    figure, written, said = cached("written", shown, lambda: _drawn(writing))
    left, right = st.columns(2, gap="medium")
    with left:
        chart(figure, key="map")
    with right:
        st.code(written, language=None, wrap_lines=True)
    st.markdown(f"**{literal(said)}**")
    fold("How low can the loss be?", _losses, writing)


def _losses(writing: Writing) -> None:
    rows = len(writing.vocabulary)
    chart(training_figure(writing.points, chart_colours(), writing.limit), key="learn_loss")
    st.markdown(
        f"{writing.points[-1].loss_embedding:.3f} nats a character; "
        f"it starts near ln({rows}) = {math.log(rows):.2f}."
    )


def _drawn(writing: Writing) -> tuple[go.Figure, str, str]:
    """The map, what it writes at a few moments from the first to the last, and the verdict."""
    frames = writing.frames
    lines = []
    for k in sorted({round((len(frames) - 1) * (k / (LINES - 1)) ** 2) for k in range(LINES)}):
        ids = frames[k].written[float(setting("temperature"))]
        said = "".join(map(printable, writing.vocabulary.decode(ids).replace("\n", " ")))
        lines.append(f"step {frames[k].step:,}\n{said}")
    figure = map_figure(writing, frames[-1], chart_colours())
    return figure, "\n\n".join(lines), verdict(writing)


def verdict(writing: Writing) -> str:
    """Of the loss, and of the rows beside a row of their kind, at the last frame and the start."""
    loss = writing.points[-1].loss_embedding
    said = f"Loss {loss:.3f}; a model of one character cannot get below {writing.limit:.3f}."
    if len({*writing.shown.values()}) < 2:
        return said
    now, before = writing.frames[-1].same_kind, writing.frames[0].same_kind
    said += f" {now} of {len(writing.shown)} rows have a nearest row of their own kind"
    return f"{said}, {before} at the start." if writing.steps else f"{said}."
