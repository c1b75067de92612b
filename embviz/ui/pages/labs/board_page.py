"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second. The class view can be projected: before *Reveal* it tells how
many have answered, and neither what nor whether it is right. Bars of an open vote would move those
who still think, and the bars of a first vote those who vote again. The teacher's view has them.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from embviz.classes import board
from embviz.classes.here import here
from embviz.classes.room import ClassError, Room, StoreError
from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Question
from embviz.server.class_routes import TEACHER, present, ticket
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.labs import cards, class_bars, class_link, looks
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import change, go, setting, state, widget_value

EVERY_S = 1.0
VIEW = "Teacher's view: what is right and wrong. **A projected screen shows it too.**"


def draw() -> None:
    """The board of the class in the address, or why it is not shown."""
    # Always: a fragment may write into the sidebar only if it did so in the last whole run.
    below = st.sidebar.container()
    code, store = setting("board"), here()
    try:
        if store is None:
            raise ClassError("Classes are switched off on this server.")
        if not store.is_teacher(code, class_link.cookie(TEACHER)):
            raise ClassError(
                "This board belongs to the browser that started the class. Open it there, and "
                "press *Open on another device*."
            )
        with below:
            _sidebar(store, store.room(code))
        queued_fragment(EVERY_S, _board, store, code)
    except (ClassError, StoreError) as error:
        refuse(error)
        cards.back()


def _sidebar(store: Store, room: Room) -> None:
    """What a class needs at its end, and another device; not on a projector."""
    content = lambda: board.csv(store.answers(room.code))  # noqa: E731 - when it is pressed
    download("Download CSV", content, f"embviz_{room.code}.csv", "text/csv")
    with st.popover("Open on another device"):
        st.markdown(
            "Whoever opens this address within a minute has the board too. Do not project it."
        )
        if st.button("Make the address"):
            url, _ = class_link.link(f"{room.code}/board/{ticket(room.code)}", st.context.url)
            st.code(url, language=None, wrap_lines=True)
            st.image(class_link.qr(url))
    if room.ended:  # in the place of the popover: else the next one would be open there
        st.markdown("The class has ended.")
    else:
        with st.popover("End the class"):
            st.markdown("No more answers are taken. The board stays, and so does the download.")
            _button("End now", "end")
    with st.popover("End and delete"):
        st.markdown(
            "All answers and pseudonyms are deleted from this server, and nobody can bring them "
            "back. **Download first**, if you need them."
        )
        _button("Delete now", "delete")
    cards.back()


def _button(label: str, press: str, step: int = 0, icon: str | None = None, **more: Any) -> None:
    """A button that presses one of the store's `PRESSES`."""
    icon, key = icon and f":material/{icon}:", f"board_{press}_{step}"
    st.button(label, key, on_click=_press, args=(press, step), icon=icon, **more)


def _press(press: str, step: int) -> None:
    """A callback: change the class; a refusal is shown at the next run."""
    code, store = setting("board"), here()
    try:
        if store is not None:
            store.press(code, class_link.cookie(TEACHER), press, step)
        if press == "delete":
            state()["class_deleted"] = code
            go({"board": "", "question": 0})
    except (ClassError, StoreError) as error:
        state()["board_refused"] = f"{error} Press again."


def _board(store: Store, code: str) -> None:
    """All that changes: the steps as a row, one of them large, and the rows of students."""
    try:
        room, rows = store.room(code), store.answers(code)
    except ClassError:  # deleted: the whole page says so
        st.rerun()
    except StoreError as error:
        refuse(f"{error} What is below may be old.")
        return
    if refused := state().pop("board_refused", None):
        refuse(refused)
    size = max(len(board.members(rows)), present(code))
    asked = questions(room.lab, room.seed)[: len(LABS[room.lab].steps)]
    table = board.summary(rows, room, len(asked))
    answered, chosen = table["answered"], min(setting("question"), len(asked))
    _head(room, size)
    tells = st.toggle(VIEW, key="board_teacher")
    st.session_state["board_step"] = chosen or None

    def named(step: int) -> str:
        found = room.step(step)
        marks = ":material/pause_circle:" * (room.paused == step)
        marks += ":material/visibility:" * (found.revealed and not found.hidden)
        return f"**{step}** {marks} · {answered[step]} of {size}"

    st.segmented_control(
        "How many have answered each step",
        range(1, len(asked) + 1),
        key="board_step",
        format_func=named,
        on_change=lambda: change({"question": widget_value("board_step") or 0}),
        wrap=True,
    )
    if chosen:
        one, found = asked[chosen - 1], room.step(chosen)
        is_told = tells or (room.tells(chosen) and not found.hidden)
        _presses(room, chosen)
        _question(one, is_told)
        if is_told:
            class_bars.draw(rows, chosen, one, found.vote, size)
            st.markdown(f"**Why.** {one.why}")
        else:
            st.metric("Have answered", f"{answered[chosen]} of {size}")
    elif not tells:
        st.markdown("Press a step for its question and what you can do.")
    if tells:
        table["step"] = [one.title for one in asked]
        st.table(table[["step", "right", "wrong", "mistake"]])
        if st.toggle("Rows of students", key="board_rows"):
            _students(board.students(rows, len(asked)))


def _head(room: Room, size: int) -> None:
    """Code, link and QR code: large until somebody has joined."""
    if room.ended:
        st.info("This class has ended. Nobody can answer any more.", icon=":material/flag:")
        return
    url, remark = class_link.link(room.code, st.context.url)
    with st.container(horizontal=True, vertical_alignment="center", key="class_head"):
        with st.container():
            st.markdown(f"##### {LABS[room.lab].title}{', own pace' * room.own_pace}")
            st.markdown(f"{'#####' if size else '#'} `{room.code}`")
            st.markdown(f"Students open <{url}>")
            if not size:
                st.markdown(remark)
        code = f"<img src='{class_link.qr(url)}' alt='QR code of the link'>"
        st.html(code, width=84 if size else 300)


def _presses(room: Room, step: int) -> None:
    """What the teacher can press at a step, and where its vote stands."""
    found = room.step(step)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if room.paused == step and not room.ended:
            _button("Go on", "go_on", icon="play_arrow")
        elif not room.ended:
            _button("Pause here", "pause", step, "pause")
        if room.own_pace:
            return
        if found.revealed and not found.hidden:
            _button("Hide on the board", "hide", step, "visibility_off")
        else:
            _button("Reveal", "reveal", step, "visibility", type="primary")
        # The last one, since it goes: a second press must not meet Reveal in its place.
        if not found.revealed and found.vote == 1 and not room.ended:
            _button("Vote again", "vote_again", step, "how_to_vote")
        vote = "first" if found.vote == 1 else "second"
        said = f"The {vote} vote {'ended with the class' if room.ended else 'is open'}."
        if found.revealed:
            said = "Hidden on this board; students still see it." if found.hidden else "Revealed."
        st.markdown(said, width="content")


def _question(asked: Question, is_told: bool) -> None:
    """The question, large, with its choices and its picture."""
    words, picture = st.columns([3, 2], gap="large")
    with words, st.container(key="lab_question"):
        st.markdown(f"##### {asked.title}")
        st.markdown(asked.prompt)
        if not is_told:  # else the bars have them
            st.markdown("\n".join(f"- {choice}" for choice in asked.choices))
    with picture:
        looks.picture(asked.picture if is_told else asked.start)


def _students(table: pd.DataFrame) -> None:
    """A row for each student, and a way to remove it that asks once more."""
    for number, name, *signs in table.itertuples():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(name, width=160)
            shown = [f"**{step}** {sign or '–'}" for step, sign in enumerate(signs, 1)]
            st.markdown(" &nbsp; ".join(shown), width="content")
            with st.popover("Remove", key=f"board_row_{number}"):
                _button(f"Remove {name} and all answers", "remove", number)
