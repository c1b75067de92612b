"""The table of results in its forms."""

from embviz.timing.cases import Case
from embviz.timing.results import Failure
from embviz.timing.runs import Run
from embviz.timing.table import table
from tests.timing.made_results import measured, vocab


def run() -> Run:
    """Two sizes of one method, and a failure with signs of every language in its reason."""
    found = vocab(["index_select"], lambda case: 2e-6, rows=[64, 256])
    return Run("r", {}, (*found, Failure(Case("onehot_matmul", 4096, 64, 64), r"50 % | <b> \x_{}")))


def test_fields_that_differ_are_columns() -> None:
    """Rows differ and get a column; what is the same stands beside the table."""
    found = table([run()])
    assert found.heads[:3] == ("method", "rows", "median")
    assert "dim 64" in found.same
    assert [row[1] for row in found.rows[-3:]] == ["256", "256", "4,096"]
    assert found.rows[-1][-1] == r"no time: 50 % | <b> \x_{}"
    assert [row[-1] for row in found.rows[:3]] == ["anchor", "", "A/A control"]


def test_several_runs_have_a_column_of_their_labels() -> None:
    """With two runs the first column is the run's label."""
    one = Run("a", {"cpu": "Some CPU"}, (measured(Case("lookup", 64, 8, 4), 1e-6),))
    found = table([one, Run("b", {"cpu": "Other CPU"}, one.results)])
    assert [row[0] for row in found.rows] == ["Some", "Other"]
