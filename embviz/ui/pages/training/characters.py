"""Characters learn what follows them, on both routes; the page shows where their rows end up."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from embviz.core import bounds
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.figures.training import loss_figure, space_figure
from embviz.request.inputs import Inputs
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import run_queue
from embviz.training import export, space, text
from embviz.training.model import EVERY, CharModel
from embviz.ui.parts.chart import chart, thinned
from embviz.ui.parts.corpus import PRINTABLE, library
from embviz.ui.parts.live_training import LiveTraining, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import BOUND, SMALL_MB, number, segments
from embviz.ui.state.session import cached, setting

REDRAW_S = 0.3
BUDGET_S = 0.08
GOAL = 2_000  # steps of one press of Learn
SAMPLE = 240  # characters written by the model
TEXT_MB = 10  # of an uploaded text
SHOWN_POINTS = 300
NEIGHBOURS = 5
NEXT_CHARACTERS = 8


def draw(given: Inputs) -> None:
    """The text to learn from, the training, and what the model learned."""
    left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
    with left:
        segments(
            "Learn from",
            "corpus",
            help="`library`: docstrings of Python's own library. "
            "`own`: the text above. `file`: a .txt of yours.",
        )
    with middle:
        number("embedding_dim", "char_dim", "D: numbers in each character's row.")
    with right:
        segments("Draw in", "space")
    file = None
    if setting("corpus") == "file":
        most = min(TEXT_MB, bounds.UPLOAD.value())
        file = st.file_uploader("Text (.txt)", "txt", key="corpus_file", max_upload_size=most)
        if file is None:
            st.info("Choose a .txt file: up to 1,000,000 characters.")
            return
    words = given.text if setting("corpus") == "own" else ""
    source = (setting("corpus"), words, file and file.file_id)
    ids = cached("corpus", source, lambda: _ids(file, words))
    config = Config(PRINTABLE.characters, len(PRINTABLE), setting("char_dim"), setting("seed"))
    model = cached("characters", (source, config), lambda: CharModel(config, ids))
    live = live_training("learn", model, goal=GOAL, redraw_s=REDRAW_S, budget_s=BUDGET_S)
    live.show(partial(_draw_live, live, len(ids)))


def _ids(file: UploadedFile | None, words: str | None) -> torch.Tensor:
    if setting("corpus") == "library":
        return library()
    if file is not None:
        words = text.read_text(file.name, file.getvalue())
    if words is None:
        raise ValueError("There is no text above: choose *text* instead of *ids*.")
    return text.prepare(words, PRINTABLE)


def _draw_live(live: LiveTraining[CharModel], characters: int, row: DeltaGenerator) -> None:
    model = live.model
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
            most = ", the most that one training may take here"
            at_end = model.finished and not model.failed
            st.caption(
                f"{model.steps:,} steps on {characters:,} characters{most if at_end else ''}"
            )
    if model.failed:
        refuse(model.failed)
        return
    if not model.steps:
        st.info("Nothing is learnt yet: press Learn, and watch the rows drift apart.")
        return
    left_half, right_half = st.columns(2, gap="small")
    with left_half:
        _losses(model)
    with right_half:
        _space(model)
    _answers(model)
    if not live.is_running:
        _downloads(model)
        _upload(model)


def _losses(model: CharModel) -> None:
    limit = f"limit of any bigram model: {model.bigram_limit:.3f}", model.bigram_limit
    shown = thinned(model.history, SHOWN_POINTS)
    apart = max(abs(one.loss_embedding - one.loss_linear) for one in model.history)
    chart(loss_figure(shown, apart, chart_colours(), limit), key="char_loss")
    worst = max(model.history, key=lambda record: record.max_abs_weight_difference)
    st.caption(
        f"Loss in nats over the whole text; at the start about ln({len(PRINTABLE)}) = "
        f"{math.log(len(PRINTABLE)):.2f}. Compared every {EVERY} steps, the two tables were "
        f"furthest apart at step {worst.step:,}: {worst.max_abs_weight_difference:.2g}."
    )


def _space(model: CharModel) -> None:
    members = space.groups(PRINTABLE, model.occurring)
    rows = [token for group in members.values() for token in group]
    axes = 3 if setting("space") == "3-D" else 2
    before: dict[str, space.Projection] = cached("char_frame", model, dict)
    frame = before["frame"] = space.pca(model.weight, axes, before.get("frame"), rows)
    chart(
        space_figure(
            frame.points[rows].numpy(),
            [PRINTABLE.label(token) for token in rows],
            [name for name, group in members.items() for _ in group],
            frame.explained.tolist(),
            chart_colours(),
        ),
        key=f"char_space_{axes}",
    )
    start = tie(model.config).embedding.weight
    st.caption(
        compare_kinds(*(space.cluster_quality(table, members) for table in (model.weight, start)))
    )


def compare_kinds(now: float, at_start: float) -> str:
    """A sentence about two values of `space.cluster_quality`: of the rows now and at the start."""
    if math.isnan(now):
        return "A comparison takes two kinds of characters, and two characters of one of them."
    # + 0.0 makes 0.0 of -0.0.
    now, at_start = round(now, 3) + 0.0, round(at_start, 3) + 0.0
    found = "more alike than" if now > 0 else "less alike than" if now < 0 else "as alike as"
    return (
        f"Rows of one kind are {found} rows of different kinds: the difference of their mean "
        f"cosines is {now:+.3f}. Random rows give 0 on average; at the start it was "
        f"{at_start:+.3f}."
    )


def _answers(model: CharModel) -> None:
    left, middle, right = st.columns([1, 1, 2], gap="medium")
    with left:
        st.text_input(
            "Character",
            DEFAULTS["letter"],
            key="letter",
            max_chars=1,
            on_change=run_queue.prioritize,
            **BOUND,
        )
        letter = setting("letter") or DEFAULTS["letter"]
    try:
        token = PRINTABLE.encode(letter[:1])[0]
    except ValueError as error:
        refuse(error)
        return
    near = space.neighbours(model.weight, token, NEIGHBOURS, model.occurring)
    with left:
        _table(
            {"by cosine": near.by_cosine, "by distance": near.by_distance},
            ("cosine", "distance"),
            "Nearest rows",
        )
    with middle:
        likely = model.next_characters(token, NEXT_CHARACTERS)
        _table({"what follows": likely}, ("probability",), "Most likely next characters")
    with right:
        written = "".join(PRINTABLE.decode(model.sample(SAMPLE, seed=0, start=token)))
        st.caption("The model writes (it sees one character at a time):")
        st.code(written, language=None, wrap_lines=True)


def _table(
    found: dict[str, list[tuple[int, float]]], value_names: tuple[str, ...], alt: str
) -> None:
    """Characters with a number each: two columns for each entry."""
    columns: dict[str, list[object]] = {}
    for (name, pairs), value_name in zip(found.items(), value_names, strict=True):
        columns[name] = [PRINTABLE.label(token) for token, _ in pairs]
        columns[value_name] = [round(value, 3) for _, value in pairs]
    st.dataframe(pd.DataFrame(columns), hide_index=True, alt=alt)


def _downloads(model: CharModel) -> None:
    vectors, metadata = export.to_tsv(model.weight, PRINTABLE)
    with st.container(horizontal=True, gap="small"):
        for label, content, name in (
            ("All weights (.npz)", export.to_npz(model.state()), "embviz_characters.npz"),
            ("For the playground (.npz)", export.embedding_npz(model.weight), "embviz_table.npz"),
            ("Projector vectors (.tsv)", vectors.encode(), "vectors.tsv"),
            ("Projector metadata (.tsv)", metadata.encode(), "metadata.tsv"),
        ):
            st.download_button(
                label, content, name, "application/octet-stream", icon=":material/download:"
            )


def _upload(model: CharModel) -> None:
    with st.expander("Load weights that were saved here"):
        file = st.file_uploader(
            "All weights (.npz)", "npz", key="char_weights", max_upload_size=SMALL_MB
        )
        loaded: set[str] = cached("char_loaded", model, set)
        if file is None or file.file_id in loaded:
            return
        try:
            model.load_state(export.from_npz(file.getvalue()))
        except ValueError as error:
            refuse(error)
            return
        loaded.add(file.file_id)
        st.rerun(scope="app")
