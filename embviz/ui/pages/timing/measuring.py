"""The timing page's settings, questions, charts and runs.

Methods, passes, kinds of ids and axes are read from their records in `embviz.timing`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import pandas as pd
import streamlit as st

from embviz.core.bounds import hosted
from embviz.core.config import available_devices, why_no_gpu
from embviz.figures.shades import muted
from embviz.figures.timing.charts import memory_figure, speedup_figure, time_figure
from embviz.figures.timing.curves import Plot
from embviz.figures.timing.roofline import bandwidth_figure, roofline_figure
from embviz.request.markdown import literal
from embviz.request.settings import SETTINGS, defaults
from embviz.timing.cases import Case, CaseError, plan
from embviz.timing.cluster_table import NOTE, machine_table
from embviz.timing.findings import findings
from embviz.timing.phrases import capitalized, case_words
from embviz.timing.results import Failure
from embviz.timing.runs import Run, labels, to_csv, zipped
from embviz.timing.settings import AXES, CACHES, HERE, PASSES, SKEWS, VARY, Axis
from embviz.timing.tensors import ready_words, statement
from embviz.ui.frame.body import queued_fragment
from embviz.ui.frame.sidebar import reset
from embviz.ui.pages.timing import PAGE, cluster, machines, sweeps
from embviz.ui.pages.timing.progress import show_progress, waits
from embviz.ui.parts.chart import chart
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import (
    choice,
    number,
    opens,
    several,
    shown,
    uploaded,
    uploader,
)
from embviz.ui.state.session import cached, change, redraw, setting

POLL_S = 0.4  # between two updates of the progress
WAITING_S = 2.0  # the same while the sweep waits in the queue
REDRAW_S = 0.9  # drawing charts takes time from the cores that are measured
_VARY_HELP = "What differs from point to point; all else stays as set below."

# Each question with its settings, where they differ from the defaults.
QUESTIONS: dict[str, dict[str, Any]] = {
    "How does cost grow with the vocabulary?": {
        "cache": ["same", "new"],
        "methods": ["lookup", "matmul"],
    },
    "Can matmul win?": {
        "span": ["2", "4096"],
        "time_tokens": 1,
        "methods": ["lookup", "index_select", "matmul", "matmul_table"],
    },
    "What does building the one-hot cost?": {
        "span": ["64", "16384"],
        "methods": ["lookup", "matmul", "scatter_matmul", "onehot_matmul", "sparse_matmul"],
    },
    "What does backward cost?": {
        "pass": "backward",
        "methods": ["lookup", "lookup_sparse", "matmul"],
    },
    "Is half precision faster?": {
        "vary": "dtype",
        "time_tokens": 64,
        "methods": ["lookup", "matmul"],
    },
    "CPU against GPU": {"devices": ["cpu", "gpu"]},
}


def settings() -> None:
    """The sidebar: what varies, by which methods; under More what stays the same."""
    with st.sidebar:
        machines.choose()
        choice("What varies", "vary", _new_span, help=_VARY_HELP)
        axis = VARY[setting("vary")]
        if axis.size and axis.span:
            words, powers = f"{axis.field}, from and to", SETTINGS["span"].options()
            # Without a pair as `value` Streamlit takes one end for both, and nothing moves.
            st.select_slider(words, powers, SETTINGS["span"].default, **shown("span"))
        several("Methods", "methods", help=None)
        first = ("vary", "span", "methods", "machines")
        others = [one.name for one in PAGE.settings if one.name not in first]
        with st.expander("More", expanded=opens("timing_more", *others)):
            _more(axis)
        st.button("Reset settings", on_click=reset, type="tertiary", icon=":material/undo:")


def _more(axis: Axis) -> None:
    choice("Pass", "pass", help=_meanings({name: one.label for name, one in PASSES.items()}))
    fields = [
        partial(number, one.field, one.parameter, help=one.help)
        for one in VARY.values()
        if one.size and one is not axis
    ]
    if axis is not AXES["dtype"]:
        fields.append(partial(choice, "dtype", "time_dtype"))
    if axis is not AXES["ids"]:
        skews = _meanings({name: one.words for name, one in SKEWS.items()})
        fields.append(partial(choice, "ids", "skew", help=skews))
    for first in range(0, len(fields), 2):
        pair = fields[first : first + 2]
        for place, field in zip(st.columns(2, gap="small"), pair, strict=False):
            with place:
                field()
    caches = _meanings({name: one.words for name, one in CACHES.items()})
    several("Cache", "cache", help=caches)
    if len(available_devices()) > 1:
        several("Devices, side by side", "devices", help=None)
    elif why := why_no_gpu():
        st.caption(literal(why))
    if axis is AXES["dtype"]:
        st.caption("The sentences under the chart compare the dtypes of your run.")


def _meanings(words: Mapping[str, str]) -> str:
    return "; ".join(f"`{name}`: {meaning}" for name, meaning in words.items())


def questions() -> None:
    """One press sets everything and starts."""
    with (
        st.expander("Other questions, one press each"),
        st.container(horizontal=True, gap="small", key="questions"),
    ):
        why = why_no_gpu()
        for question, changes in QUESTIONS.items():
            impossible = bool(why) and "devices" in changes
            st.button(
                question,
                on_click=_ask,
                args=(changes,),
                disabled=impossible,
                help=why if impossible else None,
            )
        if cluster.named() and not hosted():
            why = machines.why_none()
            st.button(
                "How do our machines differ?",
                on_click=_ask_all,
                disabled=bool(why),
                help=literal(capitalized(why)) if why else None,
            )


def chosen_cases(left_out: dict[str, str] | None = None) -> list[Case]:
    """The cases that the settings ask for.

    Args:
        left_out: gets the methods that cannot be measured so, with reasons; else they are refused.

    Raises:
        CaseError: with what does not fit.
    """
    axis = VARY[setting("vary")]
    values: list[Any] = list(axis.values)
    if axis.size and axis.span:
        powers = [int(one) for one in SETTINGS["span"].options()]
        low, high = sorted(int(one) for one in setting("span"))
        values = [one for one in powers if low <= one <= high]
    return plan(
        setting("vary"),
        values,
        setting("methods"),
        setting("devices"),
        setting("cache"),
        left_out,
        **{one.field: setting(one.parameter) for one in VARY.values()},
        pass_=setting("pass"),
    )


def watch(recorded: bool = True) -> None:
    """Start and Stop, and all results; it redraws itself while a sweep runs.

    Args:
        recorded: whether the recorded run is shown until there is one of the session.
    """
    if not hosted():
        _warm()  # so that the first sweep finds a worker that has imported PyTorch
    session = sweeps.session_sweep()
    active, measuring = session.active, session.measuring
    seen = session.seen
    every = WAITING_S if waits(session.sweeps) else POLL_S if active else None
    queued_fragment(every, _row, seen, recorded)
    if recorded or session.sweeps:
        queued_fragment(REDRAW_S if measuring else None, _results)


@st.cache_resource(show_spinner=False)
def _warm() -> None:
    sweeps.engine().warm()


def _row(watched: sweeps.Seen, recorded: bool = True) -> None:
    """Start or Stop, and the progress."""
    session = sweeps.session_sweep()
    active = session.active
    # A sweep has started or ended since the last full rerun: run the whole page again.
    if session.seen != watched:
        st.rerun(scope="app")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start_row"):
        if active:
            st.button("Stop", on_click=_stop, icon=":material/stop:", key="timing_stop_button")
        else:
            # Not "start": the bag page has a URL parameter of that name, and a key of that name.
            st.button(
                "Start",
                on_click=_start,
                type="primary",
                icon=":material/play_arrow:",
                key="timing_start_button",
            )
        show_progress(session, recorded)
    if not active:
        _left_out()
    for text in filter(None, (*session.failures(), session.refusal, session.trouble)):
        refuse(text)


def _left_out() -> None:
    """Why chosen methods cannot be measured; Start measures the others."""
    reasons: dict[str, str] = {}
    with contextlib.suppress(CaseError):  # Start shows it
        chosen_cases(reasons)
    if reasons:
        st.caption(literal(f"Left out: {' '.join(reasons.values())}"))


def _results() -> None:
    """Charts, findings and downloads of all results so far, or the recorded run."""
    session = sweeps.session_sweep()
    active = session.active
    others, _ = _others(active)
    mine, recorded = session.runs(), sweeps.recorded()
    names = session.machines
    if names:
        others = [
            replace(one, name=label) for one, label in zip(others, labels(others), strict=True)
        ]
        names += [one.name for one in others]
    runs = mine + others
    planned = session.cases if active else []
    colours = chart_colours()
    if runs or (planned and recorded is None):  # else the recorded run stays until results come
        make = partial(_Charts, runs, colours, planned, machines=names)
        _draw(make() if active else cached("timing_plot", (runs, names, colours), make))
        if runs and not active:
            _downloads(runs, bool(names))
    elif recorded is not None:
        _draw(_recorded_charts(tuple(colours)))


class _Charts(Plot):
    """The charts of some runs. Each is made when it is drawn first, and kept."""

    time = cached_property(time_figure)
    speedup = cached_property(speedup_figure)
    memory = cached_property(memory_figure)
    findings = cached_property(lambda charts: findings(charts.runs[0]))


@st.cache_resource(show_spinner=False, max_entries=4)
def _recorded_charts(colours: tuple[str, ...]) -> _Charts:
    """The charts of the recorded run, which are the same for all sessions of a theme."""
    recorded = sweeps.recorded()
    assert recorded is not None
    return _Charts([recorded], muted(colours), note=f"recorded: {recorded.label}")


def _draw(charts: _Charts) -> None:
    """The times, with the answer as their title; folded, what else there is to ask of a run."""
    with st.container(gap="xsmall"):
        _parts(charts, bool(charts.runs) and not charts.live)


def _parts(charts: _Charts, finished: bool) -> None:
    chart(charts.time, key="time_chart", picks=finished)
    folded = st.expander(
        "How many times longer, and in how much memory?", key="beside_charts", on_change="rerun"
    )
    if folded.open:
        left, right = folded.columns(2, gap="small")
        with left:
            chart(charts.speedup, key="speedup_chart", picks=finished)
        with right:
            chart(charts.memory, key="memory_chart", picks=finished)
    if finished:
        _machines(charts)
        _findings(charts)
        _limits(charts)


def _limits(plot: Plot) -> None:
    question = "How close is this to what the machine can do?"
    folded = st.expander(question, key="machine_limits", on_change="rerun")
    if not folded.open:
        return
    with folded:
        st.markdown(
            "A lookup does no arithmetic: it can be as fast as a plain copy of as many bytes. A "
            "matmul multiplies and adds: it can be as fast as a square matrix product. Copies and "
            "product were timed in the same run. A copy of n bytes moves 2n: it reads n and "
            "writes n. On the right, memory's limit is the largest copy; data that fits into a "
            "cache may exceed it."
        )
        left, right = st.columns(2, gap="small")
        with left:
            chart(bandwidth_figure(plot), key="bandwidth_chart", picks=True)
        with right:
            if (figure := roofline_figure(plot)) is not None:
                chart(figure, key="roofline_chart", picks=True)
        if not any(plot.ceilings):
            st.caption("This run did not record what the machine can do: the points stand alone.")


def _others(active: bool) -> tuple[list[Run], list[str]]:
    """The runs to compare with, read once and not for every redraw."""
    chosen = st.session_state.get("kept_runs") or []
    names = [name for name in chosen if isinstance(name, str)]
    files = uploaded("run_files")
    made_of = (tuple(names), tuple(file.file_id for file in files), active)
    return cached("opened", made_of, partial(sweeps.opened, names, files))


def _machines(charts: _Charts) -> None:
    """A row for each machine, where the same sweep ran on several."""
    if not charts.machines:
        return
    found = cached("machines", tuple(charts.runs), partial(machine_table, charts.runs))
    with st.expander("The machines side by side", True, key="machine_table"):
        frame = pd.DataFrame(found.rows, columns=list(found.heads))
        right = st.column_config.TextColumn(alignment="right")
        numbers = {
            name: right for name, is_right in zip(found.heads, found.right, strict=True) if is_right
        }
        st.dataframe(frame, hide_index=True, column_config=numbers, alt="One row for each machine")
        st.caption(NOTE)


def _findings(charts: _Charts) -> None:
    """What else a run found; folded for the recorded run.

    A single run's answer is the chart's title.
    """
    (answer, said), runs, run = charts.findings, charts.runs, charts.runs[0]
    if len(runs) > 1 and answer:
        said = [answer, *said]
    failed = [one for one in run.results if isinstance(one, Failure)]
    is_own = not charts.note
    count = f"{len(said)} {'sentence' if len(said) == 1 else 'sentences'}"
    with st.expander(f"What else did it find? ({count})", is_own, key="findings"):
        if len(runs) > 1:
            name = run.name if charts.machines else run.label
            which = f"machine {name}" if charts.machines and name != HERE else name
            st.caption(literal(f"The sentences are on {which}."))
        st.markdown(_list(said))
    for one in failed[:5]:
        st.caption(literal(f"{case_words(one.case, charts.axis)}: {one.reason}"))


def _list(texts: Sequence[str]) -> str:
    return "\n".join(f"- {literal(text)}" for text in texts)


def _downloads(runs: list[Run], several: bool) -> None:
    files: list[tuple[str, Any, str, str]] = [
        ("Run (.jsonl)", runs[0].to_bytes(), "embviz_run.jsonl", "application/jsonl")
        if not several
        else ("Runs (.zip)", partial(zipped, runs), "embviz_runs.zip", "application/zip"),
        ("CSV", to_csv(runs).encode(), "embviz_runs.csv", "text/csv"),
        ("Report (.html)", partial(_report, runs), "embviz_report.html", "text/html"),
    ]
    with st.container(horizontal=True, gap="small"):
        for label, content, name, kind in files:
            download(label, content, name, kind)


def _report(runs: list[Run]) -> bytes:
    from embviz.figures.timing.report import html_report

    return html_report(runs).encode()


def compare() -> None:
    """Choose earlier runs, runs that embviz ships, and files from elsewhere."""
    names = sweeps.references() + sweeps.kept()
    left, right = st.columns(2)
    with left:
        if names:
            st.multiselect(
                "Recorded and earlier runs",
                names,
                key="kept_runs",
                format_func=partial(sweeps.title, files=sweeps.paths()),
                placeholder="Choose runs to draw beside this one",
                persist_state="session",
            )
        st.caption(
            "This server keeps no runs: download yours."
            if hosted()
            else "Each line is written at once: a run that a crash cut short is here with "
            "what it had."
        )
    with right:
        label = "Runs from other machines (.jsonl)"
        uploader(label, "run_files", "jsonl", accept_multiple_files=True)
        for trouble in _others(sweeps.session_sweep().active)[1]:
            refuse(trouble)
    if (recorded := sweeps.recorded()) is not None:
        download(
            "Recorded data (.jsonl)",
            recorded.to_bytes,
            sweeps.RECORDED.name,
            "application/jsonl",
        )


def methods() -> None:
    """The statement inside the clock and the tensors it finds ready, for each chosen method."""
    try:
        cases = {(case.method, case.cache): case for case in chosen_cases({})}.values()
    except CaseError:
        return
    rows = [
        {
            "Method": case.record.label,
            "Cache": case.cache,
            "Inside the clock": statement(case),
            "Ready before it starts": ready_words(case),
        }
        for case in cases
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Inside the clock, by method")


def _new_span() -> None:
    axis = VARY[setting("vary")]
    if axis.size and axis.span:
        change({"span": (str(axis.values[0]), str(axis.values[-1]))})


def _ask(changes: Mapping[str, Any]) -> None:
    """Set what a question needs, everything else to its default, and start."""
    own = defaults(one.name for one in PAGE.settings)
    wanted = own | {"machines": setting("machines")} | dict(changes)
    if wanted["devices"] == ["cpu", "gpu"]:
        wanted["devices"] = ["cpu", next(one for one in available_devices() if one != "cpu")]
    change(wanted)
    _start()
    redraw()


def _ask_all() -> None:
    _ask({"methods": ["lookup", "matmul"], "machines": machines.everyone()})


def _stop() -> None:
    sweeps.session_sweep().stop()


def _start() -> None:
    session = sweeps.session_sweep()
    try:
        own_threads = (
            setting("threads") == SETTINGS["threads"].default and setting("vary") != "threads"
        )
        session.start(chosen_cases({}), machines.chosen(), own_threads)
        session.refusal = " ".join(filter(None, [session.refusal, machines.not_asked()]))
    except CaseError as error:
        session.refusal = str(error)
