import math
from typing import Any

import pandas as pd
import pytest

from embviz.timing.case import Case
from embviz.timing.ceilings import COPY_BYTES, calibrate, shares

CALIBRATION: dict[str, Any] = {"device": "cpu", "dtype": "float32", "threads": 1}
CALIBRATION |= {"copy_gb_per_s": {"67108864": 5.0, "4096": 40.0}, "gflop_per_s": 100.0}


def shared(case: Case, **changed: Any) -> tuple[float, float]:
    """Shares of a case that moves 10 GB and computes 50 GFLOP in a second."""
    points = pd.DataFrame([{"case": case, "gb_per_s": 10.0, "gflop_per_s": 50.0}])
    (row,) = shares(points, [CALIBRATION | changed]).itertuples()
    return row.share_of_copy, row.share_of_product


def test_a_share_counts_bytes_read_and_bytes_written() -> None:
    """A copy of n bytes moves 2n; between two sizes the rate is between theirs."""
    one_copy = Case("lookup", 16, 7, 2**7)  # 1 KiB of ids, and 3.5 KiB twice: 8 KiB
    assert one_copy.bytes == 2 * 4096
    assert shared(one_copy) == pytest.approx((10 / 80, 0.5))
    assert shared(Case("lookup", 2, 1, 1))[0] == pytest.approx(10 / 80)
    assert shared(Case("lookup", 2**22, 64, 2**20))[0] == pytest.approx(10 / 10)
    middle = math.sqrt(2.0 * 4096 * 2 * 67108864)  # in the middle of the logs
    tokens = Case("lookup", 16, 31, round(middle / 256))
    assert shared(tokens)[0] == pytest.approx(10 / math.sqrt(80 * 10), rel=1e-3)
    for changed in ({"dtype": "float64"}, {"threads": 2}, {"device": "cuda"}):
        assert all(map(math.isnan, shared(one_copy, **changed))), "not calibrated"


def test_this_machine_is_calibrated_once() -> None:
    """Copies of all sizes and a product have rates that a machine can have."""
    found = calibrate("cpu", "float32", 1)
    assert found is calibrate("cpu", "float32", 1)
    assert list(map(int, found["copy_gb_per_s"])) == list(COPY_BYTES)
    assert all(0.05 < rate < 5000 for rate in found["copy_gb_per_s"].values())
    assert 1 < found["gflop_per_s"] < 5000
