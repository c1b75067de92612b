import pytest

from embviz.timing import series
from embviz.timing.cases import CaseError, plan
from embviz.timing.groups import anchor_of, grouped
from embviz.timing.results import ROUNDS
from embviz.timing.sweep import Sweep
from tests.timing.waiting import points


def test_points_are_grouped_by_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points share a group while they fit; one over the budget is alone; the anchor is small."""
    monkeypatch.setenv(series.BUDGET_VARIABLE, "1")
    rows = [2**14, 16, 2**11, 2**12, 2**10, 2**15, 16]  # 16,384 rows of 16 numbers are 1 MiB
    cases = plan("vocab", rows[:-1], ["lookup"], ["cpu"], embedding_dim=16, tokens=4)
    cases += plan("vocab", rows[-1:], ["lookup"], ["cpu"], embedding_dim=8, tokens=4)
    sizes = [[case.num_embeddings for (case,) in group] for group in grouped(cases)]
    assert sizes == [[2**14], [16, 2**11, 2**12, 2**10], [2**15], [16]]
    assert anchor_of(cases) == cases[1]
    assert anchor_of(cases[:1]) is None  # one point has no other to compare with
    assert anchor_of([cases[0], cases[5]]) is None
    assert Sweep(cases, processes=2).rounds == (0, 2 * 4 * ROUNDS)


def test_more_than_a_file_may_hold_is_refused() -> None:
    """Too many cases in too many processes are refused before anything is measured."""
    with pytest.raises(CaseError, match=r"2,000 cases in 100 processes give up to 3,601,200 lines"):
        Sweep(points(*range(16, 1016)), processes=100)
