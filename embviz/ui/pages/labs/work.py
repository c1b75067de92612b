"""A lab on the page: the student, the step, the answer, its feedback, and the file to hand in.

All of a student's work is in this session and in the address; the server keeps nothing. Right
answers are computed when an answer is checked, and are not sent to the browser.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

import embviz
from embviz.labs import answers
from embviz.labs.answer_file import contents, software, to_bytes
from embviz.labs.check import check
from embviz.labs.exercises import LABS, lab
from embviz.labs.progress import Progress, ProgressError, decode, encode
from embviz.labs.record import KINDS, Lab, Step
from embviz.labs.student import Student
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.pages.labs import live_parts
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.widgets import BOUND, text_line, visible_if
from embviz.ui.state.session import cached, change, setting, state, widget_value

MARKS = {True: ":green[✓]", False: ":orange[…]", None: ":blue[✎]"}


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
        """Whether the last answer to a step is right; None for no answer and for free text."""
        typed = self.progress.latest(step.name)
        return None if typed is None else check(step, self.values, typed).right


def choose() -> None:
    """The student and the lab, in the sidebar."""
    _address_follows()
    with st.sidebar:
        text_line("Your name or number", "student", "Ada", label_visibility="visible")
        st.caption(
            "Your numbers follow from it. Your neighbour has others, and the same name gives the "
            "same numbers on every machine."
        )
        names = [one.code for one in LABS]
        st.radio(
            "Lab",
            names,
            key="lab",
            captions=[one.title for one in LABS],
            **BOUND,
            index=names.index(DEFAULTS["lab"]),
            on_change=change,
            args=({"step": 1},),
        )
        progress = st.container()
    with visible_if("lab_state", False):
        st.number_input("Step", 1, 20, DEFAULTS["step"], 1, key="step", **BOUND)
        st.text_input("Work so far", DEFAULTS["done"], key="done", **BOUND)
    state()["lab_progress"] = progress


def work() -> None:
    """The chosen lab for this student, one step at a time."""
    chosen = lab(setting("lab"))
    if not setting("student").strip():
        _welcome(chosen)
        return
    student = Student(setting("student"))
    progress = _progress(chosen, student)
    values = cached("lab_values", (chosen.code, student.key), lambda: chosen.values(student))
    mine = Work(chosen, student, values, progress)
    number = min(setting("step"), len(chosen.steps))
    step = chosen.steps[number - 1]
    st.markdown(f"###### {chosen.title}, step {number} of {len(chosen.steps)}: {step.title}")
    _steps(mine, number)
    tried = progress.attempts(step.name)
    live = step.show(values) if step.show is not None else {}
    key = *mine.key, step.name
    # The live part contains the answer. So it waits for an attempt or for the student's wish;
    # only a step that is measured needs it at once.
    wanted = step.solve is None or ("live", *key) in _opened()
    shown = bool(live) and (tried > 0 or (step.kind != "predict" and wanted))
    # The stage fits beside the question; tables and charts need the full width below it.
    beside = shown and live["part"] == "playground"
    left, right = st.columns([2, 3] if beside else [3, 1], gap="medium")
    with left:
        st.markdown(step.prompt(values))
        _answer_form(mine, step)
        if tried:
            _feedback(mine, step)
        elif step.kind == "predict":
            st.caption("Predict first: the page shows it after your answer.")
        elif live and not shown:
            st.button(
                "Show it in the live part",
                key="lab_live",
                on_click=_open,
                args=("live", *key),
                type="tertiary",
                icon=":material/visibility:",
                help="Better by hand first: the live part has the answer in it.",
            )
        _navigation(chosen, number)
        if number == len(chosen.steps) and tried:  # a phone hides the sidebar, which has it too
            _download(mine, "lab_download_here")
    with right if beside else st.container():
        if shown:
            live_parts.draw(live["part"], live["settings"], step.kind == "predict")
    with state()["lab_progress"]:
        _hand_in(mine)


def _welcome(chosen: Lab[Any]) -> None:
    st.markdown(f"###### {chosen.title}, about {chosen.minutes} minutes")
    st.markdown("You will be able to\n" + "\n".join(f"- {goal}" for goal in chosen.goals))
    with st.container(width=340):
        # A phone hides the sidebar, which has the same field.
        st.text_input(
            "Your name or number", key="student_here", on_change=_take_name, placeholder="Ada"
        )
    st.caption(
        "Your numbers follow from your name. The server keeps nothing: your work is in this "
        "address, and in the file that you can download."
    )


def _take_name() -> None:
    change({"student": widget_value("student_here", setting("student"))})


def _progress(chosen: Lab[Any], student: Student) -> Progress:
    """The work of a student in a lab: from the session, else from the address."""
    works: dict[tuple[str, str], Progress] = state().setdefault("lab_work", {})
    key = chosen.code, student.key
    if key not in works:
        works[key] = Progress(chosen.code, student.name)
        if setting("done"):
            try:
                found = decode(setting("done"))
                if (found.lab, Student(found.student).key) == key:
                    works[key] = found
            except ProgressError as error:
                st.warning(literal(f"{error} You begin anew."))
        spent = max((tries[-1][1] for tries in works[key].answers.values()), default=0)
        state().setdefault("lab_since", {})[key] = time.monotonic() - spent
    return works[key]


def _address_follows() -> None:
    """Put the work of the current student and lab into the address."""
    try:
        key = setting("lab"), Student(setting("student")).key
    except ValueError:
        return
    if (progress := state().get("lab_work", {}).get(key)) is not None:
        change({"done": encode(progress) if progress.answers else ""})


def _steps(mine: Work, number: int) -> None:
    """All steps in a row, each with its result."""
    st.session_state["step_shown"] = number

    def named(number: int) -> str:
        step = mine.lab.steps[number - 1]
        mark = MARKS[mine.right(step)] if mine.progress.attempts(step.name) else ""
        return f"{number} {mark}".strip()

    st.segmented_control(
        "Steps",
        range(1, len(mine.lab.steps) + 1),
        key="step_shown",
        required=True,
        format_func=named,
        on_change=_go,
        label_visibility="collapsed",
        wrap=True,
    )


def _go() -> None:
    change({"step": widget_value("step_shown", setting("step"))})


def _answer_form(mine: Work, step: Step[Any]) -> None:
    """The field for the answer; it keeps what is typed and not yet checked."""
    kind = step.answer_kind(mine.values)
    # No underscores: a key that ends in _unseen is hidden, and a step may have that name.
    key = f"answer {mine.lab.code} {step.name} {mine.student.key}"
    if key not in st.session_state and (typed := mine.progress.latest(step.name)) is not None:
        st.session_state[key] = typed
    with st.form(f"form {key}", border=False):
        if isinstance(kind, answers.Choice):
            if st.session_state.get(key) not in kind.options:
                st.session_state[key] = None
            st.radio("Your answer", kind.options, index=None, key=key, persist_state="session")
        elif isinstance(kind, answers.Text):
            st.text_area(
                "Your answer",
                key=key,
                height=120,
                max_chars=kind.max_typed,
                persist_state="session",
            )
        else:
            st.text_input(
                "Your answer",
                key=key,
                help=kind.how,
                max_chars=kind.max_typed,
                persist_state="session",
            )
        st.form_submit_button(
            "Check" if step.graded else "Keep",
            type="primary",
            on_click=_take_answer,
            args=(mine, step, key),
        )
    refused = state().pop("lab_refused", None)
    if refused is not None and refused[0] == key:
        refuse(refused[1])


def _take_answer(mine: Work, step: Step[Any], key: str) -> None:
    """Add an answer to the work, if it can be read."""
    typed = st.session_state.get(key) or ""
    result = check(step, mine.values, typed)
    if result.refused:
        state()["lab_refused"] = key, result.feedback
        return
    works, place = state()["lab_work"], mine.key
    spent = time.monotonic() - state()["lab_since"][place]
    works[place] = works[place].add(step.name, typed, spent)
    change({"done": encode(works[place])})


def _feedback(mine: Work, step: Step[Any]) -> None:
    """Feedback on the last answer, then a hint or the explanation."""
    result = check(step, mine.values, mine.progress.latest(step.name) or "")
    key = "why", *mine.key, step.name
    if result.right:
        st.success(literal(result.feedback), icon=":material/check:")
    elif result.right is None:
        st.info(literal(result.feedback), icon=":material/edit_note:")
    else:
        # The student's own words are shown as typed; the rest has code marks.
        given, mark, rest = result.feedback.partition(". ")
        st.warning(literal(given) + mark + rest, icon=":material/lightbulb:")
        if hint := step.hint(mine.values, mine.progress.attempts(step.name) - 1):
            st.markdown(f"**Hint.** {hint}")
    if result.right is False and key not in _opened():
        st.button(
            "Show the explanation",
            key="lab_why",
            on_click=_open,
            args=key,
            type="tertiary",
        )
    else:
        st.markdown(f"**Why.** {step.explanation(mine.values)}")


def _opened() -> set[tuple[str, ...]]:
    """The parts that the student opened, as ("live" or "why", lab, student, step)."""
    found: set[tuple[str, ...]] = state().setdefault("lab_asked", set())
    return found


def _open(*what: str) -> None:
    _opened().add(what)


def _navigation(chosen: Lab[Any], number: int) -> None:
    with st.container(horizontal=True, gap="small"):
        for label, key, to, icon in (
            ("Back", "lab_back", number - 1, "arrow_back"),
            ("Next step", "lab_next", number + 1, "arrow_forward"),
        ):
            st.button(
                label,
                key=key,
                on_click=change,
                args=({"step": to},),
                disabled=not 1 <= to <= len(chosen.steps),
                icon=f":material/{icon}:",
            )


def _hand_in(mine: Work) -> None:
    steps = mine.lab.steps
    done = sum(mine.progress.attempts(step.name) > 0 for step in steps)
    right = sum(mine.right(step) is True for step in steps)
    graded = sum(step.graded for step in steps)
    st.progress(
        done / len(steps),
        text=f"{done} of {len(steps)} steps answered, {right} of {graded} checked ones right",
    )
    _download(mine, "lab_download")
    kinds = {step.kind for step in steps}
    st.caption("Steps: " + ", ".join(f"*{kind}* {KINDS[kind]}" for kind in KINDS if kind in kinds))


def _download(mine: Work, key: str) -> None:
    st.download_button(
        "Download my answers",
        to_bytes(contents(mine.lab, mine.student, mine.progress, software(embviz.__version__))),
        f"embviz_{mine.lab.code}.json",
        "application/json",
        icon=":material/download:",
        on_click="ignore",
        disabled=not mine.progress.answers,
        key=key,
    )
