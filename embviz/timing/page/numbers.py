"""The folds of the timing page: every number, files, other runs, and how it is measured."""

from __future__ import annotations

from functools import partial

import streamlit as st

from embviz.text.markdown import literal
from embviz.timing.measure.run import Run, points, to_csv
from embviz.timing.measure.tensors import statement
from embviz.timing.measure.timed import PLACEMENTS, ROUNDS
from embviz.timing.page import kept, measuring, page
from embviz.timing.tell import frames
from embviz.timing.tell.notes import details
from embviz.ui.elements.download import download
from embviz.ui.elements.refusal import refuse
from embviz.ui.elements.widgets import uploader

# px of a case in words
CASE_PX = 250
BESIDE = (
    "*Quartiles* are of all blocks as they were timed. A *time* is the mean of its parts' medians, "
    "without what all cases share in a round, the machine's speed just then: it may lie outside."
)
RATES = (
    "*GB/s* are the bytes that a definition must move, by the time; *GFLOP/s* its operations, in "
    "thousands of millions a second; their percentages are of what a copy and a square matrix "
    "product of the same dtype reached on that machine, and empty where a case reached more."
)
METHOD = (
    "A process of its own measures, with the clock of `torch.utils.benchmark`. Each of "
    f"{ROUNDS} rounds measures every quick case once, in random order: a slow phase of the machine "
    f"hits all alike. {PLACEMENTS} times in a run all tensors are made anew, elsewhere in memory; "
    "a case that takes over 4 ms is measured once in each of these placements. Warm-up is "
    "discarded, all other times are kept; bars are the middle half of them. A time is the "
    "mean of its placements' medians, with the machine's speed of the moment taken out, so its "
    "point may lie beside its bar. A statement compares times placement by placement; "
    "without enough certainty it says *not told apart*. The first "
    "method of each point is measured twice: that difference is noise.\n\n"
    "A *matmul* multiplies a ready one-hot by the weight of an nn.Linear, D x V. A *matmul on the "
    "lookup's table* multiplies it by the same numbers as the lookup has them, V x D. Each call "
    "looks up the same ids, so their rows stay in the caches, the GPU's too: *cache* in your own "
    "settings changes that. Ids are "
    "drawn *uniform*ly, by *zipf*'s law (id k with weight ln(1 + 1 / (k + 1))), or all *equal*."
)


def numbers(is_open: bool) -> None:
    """Every number, files, and other runs."""
    asked = measuring.question()
    runs = page.shown(asked)
    if is_open and runs and not measuring.sweeps().is_measuring(asked):
        _tables(runs)
    st.multiselect("Other runs", [*kept.openable()], key="kept_runs", persist_state="session")
    uploader(
        "Run files (.jsonl)",
        "run_files",
        "jsonl",
        megabytes=kept.UPLOAD_MB,
        accept_multiple_files=True,
    )
    for trouble in page.others_opened()[1]:
        refuse(trouble)


def _tables(runs: list[Run]) -> None:
    st.markdown("\n".join(f"- {literal(text)}" for text in details(runs[0])))
    columns = dict.fromkeys(frames.CASES, st.column_config.TextColumn(width=CASE_PX))
    of = {
        "Every comparison": frames.of_verdicts(runs),
        "Every point": frames.of_points(points(runs)),
    }
    for alt, frame in of.items():
        st.dataframe(frame, hide_index=True, column_config=columns, alt=alt, placeholder="")
    st.caption(f"{BESIDE} {RATES}")
    with st.container(horizontal=True, gap="small"):
        download("Run (.jsonl)", runs[0].to_bytes, "embviz_run.jsonl")
        download("CSV", partial(to_csv, runs), "embviz_runs.csv")


def method() -> None:
    """The statements inside the clock, how it is measured, and on which machine."""
    runs = page.shown(measuring.question())
    inside = {case.record.label: statement(case) for run in runs[:1] for case in run.measured}
    st.markdown("\n".join(f"- {name}: `{source}`" for name, source in inside.items()))
    st.markdown(METHOD)
    if runs:
        st.markdown("The machine that measured, in the words of the run's file:")
        st.json(runs[0].environment, expanded=False)
