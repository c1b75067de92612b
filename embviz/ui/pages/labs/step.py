"""One step of a lab on the page: question, answer, what is told of it, and the way on.

It draws the same for a student alone (`alone.py`) and for a member of a class (`member.py`). These
keep the answers and say what may be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS
from embviz.labs.question import MAX_TYPED, Answer, Question, judge, read, typed, written
from embviz.request.markdown import literal
from embviz.ui.frame.failure import contained
from embviz.ui.pages.labs import looks
from embviz.ui.parts.links import link
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, redraw, setting, state, widget_value

FENCE = "```"
EXPLAIN, TRY = "Show the explanation", "Try more with these numbers"
MARKS = {True: ":green[✓]", False: ":orange[✗]", None: ""}


class Learner(Protocol):
    """A student alone, or a member of a class."""

    @property
    def lab(self) -> str:
        """The lab's key in `LABS`."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in order."""

    @property
    def open_to(self) -> int:
        """The number of the last step that takes answers; the steps after it are closed."""

    def key(self, step: int) -> str:
        """What the widgets of a step are named after: another key, an empty field."""

    def answers(self, step: int) -> Sequence[Answer]:
        """The first answer, and the last if there is another."""

    def told(self, step: int) -> bool:
        """Whether an answer gets its verdict."""

    def explained(self, step: int) -> bool:
        """Whether the right answer is shown whatever was answered."""

    def take(self, step: int, answer: Answer) -> None:
        """Keep an answer, in a callback.

        Raises:
            Refused: why it cannot be kept now.
        """

    def below(self, step: int) -> None:
        """Draw what stands below the answer."""


def draw(who: Learner, number: int) -> None:
    """A step, by its number from 1. Whatever a part raises, the way on stays."""
    question = who.questions[number - 1]
    given = who.answers(number)
    told = who.told(number) and bool(given)
    right = told and judge(question, given[-1]).right
    explained = who.explained(number) or right or (told and who.key(number) in _opened())
    picture = question.picture if explained else question.small if told else question.start
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    with left:
        with contained(f"lab {who.lab}, step {number}"):
            _ask(who, number, question)
            _answer(who, number, question)
            if told:
                _verdict(question, given, right)
            if explained:
                st.markdown(f"**Why.** {question.why}")
                if question.more:
                    link(*question.more, label=TRY, icon=":material/open_in_new:")
            elif told:
                asked = _opened().add
                st.button(
                    EXPLAIN, "lab_why", on_click=asked, args=(who.key(number),), type="tertiary"
                )
            who.below(number)
        ways(who, number)
    with side, contained(f"lab {who.lab}, step {number}: picture"):
        if picture:
            looks.picture(picture)


def _ask(who: Learner, number: int, question: Question) -> None:
    """The prompt; lines of its table that may be pressed are buttons."""
    st.markdown(f"###### {LABS[who.lab].title}, step {number} of {len(who.questions)}")
    with st.container(key="lab_question"):
        st.markdown(f"##### {question.title}")
        if not question.pressed:
            st.markdown(question.prompt)
            return
        before, table, after = question.prompt.split(FENCE)
        st.markdown(before)
        with st.container(key="lab_rows", gap=None, width="content"):
            for place, line in enumerate(table.strip("\n").splitlines()):
                st.button(
                    f"`{line.replace(' ', chr(160))}`",
                    key=f"row {place} {who.key(number)}",
                    on_click=_take,
                    args=(who, number, question, line),
                    disabled=number > who.open_to,
                )
        st.markdown(after)


def _answer(who: Learner, number: int, question: Question) -> None:
    """The field for the answer; it keeps what is typed and not yet checked."""
    key, given = who.key(number), who.answers(number)
    if key not in st.session_state and given:
        st.session_state[key] = typed(given[-1])
    # No `st.form`: it loses what is typed where the student leaves without a press. "ignore" sends
    # it with the next press of anything; `live` keeps it in the browser while it is typed.
    # `ui/frame/listen.js` makes Enter press the button.
    kept: dict[str, Any] = {"key": key, "on_change": "ignore", "persist_state": "session"}
    with st.container(key="lab_answer"):
        if question.choices:
            if st.session_state.get(key) not in (None, *question.choices):  # a forged message
                st.session_state[key] = None
            st.radio("Your answer", question.choices, index=None, **kept)
        else:
            st.text_input("Your answer", help=question.how, max_chars=MAX_TYPED, live=True, **kept)
        st.button(
            "Check" if who.told(number) else "Answer",
            key=f"check {key}",
            type="primary",
            on_click=_take,
            args=(who, number, question),
            disabled=number > who.open_to,
        )
    refused = state().pop("lab_refused", ("", ""))
    if refused[0] == key:
        refuse(refused[1])


def _take(who: Learner, number: int, question: Question, line: str | None = None) -> None:
    """A callback: what was typed, chosen or pressed becomes the answer, if it can be read."""
    key = who.key(number)
    if line is not None:
        st.session_state[key] = typed(read(question, line))
    try:
        who.take(number, read(question, str(st.session_state.get(key) or "")))
    except Refused as refused:
        state()["lab_refused"] = key, str(refused)
    redraw()


def _verdict(question: Question, given: Sequence[Answer], right: bool) -> None:
    """Right or not right; then the mistake, and a hint that follows the number of tries."""
    shown = literal(written(given[-1]))
    if right:
        st.success(f"Right: {shown}.", icon=":material/check:")
        return
    mistake = judge(question, given[-1]).mistake or "Take the hint."
    st.warning(f"Not right: {shown}. {mistake}", icon=":material/lightbulb:")
    if question.hints:
        tries = min(len(given), len(question.hints))
        with st.expander("Hint", key=f"lab_hint_{tries}"):
            st.markdown(question.hints[tries - 1])


def _opened() -> set[str]:
    """The keys of the steps whose explanation was asked for."""
    found: set[str] = state().setdefault("lab_asked", set())
    return found


def ways(who: Learner, number: int) -> None:
    """To the step before and after, and to any step; each with what is told of it."""
    last = len(who.questions)
    with st.container(horizontal=True, gap="small"):
        if number > 1:
            _button("Back", "lab_back", number - 1, "arrow_back")
        if number <= last:
            forward = "Finish" if number == last else "Next step"
            _button(forward, "lab_next", number + 1, "arrow_forward", number >= who.open_to)
    shown = number if number <= last else None
    st.session_state["step_shown"] = shown
    st.segmented_control(
        "Steps",
        range(1, last + 1),
        key="step_shown",
        required=shown is not None,
        format_func=lambda step: f"{step} {_mark(who, step)}".strip(),
        on_change=_go,
        args=(who,),
        label_visibility="collapsed",
        wrap=True,
    )


def _mark(who: Learner, step: int) -> str:
    given = who.answers(step)
    if step > who.open_to:
        return ":material/lock:"
    if not given or not who.told(step):
        return "•" if given else ""
    return MARKS[judge(who.questions[step - 1], given[-1]).right]


def _button(label: str, key: str, to: int, icon: str, closed: bool = False) -> None:
    icon = f":material/{icon}:"
    st.button(label, key=key, on_click=go, args=({"step": to}, False), icon=icon, disabled=closed)


def _go(who: Learner) -> None:
    to = widget_value("step_shown", setting("step"))
    if to is not None and to <= who.open_to:
        go({"step": to}, whole=False)
