"""The board of a class: what its teacher sees and presses. The right to it is a cookie.

It looks at the store each second. The class view can be projected: before *Reveal* it tells how
many have answered, and neither what nor whether it is right. Bars of an open vote would move those
who still think, and the bars of a first vote those who vote again. The teacher's view has them.
"""

from __future__ import annotations

import streamlit as st

from embviz.classes import board
from embviz.classes.here import here
from embviz.classes.room import ClassError, NoClassError, Room, Step
from embviz.core.refused import Refused
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import Question, bars_of
from embviz.request.markdown import literal
from embviz.server.class_routes import TEACHER, present, ticket
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.labs import cards, class_link, looks
from embviz.ui.pages.labs.lesson import attempt
from embviz.ui.parts.download import download
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import change, setting, state, widget_value

VIEW = "Teacher's view: what is right and wrong. **A projected screen shows it too.**"
ELSEWHERE = (
    "This board belongs to the browser that started the class. Open it there, and press *Open on "
    "another device*."
)


def draw() -> None:
    """The board of the class in the address, or why it is not shown."""
    # Always: a fragment may write into the sidebar only if it did so in the last whole run.
    below, code = st.sidebar.container(), setting("board")
    try:
        if not here().is_teacher(code, class_link.cookie(TEACHER)):
            raise ClassError(ELSEWHERE)
        with below:
            _sidebar(code)
        queued_fragment(1.0, _board, code)
    except NoClassError:  # it was deleted just now, or long ago
        st.success(literal(f"There is no class {code} here, and nothing of it is kept."))
        cards.back()
    except Refused as error:
        refuse(error)
        cards.back()


def _sidebar(code: str) -> None:
    """What a class needs at its end, and another device; not on a projector."""
    content = lambda: board.csv(here().answers(code))  # noqa: E731 - when it is pressed
    download("Download CSV", content, f"embviz_{code}.csv", "text/csv")
    with st.popover("Open on another device"):
        st.markdown(
            "Whoever opens this address within a minute has the board too. Do not project it."
        )
        if st.button("Make the address"):
            url, _ = class_link.link(f"{code}/board/{ticket(code)}", st.context.url)
            st.code(url, language=None, wrap_lines=True)
            st.image(class_link.qr(url))
    with st.popover("End the class"):
        st.markdown("**End**: no more answers are taken. The board and the download stay.")
        _button("End now", "end")
        st.markdown(
            "**Delete**: all answers and pseudonyms go from this server, and nobody can bring them "
            "back. Download first, if you need them."
        )
        _button("Delete now", "delete")
    cards.back()


def _button(label: str, press: str, step: int = 0, icon: str | None = None) -> None:
    """A button that presses one of the store's `PRESSES`."""
    st.button(
        label,
        f"{press} {step}",
        on_click=attempt,
        args=(here().press, setting("board"), class_link.cookie(TEACHER), press, step),
        icon=icon,
        type="primary" if press == "reveal" else "secondary",
    )


def _board(code: str) -> None:
    """All that changes: the steps as a row, one of them large, and the rows of students."""
    try:
        room, rows = here().room(code), here().answers(code)
    except ClassError:  # deleted: the whole page says so
        st.rerun()
    asked = questions(room.lab, room.seed)[: len(LABS[room.lab].steps)]
    table, size = (
        board.summary(rows, room, len(asked)),
        max(len(board.members(rows)), present(code)),
    )
    answered, chosen = table["answered"], min(setting("question"), len(asked))
    if refused := state().pop("lab_refused", None):
        refuse(refused)
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
        answered.index,
        key="board_step",
        format_func=named,
        on_change=lambda: change({"question": widget_value("board_step") or 0}),
        wrap=True,
    )
    if chosen:
        found = room.step(chosen)
        is_told = tells or (room.tells(chosen) and not found.hidden)
        _presses(room, chosen)
        _question(asked[chosen - 1], is_told)
        if is_told:
            bars(rows, chosen, asked[chosen - 1], found.vote, size)
            st.markdown(f"**Why.** {asked[chosen - 1].why}")
    elif not tells:
        st.markdown("Press a step for its question and what you can do.")
    if tells:
        table["step"] = [one.title for one in asked]
        st.table(table[["step", "right", "wrong", "mistake"]])
        if st.toggle("Rows of students", key="board_rows"):
            st.dataframe(board.students(rows), hide_index=True)
            with st.container(horizontal=True, gap="small"):
                for number, name in board.members(rows).items():
                    with st.popover(f"Remove {name}", key=f"row {number}"):
                        _button(f"Remove {name} and all answers", "remove", number)


def _head(room: Room, size: int) -> None:
    """Code, link and QR code: large until somebody has joined."""
    if room.ended:
        st.info("This class has ended. Nobody can answer any more.", icon=":material/flag:")
        return
    url, remark = class_link.link(room.code, st.context.url)
    with st.container(horizontal=True, vertical_alignment="center", key="class_head"):
        title = f"##### {LABS[room.lab].title}{', own pace' * room.own_pace}"
        words = title, f"{'#####' if size else '#'} `{room.code}`", f"Students open <{url}>  "
        st.markdown("\n".join([*words, remark * (not size)]))
        code = f"<img src='{class_link.qr(url)}' alt='QR code of the link'>"
        st.html(code, width=84 if size else 300)


def _presses(room: Room, step: int) -> None:
    """What the teacher can press at a step, and where its vote stands."""
    found, is_open, votes = room.step(step), not room.ended, not room.own_pace
    is_shown, is_paused = found.revealed and not found.hidden, room.paused == step
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for press, label, icon, is_there in (
            ("go_on", "Go on", "play_arrow", is_open and is_paused),
            ("pause", "Pause here", "pause", is_open and not is_paused),
            ("hide", "Hide on the board", "visibility_off", votes and is_shown),
            ("reveal", "Reveal", "visibility", votes and not is_shown),
            # The last one, since it goes: a second press must not meet Reveal in its place.
            ("vote_again", "Vote again", "how_to_vote", votes and is_open and found == Step()),
        ):
            if is_there:
                _button(label, press, step, f":material/{icon}:")
        said = f"Vote {found.vote} of 2 {'is open' if is_open else 'ended with the class'}."
        if found.revealed:
            said = "Hidden on this board; students still see it." if found.hidden else "Revealed."
        st.markdown(said * votes, width="content")


def _question(asked: Question, is_told: bool) -> None:
    """The question, large, with its choices and its picture."""
    words, picture = st.columns([3, 2], gap="large")
    with words, st.container(key="lab_question"):
        st.markdown(f"##### {asked.title}\n{asked.prompt}")
        if not is_told:  # else the bars have them
            st.markdown("\n".join(f"- {choice}" for choice in asked.choices))
    with picture:
        looks.picture(asked.picture if is_told else asked.start)


def bars(rows: board.Rows, step: int, question: Question, votes: int, size: int = 1) -> None:
    """Draw how a class answered a step: a bar for each answer, for those who may know it.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    named = [*bars_of(question)]
    counts = board.bars(rows, step, [words for words, *_ in named])
    size = max(size, len(board.members(rows)))
    with st.container(key="class_bars", gap="small"):
        for words, is_right, mistake in named:
            given = counts.loc[words].tolist()[:votes]
            if not (any(given) or is_right or question.choices):
                continue  # a mistake that nobody made
            left, right = st.columns([2, 3], vertical_alignment="center")
            name = f":green[✓ {words}]" if is_right else words
            left.markdown(f"**{name}**" + f"  \n:small[{mistake}]" * bool(mistake))
            with right, st.container(gap=None):
                for count, vote in zip(given, ("first", "second"), strict=False):
                    st.progress(count / size, f"**{count}**" + f" in the {vote} vote" * (votes > 1))
