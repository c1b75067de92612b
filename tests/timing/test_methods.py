import argparse
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from embviz.commands import time
from embviz.figures.timing.charts import memory_figure, time_figure
from embviz.figures.timing.curves import Plot
from embviz.request.settings import SETTINGS
from embviz.timing import methods
from embviz.timing.cases import Case, CaseError, plan
from embviz.timing.findings import sentences
from embviz.timing.measure import Measuring
from embviz.timing.methods import METHODS, Method
from embviz.timing.results import Pool
from embviz.timing.runs import Run, read_run
from embviz.timing.tensors import inside, statement
from embviz.ui.pages import timing  # noqa: F401 - adds its settings
from tests.timing.test_cases import GOOD, refusal


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"method": "lookup_sparse"}, "lookup_sparse has no pass 'forward', only: backward, sgd"),
        ({"method": "sparse_matmul", "pass": "adam"}, "only: forward, backward"),
        ({"method": "matmul", "cache": "new"}, "only lookups are timed with new ids"),
    ],
)
def test_what_a_method_lacks_is_refused(changed: dict[str, Any], part: str) -> None:
    """A case that its method cannot run is refused with the reason."""
    assert part in refusal({**GOOD, **changed})


@pytest.mark.parametrize(
    ("method", "pass_", "moved", "flops"),
    [  # V = 100, D = 10, N = 3, float32, by hand: table 4,000 B, output 120 B, one-hot 1,200 B
        ("lookup", "forward", 24 + 120 + 120, 0),
        ("index_select", "forward", 24 + 120 + 120, 0),
        ("module", "forward", 24 + 120 + 120, 0),
        ("indexing", "forward", 24 + 120 + 120, 0),
        ("matmul", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        ("index_select_out", "forward", 24 + 120 + 120, 0),
        ("matmul_out", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        ("matmul_table", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        # int64 zeros written and read, a converted copy written and read
        ("onehot_matmul", "forward", 24 + 2400 + 2400 + 1200 + 1200 + 4000 + 120, 6000),
        ("scatter_matmul", "forward", 24 + 1200 + 1200 + 4000 + 120, 6000),
        ("sparse_matmul", "forward", (4 + 3) * 8 + 12 + 120 + 120, 2 * 3 * 10),
        ("embedding_bag", "forward", 24 + 8 + 120 + 40, 3 * 10),  # one bag, one row out
        ("dense_bag", "forward", 400 + 4000 + 40, 2 * 1 * 100 * 10),
        # ids and the output's gradient read, a dense one zeroed, its rows read and written
        ("lookup", "backward", 264 + 24 + 120 + 4000 + 240, 30),
        ("lookup_sparse", "backward", 264 + 24 + 120 + 240, 30),
        ("matmul", "backward", 5320 + 1200 + 120 + 4000, 12000),
        ("lookup", "sgd", 4648 + 3 * 4000, 30 + 2 * 1000),
        ("lookup_sparse", "sgd", 648 + 3 * 120, 30 + 2 * 30),
        ("matmul", "sgd", 10640 + 3 * 4000, 12000 + 2 * 1000),
    ],
)
def test_bytes_and_operations_are_those_of_the_definition(
    method: str, pass_: str, moved: int, flops: int
) -> None:
    """Bytes and operations are those counted by hand."""
    case = Case(method, 100, 10, 3, pass_=pass_)
    assert (case.bytes, case.flops) == (moved, flops)


def test_half_the_width_moves_half_the_numbers() -> None:
    """Bytes scale with the width of the dtype; operations do not."""
    wide, narrow = Case(**GOOD, dtype="float64"), Case(**GOOD, dtype="float16")
    assert wide.bytes - 24 == 4 * (narrow.bytes - 24)
    assert wide.flops == narrow.flops


def test_the_readme_has_a_row_for_each_method() -> None:
    """The table of methods in the timing README is that of the records."""
    readme = (Path(methods.__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = [
        f"| `{one.name}` | {one.words} | `{one.source}` | {', '.join(one.passes)} |"
        for one in METHODS.values()
    ]
    assert "\n".join(rows) + "\n\n" in readme


def test_a_new_method_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record alone is planned, costed, refused, measured, described, drawn and offered."""
    gather = Method(
        "gather",
        "gathered",
        "lookup",
        "Copies rows by indexing.",
        "table[ids]",
        (5, "octagon", "dash"),
        passes=("forward", "backward"),
    )
    monkeypatch.setitem(METHODS, "gather", gather)
    cases = plan("vocab", [16, 64, 256], ["lookup", "gather"], ["cpu"], embedding_dim=4, tokens=3)
    one = cases[1]
    assert (one.bytes, one.memory_bytes, one.flops) == (
        cases[0].bytes,
        cases[0].memory_bytes,
        cases[0].flops,
    )
    assert inside(one) == "table[ids]  with ids (N), table (V × D) ready"
    backward = dataclasses.replace(one, pass_="backward")
    assert statement(backward) == "table[ids].backward(grad); table.grad = None"
    with pytest.raises(CaseError, match="gather has no pass 'sgd', only: forward, backward"):
        dataclasses.replace(one, pass_="sgd")
    pool = Pool()
    for line in Measuring({}, lambda case: None, lambda: False).rounds(
        [cases[:2], cases[2:4], cases[4:]]
    ):
        pool.add(line)
    run = Run("r", {"cpu": "x"}, tuple(pool.results), {"status": "done"})
    assert {one.case for one in read_run(run.to_bytes(), "r").results} == set(cases)
    assert any("gathered" in sentence for sentence in sentences(run))
    colours = ("#1666b8", "#b85c16", "#888888")
    for draw in (time_figure, memory_figure):
        plot = draw(Plot([run], colours))
        (trace,) = (one for one in plot.data if one.name == "gathered")
        assert "octagon" in str(trace.marker.symbol)
    assert SETTINGS["methods"].read(["gather"]) == ["gather"]
    parser = argparse.ArgumentParser()
    time.add_arguments(parser)
    assert "gather" in parser.format_help()
