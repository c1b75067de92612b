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
from embviz.labs.page.beside import beside
from embviz.labs.page.lesson import BESIDE, EASIER, HARDER, Lesson
from embviz.labs.question import Verdict, remark, written
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
    lab, step, aside = LABS[lesson.lab], lesson.step, beside(lesson)
    where = f"step {step} of {lesson.last}"
    if aside:
        where = BESIDE[step - lesson.end]
    elif step == lesson.end:
        where = "done" if len(lesson.given) == lesson.last else "the end"
    st.markdown(f"# {lab.title} · {where}")
    browser_title(lab.title)
    if above:
        above()
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    is_told = False
    with left:
        if aside:
            _step(aside, side)
        elif step < lesson.end:
            is_told = _step(lesson, side)
        else:
            st.markdown(
                "\n".join(["What this lab is for:", "", *(f"- {goal}" for goal in lab.goals)])
            )
        _ways(lesson, is_told)
    return is_told


def _step(lesson: Lesson, side: Any) -> bool:
    """Draw the question, the field and the verdict; return whether the right answer is told."""
    step = lesson.step
    question, stand, verdict = lesson.asked[step - 1], lesson.stand(step), lesson.verdict(step)
    is_told = stand.is_revealed or (verdict is not None and verdict.right)
    field.ask(lesson, is_told)
    with st.container(key="lab_verdict"):
        if refused := session().own.pop("labs_refused", None):
            refuse(refused)
        else:
            _say(lesson, verdict)
    if verdict and not is_told:
        tries = min(len(lesson.given[step]), len(question.hints))
        with st.expander("Hint", key=f"hint {tries} {lesson.key(step)}"):
            st.markdown(question.hints[tries - 1])
        is_told = st.toggle("Show the explanation", key=f"why {lesson.key(step)}")
    if is_told:
        st.markdown(f"**Why.** {question.why}")
    picture = question.start
    if is_told:
        picture = question.picture
    elif verdict:
        picture = question.small
    side.html(html_of(picture))
    return is_told


def _say(lesson: Lesson, verdict: Verdict | None) -> None:
    """A sentence about the last answer, or about none."""
    stand, answers = lesson.stand(lesson.step), lesson.given.get(lesson.step)
    if verdict and answers:
        shown = literal(written(answers[-1]))
        if verdict.right:
            text = field.text_in(lesson.key(lesson.step))
            more = remark(lesson.asked[lesson.step - 1], answers[-1], text)
            st.success(f"Right: {shown}. {more}".strip(), icon=":material/check:")
            return
        words = verdict.mistake
        if not words and not stand.is_revealed:
            words = "Take the hint."
        st.warning(f"Not right: {shown}. {words}", icon=":material/lightbulb:")
    elif answers:
        st.info(KEPT)
    elif stand.is_revealed:
        st.info("You did not answer this step.")
    elif stand.vote == 2:
        st.info("**Vote again**, now that you have talked about it.")


def _ways(lesson: Lesson, is_told: bool) -> None:
    """Draw the buttons to the next step and to each open step, with a mark for its verdict."""
    step, end, marks = lesson.step, lesson.end, dict.fromkeys(lesson.given, "•")
    for at in lesson.given:
        if verdict := lesson.verdict(at):
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
    # A question beside the steps stands in their row while it is shown.
    names = {end: "end"} | {end + place: name for place, name in BESIDE.items()}
    st.segmented_control(
        "Steps",
        [*range(1, max(min(step, end), lesson.paused or end) + 1), *([step] if step > end else [])],
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
    waits = step in lesson.given and 0 < lesson.paused <= step
    if step == end + EASIER:
        label, to = "Go to step 1", lesson.back
    elif step == end + HARDER:
        label, to = "Back to the steps", lesson.back
    elif step == 1 and not lesson.given:
        label, to = "Start easier", end + EASIER
    elif waits or step == end or (step == lesson.last and is_told):
        label, to = "A harder question", end + HARDER
    else:
        return
    st.button(label, "lab_beside", on_click=go, args=({"step": to},), type="tertiary")
