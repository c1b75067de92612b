"""A lab as its student sees it, alone (`alone.py`) or in a class (`member.py`): a step, or the end.

Who works alone is a class of one at its own pace, whose room has no code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from embviz.classes.room import Room
from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS
from embviz.labs.drawing import Picture
from embviz.labs.question import MAX_TYPED, Answer, Question, Verdict, judge, read, typed, written
from embviz.request.markdown import literal
from embviz.ui.pages.labs import looks
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, setting, state, widget_value

MARKS = {True: ":green[✓]", False: ":orange[✗]"}


def attempt(act: Callable[..., object], *args: Any) -> None:
    """A callback: do it, or show at the next run why it cannot be."""
    try:
        act(*args)
    except Refused as refused:
        state()["lab_refused"] = refused


@dataclass(frozen=True)
class Lesson:
    """What a student may see now. Steps are counted from 1.

    Attributes:
        room: the lab and its numbers, what is told, and where the class has paused.
        asked: the questions with their right answers, which stay on the server.
        given: the answers that count to each step, the last one last.
        keep: keeps an answer to a step; raises `Refused`.
        below: draws more below a step, or below the end.
        name: of the student.
    """

    room: Room
    asked: Sequence[Question]
    given: Mapping[int, Sequence[Answer]]
    keep: Callable[[int, Answer], None]
    below: Callable[[int], None]
    name: str = ""

    def draw(self) -> None:
        """Draw the step of the address, or the end."""
        lab, last = LABS[self.room.lab], len(self.asked)
        step = min(setting("step"), last + 1)
        with st.container(key="lab_step"):
            left, side = st.columns([3, 2], gap="large")
        with left:
            if step > last:
                st.markdown("\n##### ".join([f"###### {lab.title} · done", *lab.learned]))
            else:
                st.markdown(f"###### {lab.title} · step {step} of {last}")
                picture = self._step(step)
                with side:
                    looks.picture(picture)
            self.below(step)
            self._ways(step, last)

    def verdict(self, step: int) -> Verdict | None:
        """On the last answer; None without one, and while it is not told."""
        given = self.given.get(step) if self.room.tells(step) else None
        return judge(self.asked[step - 1], given[-1]) if given else None

    def _key(self, step: int) -> str:
        """Of the field: another vote, or somebody else at this browser, has another one."""
        room = self.room
        place = room.code or f"{room.lab} {room.seed}"  # a class's seed stays on the server
        return f"answer {place} {step} {room.step(step).vote} {self.name}"

    def _step(self, step: int) -> Picture:
        """The question, the field, what is told; returns the picture that may be shown."""
        one, said, given = self.asked[step - 1], self.verdict(step), self.given.get(step, ())
        is_told = self.room.step(step).revealed or (said is not None and said.right)
        self._ask(step, one)
        is_refused = self._field(step, one)
        if said and not is_refused:
            shown = literal(written(given[-1]))
            if said.right:
                st.success(f"Right: {shown}.", icon=":material/check:")
            else:
                words = f"Not right: {shown}. {said.mistake or 'Take the hint.'}"
                st.warning(words, icon=":material/lightbulb:")
        if said and not is_told:
            tries = min(len(given), len(one.hints))
            with st.expander("Hint", key=f"hint {tries} {self._key(step)}"):
                st.markdown(one.hints[tries - 1])
            is_told = st.toggle("Show the explanation", key=f"why {self._key(step)}")
        if is_told:
            st.markdown(f"**Why.** {one.why}")
            return one.picture
        return one.small if said else one.start

    def _ask(self, step: int, one: Question) -> None:
        """The prompt; lines of its table that may be pressed are buttons."""
        with st.container(key="lab_question"):
            st.markdown(f"##### {one.title}")
            for place, part in enumerate(one.prompt.split("```") if one.pressed else [one.prompt]):
                if place != 1:
                    st.markdown(part)
                    continue
                with st.container(key="lab_rows", gap=None, width="content"):
                    for line in part.strip("\n").splitlines():
                        label = f"`{line.replace(' ', chr(160))}`"
                        st.button(label, on_click=attempt, args=(self._take, step, line))

    def _field(self, step: int, one: Question) -> bool:
        """The field for the answer, and whether what was sent last is refused.

        It keeps what is typed and not yet checked. No `st.form`: that loses it where the student
        leaves without a press. "ignore" sends it with the next press of anything; `live` keeps it
        in the browser while it is typed. `ui/frame/listen.js` makes Enter press the button.
        """
        key, text = self._key(step), state().pop("lab_typed", "")
        if key not in st.session_state and (text or step in self.given):
            st.session_state[key] = text or typed(self.given[step][-1])
        how: dict[str, Any] = {"key": key, "on_change": "ignore", "persist_state": "session"}
        with st.container(key="lab_answer"):
            if one.choices:
                st.radio("Your answer", one.choices, None, **how)
            else:
                st.text_input("Your answer", help=one.how, max_chars=MAX_TYPED, live=True, **how)
            label = "Check" if self.room.tells(step) else "Answer"
            args = self._take, step
            st.button(label, f"check {key}", on_click=attempt, args=args, type="primary")
        if refused := state().pop("lab_refused", None):
            refuse(refused)
        return bool(refused)

    def _take(self, step: int, line: str = "") -> None:
        """What was typed, chosen or pressed becomes the answer, if it can be read."""
        one, key = self.asked[step - 1], self._key(step)
        if line:
            st.session_state[key] = typed(read(one, line))
        answer = read(one, str(st.session_state.get(key) or ""))
        state()["lab_typed"] = typed(answer)  # for another vote, should this one be over
        self.keep(step, answer)

    def _ways(self, step: int, last: int) -> None:
        """To the next step, and to any that is open; each with what is told of it."""
        paused = self.room.paused

        def named(step: int) -> str:
            said = self.verdict(step) if step <= last else None
            mark = MARKS[said.right] if said else "•" * (step in self.given)
            return f"{step} {mark}".strip() if step <= last else "end"

        if step <= last:
            label, to = "Finish" if step == last else "Next step", {"step": step + 1}
            icon, is_closed = ":material/arrow_forward:", 0 < paused <= step
            st.button(label, "lab_next", on_click=go, args=(to,), icon=icon, disabled=is_closed)
        st.session_state["step_shown"] = step
        st.segmented_control(
            "Steps",
            range(1, max(step, paused or last + 1) + 1),
            key="step_shown",
            required=True,
            format_func=named,
            on_change=lambda: go({"step": widget_value("step_shown", step)}, whole=False),
            label_visibility="collapsed",
            wrap=True,
        )
