import re

import pytest

from embviz.fact.dtypes import DTYPES
from embviz.timing.measure.methods import METHODS
from embviz.timing.measure.timed import Timed
from tests.load.server import ROOT


@pytest.mark.parametrize(
    ("method", "mode", "moved", "flops"),
    [  # V = 100, D = 10, N = 3, float32, by hand: table 4,000 B, output 120 B, one-hot 1,200 B
        ("lookup", "forward", 24 + 120 + 120, 0),
        ("matmul", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        # int64 zeros written and read, a converted copy written and read
        ("onehot_matmul", "forward", 24 + 2400 + 2400 + 1200 + 1200 + 4000 + 120, 6000),
        ("scatter_matmul", "forward", 24 + 1200 + 1200 + 4000 + 120, 6000),
        ("sparse_matmul", "forward", (4 + 3) * 8 + 12 + 120 + 120, 2 * 3 * 10),
        # ids and the output's gradient read, a dense one zeroed, its rows read and written
        ("lookup", "backward", 264 + 24 + 120 + 4000 + 240, 30),
        ("lookup_sparse", "backward", 264 + 24 + 120 + 240, 30),
        ("matmul", "backward", 5320 + 1200 + 120 + 4000, 12000),
        ("lookup_sparse", "sgd", 648 + 3 * 120, 30 + 2 * 30),
        ("matmul", "adam", 10640 + 18 * 4000, 12000 + 12 * 1000),
    ],
)
def test_bytes_and_operations_are_those_of_the_definition(
    method: str, mode: str, moved: int, flops: int
) -> None:
    """Bytes and operations are those counted by hand."""
    case = Timed(method, 100, 10, 3, mode=mode)
    assert (case.bytes, case.flops) == (moved, flops)
    assert all(one.torch.itemsize == one.itemsize for one in DTYPES.values())


def test_the_readme_has_each_method() -> None:
    """One row each, in their order."""
    text = (ROOT / "embviz/timing/README.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)[: len(METHODS)] == [*METHODS]
