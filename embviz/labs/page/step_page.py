"""A step of a lab on a page, or the end, for a student alone and for one in a class.

Invariants:
- A right answer stays on the server until it is told, or until it was given.
- The reason of a refused answer stands below it for one run.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.labs.page import field
from embviz.labs.page.lesson import BESIDE, EASIER, HARDER, Lesson, Task
from embviz.labs.page.shown import shown
from embviz.labs.question import remark, written
from embviz.text.markdown import literal
from embviz.ui.elements.links import browser_title
from embviz.ui.elements.refusal import refuse
from embviz.ui.state.changes import go
from embviz.ui.state.session import session, widget_value

KEPT = "Kept. You can change it until the vote closes. Then your last answer counts."


def draw(lesson: Lesson, above: Callable[[], None] | None = None) -> bool:
    """Draw the step of the address, or the end.

    Args:
        lesson: the lab, and what the student has answered.
        above: draws what stands between the headline and the step.

    Returns:
        Whether the right answer to the step is told.
    """
    lab, step, end, task = LABS[lesson.lab], lesson.step, lesson.end, shown(lesson)
    where = f"step {step} of {lesson.last}"
    if step > end:
        where = BESIDE[step - end]
    elif step == end:
        where = "done" if len(lesson.answered) == lesson.last else "the end"
    st.markdown(f"# {lab.title} · {where}")
    browser_title(lab.title)
    if above:
        above()
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    is_told = False
    with left:
        if task:
            is_told = _task(task, side) and step < end
        else:
            st.markdown(
                "\n".join(["What this lab is for:", "", *(f"- {goal}" for goal in lab.goals)])
            )
        _ways(lesson, is_told)
    return is_told


def _task(task: Task, side: Any) -> bool:
    """Draw the question, the field and the verdict; return whether the right answer is told."""
    question, verdict = task.question, task.verdict
    is_told = task.is_revealed or (verdict is not None and verdict.right)
    field.ask(task, is_told)
    with st.container(key="lab_verdict"):
        if refused := session().own.pop("labs_refused", None):
            refuse(refused)
        else:
            _say(task)
    if verdict and not is_told:
        tries = min(len(task.answers), len(question.hints))
        with st.expander("Hint", key=f"hint {tries} {task.key}"):
            st.markdown(question.hints[tries - 1])
        is_told = st.toggle("Show the explanation", key=f"why {task.key}")
    if is_told:
        st.markdown(f"**Why.** {question.why}")
    picture = question.start
    if is_told:
        picture = question.picture
    elif verdict:
        picture = question.small
    side.html(html_of(picture))
    return is_told


def _say(task: Task) -> None:
    """A sentence about the last answer, or about none."""
    verdict = task.verdict
    if verdict:
        answer = task.answers[-1]
        said = literal(written(answer))
        if verdict.right:
            more = remark(task.question, answer, field.text_in(task.key))
            st.success(f"Right: {said}. {more}".strip(), icon=":material/check:")
            return
        words = verdict.mistake
        if not words and not task.is_revealed:
            words = "Take the hint."
        st.warning(f"Not right: {said}. {words}", icon=":material/lightbulb:")
    elif task.answers:
        st.info(KEPT)
    elif task.is_revealed:
        st.info("You did not answer this step.")
    elif task.vote == 2:
        st.info("**Vote again**, now that you have talked about it.")


def _ways(lesson: Lesson, is_told: bool) -> None:
    """Draw the buttons to the next step and to each open step, with a mark for its verdict."""
    step, end, marks = lesson.step, lesson.end, dict[int, str]()
    for at in lesson.answered:
        marks[at] = "•"
        if verdict := lesson.tasks[at - 1].verdict:
            marks[at] = ":green[✓]" if verdict.right else ":orange[✗]"
    with st.container(horizontal=True):
        if step < end:
            st.button(
                "Finish" if step == lesson.last else "Next step",
                "lab_next",
                on_click=go,
                args=({"step": step + 1},),
                icon=":material/arrow_forward:",
                disabled=0 < lesson.paused <= step,
                type="primary" if is_told else "secondary",
            )
        _aside(lesson, is_told)
    st.session_state["step_shown"] = step
    steps = [*range(1, max(min(step, end), lesson.paused or end) + 1)]
    if step > end:  # A question beside the steps stands in their row while it is shown.
        steps.append(step)
    names = {end: "end"} | {end + place: name for place, name in BESIDE.items()}
    st.segmented_control(
        "Steps",
        steps,
        key="step_shown",
        required=True,
        format_func=lambda at: names.get(at) or f"{at} {marks.get(at, '')}".strip(),
        on_change=lambda: go({"step": widget_value("step_shown", step)}),
        label_visibility="collapsed",
        wrap=True,
    )


def _aside(lesson: Lesson, is_told: bool) -> None:
    """Draw the button to a question beside the steps, where one may want it, or back from it.

    The easier one is for a start; the harder one for who waits at a pause, or is done.
    """
    step, end = lesson.step, lesson.end
    waits = step in lesson.answered and 0 < lesson.paused <= step
    if step == end + EASIER:
        label, to = "Go to step 1", lesson.back
    elif step == end + HARDER:
        label, to = "Back to the steps", lesson.back
    elif step == 1 and not lesson.answered:
        label, to = "Start easier", end + EASIER
    elif waits or step == end or (step == lesson.last and is_told):
        label, to = "A harder question", end + HARDER
    else:
        return
    st.button(label, "lab_beside", on_click=go, args=({"step": to},), type="tertiary")
