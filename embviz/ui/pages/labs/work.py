"""A lab on the page: who, which step, an answer, what it taught, and what is handed in.

All that a student did is in this session and in the address; the server keeps
nothing. Right answers are computed when one is checked, and sent nowhere.
"""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

import embviz
from embviz.labs import answers
from embviz.labs.check import judge
from embviz.labs.evidence import evidence, software, to_bytes
from embviz.labs.exercises import LABS, lab
from embviz.labs.progress import Progress, ProgressError, decode, encode
from embviz.labs.record import KINDS, Lab, Step
from embviz.labs.student import Student
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.pages.labs import live_parts
from embviz.ui.parts.widgets import BOUND, text_line, visible_if
from embviz.ui.state.session import cached, change, setting, state, widget_value

MARKS = {True: ":green[✓]", False: ":orange[…]", None: ":blue[✎]"}


def choose() -> None:
    """Who works on which lab, in the sidebar."""
    _follow()
    with st.sidebar:
        text_line("Your name or number", "student", "Ada", label_visibility="visible")
        st.caption(
            "Your numbers follow from it: your neighbour has others, and the same name "
            "gives the same numbers on every machine."
        )
        names = [one.code for one in LABS]
        st.radio(
            "Lab",
            names,
            key="lab",
            captions=[one.title for one in LABS],
            **BOUND,
            index=names.index(DEFAULTS["lab"]),
            on_change=_first_step,
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
    place = min(setting("step"), len(chosen.steps))
    step = chosen.steps[place - 1]
    st.markdown(f"###### {chosen.title}, step {place} of {len(chosen.steps)}: {step.title}")
    _steps(chosen, values, progress, place)
    tried = progress.attempts(step.name)
    live = step.show(values) if step.show is not None else {}
    # It says the answer, so it waits for an attempt; only what has to be measured needs it before.
    mine = chosen.code, student.key, step.name
    wanted = step.solve is None or ("live", *mine) in _asked()
    shown = bool(live) and (tried > 0 or (step.kind != "predict" and wanted))
    # The stage fits beside the question, tables and charts need the room below.
    beside = shown and live["part"] == "playground"
    left, right = st.columns([2, 3] if beside else [3, 1], gap="medium")
    with left:
        st.markdown(step.prompt(values))
        _ask(chosen, student, step, values, progress)
        if tried:
            _answered(step, values, progress, mine)
        elif step.kind == "predict":
            st.caption("Predict first: the page shows it after your answer.")
        elif live and not shown:
            st.button(
                "Show it in the live part",
                key="lab_live",
                on_click=_ask_for,
                args=("live", *mine),
                type="tertiary",
                icon=":material/visibility:",
                help="Better by hand first: the live part has the answer in it.",
            )
        _walk(chosen, place)
        if place == len(chosen.steps) and tried:  # the sidebar has it too; a phone hides that
            _download(chosen, student, progress, "lab_download_here")
    with right if beside else st.container():
        if shown:
            live_parts.draw(live["part"], live["settings"], step.kind == "predict")
    with state()["lab_progress"]:
        _hand_in(chosen, student, values, progress)


def _welcome(chosen: Lab[Any]) -> None:
    st.markdown(f"###### {chosen.title}, about {chosen.minutes} minutes")
    st.markdown("You will be able to\n" + "\n".join(f"- {goal}" for goal in chosen.goals))
    with st.container(width=340):
        # The sidebar has the same field; a phone hides the sidebar.
        st.text_input(
            "Your name or number", key="student_here", on_change=_take_name, placeholder="Ada"
        )
    st.caption(
        "Your numbers follow from your name. Nothing of it is kept on the server: your work "
        "is in this address, and in the file that you can take with you."
    )


def _take_name() -> None:
    change({"student": widget_value("student_here", setting("student"))})


def _first_step() -> None:
    change({"step": 1})


def _progress(chosen: Lab[Any], student: Student) -> Progress:
    """The work of a student in a lab: from the session, else from the address."""
    shelf: dict[tuple[str, str], Progress] = state().setdefault("lab_work", {})
    key = chosen.code, student.key
    if key not in shelf:
        shelf[key] = Progress(chosen.code, student.name)
        if setting("done"):
            try:
                found = decode(setting("done"))
                if (found.lab, Student(found.student).key) == key:
                    shelf[key] = found
            except ProgressError as error:
                st.warning(literal(f"{error} You begin anew."))
        spent = max((tries[-1][1] for tries in shelf[key].answers.values()), default=0)
        state().setdefault("lab_since", {})[key] = time.monotonic() - spent
    return shelf[key]


def _follow() -> None:
    """The address has the work of whoever is at it, also after another name or lab."""
    try:
        key = setting("lab"), Student(setting("student")).key
    except ValueError:
        return
    if (progress := state().get("lab_work", {}).get(key)) is not None:
        change({"done": encode(progress) if progress.answers else ""})


def _steps(chosen: Lab[Any], values: Any, progress: Progress, place: int) -> None:
    """All steps in a row, with how they stand."""
    st.session_state["step_shown"] = place

    def named(number: int) -> str:
        step = chosen.steps[number - 1]
        mark = "" if not progress.attempts(step.name) else MARKS[_right(step, values, progress)]
        return f"{number} {mark}".strip()

    st.segmented_control(
        "Steps",
        range(1, len(chosen.steps) + 1),
        key="step_shown",
        required=True,
        format_func=named,
        on_change=_go,
        label_visibility="collapsed",
        wrap=True,
    )


def _right(step: Step[Any], values: Any, progress: Progress) -> bool | None:
    typed = progress.latest(step.name)
    return None if typed is None else judge(step, values, typed).right


def _go() -> None:
    change({"step": widget_value("step_shown", setting("step"))})


def _ask(
    chosen: Lab[Any], student: Student, step: Step[Any], values: Any, progress: Progress
) -> None:
    """The field for the answer; what is typed and not yet checked is kept."""
    kind = step.answer_kind(values)
    # No underscores: what ends in _unseen is hidden, and a step may be called that.
    key = f"answer {chosen.code} {step.name} {student.key}"
    if key not in st.session_state and (typed := progress.latest(step.name)) is not None:
        st.session_state[key] = typed
    with st.form(f"form {key}", border=False):
        if isinstance(kind, answers.Choice):
            if st.session_state.get(key) not in kind.options:
                st.session_state[key] = None
            st.radio("Your answer", kind.options, index=None, key=key, persist_state="session")
        elif isinstance(kind, answers.Text):
            st.text_area(
                "Your answer", key=key, height=120, max_chars=kind.most, persist_state="session"
            )
        else:
            unit = f", in {kind.unit}" if isinstance(kind, answers.Number) and kind.unit else ""
            st.text_input(
                f"Your answer{unit}",
                key=key,
                help=answers.how(kind),
                max_chars=answers.MAX_TYPED,
                persist_state="session",
            )
        st.form_submit_button(
            "Check" if step.graded else "Keep",
            type="primary",
            on_click=_check,
            args=(chosen, student, step, values, key),
        )
    refused = state().pop("lab_refused", None)
    if refused is not None and refused[0] == key:
        st.error(literal(refused[1]), icon=":material/block:")


def _check(chosen: Lab[Any], student: Student, step: Step[Any], values: Any, key: str) -> None:
    """Take an answer down, if it can be read."""
    typed = st.session_state.get(key) or ""
    if refused := judge(step, values, typed).refused:
        state()["lab_refused"] = key, refused
        return
    place = chosen.code, student.key
    shelf = state()["lab_work"]
    spent = time.monotonic() - state()["lab_since"][place]
    shelf[place] = shelf[place].add(step.name, typed, spent)
    change({"done": encode(shelf[place])})


def _answered(step: Step[Any], values: Any, progress: Progress, mine: tuple[str, str, str]) -> None:
    """What the last answer taught: feedback, a hint, the explanation."""
    typed, tried = progress.latest(step.name), progress.attempts(step.name)
    assert typed is not None
    result = judge(step, values, typed)
    if result.right:
        st.success(literal(result.words), icon=":material/check:")
    elif result.right is None:
        st.info(literal(result.words), icon=":material/edit_note:")
    else:
        st.warning(_shown(result.words), icon=":material/lightbulb:")
        if hint := step.hint(values, tried - 1):
            st.markdown(f"**Hint.** {hint}")
    if result.right is False and ("why", *mine) not in _asked():
        st.button(
            "Show the explanation",
            key="lab_why",
            on_click=_ask_for,
            args=("why", *mine),
            type="tertiary",
        )
        return
    st.markdown(f"**Why.** {step.explanation(values)}")


def _shown(words: str) -> str:
    """Feedback with its code marks, and what the student typed as it is."""
    given, mark, rest = words.partition(". ")
    return literal(given) + (mark + rest if mark else "")


def _asked() -> set[tuple[str, ...]]:
    """What a student wanted to see, by lab, student and step."""
    found: set[tuple[str, ...]] = state().setdefault("lab_asked", set())
    return found


def _ask_for(*what: str) -> None:
    _asked().add(what)


def _walk(chosen: Lab[Any], place: int) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Back",
            on_click=change,
            args=({"step": place - 1},),
            disabled=place == 1,
            key="lab_back",
            icon=":material/arrow_back:",
        )
        st.button(
            "Next step",
            on_click=change,
            args=({"step": place + 1},),
            key="lab_next",
            disabled=place == len(chosen.steps),
            icon=":material/arrow_forward:",
        )


def _hand_in(chosen: Lab[Any], student: Student, values: Any, progress: Progress) -> None:
    done = [step for step in chosen.steps if progress.attempts(step.name)]
    right = sum(_right(step, values, progress) is True for step in done)
    graded = sum(step.graded for step in chosen.steps)
    st.progress(
        len(done) / len(chosen.steps),
        text=f"{len(done)} of {len(chosen.steps)} steps answered, {right} of {graded} "
        "checked ones right",
    )
    _download(chosen, student, progress, "lab_download")
    kinds = {step.kind for step in chosen.steps}
    st.caption("Steps: " + ", ".join(f"*{kind}* {KINDS[kind]}" for kind in KINDS if kind in kinds))


def _download(chosen: Lab[Any], student: Student, progress: Progress, key: str) -> None:
    content = to_bytes(evidence(chosen, student, progress, software(embviz.__version__)))
    st.download_button(
        "Download my answers",
        content,
        f"embviz_{chosen.code}.json",
        "application/json",
        icon=":material/download:",
        on_click="ignore",
        disabled=not progress.answers,
        key=key,
    )
