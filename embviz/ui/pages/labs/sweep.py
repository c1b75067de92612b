"""The timing page's sweep inside a lab, and what it measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from embviz.labs import cost
from embviz.labs.question import Question
from embviz.ui.pages.timing import page, session
from embviz.ui.state.session import assign


def draw(question: Question) -> None:
    """Start and the chart, with the settings of the question."""
    assign(_settings(question))  # in each run: the timing page may have changed them
    page.watch(recorded=False)


def judged(question: Question) -> Question:
    """The question with the answer that this session's last run has, if it has one."""
    runs, chosen = session.session().runs, _settings(question)
    if not runs:
        return question
    table = runs[-1].points.set_index("method")
    fits = (
        (table["num_embeddings"] == cost.LARGE)
        & (table["embedding_dim"] == chosen["time_dim"])
        & (table["tokens"] == chosen["time_tokens"])
    )
    seconds = table[fits]["seconds"].dropna()
    if not {"lookup", "matmul"} <= {*seconds.index}:
        return question
    return cost.measured(question, seconds["lookup"].min(), seconds["matmul"].min())


def _settings(question: Question) -> Mapping[str, Any]:
    assert question.more is not None
    return question.more[1]
