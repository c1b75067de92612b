"""Characters that learn what follows them, on both routes, and where their rows end up."""

from __future__ import annotations

import pandas as pd
import streamlit as st
import torch

from embviz.core import bounds
from embviz.core.config import Config
from embviz.figures.training import loss_figure, space_figure
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import buttons_row, queued_fragment, run_queue, time_slice
from embviz.training import export, space, text
from embviz.training.model import CharModel
from embviz.training.size_limits import max_steps
from embviz.ui.frame import controls
from embviz.ui.parts.chart import chart
from embviz.ui.parts.corpus import PRINTABLE, library
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import BOUND, SMALL_MB, number, segments
from embviz.ui.state.session import cached, setting, state

TICK_S = 0.3  # between redraws while it learns
BUDGET_S = 0.08  # of each; the rest of the time is the other sessions'
GOAL = 2_000  # steps that one press takes
SAMPLE = 240  # characters written by the model
TEXT_MB = 10  # of an uploaded text


def learn() -> None:
    """Choose a text, train on it, look at what was learnt."""
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
    words = controls.inputs().text or "" if setting("corpus") == "own" else ""
    made_of = (setting("corpus"), words, file and file.file_id)
    ids = cached("corpus", made_of, lambda: _ids(file, words))
    config = Config(PRINTABLE.characters, len(PRINTABLE), setting("char_dim"), setting("seed"))
    model = cached("characters", (made_of, config), lambda: CharModel(config, ids))
    memory = state().setdefault("learning", {})
    if memory.get("model") is not model:
        memory |= {"model": model, "until": 0, "frame": None}
    running = model.step < min(memory["until"], max_steps()) and model.failed is None
    queued_fragment(TICK_S if running else None, _live, model, ids, running)


def _ids(file: object, own: str) -> torch.Tensor:
    if setting("corpus") == "library":
        return library()
    if setting("corpus") == "own":
        if controls.inputs().text is None:
            raise ValueError("There is no text above: choose *text* instead of *ids*.")
        return text.prepare(own, PRINTABLE)
    words = text.read_text(file.name, file.getvalue())  # type: ignore[attr-defined]
    return text.prepare(words, PRINTABLE)


def _live(model: CharModel, ids: torch.Tensor, was_running: bool) -> None:
    memory = state()["learning"]
    row = buttons_row("learn_row")
    if was_running:
        with time_slice(model, BUDGET_S) as seconds:
            if seconds:
                model.advance(memory["until"] - model.step, seconds)
    running = model.step < min(memory["until"], max_steps()) and model.failed is None
    if running != was_running:
        st.rerun(scope="app")
    with row:
        if running:
            st.button("Pause", on_click=_until, args=(0,), icon=":material/pause:", key="pause")
        else:
            st.button(
                f"Learn {GOAL:,} steps",
                on_click=_until,
                args=(model.step + GOAL,),
                type="primary",
                icon=":material/play_arrow:",
                key="learn",
                disabled=model.failed is not None or model.step >= max_steps(),
            )
        if running:
            left = (memory["until"] - model.step) / max(1.0, model.steps_per_second)
            share = 1 - (memory["until"] - model.step) / GOAL
            st.progress(
                min(1.0, max(0.0, share)),
                text=f"{model.step:,} steps, "
                f"{model.steps_per_second:.0f} a second while it computes, about "
                f"{left * TICK_S / BUDGET_S:.0f} s left",
            )
        else:
            st.caption(
                f"{model.step:,} steps on {len(ids):,} characters"
                + (
                    ", which are all that one training may take here"
                    if model.step >= max_steps()
                    else ""
                )
            )
    if model.failed is not None:
        st.error(literal(model.failed), icon=":material/block:")
        return
    if not model.step:
        st.info("Nothing is learnt yet: press Learn, and watch the rows drift apart.")
        return
    _pictures(model)
    _answers(model)
    if not running:
        _downloads(model)


def _pictures(model: CharModel) -> None:
    memory = state()["learning"]
    every = max(1, len(model.history) // 300)
    shown = [*model.history[:-1:every], model.history[-1]]
    colours = chart_colours()
    left, right = st.columns(2, gap="small")
    with left:
        chart(
            loss_figure(
                [one.step for one in shown],
                [one.loss_embedding for one in shown],
                [one.loss_linear for one in shown],
                colours,
                (f"limit of any bigram model: {model.bigram_limit:.3f}", model.bigram_limit),
            ),
            key="char_loss",
        )
        worst = max(one.max_abs_weight_difference for one in model.history)
        st.caption(
            f"Loss in nats over the whole text; at the start about ln({len(PRINTABLE)}) = "
            f"{torch.tensor(float(len(PRINTABLE))).log():.2f}. The two tables are at most "
            f"{worst:.2g} apart."
        )
    members = space.groups(PRINTABLE, model.occurring)
    rows = [token for group in members.values() for token in group]
    axes = 3 if setting("space") == "3-D" else 2
    frame = space.pca(model.weight, axes, memory["frame"], rows)
    memory["frame"] = frame
    names = [name for name, group in members.items() for _ in group]
    with right:
        chart(
            space_figure(
                frame.points[rows].numpy(),
                [PRINTABLE.label(token) for token in rows],
                names,
                frame.explained.tolist(),
                colours,
            ),
            key=f"char_space_{axes}",
        )
        quality = space.cluster_quality(model.weight, members)
        st.caption(
            f"Rows of one kind are nearer to each other than to others: by {quality:.3f}"
            " in mean cosine, where chance gives 0."
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
        letter = setting("letter") or "a"
    try:
        token = PRINTABLE.encode(letter[:1])[0]
    except ValueError as error:
        st.error(literal(str(error)), icon=":material/block:")
        return
    near = space.neighbours(model.weight, token, 5, model.occurring)
    with left:
        st.dataframe(
            pd.DataFrame(
                {
                    "by cosine": [PRINTABLE.label(other) for other, _ in near.by_cosine],
                    "cosine": [round(value, 3) for _, value in near.by_cosine],
                    "by distance": [PRINTABLE.label(other) for other, _ in near.by_distance],
                    "distance": [round(value, 3) for _, value in near.by_distance],
                }
            ),
            hide_index=True,
            alt="Nearest rows",
        )
    with middle:
        likely = model.next_characters(token, 8)
        st.dataframe(
            pd.DataFrame(
                {
                    "what follows": [PRINTABLE.label(other) for other, _ in likely],
                    "probability": [round(value, 3) for _, value in likely],
                }
            ),
            hide_index=True,
            alt="Most likely next characters",
        )
    with right:
        written = "".join(PRINTABLE.decode(model.sample(SAMPLE, seed=0, start=token)))
        st.caption("The model writes (it sees one character at a time):")
        st.code(written, language=None, wrap_lines=True)


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
    with st.expander("Load weights that were saved here"):
        file = st.file_uploader(
            "All weights (.npz)", "npz", key="char_weights", max_upload_size=SMALL_MB
        )
        memory = state()["learning"]
        if file is None or memory.get("loaded") == file.file_id:
            return
        try:
            model.load_state(export.from_npz(file.getvalue()))
        except ValueError as error:
            st.error(literal(str(error)), icon=":material/block:")
            return
        memory["loaded"] = file.file_id
        st.rerun(scope="app")


def _until(step: int) -> None:
    run_queue.prioritize()
    state()["learning"]["until"] = step
