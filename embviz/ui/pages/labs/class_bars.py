"""How a class answered a step: a bar for each answer, as the board and a student's page show it."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from embviz.classes import board
from embviz.labs.question import Question, bars
from embviz.ui.parts.theme import style_sheet

STYLE = """
.class-bars { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 10px 16px;
  align-items: center; margin: 6px 0; font-size: 1.2rem; line-height: 1.25; }
.class-bars div { overflow-wrap: anywhere; max-width: 34rem; }
.class-bars small { display: block; font-size: 0.95rem; color: MUTED; }
.class-bars .right { font-weight: 700; color: RIGHT; }
.class-bars div + div { max-width: none; }
.class-bars span { display: flex; gap: 8px; align-items: center; }
.class-bars i { height: 1.2em; border-radius: 2px; background: MUTED; }
.class-bars .first i { opacity: 0.5; }
.class-bars .right + div i { background: RIGHT; }
.class-head { display: flex; gap: 24px; justify-content: space-between; align-items: center; }
.class-head :is(h5, p) { margin: 0; padding: 0; overflow-wrap: anywhere; font-size: 1.2rem; }
.class-head .code { font: 700 clamp(1.8rem, 8vw, 7rem)/1.2 "Source Code Pro", monospace; }
.class-head img { width: min(300px, 38vw); flex: none; background: #fff; }
.class-head.joined p { font-size: 1rem; }
.class-head.joined .code { font-size: 1.8rem; }
.class-head.joined img { width: 84px; }
@media (max-width: 640px) { .class-bars { grid-template-columns: 1fr; gap: 4px; } }
"""


def style() -> None:
    """The style sheet of bars and board; a page draws it once."""
    st.html(style_sheet(STYLE, MUTED="grayTextColor", RIGHT="greenTextColor"))


def draw(rows: board.Rows, step: int, question: Question, tells: bool, size: int = 0) -> None:
    """Draw the bars of both votes.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        tells: whether the right answer is marked, and mistakes have their words.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    labels = [*bars(question)]
    counts = board.bars(rows, step, [words for words, *_ in labels])
    size = max(size, len(board.members(rows)), 1)
    votes = [1, 2] if counts[2].any() else [1]
    shown = []
    for words, is_right, mistake in labels:
        given = [int(counts.loc[words, vote]) for vote in votes]
        if not any(given) and not (words in question.choices or (tells and is_right)):
            continue  # it would name an answer that nobody gave
        label = f"{'✓ ' * (tells and is_right)}{_code(words)}"
        if tells and mistake:
            label += f"<small>{_code(mistake)}</small>"
        lines = "".join(
            f'<span class="{"first" * (len(votes) > vote)}"><i style="width: '
            f'{80 * count / size:.1f}%"></i>{count}{f" in vote {vote}" * (len(votes) > 1)}</span>'
            for vote, count in zip(votes, given, strict=True)
        )
        right = "right" * (tells and is_right)
        shown.append(f'<div class="{right}">{label}</div><div>{lines}</div>')
    st.html(f'<div class="class-bars">{"".join(shown)}</div>')


def _code(text: str) -> str:
    """A text with marks of code, as HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
