"""The timing page: a question's answer and its chart, at once from a recorded run.

*Measure here* measures it; while that runs the chart follows it, and nothing is judged: that would
take time from what is measured. The sweeps of a session are in `measuring`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import streamlit as st

from embviz.system.bounds import hosted
from embviz.text.markdown import literal
from embviz.text.wording import counted
from embviz.timing.cases import settings_of
from embviz.timing.measure.run import Run, labels, points
from embviz.timing.measure.sweep import Sweep
from embviz.timing.page import kept, measuring, my_model
from embviz.timing.tell import charts
from embviz.timing.tell.notes import caveat, failures
from embviz.timing.tell.questions import CPU_OR_GPU, GPU_QUESTIONS, MY_MODEL, OWN, QUESTIONS
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.sentences import COLUMNS, win_table
from embviz.timing.tell.work import answer_and_waits, real_models
from embviz.ui.elements.chart import chart
from embviz.ui.elements.refusal import refuse
from embviz.ui.elements.theme import both_chart_colours, chart_colours
from embviz.ui.elements.widgets import uploaded
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.changes import go
from embviz.ui.state.session import cached

# Seconds between two updates while a sweep runs: drawing takes time from what is measured.
POLL_S = 0.9
TABLE_PX = 84  # Pixels that a table of two matmuls takes from its chart.
LINE_PX = 22  # Pixels that a line below a chart takes from it.
LINE_LETTERS = 140  # Letters of such a line in a window of 1,280 pixels.
LOOKS = 32  # Results of recorded runs that are kept: each in two themes.


def questions() -> None:
    """A press for each question; the pressed one is marked."""
    current = measuring.question()
    with st.container(horizontal=True, gap="xsmall", key="questions"):
        for question in QUESTIONS:
            pressed = question.name in (current, _above(current))
            st.button(
                question.name,
                f"ask {question.name}",
                on_click=go,
                args=(settings_of(question.name),),
                type="primary" if pressed else "secondary",
                icon=f":material/radio_button_{'checked' if pressed else 'unchecked'}:",
            )


def _above(question_name: str) -> str:
    """The question that offers this one; empty where it is offered by the page."""
    return CPU_OR_GPU if question_name in [question.name for question in GPU_QUESTIONS] else ""


def on_a_gpu() -> None:
    """Draw the other questions on a GPU below *CPU or GPU?*, where they move nothing."""
    current = measuring.question()
    if CPU_OR_GPU not in (current, _above(current)):
        return
    with st.container(horizontal=True, gap="small", key="gpu_questions"):
        for question in GPU_QUESTIONS:
            st.button(
                question.name,
                f"ask {question.name}",
                on_click=go,
                args=(settings_of(question.name),),
                type="tertiary",
                disabled=question.name == current,
            )
    st.caption(literal(real_models()))


def watch() -> None:
    """Measure here and Stop, the answer and the chart; they follow a sweep while it runs."""
    if not hosted():
        measuring.warm()
    polls = measuring.sweeps().active
    queued_fragment(POLL_S if polls else None, follow, polls)


def follow(polls: bool) -> None:
    """The parts of `watch`; a sweep that began or ended draws the whole page again."""
    mine = measuring.sweeps()
    question = measuring.question()
    runs = shown(question)
    if mine.active != polls:
        st.rerun(scope="app")
    _start_row(question, runs)
    trouble = mine.newest.trouble if mine.newest else ""
    for reason in (measuring.refusal(), trouble):
        if reason:
            refuse(reason, "sweep")
    if question == MY_MODEL:
        my_model.draw(runs[0], mine)
    else:
        _answer_and_chart(question, runs, mine.is_measuring(question))


def _start_row(question: str, runs: Sequence[Run]) -> None:
    """Draw Measure here and the origin of the run that is shown; or Stop and a sweep's progress."""
    mine = measuring.sweeps()
    sweep = mine.newest
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start_row"):
        if sweep and sweep.active:
            st.button("Stop", "timing_stop_button", on_click=mine.stop, icon=":material/stop:")
            st.progress(sweep.done / sweep.rounds[1], _progress(sweep, question))
            return
        missing = measuring.missing_devices()
        st.button(
            "Measure here",
            "timing_start_button",
            on_click=measuring.start,
            icon=":material/play_arrow:",
            disabled=bool(missing),
            help=measuring.why_missing(missing) if missing else None,
        )
        origin = _whose(question, runs)
        if missing:
            origin = f"{origin.partition('; ')[0].rstrip('.')}; no {', '.join(missing)} here."
        doubt = caveat(runs[0]) if runs else ""
        st.caption(f"{literal(origin)} **{literal(doubt)}**" if doubt else literal(origin))


def _whose(question: str, runs: Sequence[Run]) -> str:
    """The origin of the run that is shown, in a sentence."""
    mine = measuring.sweeps()
    sweep = mine.newest
    if sweep and sweep.question == question:
        progress = _progress(sweep, question)
        if question == OWN and not measuring.is_of_settings(sweep):
            progress += " These are other settings."
        return progress
    if mine.run_of(question):
        return "Measured here before."
    if runs and runs[0] is not _recorded(question):
        return f"Measured before: {labels(runs)[0]}."
    if runs:
        return f"Recorded on {labels(runs)[0]}; yours may differ."
    return "These settings were not measured yet."


def _progress(sweep: Sweep, question: str) -> str:
    """How far a sweep is, or how it ended."""
    done, total = sweep.rounds
    cases = counted(len(sweep.cases), "case")
    where = f"{done} of {counted(total, 'round')} of {cases}, {sweep.seconds:.1f} s"
    said = f"{sweep.state.capitalize()}: {where}. {sweep.reason[:1].upper()}{sweep.reason[1:]}"
    if sweep.question == question:
        return said
    return f"{sweep.question or 'Own settings'} {said}"


def _answer_and_chart(question: str, runs: Sequence[Run], measures: bool) -> None:
    """The answer, which keeps its place while there is none, the chart, and what else is told."""
    colours = (*chart_colours(),)
    if [*runs] == [_recorded(question)] and not measures:
        result = _of_recorded(question, colours)
    else:
        lines = sum(run.count for run in runs)
        make = partial(_result, runs, colours, is_judged=not measures)
        result = cached("time_result", (lines, measures, colours, *runs), make)
    with st.container(key="timing_answer", gap=None):
        if result.sentences:
            whose = f"{labels(runs)[0]}: " if runs[1:] else ""
            st.header(literal(f"{whose}{result.sentences[0]}"), anchor=False)
        if measures:
            waits = "The answer comes at the end."
            newest = measuring.sweeps().newest
            if runs and newest and runs[0] is not newest.run:
                waits = f"Still the run before: {labels(runs)[0]}. The new one has no round yet."
            st.caption(literal(waits))
    below = result.sentences[1:]
    if failed := [text for run in runs for text in failures(run)]:
        below = [*below, f"No time for {counted(len(failed), 'case')}. {failed[0]}"]
    with st.container(key="timing_picture", gap=None):
        if result.figure is not None:
            chart(result.figure, key="time_chart")
        if result.wins:
            st.markdown(_table(result.wins))
        if below:
            st.caption(literal(" ".join(below)))


def _table(wins: Sequence[Sequence[str]]) -> str:
    """The places at which each matmul is faster and is not, as a table of Markdown."""
    first, *lines = [f"| {' | '.join(map(literal, cells))} |" for cells in [("", *COLUMNS), *wins]]
    return "\n".join([first, "|---" * (1 + len(COLUMNS)) + "|", *lines])


def shown(question: str) -> list[Run]:
    """The run that answers a question, and the opened ones to compare it with.

    It is the session's own, or one of before, or the recorded one.
    """
    others = others_opened()[0]
    own = measuring.sweeps().run_of(question)
    if own is not None:
        return [own, *others]
    if others and question != MY_MODEL:
        return others
    if before := _before(question):
        return [before]
    run = _recorded(question)
    return [run] if run else []


def _recorded(question: str) -> Run | None:
    """The recorded run of a question; own settings have none."""
    if question == OWN:
        return None
    return recorded(question)


def others_opened() -> tuple[list[Run], list[str]]:
    """The runs to compare with, read once, and what cannot be read."""
    names, files = st.session_state.get("kept_runs") or [], uploaded("run_files")
    made_of = [*names, *(file.file_id for file in files)]
    return cached("opened", made_of, partial(kept.opened, names, files))


def _before(question: str) -> Run | None:
    """The newest kept run if it measured what the settings ask for, as after a reload."""
    newest = [*kept.earlier()][:1]
    runs, _ = cached("newest", newest, partial(kept.opened, newest, ()))
    wanted = {*measuring.planned()[0]}
    for run in runs:
        if run.question == question and run.measured and wanted >= {*run.measured}:
            return run
    return None


def prepare() -> None:
    """Make the first question's answer and chart: else the first visitors wait for them."""
    for colours in both_chart_colours():
        _of_recorded(QUESTIONS[0].name, (*colours,))


class Result(NamedTuple):
    """The result of runs, as it is shown.

    Attributes:
        sentences: the answer; its first is the headline.
        wins: the lines of a table beside a yes or no.
        figure: the chart.
    """

    sentences: Sequence[str] = ()
    wins: Sequence[Sequence[str]] = ()
    figure: Any = None


# All visitors see these runs; the result of another one is kept by its session.
@lru_cache(LOOKS)
def _of_recorded(question: str, colours: Sequence[str]) -> Result:
    """The result that `_result` gives for a recorded run, kept for all visitors."""
    return _result([recorded(question)], colours)


def _result(runs: Sequence[Run], colours: Sequence[str], is_judged: bool = True) -> Result:
    """The answer of the first run, and the chart of all."""
    if not runs:
        return Result()
    figure = charts.draw(points(runs), colours)
    if not is_judged:
        return Result(figure=figure)
    sentences, wins = answer_and_waits(runs[0]), win_table(runs[0])
    if figure is not None:  # What is below keeps its place.
        figure.layout.height -= LINE_PX * math.ceil(len(" ".join(sentences[1:])) / LINE_LETTERS)
        if wins:
            figure.layout.height -= TABLE_PX
    return Result(sentences, wins, figure)
