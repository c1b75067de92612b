"""The timing page: questions that measure and answer, settings of one's own, and all numbers.

Methods, modes, kinds of ids and axes are read from their records in `embviz.timing.methods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from embviz.core.bounds import hosted
from embviz.core.config import available_devices, why_no_gpu
from embviz.core.refused import Refused
from embviz.figures.timing import tables
from embviz.figures.timing.charts import CHARTS, unbroken
from embviz.figures.timing.charts import draw as drawn
from embviz.figures.timing.report import html_report
from embviz.request.markdown import literal
from embviz.request.settings import SETTINGS, defaults
from embviz.timing.case import PLACEMENTS, ROUNDS, Case, plan, varying
from embviz.timing.methods import HERE, MODES, VARY, Axis
from embviz.timing.run import Run, labels, points, to_csv, zipped
from embviz.timing.sentences import answer, as_sentence, failures, sentences
from embviz.timing.sweep import Sweep
from embviz.timing.tensors import ready_words, statement
from embviz.ui.frame.body import queued_fragment
from embviz.ui.frame.sidebar import reset
from embviz.ui.pages.timing import PAGE, session
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import choice, number, opens, several, shown, uploaded, uploader
from embviz.ui.state.session import cached, change, redraw, setting, settings

POLL_S = 0.4  # between two updates of the progress
REDRAW_S = 0.9  # drawing a chart takes time from the cores that are measured
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
    "method of each point is measured twice: that difference is noise."
)


def draw() -> None:
    """The body of the page."""
    asked = next((name for name, one in questions().items() if settings(one) == one), "")
    _settings(bool(asked))
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, gap="small", key="questions"):
            for name, wanted in questions().items():
                kind: Literal["primary", "secondary"] = "primary" if name == asked else "secondary"
                icon = ":material/check:" if name == asked else None
                key = f"ask {name}"
                st.button(name, key, on_click=_ask, args=(wanted,), type=kind, icon=icon)
        watch()
        numbers = st.expander("All numbers", key="all_numbers", on_change="rerun")
        with numbers:
            _numbers(bool(numbers.open))
        method = st.expander("How is it measured?", key="method", on_change="rerun")
        if method.open:
            with method:
                _method()


def questions() -> dict[str, dict[str, Any]]:
    """All settings of the page for each question that this machine can answer."""
    usual = defaults(one.name for one in PAGE.settings if one.name != "machines")
    gpus = [one for one in available_devices() if one != "cpu"][:1]
    more = {"CPU or GPU?": {"devices": ["cpu", *gpus]}} if gpus else {}
    return {name: usual | changes for name, changes in (QUESTIONS | more).items()}


def _settings(asked: bool) -> None:
    """The sidebar: what varies, by which methods; under More the rest, unless a question set it."""
    with st.sidebar:
        choice("What varies", "vary", _new_span)
        axis = VARY[setting("vary")]
        if axis.size and axis.span:
            words, powers = f"{axis.field}, from and to", SETTINGS["span"].options()
            # Without a pair as `value` Streamlit takes one end for both, and nothing moves.
            st.select_slider(words, powers, SETTINGS["span"].default, **shown("span"))
        several("Methods", "methods", help=None)
        if session.clustered() and not hosted():
            _machines()
        first = ("vary", "span", "methods", "machines")
        others = [one.name for one in PAGE.settings if one.name not in first]
        with st.expander("More", expanded=not asked and opens("timing_more", *others)):
            _more(axis)
        st.button("Reset settings", on_click=reset, type="tertiary", icon=":material/undo:")


def _more(axis: Axis) -> None:
    choice("Mode", "mode", format_func=lambda name: MODES[name].label)
    columns = st.columns(2, gap="small")
    for place, one in enumerate(one for one in VARY.values() if one is not axis):
        with columns[place % 2]:
            (number if one.size else choice)(one.field, one.parameter)
    several("Cache", "cache")
    if len(available_devices()) > 1:
        several("Devices, side by side", "devices", help=None)
    elif why := why_no_gpu():
        st.caption(literal(why))


def _machines() -> None:
    """The machines of the cluster to choose from."""
    found, trouble = session.machines()
    names = dict.fromkeys([HERE, *found, *setting("machines")])
    several("Machines", "machines", names, help="The same sweep runs on each.")
    st.caption(literal(trouble))


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
    active = mine.active
    queued_fragment(POLL_S if active else None, row, [*mine.sweeps.values(), active], recorded)
    queued_fragment(REDRAW_S if active else None, _results, recorded)


def row(seen: list[Any], recorded: bool) -> None:
    """Start or Stop, and the progress; a sweep that began or ended draws the whole page again."""
    mine = session.session()
    active, every = mine.active, list(mine.sweeps.values())
    if [*every, active] != seen:
        st.rerun(scope="app")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start_row"):
        if active:
            st.button("Stop", on_click=mine.stop, icon=":material/stop:", key="timing_stop_button")
            shares = [done / max(1, total) for done, total in (one.rounds for one in every)]
            st.progress(min(1.0, sum(shares) / len(every)), text=literal(_progress(every)))
        else:
            icon = ":material/play_arrow:"
            st.button("Start", on_click=_start, icon=icon, key="timing_start_button")
            st.caption(literal(_progress(every) if every else _before(_runs(recorded))))
    with suppress(Refused):  # Start says it
        if left_out := "" if active else " ".join(chosen_cases()[1].values()):
            st.caption(literal(f"Left out: {left_out}"))
    for text in mine.troubles:
        refuse(as_sentence(text.rstrip(".")))


def _before(runs: list[Run]) -> str:
    """What is shown before the first sweep of the session."""
    if not runs:
        return "Nothing is measured yet. Start measures here."
    what = "Recorded on" if runs[0] is session.recorded() else "Opened:"
    return f"{what} {runs[0].label}. Start measures here."


def _progress(sweeps: list[Sweep]) -> str:
    """How far they are, in one line: as the first that goes on, with the rounds of all."""
    sweep = next((one for one in sweeps if one.active), sweeps[0])
    done, total = map(sum, zip(*(one.rounds for one in sweeps), strict=True))
    cases = f"{sum(len(one.cases) for one in sweeps):,} cases"
    left = "" if sweep.seconds_left is None else f", {sweep.seconds_left:.0f} s left"
    words = {
        "queued": "it waits for the sweeps before it",
        "starting": "the measuring process starts",
        "running": f"{done} of {total} rounds through {cases}{left}",
        "done": f"{cases} in {sweep.wall_s:.1f} s, {total} rounds",
    }
    ended = sweep.reason or f"{sweep.state} after {done} of {total} rounds"
    return as_sentence(words.get(sweep.state, ended).rstrip("."))


def _runs(recorded: bool = True) -> list[Run]:
    """What is shown: the session's runs and opened ones, or the recorded one."""
    runs = [*session.session().runs, *_others()[0]]
    return runs or [one for one in [session.recorded()] if one and recorded]


def _others() -> tuple[list[Run], list[str]]:
    """The runs to compare with, read once."""
    names = [one for one in st.session_state.get("kept_runs") or [] if isinstance(one, str)]
    files = uploaded("run_files")
    made_of = (tuple(names), tuple(file.file_id for file in files))
    return cached("opened", made_of, partial(session.opened, names, files))


def _results(recorded: bool) -> None:
    """The answer and the chart; while a sweep runs the chart alone."""
    active = session.session().active
    runs = session.session().runs if active else _runs(recorded)
    if not runs:
        return
    # While a sweep runs nothing is judged: that would take time from what is measured.
    if said := "" if active else _said(*runs):
        st.header(literal(unbroken(said)), anchor=False)
    make = _drawn.__wrapped__ if active else _drawn
    figure = make(tuple(setting("methods")), tuple(chart_colours()), *runs)
    if figure is not None:
        chart(figure, key="time_chart", picks=not active)
    failed = [text for run in runs for text in failures(run)]
    for text in failed[:FAILURES]:
        st.caption(literal(text))
    if more := len(failed[FAILURES:]):
        st.caption(f"{more} more have no time; the CSV file says why.")


@lru_cache(8)  # all visitors see the recorded run
def _said(*runs: Run) -> str:
    """The answer of the first run, named where there are several."""
    said = answer(runs[0])
    return f"{labels(runs)[0]}: {said}" if runs[1:] else said


@lru_cache(8)
def _drawn(methods: tuple[str, ...], colours: tuple[str, ...], *runs: Run) -> go.Figure | None:
    """The chart of the chosen methods, or of all if none of these was measured."""
    table = points(runs)
    chosen = table["method"].isin(methods)
    table = table[chosen] if chosen.any() else table
    axis = varying(*(run.cases for run in runs))
    return drawn(table, axis, colours, title="") if len(table) else None


def _numbers(is_open: bool) -> None:
    """Every number, the other charts, files, and other runs."""
    runs = _runs()
    if is_open and runs and not session.session().active:
        axis, colours, table = varying(*(run.cases for run in runs)), chart_colours(), points(runs)
        st.markdown("\n".join(f"- {literal(text)}" for text in sentences(runs[0])[1:]))
        digits = {"p": st.column_config.NumberColumn(format="scientific")}
        judged = tables.of_verdicts(runs)
        st.dataframe(judged, hide_index=True, column_config=digits, alt="Every comparison")
        st.dataframe(tables.of_points(table), hide_index=True, alt="Every point")
        columns = st.columns(2, gap="small")
        for place, y in enumerate([*CHARTS][1:]):
            if (figure := drawn(table, axis, colours, y)) is not None:
                with columns[place % 2]:
                    chart(figure, key=f"{y}_chart", picks=True)
        with st.container(horizontal=True, gap="small"):
            if runs[1:]:
                download("Runs (.zip)", partial(zipped, runs), "embviz_runs.zip")
            else:
                download("Run (.jsonl)", runs[0].to_bytes, "embviz_run.jsonl")
            download("CSV", partial(to_csv, runs), "embviz_runs.csv")
            download("Report (.html)", partial(html_report, runs), "embviz_report.html")
    _open()


def _open() -> None:
    """Earlier runs, the recorded one, and files from elsewhere."""
    files = session.kept()
    st.multiselect(
        "Other runs beside these",
        list(files),
        key="kept_runs",
        format_func=lambda name: session.title(files[name]) if name in files else name,
        persist_state="session",
    )
    uploader("Run files (.jsonl)", "run_files", "jsonl", megabytes=8, accept_multiple_files=True)
    if hosted():
        st.caption("This server keeps no runs: download yours.")
    for trouble in _others()[1]:
        refuse(trouble)


def _method() -> None:
    """What is inside the clock, how it is measured, and this machine."""
    with suppress(Refused):  # Start says it
        one_each = {case.method: case for case in chosen_cases()[0]}.values()
        rows = [(case.record.label, statement(case), ready_words(case)) for case in one_each]
        heads = ["Method", "Inside the clock", "Ready before it starts"]
        st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, alt="Inside the clock")
    st.markdown(METHOD)
    if not (hosted() and session.clustered()):
        facts = [f"{name}: {one}" for name, one in session.facts().items() if one]
        st.caption(literal("; ".join(facts)))


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
    mine, names = session.session(), [HERE]
    if session.clustered():
        names = [session.ANY] if hosted() else setting("machines")
    try:
        mine.start(chosen_cases()[0], names)
    except Refused as error:
        mine.refusal = str(error)
