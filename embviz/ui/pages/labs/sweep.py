"""The timing page's sweep inside a lab, and what it measured."""

from __future__ import annotations

from embviz.labs import cost
from embviz.labs.question import Question
from embviz.ui.pages.timing import page
from embviz.ui.state.session import assign


def draw(question: Question) -> None:
    """Start and the chart, with the settings of the question."""
    assert question.more is not None
    assign(question.more[1])  # in each run: the timing page may have changed them
    page.watch(recorded=False)


def judged(question: Question) -> Question:
    """The question with the answer that this session's last run has, if it has one."""
    runs = page.measured()
    if not runs or question.more is None:
        return question
    sizes = [cost.LARGE, question.more[1]["time_dim"], question.more[1]["time_tokens"]]
    measured = runs[-1].points.dropna(subset="seconds")
    names = ["num_embeddings", "embedding_dim", "tokens"]
    seconds = measured[(measured[names] == sizes).all(axis=1)].groupby("method")["seconds"].min()
    if not {"lookup", "matmul"} <= {*seconds.index}:
        return question
    return cost.measured(question, seconds["lookup"], seconds["matmul"])
