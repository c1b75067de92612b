import math
import time
from typing import Any

import pandas as pd
import pytest
import torch

from embviz.timing.measure.ceilings import GEMM_SIZE, calibrate, shares
from embviz.timing.measure.timed import Timed

CALIBRATION: dict[str, Any] = {"device": "cpu", "dtype": "float32", "threads": 1}
CALIBRATION |= {"copy_gb_per_s": {"67108864": 5.0, "4096": 40.0}, "gflop_per_s": 100.0}


@pytest.mark.parametrize(
    ("case", "copy"),
    [
        (Timed("lookup", 16, 7, 2**7), 80),  # 1 KiB of ids, and 3.5 KiB twice: 8 KiB
        (Timed("lookup", 2**22, 64, 2**20), 10),
        (Timed("lookup", 16, 31, 4096), math.sqrt(80 * 10)),  # 1 MiB, in the middle of the logs
        (Timed("lookup", 16, 7, 2**7, dtype="float64"), math.nan),
    ],
)
def test_a_share_counts_bytes_read_and_bytes_written(case: Timed, copy: float) -> None:
    """A copy of n bytes moves 2n; between two sizes the rate is between theirs."""
    points = pd.DataFrame([{"case": case, "gb_per_s": 5.0, "gflop_per_s": 50.0}])
    (row,) = shares(points, [CALIBRATION]).itertuples()
    product = copy and 0.5 * copy / copy
    assert (row.share_of_copy, row.share_of_product) == pytest.approx(
        (5 / copy, product), rel=1e-3, nan_ok=True
    )
    (row,) = shares(points.assign(gb_per_s=100.0), [CALIBRATION]).itertuples()
    assert math.isnan(row.share_of_copy), "what a case beats was not the best"


def test_the_product_has_the_better_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """In float16 a CPU took 7 times as long for the one that a case need not have."""
    slow_s = 0.001

    def mm(_left: torch.Tensor, right: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        if right.is_contiguous():
            time.sleep(slow_s)
        return out

    monkeypatch.setattr(torch, "mm", mm)
    found = calibrate.__wrapped__("cpu", "float16", torch.get_num_threads())
    assert found["gflop_per_s"] > 2 * 2 * GEMM_SIZE**3 / slow_s / 1e9
