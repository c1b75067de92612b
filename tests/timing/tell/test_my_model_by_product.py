"""*My model* whose lookup alone was measured: its matmul is estimated by the machine's product."""

from typing import Any

import pytest

from embviz.timing.tell.my_model import PRESETS, Time, times_of
from embviz.timing.tell.questions import MY_MODEL
from embviz.timing.tell.recorded import recorded
from tests.timing.made import made_run

BERT = PRESETS["BERT"]
# 2 · 4,096 tokens · 30,522 rows · 768 columns, in units of 10^9.
GFLOP = 192.02715648
# A product of 96 GFLOP a second: the matmul takes two seconds.
OWN = {
    "device": "cpu",
    "dtype": "float32",
    "threads": 1,
    "gflop_per_s": 96.0,
    "copy_gb_per_s": {"64": 1.0},
}
LOOKUP_S = 1e-3  # Seconds of the lookup, up to 1.6 times as many in a slow phase of the machine.


@pytest.mark.parametrize(
    ("calibrations", "matmul"),
    [
        ([OWN], Time(2.0, "about")),
        ([OWN | {"threads": 2, "gflop_per_s": 1.0}, OWN], Time(2.0, "about")),
        ([], None),
        ([OWN | {"dtype": "float64"}, OWN | {"threads": 2}, OWN | {"device": "cuda"}], None),
        ([OWN | {"gflop_per_s": GFLOP / (2 * LOOKUP_S)}], None),
        ([OWN | {"gflop_per_s": GFLOP / (20 * LOOKUP_S)}], Time(20 * LOOKUP_S, "about")),
    ],
    ids=["own", "one of two", "none", "of others", "too near", "far enough"],
)
def test_a_matmul_is_estimated_by_the_product_of_the_same_device_dtype_and_threads(
    calibrations: list[dict[str, Any]], matmul: Time | None
) -> None:
    """Without such a product, or where both times would be near, it is not told."""
    run = made_run(BERT.cases(threads=1)[:1], lambda _: LOOKUP_S)
    run.environment["calibrations"] = calibrations
    times = times_of(BERT, run, recorded(MY_MODEL))
    assert times.lookup is not None
    assert LOOKUP_S / 2 < times.lookup.seconds < 2 * LOOKUP_S
    assert times.lookup.word == ""
    assert times.matmul == matmul
    assert times.judged is None
