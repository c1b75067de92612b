"""Cases and plans: what is allowed, what is equal, and what is left out."""

import json
import math
from dataclasses import asdict, replace
from typing import Any

import pytest

from embviz.timing.case import KINDS, MAX_CASES, SIZES, Case, CaseError, plan, varying
from embviz.timing.methods import METHODS, VARY
from tests.timing.made import vocab

GOOD = Case("lookup", num_embeddings=100, embedding_dim=10, tokens=3)
OTHER = {"tokens": 4, "dtype": "float64", "threads": 2, "mode": "sgd", "ids": "equal"}


@pytest.mark.parametrize("bad", [10**400, math.nan, 2.5, True, "3", None, "x" * 10**6, "\ud800\n"])
def test_a_value_that_is_none_is_refused_by_name(bad: Any) -> None:
    """One short sentence names the field; a limit itself is allowed, one beyond it is not."""
    for field in [*SIZES, *KINDS]:
        with pytest.raises(CaseError) as refused:
            replace(GOOD, **{field: bad})
        said = str(refused.value)
        assert (said.startswith(f"{field}='"), said.isprintable(), len(said) < 500) == (True,) * 3
    for field, (low, high) in SIZES.items():
        for value, beyond in ((low, low - 1), (high, high + 1)):
            assert getattr(replace(GOOD, **{field: value}), field) == value  # type: ignore[arg-type]
            with pytest.raises(CaseError, match=str(beyond)):
                replace(GOOD, **{field: beyond})  # type: ignore[arg-type]


def test_cases_timed_side_by_side_have_one_point() -> None:
    """Methods of one point differ in nothing else; a case survives JSON; cases have an order."""
    assert {GOOD: 1}[Case(**json.loads(json.dumps(asdict(GOOD))))] == 1
    other = replace(GOOD, method="index_select")
    assert other.point == GOOD.point
    assert GOOD < other < replace(GOOD, tokens=4) < replace(GOOD, cache="cold")
    for field, value in {**OTHER, "device": "cuda", "cache": "cold"}.items():
        assert replace(GOOD, **{field: value}).point != GOOD.point  # type: ignore[arg-type]


def test_a_plan_is_every_value_by_every_method_on_every_device() -> None:
    """The methods of a point are together; what varies is the field with most values."""
    fixed: Any = {"num_embeddings": 64, "tokens": 2}
    cases, left_out = plan("dim", [4, 8, 4], ["lookup", "matmul"], ["cpu", "cuda"], **fixed)
    assert not left_out
    assert [(case.device, case.embedding_dim, case.method) for case in cases] == [
        (device, dim, method)
        for device in ("cpu", "cuda")
        for dim in (4, 8)
        for method in ("lookup", "matmul")
    ]
    assert varying(cases) == varying(cases[:1], cases) == "embedding_dim"
    assert varying(cases[:2]) == "num_embeddings"
    for vary, axis in VARY.items():
        sizes: Any = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2} | {axis.field: None}
        del sizes[axis.field]
        cases, _ = plan(vary, axis.values, ["lookup"], ["cpu"], **sizes)
        assert [getattr(case, axis.field) for case in cases] == [*axis.values]


def test_what_a_method_cannot_do_is_left_out_with_the_reason() -> None:
    """Only lookups have new ids; a method that can nowhere is left out, or refused alone."""
    sizes: Any = {"embedding_dim": 2, "tokens": 1}
    methods = ["lookup", "matmul", "lookup_sparse"]
    found, left_out = plan("vocab", [4], methods, ["cpu"], ["same", "new"], **sizes)
    assert [f"{case.cache} {case.method}" for case in found] == [
        "same lookup", "same matmul", "new lookup",
    ]  # fmt: skip
    assert [*left_out] == ["lookup_sparse"]
    able = {case.method for case in vocab(*METHODS, rows=[4], caches=["new"], mode="backward")}
    lookups = {name for name, one in METHODS.items() if one.route == "lookup"}
    assert able == lookups - {"index_select_out"}
    for given, part in (
        (([4], ["lookup_sparse"], ["cpu"]), "backward, sgd, adam"),
        (([], ["lookup"], ["cpu"]), "num_embeddings"),
        ((range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001"),
        (([4], ["lookup"], ["tpu"]), "device='tpu'"),
    ):
        with pytest.raises(CaseError, match=part):
            plan("vocab", *given, **sizes)
