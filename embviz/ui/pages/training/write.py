"""Learn to write: the map of the rows and what the model writes, from the first step to the last.

A session keeps a model of characters and one of pieces, so that their losses can be compared.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.refused import Refused
from embviz.core.wording import printable
from embviz.figures.training import map_figure, training_figure
from embviz.request.inputs import read_text
from embviz.request.markdown import literal
from embviz.request.settings import MODEL
from embviz.training import text
from embviz.training.writing import Writing
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.live_training import LiveTraining, kept, live_training
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import number, opens, segments, uploaded, uploader
from embviz.ui.state.session import setting, settings

SLOT = "learn"
AUTOPLAY = 300  # steps of the first training of a session
GOAL = 2_000  # steps of one press
LINES = 5  # moments whose writing is shown
SAMPLE = 44  # characters of each, about
TEXT_MB = 10  # of an uploaded text

Writings = dict[str, Writing]  # by what it learns on


def choose() -> None:
    """Widgets: which text, and whether its characters or its pieces have ids."""
    with st.expander(
        "The text, and what has a row", opens("write", "corpus", "learn_on", "char_dim")
    ):
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        with left:
            segments("Learn from", "corpus")
        with middle:
            segments("Learn on", "learn_on")
        with right:
            number("embedding_dim", "char_dim")


def draw() -> None:
    """The training, the map, and what it writes."""
    corpus, words, file = setting("corpus"), None, None
    if corpus == "file":
        uploader("Text (.txt)", "corpus_file", "txt", megabytes=TEXT_MB)
        file = next(iter(uploaded("corpus_file")), None)
        if file is None:
            st.info("Choose a .txt file: up to 1,000,000 characters.")
            return
    if corpus == "own":
        words = read_text(settings(MODEL))
        if settings(MODEL)["input"] == "ids":
            raise Refused("There is no text above: choose *text* instead of *ids*.")
    sizes = setting("char_dim"), setting("seed")
    made_of = corpus, words, file and file.file_id, sizes
    (source, of), writings = kept(SLOT, made_of, lambda: (((words, file), sizes), {}), _has_learnt)
    if (learn_on := setting("learn_on")) not in writings:
        writings[learn_on] = Writing(_read(*source), text.symbols(learn_on), *of)
    writing = writings[learn_on]
    live = live_training(
        SLOT, writing.training, goal=GOAL, redraw_s=0.3, budget_s=0.12, autoplay=AUTOPLAY
    )
    live.show(partial(_draw_live, live, writing, writings))


def _has_learnt(old: tuple[Any, Writings]) -> bool:
    return any(one.training.steps for one in old[1].values())


def _read(words: str | None, file: Any | None) -> str:
    if file is not None:
        return text.read_text(file.name, file.getvalue())
    return text.constitution() if words is None else words


def _draw_live(
    live: LiveTraining, writing: Writing, writings: Writings, row: DeltaGenerator
) -> None:
    training = live.model
    with row:
        live.play_button(f"Learn {GOAL:,} steps")
        if live.is_running:
            st.progress(min(1.0, training.steps / live.until), live.progress("steps"))
        else:
            st.caption(live.progress(f"steps on {len(writing.ids):,} {writing.symbols.unit}s"))
    of = chart_colours(), setting("temperature"), setting("seed"), writing
    drawn, written, said = live.picture(of, lambda: _drawn(writing))
    left, right = st.columns(2, gap="medium")
    with left:
        chart(drawn, key="map")
    with right:
        st.code(written, language=None, wrap_lines=True)
        segments("Temperature", "temperature")
    st.markdown(f"**{literal(said)}**")
    low = st.expander("How low can the loss be?", key="learn_low", on_change="rerun")
    if low.open:
        with low:
            points = thinned(training.points, 300)
            chart(training_figure(points, chart_colours(), writing.limit), key="learn_loss")
            st.markdown(literal(compared(list(writings.values()))))


def _drawn(writing: Writing) -> tuple[go.Figure, str, str]:
    """The map, what it writes at a few moments from the first to the last, and the verdict."""
    frames = list(writing.frames)  # another thread may train on
    length, start = round(SAMPLE * writing.per_character), int(writing.ids[0])
    lines = []
    for k in sorted({round((len(frames) - 1) * (k / (LINES - 1)) ** 2) for k in range(LINES)}):
        ids = frames[k].write(length, start, float(setting("temperature")), setting("seed"))
        said = "".join(map(printable, writing.symbols.decode(ids).replace("\n", " ")))
        lines.append(f"step {frames[k].step:,}\n{said}")
    figure = map_figure(writing, frames[-1], chart_colours())
    return figure, "\n\n".join(lines), verdict(writing)


def verdict(writing: Writing) -> str:
    """Of the loss, and of the kinds of rows, at the last frame and at the start."""
    point, limit = writing.training.points[-1], writing.limit
    unit = writing.symbols.unit
    said = f"Loss {point.loss_embedding:.3f}; a model of one {unit} cannot get below {limit:.3f}."
    now, before = (writing.separation(frame) for frame in (writing.frames[-1], writing.frames[0]))
    if now is None or before is None or not writing.training.steps:
        return said
    do = "do not gather" if now <= before else "gather" if now > 0 else "hardly gather yet"
    sizes = f"silhouette {before:+.3f} → {now:+.3f}, 0 without groups, 1 with clear ones"
    return f"{said} Rows of one kind {do}: {sizes}."


def compared(writings: list[Writing]) -> str:
    """The losses of a character, which both kinds of ids have."""
    said = []
    for one in writings:
        loss = one.training.points[-1].loss_embedding
        said.append(
            f"{one.symbols.unit.capitalize()}s: {loss * one.per_character:.3f} nats a character "
            f"after {one.training.steps:,} steps; the start is near ln({len(one.symbols)}) = "
            f"{math.log(len(one.symbols)):.2f} nats each."
        )
    if len(said) < 2:
        said.append("Learn on the other kind too: the loss per character compares both.")
    return " ".join(said)
