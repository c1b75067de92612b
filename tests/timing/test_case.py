import dataclasses
import json
import math
from typing import Any

import pytest

from embviz.timing.case import KINDS, MAX_CASES, SIZES, Case, CaseError, plan, varying, with_threads
from embviz.timing.methods import DEFAULT_METHODS, METHODS, VARY

GOOD: dict[str, Any] = {"method": "lookup", "num_embeddings": 100, "embedding_dim": 10, "tokens": 3}
DEEP = json.loads("[" * 500 + "]" * 500)


def refusal(**changed: Any) -> str:
    """The sentence with which a case is refused."""
    with pytest.raises(CaseError) as refused:
        Case(**{**GOOD, **changed})
    said = str(refused.value)
    assert said.isprintable()
    assert len(said) < 500
    return said


@pytest.mark.parametrize("bad", [10**400, math.nan, 2.5, True, "3", None, DEEP], ids=str)
def test_a_size_that_is_none_is_refused_by_name(bad: object) -> None:
    """A value that is no size is refused, and the refusal names the field."""
    for field in SIZES:
        assert refusal(**{field: bad}).startswith(f"{field}=")


@pytest.mark.parametrize("bad", ["Lookup", "x" * 10**6, "\n\x00\u202e", "\ud800", ["cpu"]])
def test_a_choice_that_is_none_is_refused_by_name(bad: object) -> None:
    """An unknown or unhashable choice is refused, and the refusal names the field."""
    for field in KINDS:
        assert refusal(**{field: bad}).startswith(f"{field}=")


@pytest.mark.parametrize("field", SIZES)
def test_the_limits_themselves_are_cases(field: str) -> None:
    """A limit itself is allowed; one beyond it is refused."""
    low, high = SIZES[field]
    for value in (low, high):
        assert getattr(Case(**{**GOOD, field: value}), field) == value
    for value in (low - 1, high + 1):
        assert str(value) in refusal(**{field: value})


def test_cases_timed_side_by_side_have_one_point() -> None:
    """Methods of one point differ in nothing else; a case survives JSON."""
    one = Case(**GOOD)
    assert {one: 1}[Case(**json.loads(json.dumps(dataclasses.asdict(one))))] == 1
    assert dataclasses.replace(one, method="index_select").point == one.point
    changed = {"tokens": 4, "dtype": "float64", "threads": 2, "mode": "sgd", "ids": "equal"}
    for field, value in {**changed, "device": "cuda", "cache": "cold"}.items():
        assert dataclasses.replace(one, **{field: value}).point != one.point


def test_a_plan_is_every_value_by_every_method_on_every_device() -> None:
    """A plan has every value, device and method, with the methods of a point together."""
    cases, left_out = plan("dim", [4, 8], ["lookup", "matmul"], ["cpu", "cuda"], **sizes("dim"))
    assert not left_out
    assert [(case.device, case.embedding_dim, case.method) for case in cases] == [
        (device, dim, method)
        for device in ("cpu", "cuda")
        for dim in (4, 8)
        for method in ("lookup", "matmul")
    ]
    assert varying(cases) == varying(cases[:1], cases) == "embedding_dim"
    assert varying(cases[:2]) == "num_embeddings"
    assert {case.threads for case in with_threads(cases, 3)} == {3}


def sizes(varied: str) -> dict[str, int]:
    """Sizes for what does not vary."""
    fixed = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2}
    return {name: size for name, size in fixed.items() if name != VARY[varied].field}


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
    assert "backward" in left_out["lookup_sparse"]
    able, _ = plan("vocab", [4], METHODS, ["cpu"], ["new"], mode="backward", **sizes("vocab"))
    lookups = {name for name, one in METHODS.items() if one.route == "lookup"}
    assert {case.method for case in able} == lookups - {"index_select_out"}
    with pytest.raises(CaseError, match="backward, sgd, adam"):
        plan("vocab", [4], ["lookup_sparse"], ["cpu"], **sizes("vocab"))


@pytest.mark.parametrize("vary", VARY)
def test_the_defaults_of_every_axis_are_a_plan(vary: str) -> None:
    """The default values of every axis are a valid plan."""
    name, values = VARY[vary].field, VARY[vary].values
    cases, _ = plan(vary, values, DEFAULT_METHODS, ["cpu"], **sizes(vary))
    assert [getattr(case, name) for case in cases[:: len(DEFAULT_METHODS)]] == list(values)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("vocab", [], ["lookup"], ["cpu"]), "num_embeddings"),
        (("vocab", [4], ["lookup"], ["cpu"], []), "cache"),
        (("vocab", [4, 8, 4], ["lookup"], ["cpu"]), "4, 8, 4"),
        (("vocab", range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001"),
        (("rows", [4], ["lookup"], ["cpu"]), "vary='rows'"),
        (("vocab", [4], [["lookup"]], ["cpu"]), 'method=["lookup"]'),
        (("vocab", [4], ["lookup"], ["tpu"]), "device='tpu'"),
        (("vocab", ["4"], ["lookup"], ["cpu"]), "num_embeddings='4'"),
    ],
)
def test_a_plan_that_is_none_is_refused(arguments: tuple[Any, ...], part: str) -> None:
    """A plan that is empty, doubled, too large or wrong is refused; the sentence quotes why."""
    with pytest.raises(CaseError) as refused:
        plan(*arguments, embedding_dim=2, tokens=1)
    assert part in str(refused.value)
