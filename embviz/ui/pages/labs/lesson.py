"""A lab on a page, for a student alone and for one in a class: a step, or the end.

Steps are counted from 1.

Invariants:
- A right answer stays on the server until it is told, or until it was given.
- The field keeps what is typed: its key has place, lab, step and vote, and another one of these is
  another field.
- A refused answer stays in its field, and the reason stands below it for one run.
- An answer that came too late for its vote is not lost: the next vote's field shows it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.labs.question import MAX_TYPED, Answer, Question, Verdict, judge, read, typed, written
from embviz.request.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.parts.links import browser_title
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.remembered import state
from embviz.ui.state.session import go, setting, widget_value

KEPT = "Kept. What stands when the vote closes counts; you may change it."


@dataclass(frozen=True)
class Stand:
    """How a step stands for a student.

    Attributes:
        tells: whether the verdict on an answer is told.
        is_revealed: whether the right answer is told, also without an answer.
        vote: the vote that takes answers, 1 or 2.
    """

    tells: bool = True
    is_revealed: bool = False
    vote: int = 1


@dataclass(frozen=True)
class Lesson:
    """A lab as one student has it.

    Attributes:
        lab: its key in `LABS`.
        place: where the work is kept: it begins the key of each field.
        asked: the questions with their right answers, which stay on the server.
        given: by step, the answers that count, the last one last.
        keep: keeps an answer to a step; raises `Refused`.
        stand: how a step stands.
        paused: the last step that is open; 0 for all.
        takes_answers: whether anything can still be answered.
        note: is told what was written and could not be read.
    """

    lab: str
    place: str
    asked: Sequence[Question]
    given: Mapping[int, Sequence[Answer]]
    keep: Callable[[int, Answer], None]
    stand: Callable[[int], Stand] = lambda _: Stand()
    paused: int = 0
    takes_answers: bool = True
    note: Callable[[str], object] = bool

    @property
    def last(self) -> int:
        """The last step; the end stands after it."""
        return len(self.asked)

    @property
    def step(self) -> int:
        """The step of the address, or one more than the last: the end."""
        return min(int(setting("step")), self.last + 1)

    @property
    def is_open(self) -> bool:
        """Whether the step of the address takes an answer."""
        return self.takes_answers and not 0 < self.paused < self.step

    def verdict(self, step: int) -> Verdict | None:
        """What is told about the last answer to a step; None before that."""
        some = self.given.get(step)
        if not some or not self.stand(step).tells:
            return None
        return judge(self.asked[step - 1], some[-1])

    def key(self, step: int) -> str:
        """The key of the field for a step."""
        return f"answer {self.place} {self.lab} {step} {self.stand(step).vote}"


def attempt(act: Callable[..., object], *args: Any) -> None:
    """A callback: do it, or show at the next run why it cannot be."""
    try:
        act(*args)
    except Refused as refused:
        state().own["labs_refused"] = refused


def is_writing(lesson: Lesson) -> bool:
    """Whether the field of the step shown has something that was not sent."""
    if lesson.step > lesson.last or lesson.stand(lesson.step).is_revealed:
        return False
    key = lesson.key(lesson.step)
    return _written(key).strip() not in ("", _sent(key)[0])


def draw(lesson: Lesson, above: Callable[[], object] = bool) -> bool:
    """Draw the step of the address, or the end.

    Args:
        lesson: the lab, and what the student has answered.
        above: draws what stands between the headline and the step.

    Returns:
        Whether the right answer to the step is told.
    """
    lab, step = LABS[lesson.lab], lesson.step
    where = f"step {step} of {lesson.last}" if step <= lesson.last else "done"
    st.markdown(f"# {lab.title} · {where}")
    browser_title(lab.title)
    above()
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    is_told = False
    with left:
        if step <= lesson.last:
            is_told = _step(lesson, side)
        else:
            st.markdown("\n".join(["Now you can:", "", *(f"- {goal}" for goal in lab.goals)]))
        _ways(lesson, is_told)
    return is_told


def _step(lesson: Lesson, side: Any) -> bool:
    """The question, the field, and what is told; whether the right answer is."""
    step = lesson.step
    one, stand, verdict = lesson.asked[step - 1], lesson.stand(step), lesson.verdict(step)
    is_right = verdict is not None and verdict.right
    _ask(lesson, is_right or stand.is_revealed)
    with st.container(key="lab_verdict"):
        if refused := state().own.pop("labs_refused", None):
            refuse(refused)
        else:
            _say(lesson, verdict)
    is_told = stand.is_revealed or is_right
    if verdict and not is_told:
        tries = min(len(lesson.given[step]), len(one.hints))
        with st.expander("Hint", key=f"hint {tries} {lesson.key(step)}"):
            st.markdown(one.hints[tries - 1])
        is_told = st.toggle("Show the explanation", key=f"why {lesson.key(step)}")
    if is_told:
        st.markdown(f"**Why.** {one.why}")
    picture = one.start
    if is_told:
        picture = one.picture
    elif verdict:
        picture = one.small
    side.html(html_of(picture))
    return is_told


def _say(lesson: Lesson, verdict: Verdict | None) -> None:
    """What became of the last answer, in a sentence."""
    stand, some = lesson.stand(lesson.step), lesson.given.get(lesson.step)
    if verdict and some:
        shown = literal(written(some[-1]))
        if verdict.right:
            st.success(f"Right: {shown}.", icon=":material/check:")
            return
        words = verdict.mistake
        if not words and not stand.is_revealed:
            words = "Take the hint."
        st.warning(f"Not right: {shown}. {words}", icon=":material/lightbulb:")
    elif some:
        st.info(KEPT)
    elif stand.is_revealed:
        st.info("You did not answer this step.")
    elif stand.vote == 2:
        st.info("**Vote again**, now that you have talked about it.")


def _ask(lesson: Lesson, is_told: bool) -> None:
    """The question and the field; lines of its table that may be pressed are buttons.

    The field keeps what is typed and not yet checked. No `st.form`: that loses it where the student
    leaves without a press. "ignore" sends it with the next press of anything; `live` keeps it
    in the browser while it is typed. `ui/frame/listen.js` makes Enter press the button.
    """
    step = lesson.step
    one, key = lesson.asked[step - 1], lesson.key(step)

    def take(line: str = "") -> None:
        """Take what was typed, chosen or pressed as the answer, if it can be read."""
        if line:
            st.session_state[key] = typed(read(one, line))
        text = _written(key)
        try:
            answer = read(one, text)
        except Refused:
            lesson.note(text)
            raise
        # Another vote may have begun meanwhile: its field shows the answer again.
        state().own["labs_typed"] = typed(answer)
        lesson.keep(step, answer)
        _note_sent(key, text.strip(), typed(answer))

    with st.container(key="lab_question"):
        st.markdown(f"## {one.title}")
        before, *rows = one.prompt.split("```") if one.pressed else [one.prompt]
        st.markdown(before)
        if rows:
            with st.container(key="lab_rows", gap=None, width="content"):
                for line in rows[0].strip("\n").splitlines():
                    row = f"`{line.replace(' ', chr(160))}`"
                    st.button(
                        row,
                        on_click=attempt,
                        args=(take, line),
                        disabled=not lesson.is_open,
                    )
            st.markdown(rows[1])
    _fill(key, lesson.given.get(step, ()))
    how: dict[str, Any] = {
        "key": key,
        "on_change": "ignore",
        "persist_state": "session",
        # Behind a pause it keeps what is written, and only the button is gone.
        "disabled": not lesson.takes_answers,
    }
    with st.container(key="lab_answer"):
        if one.choices:
            st.radio("Your answer", one.choices, None, **how)
        else:
            st.text_input(one.how, max_chars=MAX_TYPED, live=True, **how)
        if lesson.is_open:
            st.button(
                "Answer",
                f"check {key}",
                on_click=attempt,
                args=(take,),
                type="secondary" if is_told else "primary",
            )


def _fill(key: str, some: Sequence[Answer]) -> None:
    """Write the last answer into its field, also where another tab gave it.

    What is written there and was not sent stays.
    """
    refused, last = state().own.pop("labs_typed", ""), typed(some[-1]) if some else ""
    text, meant = _sent(key)
    if refused and key not in st.session_state:
        st.session_state[key] = refused
    elif last != meant and _written(key) in ("", text):
        st.session_state[key] = last
        _note_sent(key, last, last)


def _written(key: str) -> str:
    """What stands in a field."""
    return str(st.session_state.get(key) or "")


def _sent(key: str) -> tuple[str, str]:
    """What was sent from a field last, as it was written, and as it was understood."""
    found: tuple[str, str] = state().own.get("labs_sent", {}).get(key, ("", ""))
    return found


def _note_sent(key: str, text: str, meant: str) -> None:
    state().own.setdefault("labs_sent", {})[key] = text, meant


def _ways(lesson: Lesson, is_told: bool) -> None:
    """To the next step, and to any that is open; each with what is told of it."""
    step, last, marks = lesson.step, lesson.last, dict.fromkeys(lesson.given, "•")
    for at in lesson.given:
        if verdict := lesson.verdict(at):
            marks[at] = ":green[✓]" if verdict.right else ":orange[✗]"
    if step <= last:
        st.button(
            "Finish" if step == last else "Next step",
            "lab_next",
            on_click=go,
            args=({"step": step + 1},),
            icon=":material/arrow_forward:",
            disabled=0 < lesson.paused <= step,
            type="primary" if is_told else "secondary",
        )
    st.session_state["step_shown"] = step
    st.segmented_control(
        "Steps",
        range(1, max(step, lesson.paused or last + 1) + 1),
        key="step_shown",
        required=True,
        format_func=lambda at: f"{at} {marks.get(at, '')}".strip() if at <= last else "end",
        on_change=lambda: go({"step": widget_value("step_shown", step)}),
        label_visibility="collapsed",
        wrap=True,
    )
