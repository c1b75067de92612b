"""The guide to a lab: goals, minutes, and each step with its answers and what to say.

Without answers it has what students see anyway: questions, and their pictures before an answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import streamlit as st

from embviz.labs.asking import Step
from embviz.labs.catalogue import LABS, beside, questions
from embviz.labs.drawing import html_of
from embviz.labs.page.take_along import notebook_button
from embviz.labs.question import Answer, Question, written

EASIER = "*Start easier* at step 1 leads to it. Nobody votes on it; each student has other numbers."
HARDER = (
    "*A harder question* leads to it: at a pause, for those who have answered, and at the end. "
    "Nobody votes on it; each student has other numbers."
)


def draw(lab: str, seed: int, tells: bool) -> None:
    """Draw the guide.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers of its questions.
        tells: whether answers are shown.
    """
    chosen, asked = LABS[lab], questions(lab, seed)
    _overview(lab, seed)
    for number, (step, question) in enumerate(zip(chosen.steps, asked, strict=True), 1):
        with st.container(key=f"teach_step_{number}"):
            st.markdown(f"## {number} · {question.title} · :gray[{step.minutes} min]")
            _question(question, tells)
            if tells:
                st.markdown(f"**After Reveal.** {step.say}")
    easier, harder = beside(lab, seed)
    for name, said, question in (("Easier", EASIER, easier), ("Harder", HARDER, harder)):
        with st.container(key=f"teach_step_{name}"):
            st.markdown(f"## {name} · {question.title}\n\n{said}")
            _question(question, tells)
    st.markdown(
        f"## Exit ticket\nSteps {_listed(chosen.ticket)} again, with other numbers: print it "
        "by *Exit ticket* above, and one copy with its key."
    )


def _overview(lab: str, seed: int) -> None:
    """Goals, what is needed before, the notebook, and the minutes of all steps."""
    chosen = LABS[lab]
    goals, minutes = st.columns([3, 2], gap="large")
    with goals:
        lines = "\n- ".join(["Afterwards a student can:", *chosen.goals])
        st.markdown(f"{lines}\n\n**Before.** {chosen.needs}")
        with st.container(key="teach_notebook"):
            notebook_button(lab, seed)
    with minutes:
        st.markdown(table(("Step", "Minutes"), _minutes(chosen.steps, questions(lab, seed))))


def _minutes(steps: Sequence[Step], asked: Iterable[Question]) -> Iterator[tuple[str, str]]:
    for number, (step, question) in enumerate(zip(steps, asked, strict=True), 1):
        yield f"{number} {question.title}", str(step.minutes)
    yield "**In all**, votes and *Reveal* included", f"**{sum(step.minutes for step in steps)}**"


def _question(question: Question, tells: bool) -> None:
    """The prompt, and beside it the picture: with all answers, or before any."""
    words: Any = st.container()
    if picture := question.picture if tells else question.start:
        words, side = st.columns([3, 2], gap="large")
        side.html(html_of(picture))
    lines = [question.prompt]
    if not tells and question.choices:
        lines.append("\n".join(f"- {choice}" for choice in question.choices))
    words.markdown("\n\n".join(lines))
    if tells:
        _answers(question)


def _answers(question: Question) -> None:
    """The right answer with its reason, and each expected mistake with what to say."""
    rows = [(f":green[✓] **{shown(question.right)}**", cell(question.why))]
    rows += [(shown(answer), cell(said)) for answer, said in question.mistakes.items()]
    st.markdown(table(("Answer", "Why it is right; what to say to a mistake"), rows))


def shown(answer: Answer) -> str:
    """An answer as Markdown: numbers as code."""
    return answer if isinstance(answer, str) else f"`{written(answer)}`"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, *rows]
    made = [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    ]
    made.insert(1, "|" + "---|" * made[0].count(" | ") + "---|")
    return "\n".join(made)


def cell(text: str) -> str:
    r"""Markdown without line breaks, as a cell of a table has it; a block of code becomes a line.

    >>> cell("It prints\n\n```python\ntensor([1,\n        2])\n```")
    'It prints `tensor([1, 2])`'
    """
    return " ".join(re.sub(r"```\w*\s+(.+?)\s*```", r"`\1`", text, flags=re.DOTALL).split())


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
