"""One step of a lab on the page: question, answer, what is told of it, and the way on.

The same for a student alone (`alone.py`) and for a member of a class (`member.py`). These keep the
answers, and say with `Seen` what may be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS
from embviz.labs.question import MAX_TYPED, Answer, Question, judge, read, typed, written
from embviz.request.markdown import literal
from embviz.ui.frame.failure import contained
from embviz.ui.pages.labs import looks
from embviz.ui.parts.links import link
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, redraw, state, widget_value

FENCE = "```"
MARKS = {True: ":green[✓]", False: ":orange[✗]"}


@dataclass(frozen=True)
class Seen:
    """A step as its student may see it now.

    Attributes:
        number: from 1.
        question: with the right answer, which stays on the server.
        key: what its widgets are named after: another key, an empty field.
        given: the first answer, and the last if there is another.
        told: whether an answer gets its verdict.
        explained: whether the right answer is shown whatever was answered.
    """

    number: int
    question: Question
    key: str
    given: Sequence[Answer]
    told: bool
    explained: bool = False

    @property
    def right(self) -> bool | None:
        """Whether the last answer is right; None without one, and before it is told."""
        return judge(self.question, self.given[-1]).right if self.told and self.given else None


@dataclass(frozen=True)
class Lesson:
    """A lab as its student may see it now.

    Attributes:
        lab: its key in `LABS`.
        steps: in order.
        take: keeps an answer to a step, in a callback; raises `Refused`.
        open_to: the last step that takes answers; those after it are closed.
    """

    lab: str
    steps: Sequence[Seen]
    take: Callable[[Seen, Answer], None]
    open_to: int = 99


def draw(lesson: Lesson, number: int, below: Callable[[], None]) -> None:
    """A step, by its number from 1; `below` draws more. Whatever raises, the way on stays."""
    one = lesson.steps[number - 1]
    asked, asks = one.question, state().setdefault("lab_asked", set())
    explained = one.explained or one.right or (one.right is False and one.key in asks)
    picture = asked.start if one.right is None else asked.small
    name = f"lab {lesson.lab}, step {number}"
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    with left:
        with contained(name):
            st.markdown(f"###### {LABS[lesson.lab].title} · step {number} of {len(lesson.steps)}")
            _ask(lesson, one)
            _answer(lesson, one)
            if one.right is not None:
                _verdict(one)
            if explained:
                st.markdown(f"**Why.** {asked.why}")
                if asked.more:
                    words = "Try more with these numbers"
                    link(*asked.more, label=words, icon=":material/open_in_new:")
            elif one.right is False:
                args = (one.key,)
                st.button("Show the explanation", on_click=asks.add, args=args, type="tertiary")
            below()
        ways(lesson, number)
    with side, contained(name):
        looks.picture(asked.picture if explained else picture)


def _ask(lesson: Lesson, one: Seen) -> None:
    """The prompt; lines of its table that may be pressed are buttons."""
    with st.container(key="lab_question"):
        st.markdown(f"##### {one.question.title}")
        if not one.question.pressed:
            st.markdown(one.question.prompt)
            return
        before, table, after = one.question.prompt.split(FENCE)
        st.markdown(before)
        with st.container(key="lab_rows", gap=None, width="content"):
            for place, line in enumerate(table.strip("\n").splitlines()):
                st.button(
                    f"`{line.replace(' ', chr(160))}`",
                    key=f"row {place} {one.key}",
                    on_click=_take,
                    args=(lesson, one, line),
                    disabled=one.number > lesson.open_to,
                )
        st.markdown(after)


def _answer(lesson: Lesson, one: Seen) -> None:
    """The field for the answer; it keeps what is typed and not yet checked."""
    key, choices, kept = one.key, one.question.choices, st.session_state
    if key not in kept and one.given:
        kept[key] = typed(one.given[-1])
    # No `st.form`: it loses what is typed where the student leaves without a press. "ignore" sends
    # it with the next press of anything; `live` keeps it in the browser while it is typed.
    # `ui/frame/listen.js` makes Enter press the button.
    label, how = "Your answer", {"on_change": "ignore", "persist_state": "session"}
    with st.container(key="lab_answer"):
        if choices:
            st.radio(label, choices, None, key=key, **how)  # type: ignore[call-overload]
        else:
            more = {"help": one.question.how, "max_chars": MAX_TYPED, "live": True}
            st.text_input(label, key=key, **more, **how)  # type: ignore[call-overload]
        st.button(
            "Check" if one.told else "Answer",
            key=f"check {key}",
            type="primary",
            on_click=_take,
            args=(lesson, one),
            disabled=one.number > lesson.open_to,
        )
    if refused := state().pop("lab_refused", None):
        refuse(refused)


def _take(lesson: Lesson, one: Seen, line: str = "") -> None:
    """A callback: what was typed, chosen or pressed becomes the answer, if it can be read."""
    if line:
        st.session_state[one.key] = typed(read(one.question, line))
    try:
        lesson.take(one, read(one.question, str(st.session_state.get(one.key) or "")))
    except Refused as refused:
        state()["lab_refused"] = refused
    redraw()


def _verdict(one: Seen) -> None:
    """Right or not right; then the mistake, and a hint that follows the number of tries."""
    shown, hints = literal(written(one.given[-1])), one.question.hints
    if one.right:
        st.success(f"Right: {shown}.", icon=":material/check:")
        return
    mistake = judge(one.question, one.given[-1]).mistake or "Take the hint."
    st.warning(f"Not right: {shown}. {mistake}", icon=":material/lightbulb:")
    tries = min(len(one.given), len(hints))
    with st.expander("Hint", key=f"lab_hint_{tries}"):
        st.markdown(hints[tries - 1])


def ways(lesson: Lesson, number: int) -> None:
    """To the step before and after, and to any step; each with what is told of it."""
    last = len(lesson.steps)

    def button(label: str, key: str, to: int, icon: str) -> None:
        args, closed = ({"step": to}, False), to > number >= lesson.open_to
        icon = f":material/arrow_{icon}:"
        st.button(label, key=key, on_click=go, args=args, icon=icon, disabled=closed)

    def named(step: int) -> str:
        one = lesson.steps[step - 1]
        mark = MARKS[one.right] if one.right is not None else "•" * bool(one.given)
        return f"{step} {':material/lock:' if step > lesson.open_to else mark}".strip()

    def chosen() -> None:
        to = widget_value("step_shown", number)
        if to is not None and to <= lesson.open_to:
            go({"step": to}, whole=False)

    with st.container(horizontal=True, gap="small"):
        if number > 1:
            button("Back", "lab_back", number - 1, "back")
        if number <= last:
            button("Finish" if number == last else "Next step", "lab_next", number + 1, "forward")
    shown = st.session_state["step_shown"] = number if number <= last else None
    st.segmented_control(
        "Steps",
        range(1, last + 1),
        key="step_shown",
        required=shown is not None,
        format_func=named,
        on_change=chosen,
        label_visibility="collapsed",
        wrap=True,
    )


def learned(lesson: Lesson) -> None:
    """The end of a lab: what a student can do now."""
    lab = LABS[lesson.lab]
    st.markdown(f"###### {lab.title} · done")
    st.markdown("##### " + "  \n##### ".join(lab.learned))
