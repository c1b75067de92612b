import pytest

from embviz.figures.timing.charts import plain_title
from embviz.timing.answers import answer
from embviz.timing.cases import Case
from embviz.timing.results import Failure, Result
from tests.figures.timing.made_runs import (
    DRAW,
    ROWS,
    RUN,
    run_of,
    sweep,
    time_figure,
)


def test_titles_state_the_finding() -> None:
    """Each chart's title states its finding."""
    said = [plain_title(draw([RUN])) for draw in DRAW]
    assert said == [
        answer(RUN),
        "Matmul takes 0.64x to 41x of lookup's time",
        "At 4,096 rows lookup holds 1.0 MiB, matmul 2.0 MiB",
    ]


@pytest.mark.parametrize(
    ("results", "title"),
    [
        ([], "Nothing measured yet"),
        ([Failure(Case("matmul", 64, 64, 64), "gone")], "No case gave a time"),
        (sweep(["lookup"]), "At 4,096 rows lookup takes 2.0 µs"),
        (sweep(["matmul"], device="cuda"), "At 4,096 rows matmul takes 82 µs on cuda"),
        (
            sweep(["lookup", "matmul"]) + sweep(["lookup", "matmul"], ROWS[:3], device="cuda"),
            "Matmul is faster than lookup at 64 rows, slower from 256 rows ● on cpu • on cuda",
        ),
    ],
)
def test_titles_of_little_or_much(results: list[Result], title: str) -> None:
    """One method, failures alone and several devices have right titles."""
    assert plain_title(time_figure([run_of(results)])) == title
