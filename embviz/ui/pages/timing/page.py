"""The timing page: questions that measure and answer, settings of one's own, and all numbers.

Methods, modes, kinds of ids and axes are read from their records in `embviz.timing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from embviz.core.bounds import hosted
from embviz.core.config import available_devices, why_no_gpu
from embviz.core.machine import environment
from embviz.core.refused import Refused
from embviz.figures.timing import charts, tables
from embviz.request.markdown import literal
from embviz.request.settings import SETTINGS, defaults
from embviz.timing.axes import MODES, VARY
from embviz.timing.case import PLACEMENTS, ROUNDS, Case, plan, varying
from embviz.timing.run import Run, labels, points, to_csv
from embviz.timing.sentences import answer, as_sentence, failures, sentences
from embviz.timing.sweep import Sweep
from embviz.timing.tensors import statement
from embviz.ui.frame.body import queued_fragment
from embviz.ui.frame.sidebar import reset
from embviz.ui.pages.timing import PAGE, session
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import choice, number, several, shown, uploaded, uploader
from embviz.ui.state.session import cached, change, redraw, setting, settings

POLL_S = 0.9  # between two updates while a sweep runs: drawing takes time from what is measured
FAILURES = 3  # that stand below the chart

# Each question with its settings, where they differ from the defaults.
QUESTIONS: dict[str, dict[str, Any]] = {
    "What does it cost?": {},
    "Can matmul win?": {
        "span": ("2", "4096"),
        "time_tokens": 1,
        "methods": ["lookup", "matmul", "matmul_table"],
    },
    "What does the one-hot cost?": {
        "span": ("64", "16384"),
        "methods": ["lookup", "matmul", "onehot_matmul"],
    },
    "Backward": {"mode": "backward", "methods": ["lookup", "lookup_sparse", "matmul"]},
    "Half precision": {"vary": "dtype", "time_tokens": 64},
}
METHOD = (
    "A process of its own measures, with the clock of `torch.utils.benchmark`. Each of "
    f"{ROUNDS} rounds measures every case once, in random order: a slow phase of the machine hits "
    f"all alike. {PLACEMENTS} times in a run all tensors are made anew, elsewhere in memory. "
    "Warm-up is discarded, all other times are kept; bars are the middle half of them. A statement "
    "compares times round by round; without enough certainty it says *not told apart*. The first "
    "method of each point is measured twice: that difference is noise.\n\n"
    "A *matmul* multiplies a ready one-hot by the weight of an nn.Linear, D x V. A *matmul on the "
    "lookup's table* multiplies it by the same numbers as the lookup has them, V x D."
)
MACHINE = (
    "Here: {cpu}, {logical_cores} logical cores, PyTorch {torch} with {blas}, Python {python}, "
    "{platform}."
)
_facts = cache(environment)  # of this machine; those of a GPU take a while


def draw() -> None:
    """The body of the page."""
    asked = next((name for name, one in questions().items() if settings(one) == one), "")
    with st.sidebar:
        with st.expander("Own settings", not asked, key="own_settings", on_change="rerun"):
            _own()
        st.button("Reset settings", on_click=reset, type="tertiary", icon=":material/undo:")
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, gap="small", key="questions"):
            for name, wanted in questions().items():
                look: Any = {"type": "primary", "icon": ":material/check:"} if name == asked else {}
                st.button(name, f"ask {name}", on_click=_ask, args=(wanted,), **look)
        watch()
        for title, part in {"All numbers": _numbers, "How is it measured?": _method}.items():
            fold = st.expander(title, key=part.__name__, on_change="rerun")
            with fold:
                part(bool(fold.open))


def questions() -> dict[str, dict[str, Any]]:
    """All settings of the page for each question that this machine can answer."""
    usual = defaults(one.name for one in PAGE.settings)
    gpus = [one for one in available_devices() if one != "cpu"][:1]
    more = {"CPU or GPU?": {"devices": ["cpu", *gpus]}} if gpus else {}
    return {name: usual | changes for name, changes in (QUESTIONS | more).items()}


def _own() -> None:
    """What varies, by which methods, and all else that a question sets."""
    choice("What varies", "vary", _new_span)
    axis = VARY[setting("vary")]
    if axis.size and axis.span:
        words, powers = f"{axis.field}, from and to", SETTINGS["span"].options()
        # Without a pair as `value` Streamlit takes one end for both, and nothing moves.
        st.select_slider(words, powers, SETTINGS["span"].default, **shown("span"))
    several("Methods", "methods")
    choice("Mode", "mode", format_func=lambda name: MODES[name].label)
    columns = st.columns([4, 3], gap="small")  # a long name stays on one line
    for place, one in enumerate(one for one in VARY.values() if one is not axis):
        with columns[place % 2]:
            (number if one.size else choice)(one.field, one.parameter)
    with columns[1]:
        choice("rounds", "rounds")
    several("Cache", "cache")
    several("Devices", "devices", help=why_no_gpu() or None)


def chosen_cases() -> tuple[list[Case], dict[str, str]]:
    """The cases that the settings ask for, and why methods are left out.

    Raises:
        CaseError: with what does not fit.
    """
    axis = VARY[setting("vary")]
    values: list[Any] = list(axis.values)
    if axis.size and axis.span:
        low, high = sorted(map(int, setting("span")))
        values = [one for one in map(int, SETTINGS["span"].options()) if low <= one <= high]
    fixed = {one.field: setting(one.parameter) for one in VARY.values() if one is not axis}
    chosen = (setting(name) for name in ("methods", "devices", "cache"))
    return plan(setting("vary"), values, *chosen, mode=setting("mode"), **fixed)


def watch(recorded: bool = True) -> None:
    """Start and Stop, the answer and the chart; they redraw themselves while a sweep runs.

    Args:
        recorded: whether the recorded run is shown until there is another.
    """
    if not hosted():
        session.warm()
    mine = session.session()
    queued_fragment(POLL_S if mine.active else None, live, (mine.sweep, mine.active), recorded)


def live(seen: tuple[Sweep | None, bool], recorded: bool) -> None:
    """What `watch` shows; a sweep that began or ended draws the whole page again."""
    mine = session.session()
    sweep, active, runs = mine.sweep, mine.active, _shown(mine.runs, recorded)
    if (sweep, active) != seen:
        st.rerun(scope="app")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start_row"):
        if sweep and active:
            st.button("Stop", "timing_stop_button", on_click=mine.stop, icon=":material/stop:")
            done, total = sweep.rounds
            st.progress(done / total, _progress(sweep))
        else:
            st.button("Start", "timing_start_button", on_click=_start, icon=":material/play_arrow:")
            whose = f"Recorded on {labels(runs)[0]}. " if runs else ""
            st.caption(literal(_progress(sweep) if sweep else f"{whose}Start measures here."))
    with suppress(Refused):  # Start says it
        if left_out := "" if active else " ".join(chosen_cases()[1].values()):
            st.caption(literal(f"Left out: {left_out}"))
    for text in mine.troubles:
        refuse(as_sentence(text.rstrip(".")))
    # While it runs nothing is judged: that would take time from what is measured.
    told = _shown(mine.before, recorded) if active else runs
    said = _answer(told[0], len(told[0].times)) if told else ""
    if active:
        st.caption(literal(said and f"The last answer, {told[0].label}: {said}"))
        runs = runs[:1]
    elif said:
        whose = f"{labels(runs)[0]}: " if runs[1:] else ""
        st.header(literal(charts.unbroken(whose + said)), anchor=False)
    rows = sum(len(run.times) for run in runs)
    figure = _drawn(rows, (*setting("methods"),), (*chart_colours(),), *runs)
    if figure is not None:
        chart(figure, key="time_chart")
    failed = [text for run in runs for text in failures(run)]
    if more := len(failed[FAILURES:]):
        failed[FAILURES:] = [f"{more} more have no time; the CSV file says why."]
    for text in failed:
        st.caption(literal(text))


def _progress(sweep: Sweep) -> str:
    """How far it is."""
    done, total = sweep.rounds
    left = "" if sweep.seconds_left is None else f", {sweep.seconds_left:.0f} s left"
    words = {
        "queued": "It waits for the sweeps before it.",
        "starting": "The measuring process starts.",
        "running": f"{done} of {total} rounds through {len(sweep.cases):,} cases{left}.",
        "done": f"{len(sweep.cases):,} cases in {sweep.wall_s:.1f} s, {total} rounds.",
        "stopped": sweep.reason and as_sentence(sweep.reason.rstrip(".")),
    }
    ended = f"{sweep.state.capitalize()} after {done} of {total} rounds."
    return words.get(sweep.state) or ended


def _others() -> tuple[list[Run], list[str]]:
    """The runs to compare with, read once, and what cannot be read."""
    names = [one for one in st.session_state.get("kept_runs") or [] if isinstance(one, str)]
    files = uploaded("run_files")
    made_of = (tuple(names), tuple(file.file_id for file in files))
    return cached("opened", made_of, partial(session.opened, names, files))


def _shown(own: list[Run], recorded: bool = True) -> list[Run]:
    """The session's run and opened ones, or the recorded one."""
    return [*own, *_others()[0]] or [session.recorded()] * recorded


@lru_cache(8)  # all visitors see the recorded run
def _answer(run: Run, rows: int) -> str:
    """What a run of so many times answers."""
    return answer(run)


@lru_cache(8)
def _drawn(
    rows: int, methods: tuple[str, ...], colours: tuple[str, ...], *runs: Run
) -> go.Figure | None:
    """The chart of the chosen methods, or of all where the runs have none of these."""
    if not rows:
        return None
    table, axis = points(runs), varying(*(run.cases for run in runs))
    chosen = table[table["method"].isin(methods)]
    return charts.draw(chosen if len(chosen) else table, axis, colours)


def _numbers(is_open: bool) -> None:
    """Every number, the other charts, files, and other runs."""
    mine = session.session()
    runs = _shown(mine.runs)
    if is_open and not mine.active:
        axis, table = varying(*(run.cases for run in runs)), points(runs)
        st.markdown("\n".join(f"- {literal(text)}" for text in sentences(runs[0])[1:]))
        digits = {"p": st.column_config.NumberColumn(format="scientific")}
        judged = tables.of_verdicts(runs)
        st.dataframe(judged, hide_index=True, column_config=digits, alt="Every comparison")
        st.dataframe(tables.of_points(table), hide_index=True, alt="Every point")
        columns = st.columns(2, gap="small")
        for place, y in enumerate([*charts.CHARTS][1:]):
            if (figure := charts.draw(table, axis, chart_colours(), y)) is not None:
                with columns[place % 2]:
                    chart(figure, key=f"{y}_chart")
        with st.container(horizontal=True, gap="small"):
            download("Run (.jsonl)", runs[0].to_bytes, "embviz_run.jsonl")
            download("CSV", partial(to_csv, runs), "embviz_runs.csv")
    names = [*session.kept()]
    st.multiselect("Other runs beside these", names, key="kept_runs", persist_state="session")
    uploader("Run files (.jsonl)", "run_files", "jsonl", megabytes=8, accept_multiple_files=True)
    if hosted():
        st.caption("This server keeps no runs: download yours.")
    for trouble in _others()[1]:
        refuse(trouble)


def _method(is_open: bool) -> None:
    """What is inside the clock, how it is measured, and this machine."""
    if not is_open:
        return
    with suppress(Refused):  # Start says it
        one_each = {case.method: case for case in chosen_cases()[0]}.values()
        rows = [(case.record.label, statement(case)) for case in one_each]
        heads = ["Method", "Inside the clock"]
        st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, alt="Inside the clock")
    st.markdown(METHOD)
    st.caption(literal(MACHINE.format(**_facts())))


def _new_span() -> None:
    axis = VARY[setting("vary")]
    if axis.size and axis.span:
        change({"span": (str(axis.values[0]), str(axis.values[-1]))})


def _ask(wanted: Mapping[str, Any]) -> None:
    """Set what a question needs, everything else to its default, and start."""
    change(wanted)
    _start()
    redraw()


def _start() -> None:
    mine = session.session()
    try:
        mine.start(chosen_cases()[0], int(setting("rounds")) // ROUNDS)
    except Refused as error:
        mine.refusal = str(error)
