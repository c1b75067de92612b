"""The timing runs of a class in lab *cost*: a student gives one, and the board draws all of them.

A run is measured on the student's own machine, and comes as a run file. A sweep of this server is
not offered: all students would give times of one machine, which serves the class meanwhile.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from embviz.classes.here import here
from embviz.classes.record import ClassError, StoreError
from embviz.classes.timings import (
    LOOKUP,
    MATMUL,
    MAX_FILE_BYTES,
    Group,
    Series,
    count_of,
    groups,
    kept,
    read,
    to_csv,
    written,
)
from embviz.labs.exercises import lab
from embviz.request.markdown import literal
from embviz.server.scheduler import queued_fragment
from embviz.timing.phrases import listed
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import uploaded
from embviz.ui.state.session import cached, setting, state

if TYPE_CHECKING:
    from embviz.classes.room import Room

LAB = "cost"  # whose students measure
LOOK_S = 2.0  # between two looks for new runs
WAIT_S = 3.0  # for the database, while the student waits
COMMAND = f"python -m embviz time --methods {LOOKUP} {MATMUL} --out run.jsonl"


def draw(code: str, token: str) -> None:
    """A student's fold: give the class a run that was measured on one's own machine.

    The student's page calls it below the step, in each run, while in a class with lab `cost`. It
    draws nothing before the first step that is measured.
    """
    if not any(step.measured for step in lab(LAB).steps[: setting("step")]):
        return
    with st.expander("Give your class the times of your own machine", key="class_run_give"):
        st.markdown(
            "On **your own machine**, with embviz installed there, type this. Or open *Timing* "
            "there, press *Start*, and then *Run (.jsonl)*."
        )
        st.code(COMMAND, language="bash", wrap_lines=True)
        st.caption(
            "Change no settings: only runs with the same settings can be compared. Do not give a "
            "sweep that you measured in this lab. It has the times of the class's server."
        )
        given = state().get("class_run_given", ())
        if given[:2] == (code, token) or _has_run(code, token):
            st.success("Your run is on your teacher's board.", icon=":material/check:")
        st.file_uploader(
            "Your run (.jsonl)",
            "jsonl",
            key="class_run_file",
            max_upload_size=MAX_FILE_BYTES // 10**6,
        )
        for file in uploaded("class_run_file"):
            found = cached("class_run", file.file_id, partial(_kept, file))
            if isinstance(found, str):
                refuse(found)
            else:
                _offer(code, token, found)


def _has_run(code: str, token: str) -> bool:
    """Whether the class has a run of this member."""
    mine = here()
    with suppress(ClassError, StoreError):
        if mine is not None:
            room = mine.rooms.get(code)
            room.refresh()
            return any(one == room.member(token) for one, _ in room.runs())
    return False


def _kept(file: Any) -> tuple[Series, ...] | str:
    """What the class would keep of a file, or why it cannot be used."""
    try:
        return kept(file.getvalue(), file.name)
    except ValueError as error:
        return str(error)


def _offer(code: str, token: str, found: tuple[Series, ...]) -> None:
    """What the class gets, and the button; after the press, what came of it."""
    text = written(found)
    words = listed([one.words for one in groups(("", one) for one in found)])
    st.markdown(
        literal(
            f"Your class gets: times of {LOOKUP} and {MATMUL}, {words}, {found[0].machine}. It "
            "gets no name of your machine and no other text."
        )
    )
    if refused := state().pop("class_run_refused", None):
        refuse(refused)
    given = state().get("class_run_given") == (code, token, text)
    st.button(
        "Given to the class" if given else "Give it to the class",
        disabled=given,
        key="class_run_button",
        on_click=_give,
        args=(code, token, text),
        type="primary",
    )


def _give(code: str, token: str, text: str) -> None:
    """A callback: hand the run over, and wait until it is kept."""
    mine = here()
    try:
        if mine is None:
            raise ClassError("This server has no classes.")
        mine.store.add_run(code, token, text).result(WAIT_S)
        state()["class_run_given"] = code, token, text
    except (ClassError, StoreError) as error:
        state()["class_run_refused"] = str(error)
    except TimeoutError:
        state()["class_run_refused"] = "The class cannot be reached now. Press again in a minute."


def draw_board(room: Room) -> None:
    """The teacher's fold: all runs of the class; nothing in a class of another lab.

    Call it outside the board's own fragment: it looks for new runs by itself.
    """
    if room.classroom.lab != LAB:
        return
    fold = st.expander("Times on the students' machines", key="class_runs", on_change="rerun")
    if not fold.open:
        return
    with fold:
        runs = _runs(room)
        queued_fragment(LOOK_S, _look, room, runs)
        found, unreadable = cached("class_groups", runs, partial(_grouped, runs))
        if unreadable:
            refuse(f"{count_of(unreadable)} in the class's database cannot be read.")
        _overlaid(found)


Runs = tuple[tuple[str, str], ...]  # pseudonym and JSON


def _runs(room: Room) -> Runs:
    return tuple((one.pseudonym, text) for one, text in room.runs())


def _look(room: Room, shown: Runs) -> None:
    """Run the whole page again when there are new runs; it draws nothing by itself.

    The board's own fragment asks the database.
    """
    if _runs(room) != shown:
        st.rerun(scope="app")


def _grouped(runs: Runs) -> tuple[list[Group], int]:
    """The runs by settings, and how many cannot be read: somebody has changed the file."""
    found, unreadable = list[tuple[str, Series]](), 0
    for who, text in runs:
        try:
            found += [(who, one) for one in read(text)]
        except ClassError:
            unreadable += 1
    return groups(found), unreadable


def _overlaid(found: list[Group]) -> None:
    """One group as a chart, and its findings."""
    if not found:
        st.caption(
            "No student has given a run yet. From step 6 on, a fold below the question has the "
            "command to type."
        )
        return
    # Not above: the other labs need no plotly.
    from embviz.figures.timing.class_runs import class_figure
    from embviz.ui.parts.chart import chart

    group = found[0]
    if len(found) > 1:
        st.caption("Runs with different settings cannot be compared. Choose which to draw.")
        words = {f"{one.words} ({count_of(len(one.runs))})": one for one in found}
        group = words[st.selectbox("Settings", words, key="class_runs_group")]
    colours = chart_colours()
    chart(
        cached("class_figure", (group, colours), partial(class_figure, group, colours)),
        key="class_runs_chart",
    )
    for sentence in list(group.findings())[1:]:
        st.markdown(literal(f"{sentence}."))
    st.caption(
        "Point at a line to see its student's pseudonym. Two runs may be of one machine: names of "
        "machines are not kept. A run's verdicts are false with a chance of at most 1 %."
    )
    download(
        "Times (CSV)",
        to_csv(found),
        "embviz_class_times.csv",
        "text/csv",
    )
