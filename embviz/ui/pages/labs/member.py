"""A student in a class: joins by the address, sends answers, shows what the teacher pressed.

An address without `class` has none of this. A class that cannot be reached stops nobody: the
student works on as the guest of the address, and answers wait. No name is sent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from embviz.classes import codes
from embviz.classes.here import Here, here
from embviz.classes.outbox import Outbox
from embviz.classes.record import Answer, ClassError, Classroom, Member, StoreError
from embviz.classes.room import Room
from embviz.core.refused import Refused
from embviz.labs.answers import AnswerError, written
from embviz.labs.exercises import lab as lab_of
from embviz.labs.markup import inline
from embviz.labs.record import Step
from embviz.labs.student import Student
from embviz.request.markdown import literal
from embviz.server.class_state import outbox_of, version
from embviz.server.scheduler import run_queue
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import change, go, setting, state

if TYPE_CHECKING:
    from embviz.ui.pages.labs.work import Work

WAIT_S = 1.0  # for the database; then the student works on
SEES = "Your teacher sees this pseudonym, your answers and whether they are right; no name."
OFF = "This server has no classes, so the class {} cannot be opened here. You can work alone."
ENDED = "The class has ended. You work alone now, and nothing more is sent."
OVER = "This class has ended. You can work alone."
LATE = "Not all your answers arrived before the end. Your page's address has them."
DELETED = "The class has been deleted. You work alone now, and nothing more is sent."
LATER = (
    "The class cannot be reached now. Work on: you join by yourself when it can be reached, "
    "and your work is sent then."
)
_LINE = component(
    "embviz_class_line",
    [Path(__file__).parent / "class_line.js"],
    html='<p><span class="who">You are <b></b>. </span><span class="sees"></span> '
    '<span class="state" role="status"></span></p>',
    css="""
:host { display: block; }
p { margin: 0; min-height: 2.9em; color: var(--st-text-color); font: 14px/1.45 var(--st-font); }
.sees { color: var(--st-gray-text-color); }
.waits { font-weight: 600; color: var(--st-orange-text-color); }
[hidden] { display: none; }
""",
)


@dataclass(eq=False)
class Membership:
    """A session's place in a class.

    Attributes:
        code: the class's.
        token: the member's; who has it is this member.
        alone: why the session is in no class, or no longer; then nothing else counts.
        is_mistake: whether `alone` names a mistake in the link.
        room: the class, once it was reached.
        member: the member, once the database has it.
        outbox: of the member.
        taken_up: whether the work of the address was sent.
    """

    code: str
    token: str
    alone: str = ""
    is_mistake: bool = False
    room: Room | None = None
    member: Member | None = None
    outbox: Outbox | None = None
    taken_up: bool = False

    def look(self) -> None:
        """Join if that is still to be done, and take what is new; never raises for a class."""
        found = here()
        if found is None:
            self.alone = OFF.format(self.code)
        if found is None or self.alone:
            return
        try:
            self._look(found)
        except ClassError as error:
            self.alone, self.is_mistake = str(error), True
            if self.member is not None:
                self.alone, self.is_mistake = DELETED, False
        except (StoreError, TimeoutError):
            return  # what is known stays

    def _look(self, found: Here) -> None:
        found.known(self.code, self.token)
        self.room = found.rooms.get(self.code)
        if self.room.classroom.ended:
            self.alone = OVER if self.outbox is None else ENDED
        elif self.member is None:
            is_first = self.outbox is None
            self.outbox = self.outbox or outbox_of(found.store, self.code, self.token)
            self.member = self.room.member(self.token) or self.outbox.member
            if self.member is None and self.outbox.refused:
                raise ClassError(self.outbox.refused)
            if self.member is None and is_first:  # the outbox makes the later tries
                with run_queue.released():
                    self.member = found.store.join(self.code, self.token).result(WAIT_S)
                found.joined(self.code, self.token)

    @property
    def classroom(self) -> Classroom | None:
        """The class as it is now; None where it was not reached yet, or no longer counts."""
        return None if self.room is None or self.alone else self.room.classroom

    @property
    def lacks_answers(self) -> bool:
        """Whether the class has not taken all answers of this session."""
        return self.outbox is not None and bool(self.outbox.waiting or self.outbox.refused)


def enter() -> None:
    """Join the class of the address, before the widgets of the lab are drawn."""
    code = setting("class").strip().lower()
    if not code:
        state().pop("class", None)
        return
    mine: Membership | None = state().get("class")
    if mine is None or mine.code != code or setting("member") not in ("", mine.token):
        token = setting("member")
        token = token if codes.is_token(token) else codes.new_token()
        mine = state()["class"] = Membership(code, token)
    is_new = mine.room is None
    mine.look()
    if mine.alone and mine.member is None:
        return
    guest = codes.guest_of(mine.token)
    wanted = {"member": mine.token}
    if _key(setting("student")) != guest:
        wanted["student"] = guest
    if is_new and mine.classroom is not None and setting("lab") == "all":
        wanted["lab"] = mine.classroom.lab
    put(wanted)


def put(wanted: dict[str, str]) -> None:
    """Change settings, and the address with them, if they are not so."""
    if any(setting(name) != value for name, value in wanted.items()):
        change(wanted)


def _key(student: str) -> str:
    try:
        return Student(student).key
    except Refused:
        return ""


def current(lab: str = "") -> Membership | None:
    """The place in a class that goes on, and has this lab."""
    mine: Membership | None = state().get("class")
    if mine is None or mine.alone:
        return None
    return mine if not lab or (mine.classroom and mine.classroom.lab == lab) else None


def mistyped() -> str:
    """The code of the address, if there is no such class; else `""`."""
    mine: Membership | None = state().get("class")
    return mine.code if mine is not None and mine.is_mistake else ""


def _again() -> None:
    """A callback: try to join as a new member."""
    state().pop("class", None)
    go({"member": ""})


def leave() -> None:
    """A callback: the student goes on alone, with the same numbers and the work so far."""
    state().pop("class", None)
    go({"class": "", "member": ""})


def above() -> None:
    """Join, and draw what the class has to say: outside the body, which an answer draws again."""
    enter()
    with st.container():  # also where it stays empty, see `work.work`
        if not setting("board"):
            _draw()
    state()["class_drawn"] = _shown()


def follow() -> None:
    """In the body, which may run alone: look at the class; draw all where `above` is old."""
    mine: Membership | None = state().get("class")
    if mine is not None:
        mine.look()
    if state().get("class_drawn") != _shown():
        st.rerun()


def _shown() -> tuple[object, ...]:
    """What decides which words and buttons are above the body."""
    mine: Membership | None = state().get("class")
    here_now = bool(setting("board")), setting("class"), current(setting("lab")) is None
    return here_now if mine is None else (*here_now, mine.alone, mine.member is None)


def _draw() -> None:
    """Above the lab of the class its line, elsewhere the way back."""
    mine: Membership | None = state().get("class")
    if mine is None:
        return
    if mine.alone:
        if mine.is_mistake:
            refuse(mine.alone)
            with st.container(horizontal=True, gap="small"):
                st.button("Try again", key="class_again", on_click=_again)
                st.button("Work alone", key="class_alone", on_click=leave, type="tertiary")
        else:
            late = f" {LATE}" if mine.alone == ENDED and mine.lacks_answers else ""
            st.info(literal(mine.alone + late), icon=":material/person:")
        return
    if mine.member is not None and current(setting("lab")) is None:
        _elsewhere(mine)
        return
    if mine.member is None:
        st.info(LATER, icon=":material/cloud_off:")
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="class_line_row"
    ):
        _line(mine)
        if mine.member is not None:
            _leave_button()


def _line(mine: Membership) -> None:
    box = mine.outbox
    data: dict[str, Any] = {
        "code": mine.code,
        "member": mine.token,
        # The route's answer differs from "?", so that the page joins when the class is there.
        "version": version(mine.room, mine.token, mine.member) if mine.room else "?",
        "name": mine.member.pseudonym if mine.member else "",
        "sees": SEES,
        "answered": bool(setting("done")),
        "waiting": box.waiting if box else 0,
        "since": box.since if box else None,
        "refused": box.refused if box else None,
    }
    _LINE(key="class_line", data=data, on_news_change=lambda: None)


def _leave_button() -> None:
    st.button("Leave the class", key="class_leave", on_click=leave, type="tertiary")


def _elsewhere(mine: Membership) -> None:
    assert mine.classroom is not None
    lab = lab_of(mine.classroom.lab)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        words = f"You are in a class with the lab *{lab.title}*. Nothing from here is sent."
        st.markdown(words, width="content")
        st.button(
            "Back to the class",
            key="class_back",
            on_click=go,
            args=({"lab": lab.code, "step": 1},),
            icon=":material/arrow_back:",
        )
        _leave_button()


def pause(lab: str) -> None:
    """The words of a pause, above a step."""
    room = _classroom(lab)
    if room is None or not (paused := room.paused):
        return
    words = f"**Your teacher has paused at step {paused}.** "
    if setting("step") < paused:
        words += "You can go on up to there."
    elif setting("step") > paused:
        words += "You are further: answers to this step are checked when the class goes on."
    else:
        words = "**Your teacher has paused here.** The next step opens when the class goes on."
    st.info(words, icon=":material/pause_circle:")
    if setting("step") != paused and lab_of(lab).steps[paused - 1].name in room.revealed:
        st.button(
            f"What the class answered to step {paused}",
            key="class_revealed",
            on_click=go,
            args=({"step": paused},),
            type="tertiary",
            icon=":material/bar_chart:",
        )


def _classroom(lab: str) -> Classroom | None:
    mine = current(lab)
    return None if mine is None else mine.classroom


def last_open(lab: str) -> float:
    """The number of the last step that the teacher leaves open; infinity without a pause."""
    room = _classroom(lab)
    return math.inf if room is None or room.paused is None else room.paused


def reveals(lab: str, step: Step[Any]) -> bool:
    """Whether the teacher has revealed the answers to a step."""
    room = _classroom(lab)
    return room is not None and step.name in room.revealed


def spread(lab: str, step: Step[Any]) -> None:
    """The class's answers to a revealed step, as bars without names."""
    mine = current(lab)
    assert mine is not None
    assert mine.room is not None
    found = mine.room.spread(step.name)
    bars = [one for one in found.bars if one.count or one.is_right]
    st.markdown(f"**What the class answered** ({found.answered} of {len(mine.room.members)})")
    most = max((one.count for one in bars), default=0) or 1
    rows = []
    for one in bars:
        some = f"✓ for {one.right} of them: " if one.right < one.count else "✓ "
        label = one.label[:1].upper() + one.label[1:]
        shown = inline((some if one.is_right else "") + label)
        if one.mistake:
            shown += f"<small>{inline(one.reply)}</small>"
        hue = "right" if one.is_right else ""
        bar = f'<i class="{hue}" style="width: {one.count / most:.0%}"></i>'
        rows.append(f"<div>{shown}</div><div>{bar}</div><div>{one.count}</div>")
    st.html(f'<div class="class-bars">{"".join(rows)}</div>')


def take_up(work: Work) -> None:
    """Send the work that the address brought and the class does not have; once in a session."""
    mine = current(work.lab.code)
    if mine is None or mine.outbox is None or mine.room is None or mine.taken_up:
        return
    mine.taken_up = True
    has = mine.room.answers(mine.token)
    for step in work.lab.steps:
        if step.name in work.progress.answers:
            _send(mine.outbox, work, step, has)


def send(work: Work, step: Step[Any]) -> None:
    """Send the newest answer to a step; a callback of the lab."""
    mine = current(work.lab.code)
    if mine is not None and mine.outbox is not None and mine.taken_up:  # else `take_up` sends it
        _send(mine.outbox, work, step, set())


def _send(outbox: Outbox, work: Work, step: Step[Any], has: set[Answer]) -> None:
    tried = work.progress.answers[step.name]
    try:
        typed = written(step.answer_kind(work.values).read(tried.typed))
    except AnswerError:  # a changed address
        return
    answer = Answer(step.name, tried.tries, typed, tried.seconds)
    if answer not in has:
        outbox.add(answer)
