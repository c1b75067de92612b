"""Cases and plans: what is allowed, what is equal, and what is left out."""

import math
from dataclasses import replace
from typing import Any

import pytest

from embviz.system.bounds import CASES
from embviz.timing.timed import KINDS, SIZES, CaseError, Timed, plan

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


def test_a_method_that_can_nowhere_be_timed_is_refused() -> None:
    """Only lookups have new ids: others have the same, if these are asked for too."""
    sizes: Any = {"embedding_dim": 2, "tokens": 1}
    both = ["lookup", "matmul"]
    found = plan("vocab", [4], both, ["cpu"], ["same", "new"], **sizes)
    assert [case.cache + case.method for case in found] == ["samelookup", "samematmul", "newlookup"]
    for given, part in (
        (([4], ["lookup", "lookup_sparse"], ["cpu"]), "^lookup_sparse .* backward, sgd, adam.$"),
        (([4], both, ["cpu"], ["new"]), "not matmul"),
        (([], ["lookup"], ["cpu"]), "num_embeddings"),
        ((range(1, CASES.local + 2), ["lookup"], ["cpu"]), "2,001"),
        (([4], ["lookup"], ["tpu"]), "device='tpu'"),
    ):
        with pytest.raises(CaseError, match=part):
            plan("vocab", *given, **sizes)
