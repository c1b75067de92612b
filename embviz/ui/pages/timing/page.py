"""The parts of the timing page: a sweep, its answer and chart, all numbers, and the method.

A press puts a sweep into the queue of the engine that all sessions share. While it runs the chart
follows it, and nothing is judged: that would take time from what is measured. A closed tab ends
its sweep. Methods, modes, kinds of ids and axes are read from their records in `embviz.timing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache, lru_cache, partial
from typing import Any

import streamlit as st

from embviz.figures.timing import charts, tables
from embviz.request.given import defaults
from embviz.request.markdown import literal
from embviz.request.pages import SETTINGS, TIMING
from embviz.system.bounds import hosted
from embviz.system.devices import available_devices
from embviz.text.refused import Refused, refusals_about
from embviz.timing.axes import MODES, VARY
from embviz.timing.run import Run, labels, points, to_csv
from embviz.timing.sentences import answer, details, failures
from embviz.timing.sweep import Engine, Sweep
from embviz.timing.tensors import statement
from embviz.timing.timed import PLACEMENTS, ROUNDS, CaseError, Timed, plan
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.timing import kept
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import uploaded, uploader
from embviz.ui.state.session import (
    cached,
    change,
    redraw,
    refuse_long,
    setting,
    settings,
    state,
)

# Seconds between two updates while a sweep runs: drawing takes time from what is measured.
POLL_S = 0.9

CAN_WIN = "Can matmul win?"  # Question whose answer begins with yes or no.
# Settings of each question, where they differ from the defaults.
QUESTIONS: dict[str, dict[str, Any]] = {
    "What does it cost?": {},
    CAN_WIN: {
        "values": "2 4 8 16 32 64 128 256 512 1024 2048 4096",
        "time_tokens": 1,
        "methods": ["lookup", "matmul", "matmul_table"],
    },
    "What does the one-hot cost?": {
        "values": "64 128 256 512 1024 2048 4096 8192 16384",
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
    "compares times round by round; without enough certainty it says *not told apart*. It shows "
    "the ratio of its two times, *All numbers* the mean of the rounds' ratios. The first method of "
    "each point is measured twice: that difference is noise.\n\n"
    "A *matmul* multiplies a ready one-hot by the weight of an nn.Linear, D x V. A *matmul on the "
    "lookup's table* multiplies it by the same numbers as the lookup has them, V x D. Ids are "
    "drawn *uniform*ly, by *zipf*'s law (id k with weight ln(1 + 1 / (k + 1))), or all *equal*."
)
ANSWER_PX = 35  # Pixels of the line that says the answer.
ENGINE = Engine()
warm = cache(ENGINE.warm)  # The measuring process starts before the first sweep.


def stop(those: Iterable[Sweep]) -> None:
    """End them; their times stay."""
    for one in those:
        one.stop()


@st.cache_resource(scope="session", show_spinner=False, on_release=stop)
def sweeps() -> list[Sweep]:
    """The last two of this session; they end when the tab closes."""
    return []


def active() -> bool:
    """Whether one waits or runs."""
    return any(one.active for one in sweeps())


def measured() -> list[Run]:
    """The run of the last sweep that has times."""
    return [one.run for one in sweeps() if one.run.measured or one.run.failures][-1:]


def questions() -> dict[str, dict[str, Any]]:
    """All settings of the page for each question that this machine can answer."""
    usual, devices = defaults(one.name for one in TIMING.settings), available_devices()
    more = {"CPU or GPU?": {"devices": devices}} if devices[1:] else {}
    return {name: usual | changes for name, changes in (QUESTIONS | more).items()}


def question() -> str:
    """The question that is marked as pressed: the page has its settings; empty for own settings."""
    return next((name for name, one in questions().items() if settings(one) == one), "")


def chosen_cases() -> list[Timed]:
    """The cases that the settings ask for.

    Raises:
        CaseError: with what does not fit, and the settings that would mend it.
    """
    refuse_long("values")
    own = _own()
    try:
        return _planned(own)
    except CaseError as error:
        names = dict.fromkeys([error.about, "methods"])
        some = [{name: SETTINGS[name].default} for name in names if name != "mode"]
        if error.about == "mode":
            some += [{"mode": mode} for mode in MODES]
        error.fixes = {_said(changes): changes for changes in some if _fits(own | changes)}
        raise


def _own() -> dict[str, Any]:
    """The settings of the page."""
    return settings([one.name for one in TIMING.settings])


def _planned(own: Mapping[str, Any]) -> list[Timed]:
    axis = VARY[own["vary"]]
    fixed = {one.field: own[one.parameter] for one in VARY.values()}
    with refusals_about("values", instead_of=(axis.parameter,)):
        return plan(
            own["vary"],
            axis.read(own["values"]) or axis.values,
            *(own[name] for name in ("methods", "devices", "cache", "precision")),
            mode=own["mode"],
            **fixed,
        )


def _fits(own: Mapping[str, Any]) -> bool:
    try:
        return bool(_planned(own))
    except CaseError:
        return False


def _said(changes: Mapping[str, Any]) -> str:
    """The name of a press that makes this change."""
    ((name, value),) = changes.items()
    if name == "mode":
        return f"Time {value}"
    return f"Take the usual {name}"


def refusal() -> Refused | None:
    """Why what the settings ask for cannot be measured; or why the last press of Start failed."""
    try:
        refuse_long("values")
    except Refused as too_long:
        return too_long
    # Planned once for these settings: a running sweep is looked at each second.
    if (refused := cached("planned", _own(), _why_not)) is not None:
        return refused
    asked, of_start = state().get("refusal") or (None, None)
    return of_start if asked == _own() else None


def _why_not() -> Refused | None:
    try:
        chosen_cases()
    except Refused as refused:
        return refused
    return None


def watch(recorded: bool = True) -> None:
    """Start and Stop, the answer and the chart; they redraw themselves while a sweep runs.

    Args:
        recorded: whether the recorded run is shown until there is another.
    """
    if not hosted():
        warm()
    polls = active()
    queued_fragment(POLL_S if polls else None, live, polls, recorded)


def live(polls: bool, recorded: bool) -> None:
    """The parts of `watch`; a sweep that began or ended draws the whole page again."""
    mine, runs = sweeps(), _shown(recorded)
    if active() != polls:
        st.rerun(scope="app")
    sweep = mine[-1] if mine else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start_row"):
        if sweep and polls:
            st.button(
                "Stop", "timing_stop_button", on_click=stop, args=(mine,), icon=":material/stop:"
            )
            st.progress(sweep.done / sweep.rounds[1], _progress(sweep))
        else:
            st.button("Start", "timing_start_button", on_click=_start, icon=":material/play_arrow:")
            whose = f"Recorded on {runs[0].label}. " if runs else ""
            st.caption(literal(_progress(sweep) if sweep else f"{whose}Start measures here."))
    for reason in (refusal(), sweep.trouble if sweep else ""):
        if reason:
            refuse(reason, "sweep")
    # While it runs nothing is judged: that would take time from what is measured.
    rows = sum(len(run.times) for run in runs)
    look = (*setting("methods"),), (*chart_colours(),)
    made_of = rows, not polls, *look
    if runs == [kept.recorded()]:
        said, figure = _of_recorded(*made_of)
    else:
        make = partial(_result, *made_of, *runs)
        said, figure = cached("time_result", (*made_of, *runs), make)
    if said:
        whose = f"{labels(runs)[0]}: " if runs[1:] else ""
        st.header(literal(f"{whose}{said[0]}"), anchor=False)
    elif polls:
        st.space(ANSWER_PX)  # Else the chart would move when the answer comes.
    if polls and sweep and runs and not sweep.run.measured:
        before = f"Still the run before: {labels(runs)[0]}. The new one has no round yet."
        st.caption(literal(before))
    elif polls or said[1:]:
        st.caption(literal(" ".join(said[1:])) or "The answer comes at the end.")
    if figure is not None:
        chart(figure, key="time_chart")
    if failed := [text for run in runs for text in failures(run)]:
        st.caption(literal(f"No time for {len(failed)} of the cases. {failed[0]}"))


def _progress(sweep: Sweep) -> str:
    """How far it is, or how it ended."""
    done, total = sweep.rounds
    where = f"{done} of {total} rounds through {len(sweep.cases):,} cases, {sweep.seconds:.1f} s"
    return f"{sweep.state.capitalize()}: {where}. {sweep.reason[:1].upper()}{sweep.reason[1:]}"


def _shown(recorded: bool = True) -> list[Run]:
    """The session's run and opened ones, or one of before."""
    runs = [*measured(), *_others()[0]]
    if recorded and not runs:
        return [_earlier()]
    return runs


def _others() -> tuple[list[Run], list[str]]:
    """The runs to compare with, read once, and what cannot be read."""
    names, files = st.session_state.get("kept_runs") or [], uploaded("run_files")
    made_of = [*names, *(file.file_id for file in files)]
    return cached("opened", made_of, partial(kept.opened, names, files))


def _earlier() -> Run:
    """The newest kept run if it measured what the settings ask for, as after a reload."""
    newest = [*kept.paths()][1:2]
    runs, _ = cached("newest", newest, partial(kept.opened, newest, ()))
    with suppress(Refused):  # Start says it
        wanted = {*chosen_cases()}
        runs = [run for run in runs if run.measured and wanted >= {*run.measured}]
    return [*runs, kept.recorded()][0]


# All visitors see this run; the result of another one is kept by its session.
@lru_cache(8)
def _of_recorded(
    rows: int, judged: bool, methods: Sequence[str], colours: Sequence[str]
) -> tuple[list[str], Any]:
    """As `_result`, of the recorded run."""
    return _result(rows, judged, methods, colours, kept.recorded())


def _result(
    rows: int, judged: bool, methods: Sequence[str], colours: Sequence[str], *runs: Run
) -> tuple[list[str], Any]:
    """The answer of runs with so many times, and the chart of the chosen methods, or of all."""
    if not rows:
        return [], None
    table = points(runs)
    chosen = table[table["method"].isin(methods)]
    figure = charts.draw(chosen if len(chosen) else table, colours)
    return answer(runs[0]) if judged else [], figure


def numbers(is_open: bool) -> None:
    """Every number, the other charts, files, and other runs."""
    runs = _shown()
    if is_open and not active():
        table = points(runs)
        st.markdown("\n".join(f"- {literal(text)}" for text in details(runs[0])))
        digits = {"p": st.column_config.NumberColumn(format="scientific")}
        of = {"Every comparison": tables.of_verdicts(runs), "Every point": tables.of_points(table)}
        for alt, frame in of.items():
            st.dataframe(frame, hide_index=True, column_config=digits, alt=alt)
        for y in [*charts.CHARTS][1:]:
            if (figure := charts.draw(table, chart_colours(), y)) is not None:
                chart(figure, key=f"{y}_chart")
        with st.container(horizontal=True, gap="small"):
            download("Run (.jsonl)", runs[0].to_bytes, "embviz_run.jsonl")
            download("CSV", partial(to_csv, runs), "embviz_runs.csv")
    st.multiselect("Other runs", [*kept.paths()], key="kept_runs", persist_state="session")
    uploader(
        "Run files (.jsonl)",
        "run_files",
        "jsonl",
        megabytes=kept.UPLOAD_MB,
        accept_multiple_files=True,
    )
    for trouble in _others()[1]:
        refuse(trouble)


def method() -> None:
    """The statements inside the clock, how it is measured, and on which machine."""
    run = _shown()[0]
    inside = {case.record.label: statement(case) for case in run.measured}
    st.markdown("\n".join(f"- {name}: `{source}`" for name, source in inside.items()))
    st.markdown(METHOD)
    st.markdown("The machine that measured:")
    st.json(run.environment, expanded=False)


def ask(wanted: Mapping[str, Any]) -> None:
    """Set what a question needs, everything else to its default, and start."""
    change(wanted)
    _start()
    redraw()


def _start() -> None:
    """Measure what the settings ask for; an earlier sweep of this session is stopped."""
    mine = sweeps()
    stop(mine)
    try:
        cases = chosen_cases()
        varies = setting("vary") == "threads"  # The field of values has these.
        with refusals_about("values", instead_of=("threads",)) if varies else nullcontext():
            sweep = ENGINE.start(cases, kept.new(cases), int(setting("repeat")), question())
        mine[:] = [*mine[-1:], sweep]
        state()["refusal"] = None
    except Refused as error:
        state()["refusal"] = _own(), error
