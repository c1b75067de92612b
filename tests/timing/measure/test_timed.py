"""Cases and plans: what is allowed, what is equal, and what is left out."""

import math
from dataclasses import replace
from typing import Any

import pytest

from embviz.system.bounds import SWEEP_CASES
from embviz.timing.measure.timed import KINDS, SIZES, CaseError, Timed, plan

GOOD = Timed("lookup", num_embeddings=100, embedding_dim=10, tokens=3)


@pytest.mark.parametrize("bad", [10**400, math.nan, 2.5, True, "3", None, "x" * 10**6, "\ud800\n"])
def test_a_value_that_is_none_is_refused_by_name(bad: Any) -> None:
    """One short sentence names the field; a limit itself is allowed, one beyond it is not."""
    change: Any = replace
    for field in [*SIZES, *KINDS]:
        with pytest.raises(CaseError) as refused:
            change(GOOD, **{field: bad})
        said = str(refused.value)
        assert said.startswith(f"{field}=")
        assert said.isprintable()
        assert len(said) < 500
    for field, (low, high) in SIZES.items():
        for value, beyond in ((low, low - 1), (high, high + 1)):
            change(GOOD, **{field: value})
            with pytest.raises(CaseError, match=str(beyond)):
                change(GOOD, **{field: beyond})


def test_tf32_is_for_float32_on_a_cuda_gpu() -> None:
    """A sweep over dtypes has it where it is; elsewhere it is refused by name, also in a plan."""
    both: Any = {"precisions": ["highest", "high"], "embedding_dim": 2, "tokens": 1}
    dtypes, devices = ["float64", "float32", "float16"], ["cpu", "cuda"]
    cases = plan("dtype", dtypes, ["lookup"], devices, num_embeddings=4, **both)
    assert len(cases) == 7
    (with_tf32,) = (case for case in cases if case.precision == "high")
    assert (with_tf32.device, with_tf32.dtype) == ("cuda", "float32")
    without = replace(with_tf32, precision="highest")
    assert with_tf32.point != without.point
    assert sorted([with_tf32, without]) == [without, with_tf32]
    for change in ({"device": "cpu"}, {"dtype": "float16"}):
        with pytest.raises(CaseError, match="precision high ") as refused:
            replace(with_tf32, **change)
        assert refused.value.about == "precision"


def test_a_method_that_can_nowhere_be_timed_is_refused() -> None:
    """Only lookups have new ids: others have the same, if these are asked for too."""
    sizes: Any = {"embedding_dim": 2, "tokens": 1}
    both = ["lookup", "matmul"]
    found = plan("vocab", [4], both, ["cpu"], caches=["same", "new"], **sizes)
    assert [case.cache + case.method for case in found] == ["samelookup", "samematmul", "newlookup"]
    with pytest.raises(CaseError, match="not matmul"):
        plan("vocab", [4], both, ["cpu"], caches=["new"], **sizes)
    for given, part in (
        (([4], ["lookup", "lookup_sparse"], ["cpu"]), "^lookup_sparse .* backward, sgd, adam.$"),
        (([], ["lookup"], ["cpu"]), "num_embeddings"),
        ((range(1, SWEEP_CASES.local + 2), ["lookup"], ["cpu"]), "2,001"),
        (([4], ["lookup"], ["tpu"]), "device='tpu'"),
    ):
        with pytest.raises(CaseError, match=part):
            plan("vocab", *given, **sizes)
