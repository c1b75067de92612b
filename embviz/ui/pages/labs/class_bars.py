"""How a class answered a step: a bar for each answer, for those who may know which is right."""

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
.class-bars span { display: flex; gap: 8px; align-items: center; white-space: nowrap; }
.class-bars i { height: 1.2em; border-radius: 2px; background: MUTED; }
.class-bars span:has(+ span) i { opacity: 0.5; }
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
VOTES = (" in the first vote", " in the second vote")


def style() -> None:
    """The style sheet of bars and board; a page draws it once."""
    st.html(style_sheet(STYLE, MUTED="grayTextColor", RIGHT="greenTextColor"))


def draw(rows: board.Rows, step: int, question: Question, votes: int, size: int = 0) -> None:
    """Draw the bars.

    Args:
        rows: all answers of the class.
        step: counted from 1.
        question: the step's.
        votes: 1, or 2 for both.
        size: of the class, if more are in it than have answered: the longest that a bar can be.
    """
    labels, shown = [*bars(question)], ""
    counts = board.bars(rows, step, [words for words, *_ in labels])
    size = max(size, len(board.members(rows)), 1)
    for words, is_right, mistake in labels:
        given = counts.loc[words].tolist()[:votes]
        if not (any(given) or is_right or words in question.choices):
            continue  # a mistake that nobody made
        lines = "".join(
            f'<span><i style="width: {70 * count / size:.1f}%"></i>{count}{vote * (votes > 1)}'
            "</span>"
            for count, vote in zip(given, VOTES, strict=False)
        )
        shown += f'<div class="{"right" * is_right}">{"✓ " * is_right}{_code(words)}'
        shown += f"<small>{_code(mistake)}</small></div><div>{lines}</div>"
    st.html(f'<div class="class-bars">{shown}</div>')


def _code(text: str) -> str:
    """A text with marks of code, as HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
