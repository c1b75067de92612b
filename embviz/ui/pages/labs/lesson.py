"""A lab as its student sees it, alone (`alone.py`) or in a class (`member.py`): a step, or the end.

A student alone is a class of one at its own pace; its room has no code. Steps are counted from 1.

Invariants:
- A right answer stays on the server until it is told (`Room.tells`), or until it was given.
- The field keeps what is typed: its key has lab, seed, step, vote and name, and another one of
  these is another field.
- A refused answer stays in its field, and the reason stands below it for one run.
- An answer that came too late for its vote is not lost: the next vote's field shows it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from embviz.classes.room import Room
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import html_of
from embviz.labs.question import MAX_TYPED, Answer, Question, judge, read, typed, written
from embviz.request.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.parts.links import browser_title
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.remembered import state
from embviz.ui.state.session import go, setting, widget_value


def attempt(act: Callable[..., object], *args: Any) -> None:
    """A callback: do it, or show at the next run why it cannot be."""
    try:
        act(*args)
    except Refused as refused:
        state().own["labs_refused"] = refused


def draw(
    room: Room,
    asked: Sequence[Question],
    given: Mapping[int, Sequence[Answer]],
    keep: Callable[[int, Answer], None],
    name: str = "",
    above: Callable[[], object] = bool,
) -> bool:
    """Draw the step of the address, or the end.

    Args:
        room: the lab and its numbers, what is told, and where the class has paused.
        asked: the questions with their right answers, which stay on the server.
        given: the answers that count to each step, the last one last.
        keep: keeps an answer to a step; raises `Refused`.
        name: of the student.
        above: draws what stands between the headline and the step.

    Returns:
        Whether the right answer to the step is told.
    """
    lab, last, is_told = LABS[room.lab], len(asked), False
    step = min(setting("step"), last + 1)
    said = {at: judge(asked[at - 1], some[-1]) for at, some in given.items() if room.tells(at)}
    where = f"step {step} of {last}" if step <= last else "done"
    st.markdown(f"# {lab.title} · {where}")
    browser_title(lab.title)
    above()
    with st.container(key="lab_step"):
        left, side = st.columns([3, 2], gap="large")
    with left:
        if step > last:
            st.markdown("\n## ".join(["", *lab.goals]))
        else:
            one, some = asked[step - 1], given.get(step, ())
            vote, verdict = room.step(step), said.get(step)
            # Another vote, or somebody else at this browser, has another field.
            place = room.code or f"{room.lab} {room.seed}"  # a class's seed stays on the server
            key = f"answer {place} {step} {vote.vote} {name}"
            _ask(one, key, some, partial(keep, step))
            if refused := state().own.pop("labs_refused", None):
                refuse(refused)
            elif verdict:
                shown = literal(written(some[-1]))
                if verdict.right:
                    st.success(f"Right: {shown}.", icon=":material/check:")
                else:
                    words = f"Not right: {shown}. {verdict.mistake or 'Take the hint.'}"
                    st.warning(words, icon=":material/lightbulb:")
            elif some:
                st.info("Kept. What stands when the vote closes counts; you may change it.")
            elif vote.vote == 2 and not vote.revealed:
                st.info("**Vote again**, now that you have talked about it.")
            is_told = vote.revealed or bool(verdict and verdict.right)
            if verdict and not is_told:
                tries = min(len(some), len(one.hints))
                with st.expander("Hint", key=f"hint {tries} {key}"):
                    st.markdown(one.hints[tries - 1])
                is_told = st.toggle("Show the explanation", key=f"why {key}")
            if is_told:
                st.markdown(f"**Why.** {one.why}")
            side.html(html_of(one.picture if is_told else one.small if verdict else one.start))
        marks = {at: ":green[✓]" if each.right else ":orange[✗]" for at, each in said.items()}
        _ways(step, last, room.paused, dict.fromkeys(given, "•") | marks)
    return is_told


def _ask(one: Question, key: str, some: Sequence[Answer], keep: Callable[[Answer], None]) -> None:
    """The question and the field; lines of its table that may be pressed are buttons.

    The field keeps what is typed and not yet checked. No `st.form`: that loses it where the student
    leaves without a press. "ignore" sends it with the next press of anything; `live` keeps it
    in the browser while it is typed. `ui/frame/listen.js` makes Enter press the button.
    """

    def take(line: str = "") -> None:
        """Take what was typed, chosen or pressed as the answer, if it can be read."""
        if line:
            st.session_state[key] = typed(read(one, line))
        answer = read(one, str(st.session_state.get(key) or ""))
        # Another vote may have begun meanwhile: its field shows the answer again.
        state().own["labs_typed"] = typed(answer)
        keep(answer)

    with st.container(key="lab_question"):
        st.markdown(f"## {one.title}")
        before, *rows = one.prompt.split("```") if one.pressed else [one.prompt]
        st.markdown(before)
        if rows:
            with st.container(key="lab_rows", gap=None, width="content"):
                for line in rows[0].strip("\n").splitlines():
                    row = f"`{line.replace(' ', chr(160))}`"
                    st.button(row, on_click=attempt, args=(take, line))
            st.markdown(rows[1])
    text = state().own.pop("labs_typed", "")
    if key not in st.session_state and (text or some):
        st.session_state[key] = text or typed(some[-1])
    how: dict[str, Any] = {"key": key, "on_change": "ignore", "persist_state": "session"}
    with st.container(key="lab_answer"):
        if one.choices:
            st.radio("Your answer", one.choices, None, **how)
        else:
            st.text_input("Your answer", help=one.how, max_chars=MAX_TYPED, live=True, **how)
        st.button("Answer", f"check {key}", on_click=attempt, args=(take,), type="primary")


def _ways(step: int, last: int, paused: int, marks: Mapping[int, str]) -> None:
    """To the next step, and to any that is open; each with what is told of it."""
    if step <= last:
        st.button(
            "Finish" if step == last else "Next step",
            "lab_next",
            on_click=go,
            args=({"step": step + 1},),
            icon=":material/arrow_forward:",
            disabled=0 < paused <= step,
        )
    st.session_state["step_shown"] = step
    st.segmented_control(
        "Steps",
        range(1, max(step, paused or last + 1) + 1),
        key="step_shown",
        required=True,
        format_func=lambda at: f"{at} {marks.get(at, '')}".strip() if at <= last else "end",
        on_change=lambda: go({"step": widget_value("step_shown", step)}),
        label_visibility="collapsed",
        wrap=True,
    )
