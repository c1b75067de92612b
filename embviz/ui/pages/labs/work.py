"""A lab on the page: the step, the answer, its feedback; and the end.

All of a student's work is in this session and in the address; the server keeps nothing. Right
answers are computed when an answer is checked, and are not sent to the browser.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from embviz.core.refused import Refused
from embviz.labs.answers import MAX_TYPED, Choice
from embviz.labs.check import check
from embviz.labs.exercises import LABS, lab, values_of
from embviz.labs.markup import picture_html
from embviz.labs.picture import Picture
from embviz.labs.progress import Progress, ProgressError, decode, encode
from embviz.labs.record import Lab, Step
from embviz.labs.student import Student
from embviz.request.markdown import literal
from embviz.ui.frame.failure import contained
from embviz.ui.pages.labs import live_parts, looks, member
from embviz.ui.pages.labs import work_cards as cards
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.widgets import text_line
from embviz.ui.state.session import assign, cached, change, go, redraw, setting, state, widget_value

CARDS = "all"  # no lab: the cards
MARKS = {True: ":green[✓]", False: ":orange[…]", None: ""}


@dataclass(frozen=True)
class Work:
    """A student's work in a lab, as a rerun found it."""

    lab: Lab[Any]
    student: Student
    values: Any
    progress: Progress

    @property
    def key(self) -> tuple[str, str]:
        """Its name in the session."""
        return self.lab.code, self.student.key

    def right(self, step: Step[Any]) -> bool | None:
        """Whether the last answer to a step is right; None for no answer."""
        typed = self.progress.latest(step.name)
        if typed is None:
            return None
        # A rerun asks this for all steps several times, and each check computes the right answer.
        return cached(
            f"lab_right {step.name}",
            (*self.key, typed),
            lambda: check(step, self.values, typed).right,
        )


def choose() -> None:
    """In the sidebar the progress, and the name."""
    member.follow()
    _address_follows()
    with st.sidebar:
        state()["lab_progress"] = st.container()
        in_lab = setting("lab") != CARDS and bool(setting("student").strip())
        state()["lab_more"] = st.container()
        if in_lab:
            with state()["lab_more"], st.expander("More"):
                if not member.current():  # in a class the numbers follow from the address
                    text_line("Your name or number", "student", placeholder="Ada")
                state()["lab_more"] = st.container()


def work() -> None:
    """The cards, the start of a lab, one of its steps, or its end."""
    looks.style()
    # A container, also without words: what comes later keeps its place, and so what is being typed.
    with st.container():
        member.pause(setting("lab"))
    if setting("lab") == CARDS:
        cards.draw()
        return
    chosen = lab(setting("lab"))
    student = cards.student()
    if student is None:
        cards.begin(chosen)
        return
    progress = _progress(chosen, student)
    mine = Work(chosen, student, values_of(chosen.code, student), progress)
    member.take_up(mine)
    if setting("step") > len(chosen.steps):
        _end(mine)
    else:
        _step(mine, setting("step"))
    with state()["lab_progress"]:
        _sidebar(mine)


def _step(mine: Work, number: int) -> None:
    """The question, the field for the answer, and beside them the picture.

    Whatever a part raises, the navigation stays.
    """
    step = mine.lab.steps[number - 1]
    named = f"lab {mine.lab.code}, step {step.name}"
    revealed = member.reveals(mine.lab.code, step)
    shown: Picture = ()
    live: Mapping[str, Any] = {}
    with contained(f"{named}: picture"):
        shown, live = _pictures(mine, step, revealed)
    beside = bool(shown) or live.get("part") in live_parts.NARROW
    left, right = st.columns([1, 1] if beside else [2, 1], gap="large")
    with left:
        with contained(f"{named}: question"):
            _question(mine, step, number, revealed)
        _navigation(mine, number)
    with right if beside else st.container(), contained(f"{named}: picture"):
        if shown:
            st.html(picture_html(shown))
        if live and shown:  # the picture is the part that the step needs
            live_parts.link(live["part"], live["settings"])
        elif live:
            live_parts.draw(live["part"], live["settings"])


def _pictures(mine: Work, step: Step[Any], revealed: bool) -> tuple[Picture, Mapping[str, Any]]:
    """The picture of a step and the part of another page, each if it has one to show now."""
    # A prediction is compared with the picture; by hand, the picture has the answer.
    answered = mine.right(step) is True or (*mine.key, step.name) in _opened()
    tried = mine.progress.attempts(step.name) > 0
    answered = answered or revealed or (tried and step.predict)
    shown = () if step.picture is None else step.picture(mine.values, answered)
    live = step.live(mine.values) if step.live and (answered or step.measured) else {}
    return shown, live


def _question(mine: Work, step: Step[Any], number: int, revealed: bool) -> None:
    """The prompt, the field for the answer, and feedback on the last one."""
    st.markdown(f"###### {mine.lab.title}, step {number} of {len(mine.lab.steps)}")
    with st.container(key="lab_question"):
        st.markdown(f"##### {step.title}")
        st.markdown(step.prompt(mine.values))
    _answer_form(mine, step, number)
    if revealed:
        member.spread(mine.lab.code, step)
    if mine.progress.attempts(step.name):
        _feedback(mine, step, revealed)
    elif revealed:
        _explain(mine, step)


def _end(mine: Work) -> None:
    """After the last step: what was learnt, and the next lab."""
    steps, after = mine.lab.steps, LABS[LABS.index(mine.lab) + 1 :]
    right = sum(mine.right(step) is True for step in steps)
    st.markdown(f"###### {mine.lab.title}, done")
    st.markdown(f"##### {right} of {len(steps)} answers are right")
    st.markdown("You have learnt to\n" + "\n".join(f"- {goal}" for goal in mine.lab.goals))
    with st.container(horizontal=True, gap="small"):
        for one in after[:1]:
            st.button(
                f"Next lab: {one.title}",
                key="lab_after",
                on_click=cards.open_lab,
                args=(one.code,),
                type="primary",
                icon=":material/play_arrow:",
                icon_position="right",
            )
        cards.back_to_all("lab_cards")
    with st.container(horizontal=True, gap="small"):
        for step in steps:
            if step.live is not None:
                live = step.live(mine.values)
                live_parts.link(live["part"], live["settings"], f"Try more: {step.title}")
    _navigation(mine, len(steps) + 1)


def _progress(chosen: Lab[Any], student: Student) -> Progress:
    """The work of a student in a lab: from the session, else from the address."""
    works: dict[tuple[str, str], Progress] = state().setdefault("lab_work", {})
    key = chosen.code, student.key
    if key not in works:
        works[key] = Progress(*key)
        if setting("done"):
            try:
                found = decode(setting("done"))
                if (found.lab, found.student) == key:
                    works[key] = found
            except ProgressError as error:
                st.warning(literal(f"{error} You begin anew."))
        spent = max((one.seconds for one in works[key].answers.values()), default=0)
        state().setdefault("lab_since", {})[key] = time.monotonic() - spent
    return works[key]


def _address_follows() -> None:
    """Put the work of the current student and lab into the address."""
    try:
        key = setting("lab"), Student(setting("student")).key
    except Refused:
        return
    if (progress := state().get("lab_work", {}).get(key)) is not None:
        assign({"done": encode(progress) if progress.answers else ""})


def _steps(mine: Work, number: int) -> None:
    """All steps in a row, each with its result."""
    last_open = member.last_open(mine.lab.code)
    st.session_state["step_shown"] = number if number <= len(mine.lab.steps) else None

    def named(number: int) -> str:
        step = mine.lab.steps[number - 1]
        mark = MARKS[mine.right(step)]
        mark += ":material/lock:" if number > last_open else ""
        return f"{number} {mark}".strip()

    st.segmented_control(
        "Steps",
        range(1, len(mine.lab.steps) + 1),
        key="step_shown",
        required=number <= len(mine.lab.steps),
        format_func=named,
        on_change=_go,
        args=(mine.lab.code,),
        label_visibility="collapsed",
        wrap=True,
    )


def _go(lab_code: str) -> None:
    to = widget_value("step_shown", setting("step"))
    if to is not None and to <= member.last_open(lab_code):
        go({"step": to}, whole=False)


def _answer_form(mine: Work, step: Step[Any], number: int) -> None:
    """The field for the answer; it keeps what is typed and not yet checked."""
    kind = step.answer_kind(mine.values)
    # No underscores: a key that ends in _unseen is hidden, and a step may have that name.
    key = f"answer {mine.lab.code} {step.name} {mine.student.key}"
    if key not in st.session_state and (typed := mine.progress.latest(step.name)) is not None:
        st.session_state[key] = typed
    # No `st.form`: it loses what is typed where the student leaves without Check. "ignore" sends it
    # with the next press of anything, and no earlier; `live` keeps it in the browser while it is
    # typed. `ui/frame/listen.js` makes Enter press Check.
    kept: dict[str, Any] = {"key": key, "on_change": "ignore", "persist_state": "session"}
    with st.container(key="lab_answer"):
        if isinstance(kind, Choice):
            given = st.session_state.get(key)
            if given is not None and given not in kind.options:  # a changed address
                st.session_state[key] = None
            st.radio("Your answer", kind.options, index=None, **kept)
        else:
            st.text_input("Your answer", help=kind.how, max_chars=MAX_TYPED, live=True, **kept)
        st.button(
            "Check",
            key=f"check {key}",
            type="primary",
            on_click=_take_answer,
            args=(mine, step, key, number),
            disabled=number > member.last_open(mine.lab.code),
        )
    refused = state().pop("lab_refused", None)
    if refused is not None and refused[0] == key:
        refuse(refused[1])


def _take_answer(mine: Work, step: Step[Any], key: str, number: int) -> None:
    """Add an answer to the work, if it can be read and the class has not paused before."""
    if number > member.last_open(mine.lab.code):
        return
    typed = st.session_state.get(key) or ""
    result = check(step, mine.values, typed)
    if result.refused:
        state()["lab_refused"] = key, result.feedback
        return
    works, place = state()["lab_work"], mine.key
    spent = time.monotonic() - state()["lab_since"][place]
    works[place] = works[place].add(step.name, typed, spent)
    change({"done": encode(works[place])})
    member.send(replace(mine, progress=works[place]), step)
    redraw()


def _feedback(mine: Work, step: Step[Any], revealed: bool) -> None:
    """Feedback on the last answer, then a hint or the explanation."""
    result = check(step, mine.values, mine.progress.latest(step.name) or "")
    key = *mine.key, step.name
    if result.right:
        st.success(literal(result.feedback), icon=":material/check:")
    else:
        # The student's own words are shown as typed; the rest has code marks.
        given, mark, rest = result.feedback.partition(". ")
        st.warning(literal(given) + mark + rest, icon=":material/lightbulb:")
        tries = mine.progress.attempts(step.name)
        if hint := step.hint(mine.values, tries - 1):
            # With the step's name, the key of the step "unseen" would hide the whole question.
            with st.expander("Hint", key=f"lab_hint_{mine.lab.steps.index(step)}_{tries}"):
                st.markdown(hint)
    if not result.right and key not in _opened() and not revealed:
        st.button(
            "Show the explanation",
            key="lab_why",
            on_click=_open,
            args=key,
            type="tertiary",
        )
    else:
        _explain(mine, step)


def _explain(mine: Work, step: Step[Any]) -> None:
    st.markdown(f"**Why.** {step.explanation(mine.values)}")


def _opened() -> set[tuple[str, ...]]:
    """The explanations that the student opened, as (lab, student, step)."""
    found: set[tuple[str, ...]] = state().setdefault("lab_asked", set())
    return found


def _open(*what: str) -> None:
    _opened().add(what)


def _navigation(mine: Work, number: int) -> None:
    last = len(mine.lab.steps)
    with st.container(horizontal=True, gap="small"):
        if number == 1:
            cards.back_to_all("lab_cards")
        else:
            _button("Back", "lab_back", number - 1, "arrow_back", False)
        if number <= last:
            forward = "Finish" if number == last else "Next step"
            waits = number >= member.last_open(mine.lab.code)
            _button(forward, "lab_next", number + 1, "arrow_forward", waits)
    _steps(mine, number)


def _button(label: str, key: str, to: int, icon: str, waits: bool) -> None:
    icon = f":material/{icon}:"
    st.button(label, key=key, on_click=go, args=({"step": to}, False), icon=icon, disabled=waits)


def _sidebar(mine: Work) -> None:
    steps = mine.lab.steps
    done = sum(mine.progress.attempts(step.name) > 0 for step in steps)
    right = sum(mine.right(step) is True for step in steps)
    st.markdown(f"**{mine.lab.title}**")
    st.progress(done / len(steps), text=f"{done} of {len(steps)} answered")
    with state()["lab_more"]:
        st.markdown(f"{right} of {len(steps)} answers are right.")
        cards.back_to_all("lab_cards_more")
