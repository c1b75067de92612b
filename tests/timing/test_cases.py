import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.dtypes import DTYPES
from embviz.timing.cases import LIMITS, MAX_CASES, Case, CaseError, plan
from embviz.timing.methods import DEFAULT_METHODS, METHODS
from embviz.timing.settings import CACHES, DEVICES, PASSES, SKEWS, VARY

MIB = 2**20
QUICK = settings(deadline=None, max_examples=100)

GOOD: dict[str, Any] = {"method": "lookup", "num_embeddings": 100, "embedding_dim": 10, "tokens": 3}
DEEP = json.loads("[" * 500 + "]" * 500)
NOT_WHOLE = [10**400, 0, math.nan, 2.5, True, "3", None, [3], {3}, DEEP]
NOT_NAMED = ["", "Lookup", "x" * 10**6, "\n\x00\u202e", "\ud800", None, ["lookup"], {"lookup"}]


def refusal(given: object) -> str:
    """The sentence with which a case is refused, however it comes."""
    with pytest.raises(CaseError) as refused:
        Case.from_dict(given)
    said = str(refused.value)
    assert said.endswith(".")
    assert said.isprintable()
    assert len(said) < 500
    return said


@pytest.mark.parametrize("bad", NOT_WHOLE, ids=lambda bad: repr(bad)[:20])
def test_a_size_that_is_none_is_refused_by_name(bad: object) -> None:
    """A value that is no size is refused, and the refusal names the field."""
    for field in LIMITS:
        assert refusal({**GOOD, field: bad}).startswith(f"{field}=")


@pytest.mark.parametrize("bad", NOT_NAMED, ids=lambda bad: repr(bad)[:20])
def test_a_choice_that_is_none_is_refused_by_name(bad: object) -> None:
    """An unknown or unhashable choice is refused, and the refusal names the field."""
    for field in ("method", "dtype", "device", "pass", "ids", "cache"):
        said = refusal({**GOOD, field: bad})
        assert said.startswith(f"{field}=")
        assert " is not one of: " in said


@pytest.mark.parametrize("field", LIMITS)
def test_the_limits_themselves_are_cases(field: str) -> None:
    """A limit itself is allowed; one beyond it is refused."""
    for value in LIMITS[field]:
        assert getattr(Case(**{**GOOD, field: value}), field) == value
    low, high = LIMITS[field]
    for value in (low - 1, high + 1):
        assert str(value) in refusal({**GOOD, field: value})


def test_labels_differ_and_dtypes_are_those_of_pytorch() -> None:
    """Two methods never share a legend entry or a mark, and an itemsize is PyTorch's."""
    assert len({about.label for about in METHODS.values()}) == len(METHODS)
    assert len({about.look[1] for about in METHODS.values()}) == len(METHODS)
    assert all(one.torch.itemsize == one.itemsize for one in DTYPES.values())


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (math.nan, "NaN is not a case"),
        ([GOOD], "is not a case"),
        ({}, "lacks method, num_embeddings, embedding_dim, tokens"),
        ({**GOOD, "pass_": "forward"}, "'pass_' is no field of a case"),
        ({**GOOD, 3: 4}, "3 is no field of a case"),
        ({**GOOD, "x" * 10**6: 4}, "is no field of a case"),
    ],
    ids=lambda given: repr(given)[:40],
)
def test_what_is_no_case_is_refused(given: object, part: str) -> None:
    """JSON that is no case is refused with the reason."""
    assert part in refusal(given)


sizes = {name: st.integers(low, high) for name, (low, high) in LIMITS.items()}
choices = {
    "method": st.sampled_from(list(METHODS)),
    "dtype": st.sampled_from(list(DTYPES)),
    "device": st.sampled_from(DEVICES),
    "pass_": st.sampled_from(list(PASSES)),
    "ids": st.sampled_from(list(SKEWS)),
    "cache": st.sampled_from(list(CACHES)),
}


@QUICK
@given(st.fixed_dictionaries({**sizes, **choices}))
def test_a_case_survives_json(fields: dict[str, Any]) -> None:
    """A case is equal after a way through JSON, and its counts are whole numbers."""
    try:
        case = Case(**fields)
    except CaseError:
        return
    written = case.to_dict()
    again = Case.from_dict(json.loads(json.dumps(written)))
    assert again == case
    assert {case: 1}[again] == 1
    for count in (case.bytes, case.memory_bytes, case.flops):
        assert isinstance(count, int)
        assert count >= 0
    assert case.memory_bytes > case.table_bytes
    assert case.point.point == case.point == Case.from_dict(case.point.to_dict())
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.tokens = 1  # type: ignore[misc]


def test_cases_timed_side_by_side_have_one_point() -> None:
    """Cases that differ only in method have one group."""
    one = Case(**GOOD)
    alike = dataclasses.replace(one, method="index_select_out")
    assert alike.group == one.group
    for changed in (
        {"tokens": 4},
        {"dtype": "float64"},
        {"threads": 2},
        {"pass_": "sgd"},
        {"ids": "equal"},
        {"device": "cuda"},
    ):
        assert dataclasses.replace(one, **changed).group != one.group


def test_a_plan_is_every_value_by_every_method_on_every_device() -> None:
    """A plan has every value, device and method, with the methods of a point together."""
    cases = plan("dim", [4, 8], ["lookup", "matmul"], ["cpu", "cuda"], num_embeddings=9, tokens=2)
    assert [(c.device, c.embedding_dim, c.method) for c in cases] == [
        (device, dim, method)
        for device in ("cpu", "cuda")
        for dim in (4, 8)
        for method in ("lookup", "matmul")
    ]
    groups = [case.group for case in cases]
    assert groups == [one for one in dict.fromkeys(groups) for _ in range(2)]


def test_new_ids_are_for_lookups() -> None:
    """With new ids only lookups are planned; a matmul is measured with the same ids."""
    fixed: dict[str, Any] = {"embedding_dim": 2, "tokens": 1}
    both = ["same", "new"]
    found = plan("vocab", [4], ["lookup", "matmul", "onehot_matmul"], ["cpu"], both, **fixed)
    assert [(case.cache, case.method) for case in found] == [
        ("same", "lookup"),
        ("same", "matmul"),
        ("same", "onehot_matmul"),
        ("new", "lookup"),
    ]
    assert len({case.group for case in found}) == 2
    assert refusal({**GOOD, "method": "matmul", "cache": "new"}) == (
        "only lookups are timed with new ids: the cache of matmul is same or cold."
    )


@pytest.mark.parametrize("vary", VARY)
def test_the_defaults_of_every_axis_are_a_plan(vary: str) -> None:
    """The default values of every axis are a valid plan."""
    name, values = VARY[vary].field, VARY[vary].values
    fixed: dict[str, Any] = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2}
    fixed.pop(name, None)
    cases = plan(vary, values, DEFAULT_METHODS, ["cpu"], **fixed)
    assert [getattr(c, name) for c in cases[:: len(DEFAULT_METHODS)]] == list(values)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("vocab", [], ["lookup"], ["cpu"]), "no value is chosen"),
        (("vocab", [4], ["lookup"], ["cpu"], []), "no cache is chosen"),
        (("vocab", [4, 8, 4], ["lookup"], ["cpu"]), "a value is chosen twice: 4, 8, 4"),
        (("vocab", range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001 cases are more than"),
        (("rows", [4], ["lookup"], ["cpu"]), "vary='rows' is not one of: vocab"),
        (("vocab", [4], [["lookup"]], ["cpu"]), 'method=["lookup"] is not one of'),
        (("vocab", [4], ["lookup"], ["tpu"]), "device='tpu' is not one of"),
        (("vocab", ["4"], ["lookup"], ["cpu"]), "num_embeddings='4' is not"),
    ],
)
def test_a_plan_that_is_none_is_refused(arguments: tuple[Any, ...], part: str) -> None:
    """A plan that is empty, doubled, too large or wrong is refused with the reason."""
    with pytest.raises(CaseError) as refused:
        plan(*arguments, embedding_dim=2, tokens=1)
    assert part in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_method_that_cannot_anywhere_is_refused_or_left_out() -> None:
    """A chosen method is refused with the reason, or left out where the caller shows the reason."""
    fixed: dict[str, Any] = {"embedding_dim": 2, "tokens": 1}
    why = "lookup_sparse has no pass 'forward', only: backward, sgd, adam."
    with pytest.raises(CaseError) as refused:
        plan("vocab", [4], ["lookup", "lookup_sparse"], ["cpu"], **fixed)
    assert str(refused.value) == why
    left_out: dict[str, str] = {}
    found = plan("vocab", [4], ["lookup", "lookup_sparse"], ["cpu"], left_out=left_out, **fixed)
    assert [case.method for case in found] == ["lookup"]
    assert left_out == {"lookup_sparse": why}
    with pytest.raises(CaseError, match="only: backward"):
        plan("vocab", [4], ["lookup_sparse"], ["cpu"], left_out={}, **fixed)
