"""Learn to write: the map of the rows and what the model writes, from the first step to the last.

A session keeps a model of characters and one of pieces.
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

TITLE = "Learn to write"
CLAIM = "As the model learns what comes next, each row finds its place."
TRIES = (
    (
        "Pieces in place of characters: which loss per character is lower?",
        "training",
        {"learn_on": "pieces"},
    ),
    ("Temperature 0.5: it writes what is likely.", "training", {"temperature": "0.5"}),
)
AUTOPLAY = 300  # steps of the first training of a session
GOAL = 2_000  # steps of one press
LINES = 5  # moments whose writing is shown
SAMPLE = 44  # characters of each, about
TEXT_MB = 10  # of an uploaded text


def choose() -> None:
    """Widgets: which text, and whether its characters or its pieces have ids."""
    is_set = opens("write", "corpus", "learn_on", "char_dim")
    fold = st.expander("The text, and what has a row", is_set)
    with fold.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learn from", "corpus")
        segments("Learn on", "learn_on")
        number("embedding_dim", "char_dim")


def draw() -> None:
    """The training, the map, and what it writes."""
    corpus, learn_on = setting("corpus"), setting("learn_on")
    words, sizes = text.constitution(), (setting("char_dim"), setting("seed"))
    if corpus == "own":
        words = read_text(settings(MODEL))
        if settings(MODEL)["input"] == "ids":
            raise Refused("There is no text above: choose *text* instead of *ids*.")
    if corpus == "file":
        uploader("Text (.txt)", "corpus_file", "txt", megabytes=TEXT_MB)
        file: Any = next(iter(uploaded("corpus_file")), None)
        if file is None:
            st.info("Choose a .txt file: up to 1,000,000 characters.")
            return
        words = text.read_text(file.name, file.getvalue())
    slot = f"learn_{learn_on}"
    writing = kept(
        slot,
        (words, sizes),
        lambda: Writing(words, text.symbols(learn_on), *sizes),
        lambda old: old.training.steps > 0,
    )
    live = live_training(
        slot, writing.training, goal=GOAL, redraw_s=0.3, budget_s=0.12, autoplay=AUTOPLAY
    )
    live.show(partial(_draw_live, live, writing))


def _draw_live(live: LiveTraining, writing: Writing, row: DeltaGenerator) -> None:
    training = live.model
    with row:
        live.play_button(f"Learn {GOAL:,} steps")
        if live.is_running:
            st.progress(min(1.0, training.steps / live.until), live.progress("steps"))
        else:
            st.caption(live.progress(f"steps on {len(writing.ids):,} {writing.symbols.unit}s"))
    of = chart_colours(), setting("temperature"), setting("seed"), writing
    figure, written, said = live.picture(of, lambda: _drawn(writing))
    left, right = st.columns(2, gap="medium")
    with left:
        chart(figure, key="map")
    with right:
        st.code(written, language=None, wrap_lines=True)
        segments("Temperature", "temperature")
    st.markdown(f"**{literal(said)}**")
    low = st.expander("How low can the loss be?", key="learn_low", on_change="rerun")
    if low.open:
        with low:
            points, rows = thinned(training.points, 300), len(writing.symbols)
            chart(training_figure(points, chart_colours(), writing.limit), key="learn_loss")
            st.markdown(
                f"{points[-1].loss_embedding * writing.per_character:.3f} nats a character; "
                f"it starts near ln({rows}) = {math.log(rows):.2f} a {writing.symbols.unit}."
            )


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
    loss, unit = writing.training.points[-1].loss_embedding, writing.symbols.unit
    said = f"Loss {loss:.3f}; a model of one {unit} cannot get below {writing.limit:.3f}."
    now, before = (writing.separation(frame) for frame in (writing.frames[-1], writing.frames[0]))
    if now is None or before is None or not writing.training.steps:
        return said
    do = "do not gather" if now <= before else "gather" if now > 0 else "hardly gather yet"
    sizes = f"silhouette {before:+.3f} → {now:+.3f}, 0 without groups, 1 with clear ones"
    return f"{said} Rows of one kind {do}: {sizes}."
