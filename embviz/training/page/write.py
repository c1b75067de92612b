"""Letters find their kind: the map of the rows, and what the model writes, step by step."""

from __future__ import annotations

import math
import re
import weakref

import plotly.graph_objects as go
import streamlit as st

from embviz.fact import characters
from embviz.system.shared_cache import digest, shared_cache
from embviz.text.glossary import explained
from embviz.text.markdown import literal
from embviz.text.refused import refusals_about
from embviz.text.wording import printable
from embviz.training.charts import map_figure, training_figure
from embviz.training.page import learnt_text
from embviz.training.page.page_training import page_training
from embviz.training.writing import Writing
from embviz.ui.elements.chart import chart
from embviz.ui.elements.links import anchor
from embviz.ui.elements.theme import chart_colours
from embviz.ui.elements.widgets import fold, segments
from embviz.ui.frame.body import framed
from embviz.ui.state.address import setting
from embviz.ui.state.session import cached

GOAL = 2_000  # steps of one press
FRAMES = 5  # from one map to the next while it trains
MOST_BYTES = 2_000_000  # bytes of a training of 100,000 characters after all its steps
KEPT_BYTES = 12 << 20  # bytes of the trainings that all sessions share
LINES = 5  # moments whose writing is shown
WRITTEN_PX = 380  # px of the place of what is written


def _choose() -> None:
    """Widgets: how boldly it writes; which text; how many numbers a row has."""
    segments("Temperature", "temperature")
    learnt_text.choose("The text, and the numbers of a row", "char_dim")


def draw() -> None:
    """The training, the map, and what it writes."""
    framed(_train, below=_choose)


def _train() -> None:
    made_of = learnt_text.words(), setting("char_dim"), setting("seed")
    with refusals_about("text"):
        page_training("learn_steps", made_of, lambda: _training(*made_of), GOAL, _draw)


@shared_cache(KEPT_BYTES, lambda _: MOST_BYTES, digest)
def _training(words: str, dim: int, seed: int) -> Writing:
    """One for all sessions that ask for the same."""
    return Writing(words, characters.PRINTABLE, dim, seed)


def _draw(shared: Writing, runs: bool) -> None:
    writing = shared.at(setting("learn_steps"))
    st.caption(task(writing))
    # Plotly builds a changed chart anew, which takes a busy browser seconds: few while it trains.
    moment = len(writing.frames) // FRAMES if runs else writing.steps
    # The session keeps what is drawn, and not by it another training.
    shown = weakref.ref(shared), runs, moment, setting("temperature"), chart_colours()
    figure, written, said = cached("written", shown, lambda: _drawn(writing))
    left, right = st.columns(2, gap="medium")
    with left:
        st.caption(distance(writing))
        chart(figure, key="map")
    # Of one height from the first step on: nothing below it moves.
    with right, anchor("written", "temperature"):
        st.container(height=WRITTEN_PX, border=False, key="written").markdown(written)
    st.markdown(f"**{literal(said)}**")
    fold("How low can the loss be?", _losses, writing)


def task(writing: Writing) -> str:
    """The model and its text, in one line of Markdown."""
    rows, dim = writing.embedding.table.shape
    return (
        f"`nn.Embedding({rows}, {dim})`, then `nn.Linear({dim}, {rows})` score the next character. "
        f"They see one character alone, so they write no words. "
        f"{learnt_text.source(len(writing.ids), writing.left_out)}"
    )


def distance(writing: Writing) -> str:
    """The meaning of near rows, and how much of that the map shows."""
    shown = "It shows both numbers of each row."
    if (dim := writing.embedding.table.shape[1]) > 2:
        spread = writing.frames[-1].spread
        shown = f"It shows {spread:.0%} of the spread of {dim} numbers."
    return f"Near: often followed by the same. {shown}"


def _losses(writing: Writing) -> None:
    rows = len(writing.vocabulary)
    chart(training_figure(writing.points, chart_colours(), writing.limit), key="learn_loss")
    st.markdown(
        f"{writing.points[-1].loss_embedding:.3f} nats a character; "
        f"it starts near ln({rows}) = {math.log(rows):.2f}, as random numbers do. A model that "
        f"sees one character cannot get below {writing.limit:.3f}: what follows is not certain.",
        help=explained("", "nats"),
    )


def _drawn(writing: Writing) -> tuple[go.Figure, str, str]:
    """The map, what it writes at a few moments from the first to the last, and the verdict."""
    frames = writing.frames
    lines = ["What it writes:"]
    for k in sorted({round((len(frames) - 1) * (k / (LINES - 1)) ** 2) for k in range(LINES)}):
        ids = frames[k].written[setting("temperature")]
        said = "".join(map(printable, writing.vocabulary.decode(ids).replace("\n", " ")))
        start = "" if frames[k].step else ", random at first"
        lines.append(f"**step {frames[k].step:,}{start}**  \n{as_code(said)}")
    figure = map_figure(writing, frames[-1], chart_colours())
    return figure, "\n\n".join(lines), verdict(writing)


def as_code(text: str) -> str:
    r"""A printable text as code within a line of Markdown: in more backquotes than it has.

    >>> as_code("a`b")
    '`` a`b ``'
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def verdict(writing: Writing) -> str:
    """The loss, and how many rows are beside one of their kind, now and at the start.

    The rows are those of the last frame, which the map shows: its step is told where it is another.
    """
    begun, loss = writing.points[0].loss_embedding, writing.points[-1].loss_embedding
    said = f"Loss {loss:.3f}: {begun:.3f} at first, {writing.limit:.3f} at best."
    if len({*writing.shown.values()}) < 2:
        return said
    now, before = map(writing.beside_own_kind, (writing.frames[-1], writing.frames[0]))
    step = writing.frames[-1].step
    when = "" if step == writing.points[-1].step else f"At step {step:,}, "
    return (
        f"{said} {when}{now} of the text's {len(writing.shown)} rows are nearest to a row of their "
        f"kind: {before} at first."
    )
