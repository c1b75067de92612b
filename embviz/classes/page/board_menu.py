"""The menus in the head of a board: countdown, door, private view, download, and the end."""

import time

import streamlit as st

from embviz.classes.here import here
from embviz.classes.page import board_view, class_link, presses
from embviz.classes.room import Room
from embviz.classes.routes import TICKET_S, ticket
from embviz.ui.state.session import session

MINUTES = (1, 2, 3, 5)  # Minutes of a countdown.
AGO_MIN = (1, 5, 15)  # Minutes: who came within them can be removed together.


def draw(room: Room) -> None:
    """The menus."""
    if not room.ended:
        with st.popover("Countdown", type="tertiary"):
            _countdown(room)
    # A key: the popover stays open while its label changes.
    label = "Private view: on, do not project" if board_view.is_on() else "Private view"
    with st.popover(label, type="tertiary", key="private_view"):
        _private(room)
    with st.popover("Class", type="tertiary"):
        _class(room)


def draw_below(room: Room) -> None:
    """The same below each other, for one menu; not the private view, which nobody may project."""
    if not room.ended:
        _countdown(room)
    _class(room)


def _countdown(room: Room) -> None:
    """Start a countdown, which students see too; nothing closes at its end."""
    with st.container(horizontal=True):
        for minutes in MINUTES:
            st.button(f"{minutes} min", f"count {minutes}", on_click=_count, args=(60.0 * minutes,))
        if room.until > time.time():
            st.button("Stop", "count 0", on_click=_count, args=(0.0,))
    st.markdown("Students see it too. The vote stays open until you press *Reveal*.")


def _count(seconds: float) -> None:
    """A callback: count down so many seconds; 0 stops."""
    until = time.time() + seconds if seconds else 0.0
    presses.send("countdown", until=until)


def _private(room: Room) -> None:
    """The private view: words about it, its address for another device, and its switch."""
    st.markdown(
        "It has who is stuck, the bars of an open vote, and mistakes in words. Open it on your "
        "phone **before the projector is on**: press, and scan."
    )
    st.button("Make the address", on_click=_make_address, args=(room.code,))
    url, until = session().own.get(f"labs_address {room.code}", ("", 0.0))
    if (left := int(until - time.monotonic())) > 0:  # the board is drawn anew each second
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(class_link.qr(url), width=180)
            st.markdown(
                f"It works for {left} s. Whoever scans it has the board too. There, press *Private "
                "view*, *Show it on this screen*.",
                width=180,
            )
        st.code(url, None, wrap_lines=True)
    board_view.switch()


def _make_address(code: str) -> None:
    """A callback: an address that gives another device the board."""
    url = class_link.link(f"{code}/board/{ticket(code)}", st.context.url)
    session().own[f"labs_address {code}"] = url, time.monotonic() + TICKET_S


def _class(room: Room) -> None:
    """Both files, the door, and the end."""
    code = room.code
    for label, table in (("Download CSV", ""), ("CSV, a line a student", "?table=students")):
        st.link_button(label, f"class/{code}/csv{table}", icon=":material/download:")
    if not room.ended:
        _door(room)
        st.markdown(
            "**End**: every step is told, and no more answers are taken. You keep board and file."
        )
        presses.asked(code, "End now", "End the class for all?", "end")
    st.markdown("**Delete**: all answers and pseudonyms go, for ever. Download first.")
    presses.asked(code, "Delete", f"Delete {code} and all its answers?", "delete")


def _door(room: Room) -> None:
    """Close the class to new members; then those who came last can be removed."""
    if not room.closed:
        presses.button("Close the door", "close_door")
        st.markdown("Nobody else joins then. You can remove those who came last.")
        return
    presses.button("Open the door", "open_door")
    code = room.code
    members, now = here().snapshot(code).members, time.time()
    for minutes in AGO_MIN:
        since = now - 60.0 * minutes
        if count := sum(member.joined >= since for member in members):
            label = f"Remove the {count} of the last {minutes} min, and their answers"
            presses.asked(code, label, f"{label}?", "remove", since=since)
