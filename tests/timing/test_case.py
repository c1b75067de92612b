import json
import math
from dataclasses import asdict, replace
from typing import Any

import pytest

from embviz.timing.case import KINDS, MAX_CASES, SIZES, Case, CaseError, plan, varying
from embviz.timing.methods import DEFAULT_METHODS, METHODS, VARY

GOOD = Case("lookup", num_embeddings=100, embedding_dim=10, tokens=3)
FIXED = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2}


def sizes(varied: str) -> dict[str, int]:
    """Sizes for what does not vary."""
    return {name: size for name, size in FIXED.items() if name != VARY[varied].field}


@pytest.mark.parametrize("bad", [10**400, math.nan, 2.5, True, "3", None, "x" * 10**6, "\ud800\n"])
def test_a_value_that_is_none_is_refused_by_name(bad: Any) -> None:
    """A field with a value that is none is refused in one short sentence that names it."""
    for field in [*SIZES, *KINDS]:
        with pytest.raises(CaseError) as refused:
            replace(GOOD, **{field: bad})
        said = str(refused.value)
        assert (said.startswith(f"{field}='"), said.isprintable(), len(said) < 500) == (True,) * 3


@pytest.mark.parametrize("field", SIZES)
def test_the_limits_themselves_are_cases(field: str) -> None:
    """A limit itself is allowed; one beyond it is refused."""
    low, high = SIZES[field]
    for value, beyond in ((low, low - 1), (high, high + 1)):
        assert asdict(replace(GOOD, **{field: value}))[field] == value  # type: ignore[arg-type]
        with pytest.raises(CaseError, match=str(beyond)):
            replace(GOOD, **{field: beyond})  # type: ignore[arg-type]


def test_cases_timed_side_by_side_have_one_point() -> None:
    """Methods of one point differ in nothing else; a case survives JSON; cases have an order."""
    assert {GOOD: 1}[Case(**json.loads(json.dumps(asdict(GOOD))))] == 1
    other = replace(GOOD, method="index_select")
    assert other.point == GOOD.point
    assert GOOD < other < replace(GOOD, tokens=4) < replace(GOOD, cache="cold")
    changed = {"tokens": 4, "dtype": "float64", "threads": 2, "mode": "sgd", "ids": "equal"}
    for field, value in {**changed, "device": "cuda", "cache": "cold"}.items():
        assert replace(GOOD, **{field: value}).point != GOOD.point  # type: ignore[arg-type]


def test_a_plan_is_every_value_by_every_method_on_every_device() -> None:
    """A plan has every value, device and method, with the methods of a point together."""
    cases, left_out = plan("dim", [4, 8, 4], ["lookup", "matmul"], ["cpu", "cuda"], **sizes("dim"))
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
        cases, _ = plan(vary, axis.values, DEFAULT_METHODS, ["cpu"], **sizes(vary))
        values = [getattr(case, axis.field) for case in cases[:: len(DEFAULT_METHODS)]]
        assert values == list(axis.values)


def test_what_a_method_cannot_do_is_left_out_with_the_reason() -> None:
    """Only lookups have new ids; a method that can nowhere is left out, or refused alone."""
    methods = ["lookup", "matmul", "lookup_sparse"]
    found, left_out = plan("vocab", [4], methods, ["cpu"], ["same", "new"], **sizes("vocab"))
    assert [(case.cache, case.method) for case in found] == [
        ("same", "lookup"),
        ("same", "matmul"),
        ("new", "lookup"),
    ]
    assert [*left_out] == ["lookup_sparse"]
    able, _ = plan("vocab", [4], METHODS, ["cpu"], ["new"], mode="backward", **sizes("vocab"))
    lookups = {name for name, one in METHODS.items() if one.route == "lookup"}
    assert {case.method for case in able} == lookups - {"index_select_out"}
    with pytest.raises(CaseError, match="backward, sgd, adam"):
        plan("vocab", [4], ["lookup_sparse"], ["cpu"], **sizes("vocab"))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("vocab", [], ["lookup"], ["cpu"]), "num_embeddings"),
        (("vocab", range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001"),
        (("vocab", [4], ["lookup"], ["tpu"]), "device='tpu'"),
    ],
)
def test_a_plan_that_is_none_is_refused(arguments: tuple[Any, ...], part: str) -> None:
    """A plan that is empty, too large or wrong is refused; the sentence quotes why."""
    with pytest.raises(CaseError) as refused:
        plan(*arguments, embedding_dim=2, tokens=1)
    assert part in str(refused.value)
