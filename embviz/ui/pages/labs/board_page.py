"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second. The class view can be projected: it tells nothing about right and
wrong before *Reveal*.
"""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from embviz.classes import board
from embviz.classes.here import here
from embviz.classes.store import ClassError, Room, Step, Store, StoreError
from embviz.labs.catalogue import LABS, question
from embviz.request.settings import defaults
from embviz.server.class_routes import TEACHER, present, ticket
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.labs import class_bars, class_link, looks
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
    except (ClassError, StoreError) as error:
        refuse(error)
        _all_labs()
        return
    class_bars.style()
    looks.style()
    with below:
        _sidebar(store, code)
    queued_fragment(EVERY_S, _board, store, code)


def _sidebar(store: Store, code: str) -> None:
    """What a class needs at its end, and another device; not on a projector."""
    content = lambda: board.csv(store.answers(code))  # noqa: E731 - when it is pressed
    download("Download CSV", content, f"embviz_{code}.csv", "text/csv", key="board_csv")
    with st.popover("Open on another device", key="board_other"):
        st.markdown(
            "Whoever opens this address within a minute has the board too. Do not project it."
        )
        if st.button("Make the address", key="board_ticket"):
            link = class_link.link(f"{code}/board/{ticket(code)}", st.context.url).url
            st.code(link, language=None, wrap_lines=True)
            st.image(class_link.qr(link))
    with st.popover("End the class", key="board_end"):
        st.markdown("No more answers are taken. The board stays, and so does the download.")
        _button("End now", "end")
    with st.popover("End and delete", key="board_delete"):
        st.markdown(
            "All answers and pseudonyms are deleted from this server, and nobody can bring them "
            "back. **Download first**, if you need them."
        )
        _button("Delete now", "delete")
    _all_labs()


def _all_labs() -> None:
    to = (defaults(("board", "question", "lab")),)
    st.button("All labs", key="board_cards", on_click=go, args=to, icon=":material/arrow_back:")


def _button(label: str, press: str, step: int = 0, icon: str = "", first: bool = False) -> None:
    """A button that presses one of the store's `PRESSES`."""
    st.button(
        label,
        key=f"board_{press}_{step}",
        on_click=_press,
        args=(press, step),
        icon=f":material/{icon}:" if icon else None,
        type="primary" if first else "secondary",
    )


def _press(press: str, step: int) -> None:
    """A callback: change the class; a refusal is shown at the next run."""
    code, store = setting("board"), here()
    if store is None:
        return
    try:
        store.press(code, class_link.cookie(TEACHER), press, step)
    except (ClassError, StoreError) as error:
        state()["board_refused"] = f"{error} Press again."
        return
    if press == "delete":
        state()["class_deleted"] = code
        go(defaults(("board", "question", "lab")))


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
    _head(room, size)
    tells = st.toggle(VIEW, key="board_teacher")
    steps = len(LABS[room.lab].steps)
    table = board.summary(rows, room, steps)
    chosen = min(setting("question"), steps)
    st.session_state["board_step"] = chosen or None

    def named(step: int) -> str:
        found = room.step(step)
        marks = ":material/pause_circle:" * (room.paused == step)
        marks += ":material/visibility:" * (found.revealed and not found.hidden)
        return f"**{step}** {marks} · {table.loc[step, 'answered']} of {size}"

    st.segmented_control(
        "How many have answered each step",
        range(1, steps + 1),
        key="board_step",
        format_func=named,
        on_change=lambda: change({"question": widget_value("board_step") or 0}),
        wrap=True,
    )
    if chosen:
        _step(room, rows, chosen, size, tells)
    elif not tells:
        st.markdown("Press a step for its question, its bars and what you can do.")
    if tells:
        _teachers(room, rows, table)


def _head(room: Room, size: int) -> None:
    """Code, link and QR code: large until somebody has joined."""
    link = class_link.link(room.code, st.context.url)
    if room.ended:
        st.info("This class has ended. Nobody can answer any more.", icon=":material/flag:")
        return
    address = escape(link.url)
    remark = f"<p>{escape(link.remark)}</p>" if link.remark and not size else ""
    pace = ", own pace" if room.own_pace else ""
    st.html(
        f'<div class="class-head {"joined" * (size > 0)}"><div>'
        f"<h5>{escape(LABS[room.lab].title)}{pace}</h5><p class='code'>{room.code}</p>"
        f"<p>Students open <a href='{address}'>{address}</a></p>{remark}</div>"
        f"<img src='{class_link.qr(link.url)}' alt='QR code of the link'></div>"
    )


def _step(room: Room, rows: board.Rows, step: int, size: int, tells: bool) -> None:
    """One question with its bars, large, and what the teacher can press."""
    asked, found = question(room.lab, step, room.seed), room.step(step)
    is_told = tells or (room.tells(step) and not found.hidden)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if room.paused == step:
            _button("Go on", "go_on", icon="play_arrow")
        elif not room.ended:
            _button("Pause here", "pause", step, "pause")
        if not room.own_pace:
            if not found.revealed or found.hidden:
                _button("Reveal", "reveal", step, "visibility", first=True)
            else:
                _button("Hide", "hide", step, "visibility_off")
            # The last one, since it goes: a second press must not meet Reveal in its place.
            if not found.revealed and found.vote == 1 and not room.ended:
                _button("Vote again", "vote_again", step, "how_to_vote")
            st.markdown(_said(room, found), width="content")
    words, picture = st.columns([3, 2], gap="large")
    with words, st.container(key="lab_question"):
        st.markdown(f"##### {asked.title}")
        st.markdown(asked.prompt)
    with picture:
        looks.picture(asked.picture if is_told else asked.start)
    class_bars.draw(rows, step, asked, is_told, size)
    if is_told:
        st.markdown(f"**Why.** {asked.why}")


def _said(room: Room, found: Step) -> str:
    if found.revealed:
        return f"{'Hidden on this board' if found.hidden else 'Revealed'}: answers come late."
    vote = "first" if found.vote == 1 else "second"
    return f"The {vote} vote {'ended with the class' if room.ended else 'is open'}."


def _teachers(room: Room, rows: board.Rows, table: pd.DataFrame) -> None:
    """Right, wrong and the most frequent mistake of each step; the rows of students on demand."""
    titles = [question(room.lab, step, room.seed).title for step in table.index]
    st.table(table.assign(answered=titles).rename(columns={"answered": "step"}))
    if not st.toggle("Rows of students", key="board_rows"):
        return
    for number, name, *signs in board.students(rows, len(table)).itertuples():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(name, width=160)
            shown = [f"**{step}** {sign or '–'}" for step, sign in enumerate(signs, 1)]
            st.markdown(" &nbsp; ".join(shown), width="content")
            _button("Remove", "remove", number)
