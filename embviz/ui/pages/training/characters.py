"""Characters, or pieces, learn what follows them, on both routes; the page shows their rows.

A session keeps a model of each, so that their losses of a character stand side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from embviz.core import bounds
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Symbols, unit_word
from embviz.figures.training import loss_figure, space_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import run_queue
from embviz.training import export, space, text
from embviz.training.model import EVERY, CharModel
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.corpus import library
from embviz.ui.parts.live_training import LiveTraining, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import BOUND, SMALL_MB, number, segments
from embviz.ui.state.session import cached, setting

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
        frame: the projection drawn last, whose axes the next one keeps.
        loaded: files of weights that were read.
    """

    model: CharModel
    symbols: Symbols
    length: int
    per_character: float
    frame: space.Projection | None = None
    loaded: set[str] = field(default_factory=set)

    @property
    def unit(self) -> str:
        """One id in words: `character` or `piece`."""
        return unit_word(self.symbols)


def draw(given: Inputs) -> None:
    """The text to learn from, the training, and what the model learned."""
    left, middle, right, last = st.columns([2, 2, 1, 1], vertical_alignment="bottom")
    with left:
        segments(
            "Learn from",
            "corpus",
            help="`library`: docstrings of Python's own library. "
            "`own`: the text above. `file`: a .txt of yours.",
        )
    with middle:
        segments(
            "Learn on",
            "learn_on",
            help="What has an id and a row. `characters`: each character. `pieces`: characters "
            f"that often stand together too, by {text.PIECES} merges of byte pairs.",
        )
    with right:
        number("embedding_dim", "char_dim", "D: numbers in each row.")
    with last:
        segments("Draw in", "space")
    file = None
    if setting("corpus") == "file":
        most = min(TEXT_MB, bounds.UPLOAD.value())
        file = st.file_uploader("Text (.txt)", "txt", key="corpus_file", max_upload_size=most)
        if file is None:
            st.info("Choose a .txt file: up to 1,000,000 characters.")
            return
    words = given.text if setting("corpus") == "own" else ""
    sizes = setting("char_dim"), setting("seed")
    source = (setting("corpus"), words, file and file.file_id, *sizes)
    learners: dict[str, Learner] = cached("characters", source, dict)
    if (learn_on := setting("learn_on")) not in learners:
        symbols = text.symbols(learn_on)
        ids = _ids(file, words, learn_on)
        model = CharModel(Config(symbols.characters, len(symbols), *sizes), ids)
        per_character = text.ids_per_character(ids, symbols)
        learners[learn_on] = Learner(model, symbols, len(ids), per_character)
    model = learners[learn_on].model
    live = live_training("learn", model, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S)
    live.show(partial(_draw_live, live, learners, learners[learn_on]))


def _ids(file: UploadedFile | None, words: str | None, learn_on: str) -> torch.Tensor:
    if setting("corpus") == "library":
        return library(learn_on)
    if file is not None:
        words = text.read_text(file.name, file.getvalue())
    if words is None:
        raise ValueError("There is no text above: choose *text* instead of *ids*.")
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
            left = live.until - model.steps
            seconds = left / max(1.0, model.steps_per_second) * REDRAW_S / BUDGET_S
            st.progress(
                min(1.0, max(0.0, 1 - left / GOAL)),
                text=f"{model.steps:,} steps, {model.steps_per_second:.0f} a second while it "
                f"computes, about {seconds:.0f} s left",
            )
        else:
            at_end = model.finished and not model.failed
            most = ", the most that one training may take here" if at_end else ""
            st.caption(f"{model.steps:,} steps on {learner.length:,} {learner.unit}s{most}")
    if model.failed:
        refuse(model.failed)
        return
    if not model.steps:
        st.info("Nothing is learnt yet: press Learn, and watch the rows drift apart.")
        return
    left_half, right_half = st.columns(2, gap="small")
    with left_half:
        _losses(learner)
        _compared(learners)
    with right_half:
        _space(learner)
    _answers(learner)
    if not live.is_running:
        _downloads(learner)
        _upload(learner)


def _losses(learner: Learner) -> None:
    model, unit, rows = learner.model, learner.unit, len(learner.symbols)
    limit = f"limit of any bigram model: {model.bigram_limit:.3f}", model.bigram_limit
    shown = thinned(model.history, SHOWN_POINTS)
    apart = max(abs(one.loss_embedding - one.loss_linear) for one in model.history)
    chart(loss_figure(shown, apart, chart_colours(), limit), key="char_loss")
    worst = max(model.history, key=lambda record: record.max_abs_weight_difference)
    st.caption(
        f"Mean loss of a {unit} in nats, over the whole text; at the start about ln({rows}) = "
        f"{math.log(rows):.2f}. Compared every {EVERY} steps, the two tables were "
        f"furthest apart at step {worst.step:,}: {worst.max_abs_weight_difference:.2g}."
    )


def _compared(learners: dict[str, Learner]) -> None:
    """The losses of a character, which both kinds of ids have."""
    learnt = [one for one in learners.values() if one.model.steps and not one.model.failed]
    rows = []
    for one in learnt:
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
    held = max((1 / one.per_character for one in learnt), default=1.0)
    st.caption(
        f"A piece holds {held:.2f} characters on average. The loss per character, which is the "
        "loss of all pieces divided by the characters, compares both."
        if held > 1
        else "Learn on *pieces* too: the loss per character compares both."
    )


def _space(learner: Learner) -> None:
    model, symbols = learner.model, learner.symbols
    members = space.groups(symbols, model.occurring)
    rows = [token for group in members.values() for token in group]
    axes = 3 if setting("space") == "3-D" else 2
    frame = learner.frame = space.pca(model.weight, axes, learner.frame, rows)
    chart(
        space_figure(
            frame.points[rows].numpy(),
            [symbols.label(token) for token in rows],
            [name for name, group in members.items() for _ in group],
            frame.explained.tolist(),
            chart_colours(),
        ),
        key=f"char_space_{axes}",
    )
    start = tie(model.config).embedding.weight
    now, before = (space.cluster_quality(table, members) for table in (model.weight, start))
    st.caption(compare_kinds(now, before, learner.unit))


def compare_kinds(now: float, at_start: float, unit: str = "character") -> str:
    """A sentence about two values of `space.cluster_quality`: of the rows now and at the start."""
    if math.isnan(now):
        return f"A comparison takes two kinds of {unit}s, and two {unit}s of one of them."
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
    left, middle, right = st.columns([1, 1, 2], gap="medium")
    with left:
        st.text_input(
            unit.capitalize(),
            DEFAULTS["letter"],
            key="letter",
            max_chars=LONGEST,
            on_change=run_queue.prioritize,
            **BOUND,
        )
        letter = setting("letter") or DEFAULTS["letter"]
    try:
        token = symbols.encode(letter[:LONGEST])[0]
    except ValueError as error:
        refuse(error)
        return
    near = space.neighbours(model.weight, token, NEIGHBOURS, model.occurring)
    with left:
        st.caption(f"Shown: {literal(symbols.name(token))}.")
        _table(
            symbols,
            {"by cosine": near.by_cosine, "by distance": near.by_distance},
            ("cosine", "distance"),
            "Nearest rows",
        )
    with middle:
        likely = model.next_characters(token, NEXT_CHARACTERS)
        _table(symbols, {"what follows": likely}, ("probability",), f"Most likely next {unit}s")
    with right:
        length = round(SAMPLE * learner.per_character)
        written = symbols.decode(model.sample(length, seed=0, start=token))
        st.caption(f"The model writes (it sees one {unit} at a time):")
        st.code(written, language=None, wrap_lines=True)


def _table(
    symbols: Symbols,
    found: dict[str, list[tuple[int, float]]],
    value_names: tuple[str, ...],
    alt: str,
) -> None:
    """Characters or pieces with a number each: two columns for each entry."""
    columns: dict[str, list[object]] = {}
    for (name, pairs), value_name in zip(found.items(), value_names, strict=True):
        columns[name] = [symbols.label(token) for token, _ in pairs]
        columns[value_name] = [round(value, 3) for _, value in pairs]
    st.dataframe(pd.DataFrame(columns), hide_index=True, alt=alt)


def _downloads(learner: Learner) -> None:
    model, name = learner.model, f"embviz_{learner.unit}s.npz"
    vectors, metadata = export.to_tsv(model.weight, learner.symbols)
    with st.container(horizontal=True, gap="small"):
        for label, content, file in (
            ("All weights (.npz)", export.to_npz(model.state()), name),
            ("For the playground (.npz)", export.embedding_npz(model.weight), "embviz_table.npz"),
            ("Projector vectors (.tsv)", vectors.encode(), "vectors.tsv"),
            ("Projector metadata (.tsv)", metadata.encode(), "metadata.tsv"),
        ):
            st.download_button(
                label, content, file, "application/octet-stream", icon=":material/download:"
            )


def _upload(learner: Learner) -> None:
    with st.expander("Load weights that were saved here"):
        file = st.file_uploader(
            "All weights (.npz)",
            "npz",
            key=f"{learner.unit}_weights",
            max_upload_size=SMALL_MB,
        )
        if file is None or file.file_id in learner.loaded:
            return
        try:
            learner.model.load_state(export.from_npz(file.getvalue()))
        except ValueError as error:
            refuse(error)
            return
        learner.loaded.add(file.file_id)
        st.rerun(scope="app")
