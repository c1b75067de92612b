"""Characters, or pieces, learn what follows them, on both routes; the page shows their rows.

A session keeps a model of each, so that their losses of a character stand side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.core.vocabulary import Symbols
from embviz.figures.training import loss_figure, space_figure
from embviz.request.inputs import read_text
from embviz.request.markdown import literal
from embviz.request.settings import MODEL, SETTINGS
from embviz.training import space, text
from embviz.training.model import EVERY, CharModel
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.live_training import FORGOTTEN, LiveTraining, kept, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import number, segments, text_line, uploaded, uploader
from embviz.ui.state.session import change, redraw, setting, settings

SLOT = "learn"
NEAR = "learn_near"  # key of a fold
AUTOPLAY = 300  # steps of the first training of a session
REDRAW_S = 0.3
BUDGET_S = 0.08
GOAL = 2_000  # steps of one press of Learn
SAMPLE = 240  # characters written by the model, about
TEXT_MB = 10  # of an uploaded text
SHOWN_POINTS = 300
NEIGHBOURS = 5
NEXT_CHARACTERS = 8
LONGEST = 20  # characters of a piece that is asked for


@dataclass(eq=False)
class Learner:
    """A model, and what its ids stand for.

    Attributes:
        model: learns what follows each id of the text.
        symbols: the vocabulary of these ids.
        length: ids of the text.
        per_character: ids that a character of it takes.
        shown: the ids of its rows.
    """

    model: CharModel
    symbols: Symbols
    length: int
    per_character: float
    shown: list[int] = field(default_factory=list)

    @property
    def unit(self) -> str:
        """One id in words: `character` or `piece`."""
        return self.symbols.unit


@dataclass(frozen=True)
class Source:
    """What is learnt from.

    Attributes:
        corpus: the setting.
        words: the user's own text.
        file: the uploaded one.
        sizes: `embedding_dim` and seed.
    """

    corpus: str
    words: str | None
    file: Any | None
    sizes: tuple[int, int]

    @property
    def made_of(self) -> tuple[object, ...]:
        """What tells it from another one."""
        return self.corpus, self.words, self.file and self.file.file_id, self.sizes


def choose() -> None:
    """Widgets of the text and of what has an id."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        segments("Learn from", "corpus")
    with right:
        segments("Learn on", "learn_on")


def more_settings() -> None:
    """Widgets of the size and of the picture."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        number("embedding_dim", "char_dim")
    with right:
        segments("Draw in", "space")


def draw() -> None:
    """The training, and what the model learned."""
    file = None
    if setting("corpus") == "file":
        uploader("Text (.txt)", "corpus_file", "txt", megabytes=TEXT_MB)
        file = next(iter(uploaded("corpus_file")), None)
        if file is None:
            st.info("Choose a .txt file: up to 1,000,000 characters.")
            return
    words = read_text(settings(MODEL)) if setting("corpus") == "own" else ""
    sizes = setting("char_dim"), setting("seed")
    source = Source(setting("corpus"), words, file, sizes)
    source, learners = kept(SLOT, source.made_of, lambda: (source, {}), _has_learnt)
    if (learn_on := setting("learn_on")) not in learners:
        symbols = text.symbols(learn_on)
        ids = _ids(source, learn_on)
        model = CharModel(Config(symbols.characters, len(symbols), *source.sizes), ids)
        per_character = text.ids_per_character(ids, symbols)
        learners[learn_on] = Learner(model, symbols, len(ids), per_character)
    model = learners[learn_on].model
    live = live_training(
        SLOT, model, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S, autoplay=AUTOPLAY
    )
    live.show(partial(_draw_live, live, learners, learners[learn_on]))


def _has_learnt(old: tuple[Source, dict[str, Learner]]) -> bool:
    return any(one.model.steps for one in old[1].values())


@st.cache_resource(show_spinner="Gathering English from Python's own library")
def _library(learn_on: str) -> torch.Tensor:
    """Docstrings of Python's own library as ids; all sessions share them, so never changed."""
    return text.prepare(text.library_text(), text.symbols(learn_on))


def _ids(source: Source, learn_on: str) -> torch.Tensor:
    words = source.words
    if source.corpus == "library":
        return _library(learn_on)
    if source.file is not None:
        words = text.read_text(source.file.name, source.file.getvalue())
    if words is None:
        raise Refused("There is no text above: choose *text* instead of *ids*.")
    return text.prepare(words, text.symbols(learn_on))


def _draw_live(
    live: LiveTraining[CharModel],
    learners: dict[str, Learner],
    learner: Learner,
    row: DeltaGenerator,
) -> None:
    model = learner.model
    with row:
        live.play_button(f"Learn {GOAL:,} steps")
        if live.is_running:
            left = live.seconds_left
            shown = "" if left is None else f", about {left:.0f} s left"
            st.progress(min(1.0, model.steps / live.until), text=f"{model.steps:,} steps{shown}")
        else:
            most = ", the most that one training may take here" if model.finished else ""
            lost = "" if model.steps else f". {FORGOTTEN}"
            st.caption(f"{model.steps:,} steps on {learner.length:,} {learner.unit}s{most}{lost}")
    of = setting("space"), *chart_colours()
    losses, rows = live.picture(of, lambda: (_loss_chart(learner), _space_chart(learner)))
    left_half, right_half = st.columns(2, gap="small")
    with left_half:
        chart(losses, key="char_loss")
    with right_half:
        chart(rows, key="char_space", pick=partial(_pick, learner))
    _verdict(learner)
    folds: tuple[tuple[str, str, Callable[[], None]], ...] = (
        ("What does it write?", NEAR, partial(_answers, learner)),
        ("How low can the loss be?", "learn_low", partial(_numbers, learners, learner)),
    )
    for label, key, content in folds:
        fold = st.expander(label, key=key, on_change="rerun")
        if fold.open:
            with fold:
                content()


def _numbers(learners: dict[str, Learner], learner: Learner) -> None:
    _compared(learners)
    _limits(learner)
    now, before = _alike(learner)
    st.markdown(compare_kinds(now, before, learner.unit))


def _pick(learner: Learner, point: Mapping[str, Any]) -> None:
    """The clicked row's symbol becomes the letter that is looked at."""
    try:
        token = learner.shown[int(point["customdata"][0])]
    except (LookupError, TypeError, ValueError):  # a forged message
        return
    st.session_state[NEAR] = True  # opens the fold that shows it
    change({"letter": learner.symbols.decode([token])})
    redraw()


def _loss_chart(learner: Learner) -> go.Figure:
    model = learner.model
    limit = f"bigram limit: {model.bigram_limit:.3f}", model.bigram_limit
    shown = thinned(model.history, SHOWN_POINTS)
    apart = max(abs(one.loss_embedding - one.loss_linear) for one in model.history)
    return loss_figure(shown, apart, chart_colours(), limit)


def _limits(learner: Learner) -> None:
    model, rows = learner.model, len(learner.symbols)
    worst = max(model.history, key=lambda record: record.max_abs_weight_difference)
    st.caption(
        f"Mean loss of a {learner.unit} in nats, over the whole text; at the start about "
        f"ln({rows}) = {math.log(rows):.2f}. No model that sees one {learner.unit} can be below "
        f"the bigram limit. Compared every {EVERY} steps, the two tables were "
        f"furthest apart at step {worst.step:,}: {worst.max_abs_weight_difference:.2g}."
    )


def _compared(learners: dict[str, Learner]) -> None:
    """The losses of a character, which both kinds of ids have."""
    rows = []
    for one in learners.values():
        latest, limit = one.model.history[-1], one.model.bigram_limit
        rows.append(
            {
                "learnt on": f"{one.unit}s",
                "step": f"{latest.step:,}",
                "loss of each": f"{latest.loss_embedding:.3f}",
                "loss per character": f"{latest.loss_embedding * one.per_character:.3f}",
                "limit per character": f"{limit * one.per_character:.3f}",
            }
        )
    st.table(pd.DataFrame(rows), hide_index=True)
    held = max(1 / one.per_character for one in learners.values())
    st.caption(
        f"A piece holds {held:.2f} characters on average. The loss per character, which is the "
        "loss of all pieces divided by the characters, compares both."
        if held > 1
        else "Learn on *pieces* too: the loss per character compares both."
    )


def _space_chart(learner: Learner) -> go.Figure:
    model, symbols = learner.model, learner.symbols
    members = space.groups(symbols, model.occurring)
    rows = learner.shown = [token for group in members.values() for token in group]
    axes = 3 if setting("space") == "3-D" else 2
    # Not the frame drawn before: it depends on when this browser drew, and the map must not.
    first = space.pca(_start(model), axes, rows)
    frame = space.pca(model.weight, axes, rows, first)
    return space_figure(
        frame.points[rows].numpy(),
        [symbols.label(token) for token in rows],
        [name for name, group in members.items() for _ in group],
        frame.explained.tolist(),
        chart_colours(),
    )


def _start(model: CharModel) -> torch.Tensor:
    """The table before the first step, (V, D)."""
    return tie(model.config).embedding.weight.detach()


def _alike(learner: Learner) -> tuple[float, float]:
    """How much more alike rows of one kind are than others: now and at the start."""
    model = learner.model
    start = _start(model)
    members = space.groups(learner.symbols, model.occurring)
    now, before = (space.cluster_quality(table, members) for table in (model.weight, start))
    return now, before


def _verdict(learner: Learner) -> None:
    found = compare_kinds(*_alike(learner), learner.unit).partition(":")[0]
    st.markdown(f"**{found}.**")


def compare_kinds(now: float, at_start: float, unit: str = "character") -> str:
    """A sentence about two values of `space.cluster_quality`: of the rows now and at the start."""
    if math.isnan(now):
        return f"A comparison takes two kinds of {unit}s, and two {unit}s of one of them"
    # + 0.0 makes 0.0 of -0.0.
    now, at_start = round(now, 3) + 0.0, round(at_start, 3) + 0.0
    found = "more alike than" if now > 0 else "less alike than" if now < 0 else "as alike as"
    return (
        f"Rows of one kind are {found} rows of different kinds: the difference of their mean "
        f"cosines is {now:+.3f}. Random rows give 0 on average; at the start it was "
        f"{at_start:+.3f}."
    )


def _answers(learner: Learner) -> None:
    model, symbols, unit = learner.model, learner.symbols, learner.unit
    left, middle, right = st.columns([3, 2, 4], gap="medium")
    with left:
        text_line(unit.capitalize(), "letter", max_chars=LONGEST, help=None)
        letter = setting("letter") or SETTINGS["letter"].default
    try:
        token = symbols.encode(letter[:LONGEST])[0]
    except Refused as error:
        refuse(error)
        return
    near = space.neighbours(model.weight, token, NEIGHBOURS, model.occurring)
    with left:
        st.caption(f"Shown: {literal(symbols.name(token))}.")
        _table(
            symbols,
            {"by cosine": near.by_cosine, "by distance": near.by_distance},
            ("cosine", "distance"),
        )
    with middle:
        likely = model.next_characters(token, NEXT_CHARACTERS)
        _table(symbols, {"what follows": likely}, ("probability",))
    with right:
        length = round(SAMPLE * learner.per_character)
        written = symbols.decode(model.sample(length, token))
        st.caption(f"The model writes (it sees one {unit} at a time):")
        st.code(written, language=None, wrap_lines=True)


def _table(
    symbols: Symbols,
    found: dict[str, list[tuple[int, float]]],
    value_names: tuple[str, ...],
) -> None:
    """Characters or pieces with a number each: two columns for each entry."""
    columns: dict[str, list[object]] = {}
    for (name, pairs), value_name in zip(found.items(), value_names, strict=True):
        columns[name] = [literal(symbols.label(token)) for token, _ in pairs]
        columns[value_name] = [f"{value:.3f}" for _, value in pairs]
    st.table(pd.DataFrame(columns), hide_index=True)
