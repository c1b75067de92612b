import json
from typing import Any

import pytest

from embviz.timing import physical
from embviz.timing.cases import Case
from embviz.timing.results import Measurement
from embviz.timing.runs import Run, read_run

CALIBRATION = {
    "device": "cpu",
    "dtype": "float32",
    "threads": 1,
    "copy_gb_per_s": {"4096": 40.0, "67108864": 5.0},
    "gflop_per_s": 100.0,
}
END = {"status": "done", "calibrations": [CALIBRATION]}
LOOKUP = Measurement(Case("lookup", 64, 64, 256), {(0, 0): (1e-6, 2e-6, 4e-6)})
MATMUL = Measurement(Case("matmul", 64, 64, 256), {(0, 0): (1e-6, 2e-6, 4e-6)})


def test_a_copy_counts_reads_and_writes() -> None:
    """Both sides of a share count bytes read and bytes written."""
    (key,) = (found := physical.ceilings(END))
    assert key == ("cpu", "float32", 1) == physical.key_of(LOOKUP.case)
    best = found[key]
    assert best.copies == {8192.0: 80.0, 134217728.0: 10.0}
    assert best.memory_gb_per_s == 10.0
    lookup = Case("lookup", 16, 8, 2**10)  # it moves 8 KiB of ids, and 32 KiB twice
    assert lookup.bytes == 9 * 2**13
    assert 10 < best.copy_gb_per_s(lookup) < 80
    assert best.copy_gb_per_s(Case("lookup", 2, 1, 1)) == pytest.approx(80)


def test_rates_follow_from_bytes_operations_and_the_median() -> None:
    """256 ids of 8 bytes and 64 KiB twice in 2 µs; a lookup has no operations."""
    assert physical.gb_per_s(LOOKUP) == pytest.approx((256 * 8 + 2 * 2**16) / 2e-6 / 1e9)
    assert physical.gflop_per_s(LOOKUP) == 0
    assert physical.gflop_per_s(MATMUL) == pytest.approx(2 * 256 * 64 * 64 / 2e-6 / 1e9)
    assert physical.words(LOOKUP, None) == ["67 GB/s"]
    best = physical.ceilings(END)["cpu", "float32", 1]
    share = physical.gb_per_s(LOOKUP) / best.copy_gb_per_s(LOOKUP.case)
    assert physical.words(LOOKUP, best) == [f"67 GB/s, {physical.share(share)} of a plain copy's"]
    assert physical.words(MATMUL, best)[1] == "1,049 GFLOP/s, 1,049 % of a matrix product's"


def test_a_run_file_keeps_its_calibrations() -> None:
    """The ceilings of a run are the same after writing and reading."""
    run = Run("r", {}, (LOOKUP,), END)
    again = read_run(run.to_bytes(), "r")
    assert again == run
    assert physical.ceilings(again.end) == physical.ceilings(END)
    assert set(physical.row(LOOKUP, physical.ceilings(again.end))) == {
        "gb_per_s",
        "gflop_per_s",
        "share_of_copy",
        "share_of_matrix_product",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"device": "<b>"},
        {"dtype": ["float32"]},
        {"threads": True},
        {"gflop_per_s": 0},
        {"gflop_per_s": "fast"},
        {"copy_gb_per_s": {"0": 1.0, "-1": 1.0, "a": 1.0, "9": -1.0, "8": 1e300}},
        {"copy_gb_per_s": []},
    ],
    ids=str,
)
def test_what_cannot_be_a_ceiling_is_left_out(change: dict[str, Any]) -> None:
    """A stranger's calibrations cannot break a run; a run without them has no shares."""
    end = {"calibrations": [{**CALIBRATION, **change}, 7]}
    assert physical.ceilings(read_run(file_with(end), "r").end) == {}
    assert list(physical.row(LOOKUP, {})) == ["gb_per_s", "gflop_per_s"]


def file_with(end: dict[str, Any]) -> bytes:
    """A run file that ends so."""
    lines = [{"type": "environment"}, {"type": "end", **end}]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()
