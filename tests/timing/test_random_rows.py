import pytest

from embviz.timing.cases import Case
from embviz.timing.floor import Floor
from embviz.timing.random_rows import SIZES, RandomRows


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> RandomRows:
    """A memory whose rows of one line cost 1 ns for each MiB of the table, of 16 lines 4 times."""
    monkeypatch.setattr(
        RandomRows, "_measure", lambda self, size, lines: (1 + (lines > 1) * 3) * size / 2**20
    )
    return RandomRows("cpu")


def test_a_row_costs_whole_lines(rows: RandomRows) -> None:
    """A row costs its whole cache lines; between one and sixteen lines it is interpolated."""
    assert rows.seconds(4, 2**20) == rows.seconds(64, 2**20) == pytest.approx(1)
    assert rows.seconds(65, 2**20) == rows.seconds(128, 2**20) == pytest.approx(1.2)
    assert rows.seconds(1024, 2**20) == pytest.approx(4)


def test_only_the_sizes_beside_the_table_are_measured(rows: RandomRows) -> None:
    """Between two sizes the time is interpolated; beyond them the nearest one counts."""
    assert 1 < rows.seconds(64, 2**21) < 4
    assert set(rows.extra_s) == {2**20, 2**22}
    assert rows.seconds(64, 2**40) == pytest.approx(SIZES[-1] / 2**20)
    assert rows.seconds(64, 1) == pytest.approx(SIZES[0] / 2**20)


def test_only_new_ids_pay_for_random_rows(
    rows: RandomRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same ids, or a single id, the rows are in the cache: nothing is added."""
    floor = Floor("cpu", "float32", 1, {1: 1.0}, {1: 1.0}, 1.0, _random=rows)
    monkeypatch.setattr(Floor, "_overhead", lambda self, case: 0.0)
    same = Case("lookup", 2**14, 16, 10)
    new = Case("lookup", 2**14, 16, 10, cache="new")
    one_id = Case("lookup", 2**14, 16, 10, cache="new", ids="equal")
    taken = [floor.predict(case).memory_s for case in (same, new, one_id)]
    assert taken[1] - taken[0] == pytest.approx(10)
    assert taken[2] == taken[0]
    assert floor.to_dict()["random_row_ns"] == {str(2**20): [1e9, 4e9]}
    backward = Case("lookup", 2**14, 16, 10, cache="new", pass_="backward")
    sparse = Case("lookup_sparse", 2**14, 16, 10, cache="new", pass_="backward")
    assert (new.random_rows, backward.random_rows, sparse.random_rows) == (10, 20, 10)
