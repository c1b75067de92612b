"""A question and the field for its answer.

Invariants:
- The field keeps what is typed: its key has place, lab, step and vote, and another one of these is
  another field.
- A refused answer stays in its field.
- An answer that came too late for its vote is not lost: the next vote's field shows it.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from embviz.labs.answer import MAX_TYPED, read
from embviz.labs.page.lesson import Lesson, Task, attempt
from embviz.labs.page.shown import shown
from embviz.labs.question import typed
from embviz.text.refused import Refused
from embviz.ui.state.session import session


def ask(task: Task, is_told: bool) -> None:
    """The question and the field; lines of its table that may be pressed are buttons.

    The field keeps what is typed and not yet checked. No `st.form`: that loses it where the student
    leaves without a press. "ignore" sends it with the next press of anything; `live` keeps it
    in the browser while it is typed. `ui/frame/listen.js` makes Enter press the button.
    """
    question, key = task.question, task.key

    def take(line: str = "") -> None:
        """Take what was typed, chosen or pressed as the answer, if it can be read."""
        if line:
            st.session_state[key] = typed(read(question, line))
        text = text_in(key)
        try:
            answer = read(question, text)
        except Refused:
            task.note(text)
            raise
        # Another vote may have begun meanwhile: its field shows the answer again.
        session().own["labs_typed"] = question.prompt, typed(answer)
        task.keep(answer)
        _note_sent(key, text, typed(answer))

    with st.container(key="lab_question"):
        st.markdown(f"## {question.title}")
        if question.pressed:
            _rows(task, take)
        else:
            st.markdown(question.prompt)
    _fill(task)
    how: dict[str, Any] = {
        "key": key,
        "on_change": "ignore",
        "persist_state": "session",
        # Behind a pause it keeps what is written, and only the button is gone.
        "disabled": task.is_over,
    }
    with st.container(key="lab_answer"):
        if question.choices:
            st.radio("Your answer", question.choices, None, **how)
        else:
            how_to = f"{question.how} Or press a row." if question.pressed else question.how
            st.text_input(how_to, max_chars=MAX_TYPED, live=True, **how)
        if task.is_open:
            st.button(
                "Answer",
                f"check {key}",
                on_click=attempt,
                args=(take,),
                type="secondary" if is_told else "primary",
            )


def _rows(task: Task, take: Callable[[str], None]) -> None:
    """The prompt with a button for each line of its table."""
    before, table, after = task.question.prompt.split("```")
    st.markdown(before)
    with st.container(key="lab_rows", gap=None, width="content"):
        for line in table.strip("\n").splitlines():
            row = f"`{line.replace(' ', chr(160))}`"
            args = take, line
            st.button(row, on_click=attempt, args=args, disabled=not task.is_open)
    st.markdown(after)


def _fill(task: Task) -> None:
    """Write the last answer into its field, also where another tab gave it.

    A text that was written there and not sent stays.
    """
    key, last = task.key, typed(task.answers[-1]) if task.answers else ""
    asked, came_late = session().own.pop("labs_typed", ("", ""))
    text, meant = _sent(key)
    if asked == task.question.prompt and key not in st.session_state:
        st.session_state[key] = came_late
    elif last != meant and text_in(key) in ("", text):
        st.session_state[key] = last
        _note_sent(key, last, last)


def text_in(key: str) -> str:
    """The text in a field, without blanks around it."""
    return str(st.session_state.get(key) or "").strip()


def _sent(key: str) -> tuple[str, str]:
    """The text that was sent from a field last: as it was written, and as it was understood."""
    found: tuple[str, str] = session().own.get("labs_sent", {}).get(key, ("", ""))
    return found


def _note_sent(key: str, text: str, meant: str) -> None:
    """Keep the two texts that `_sent` gives."""
    session().own.setdefault("labs_sent", {})[key] = text, meant


def is_writing(lesson: Lesson) -> bool:
    """Whether the field of what is shown, a step or a question beside, has an unsent text."""
    task = shown(lesson)
    if task is None or task.is_revealed:
        return False
    text, _ = _sent(task.key)
    return text_in(task.key) not in ("", text)
