import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core import bounds
from embviz.core.dtypes import DTYPES
from embviz.timing.cases import LIMITS, MAX_CASES, Case, CaseError, plan
from embviz.timing.methods import DEFAULT_METHODS, METHODS
from embviz.timing.settings import CACHES, DEVICES, OUTPUTS, PASSES, SKEWS, VARY

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20
QUICK = settings(deadline=None, max_examples=100)

GOOD: dict[str, Any] = {"method": "lookup", "num_embeddings": 100, "embedding_dim": 10, "tokens": 3}
DEEP = json.loads("[" * 500 + "]" * 500)
NOT_WHOLE = [
    10**12,
    10**400,
    -1,
    0,
    math.nan,
    math.inf,
    -math.inf,
    3.0,
    2.5,
    True,
    False,
    "3",
    "",
    "٣",
    None,
    [3],
    {"a": 3},
    (3,),
    {3},
    3j,
    b"3",
    object(),
    DEEP,
]
NOT_NAMED = [
    "",
    "Lookup",
    " lookup",
    "x" * 10**6,
    "<script>",
    "\n\x00\u202e",
    "\ud800",
    None,
    3,
    True,
    math.nan,
    ["lookup"],
    {"lookup": 1},
    {"lookup"},
    b"lookup",
    object(),
    DEEP,
]
CHOICES = ["method", "dtype", "device", "pass", "ids", "output"]


def refusal(given: object) -> str:
    """The sentence with which a case is refused, however it comes."""
    with pytest.raises(CaseError) as refused:
        Case.from_dict(given)
    said = str(refused.value)
    assert said.endswith(".")
    assert said.isprintable()
    assert len(said) < 500
    return said


@pytest.mark.parametrize("field", LIMITS)
@pytest.mark.parametrize("bad", NOT_WHOLE, ids=lambda bad: repr(bad)[:20])
def test_a_size_that_is_none_is_refused_by_name(field: str, bad: object) -> None:
    """A value that is no size is refused, and the refusal names the field."""
    assert refusal({**GOOD, field: bad}).startswith(f"{field}=")
    with pytest.raises(CaseError, match=rf"^{field}=.* is not a whole number from 1 to "):
        Case(**{**GOOD, field: bad})


@pytest.mark.parametrize("field", CHOICES)
@pytest.mark.parametrize("bad", NOT_NAMED, ids=lambda bad: repr(bad)[:20])
def test_a_choice_that_is_none_is_refused_by_name(field: str, bad: object) -> None:
    """An unknown or unhashable choice is refused, and the refusal names the field."""
    said = refusal({**GOOD, field: bad})
    assert said.startswith(f"{field}=")
    assert " is not one of: " in said


@pytest.mark.parametrize("levels", [5000])
@pytest.mark.parametrize("field", ["method", "tokens"])
def test_a_value_nested_without_end_is_refused_like_any_other(field: str, levels: int) -> None:
    """A value too deep to be printed is refused like any other."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    assert refusal({**GOOD, field: value}).startswith(f"{field}=")


@pytest.mark.parametrize("field", LIMITS)
def test_the_limits_themselves_are_cases(field: str) -> None:
    """A limit itself is allowed; one beyond it is refused."""
    for value in LIMITS[field]:
        assert getattr(Case(**{**GOOD, field: value}), field) == value
    low, high = LIMITS[field]
    for value in (low - 1, high + 1):
        assert str(value) in refusal({**GOOD, field: value})


def test_the_choices_are_those_of_the_issue() -> None:
    """Methods, passes, kinds of ids and defaults keep their names."""
    asked = [
        "lookup",
        "lookup_sparse",
        "module",
        "indexing",
        "compiled_lookup",
        "index_select",
        "numpy_take",
        "matmul",
        "matmul_table",
        "onehot_matmul",
        "scatter_matmul",
        "compiled_onehot",
        "sparse_matmul",
        "embedding_bag",
        "embedding_bag_mean",
        "embedding_bag_max",
        "dense_bag",
    ]
    assert list(METHODS) == asked
    assert list(PASSES) == ["forward", "backward", "sgd", "adam"]
    assert list(SKEWS) == ["uniform", "zipf", "equal"]
    assert DEFAULT_METHODS == ("lookup", "index_select", "matmul", "onehot_matmul")
    vocab = VARY["vocab"]
    assert (vocab.field, vocab.values) == ("num_embeddings", tuple(2**k for k in range(6, 17)))
    assert all(one.torch.itemsize == one.itemsize for one in DTYPES.values())
    assert len({about.label for about in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (None, "null is not a case"),
        (3, "3 is not a case"),
        (math.nan, "NaN is not a case"),
        ("lookup", "'lookup' is not a case"),
        ([GOOD], "is not a case"),
        ({}, "lacks method, num_embeddings, embedding_dim, tokens"),
        ({**GOOD, "bytes": 3}, "'bytes' is no field of a case"),
        ({**GOOD, "pass_": "forward"}, "'pass_' is no field of a case"),
        ({**GOOD, "__class__": "x"}, "'__class__' is no field of a case"),
        ({**GOOD, 3: 4}, "3 is no field of a case"),
        ({**GOOD, "x" * 10**6: 4}, "is no field of a case"),
        ({key: GOOD[key] for key in GOOD if key != "tokens"}, "lacks tokens"),
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
    "output": st.sampled_from(list(OUTPUTS)),
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
    assert list(written) == [
        "method",
        "num_embeddings",
        "embedding_dim",
        "tokens",
        "dtype",
        "device",
        "threads",
        "pass",
        "ids",
        "output",
        "cache",
    ]
    again = Case.from_dict(json.loads(json.dumps(written)))
    assert again == case
    assert {case: 1}[again] == 1
    for count in (case.bytes, case.memory_bytes, case.fresh_bytes, case.flops):
        assert isinstance(count, int)
        assert count >= 0
    assert 0 < case.bytes >= case.fresh_bytes
    assert case.memory_bytes > case.table_bytes
    assert case.point.point == case.point == Case.from_dict(case.point.to_dict())
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.tokens = 1  # type: ignore[misc]


def test_cases_timed_side_by_side_have_one_point() -> None:
    """Cases that differ only in method and output have one group."""
    one = Case(**GOOD)
    alike = dataclasses.replace(one, method="index_select", output="reused")
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


def test_a_case_of_an_older_file_has_the_same_ids() -> None:
    """A case without a cache in its file looked up the same ids in each call."""
    assert Case.from_dict(GOOD).cache == "same"


@pytest.mark.parametrize("vary", VARY)
def test_the_defaults_of_every_axis_are_a_plan(vary: str) -> None:
    """The default values of every axis are a valid plan."""
    name, values = VARY[vary].field, VARY[vary].values
    fixed: dict[str, Any] = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2}
    fixed.pop(name, None)
    cases = plan(vary, values, DEFAULT_METHODS, ["cpu"], **fixed)
    assert [getattr(c, name) for c in cases[:: len(DEFAULT_METHODS)]] == list(values)


def test_the_default_sweep_is_that_of_the_issue() -> None:
    """The default sweep has 44 cases, and two are over a small host's budget."""
    rows = VARY["vocab"].values
    cases = plan("vocab", rows, DEFAULT_METHODS, ["cpu"], embedding_dim=64, tokens=256)
    assert len(cases) == 44
    assert {c.num_embeddings for c in cases} == {2**k for k in range(6, 17)}
    assert max(c.memory_bytes for c in cases) < 320 * MIB
    refused = [c for c in cases if c.memory_bytes > bounds.TIMING.hosted * MIB]
    assert {c.method for c in refused} == {"onehot_matmul"}, "a small host shows its chart"
    assert len(refused) == 2


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("vocab", [], ["lookup"], ["cpu"]), "no value is chosen"),
        (("vocab", [4], [], ["cpu"]), "no method is chosen"),
        (("vocab", [4], ["lookup"], []), "no device is chosen"),
        (("vocab", [4], ["lookup"], ["cpu"], []), "no cache is chosen"),
        (("vocab", [4], ["lookup"], ["cpu"], ["warm"]), "cache='warm' is not one of"),
        (("vocab", [4, 8, 4], ["lookup"], ["cpu"]), "a value is chosen twice: 4, 8, 4"),
        (("vocab", [4], ["lookup", "lookup"], ["cpu"]), "a method is chosen twice"),
        (("vocab", [4], ["lookup"], ["cpu", "cpu"]), "a device is chosen twice"),
        (("vocab", range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001 cases are more than"),
        (("rows", [4], ["lookup"], ["cpu"]), "vary='rows' is not one of: vocab"),
        ((None, [4], ["lookup"], ["cpu"]), "vary=null is not one of"),
        (("vocab", [4], [["lookup"]], ["cpu"]), 'method=["lookup"] is not one of'),
        (("vocab", [4], ["nope", "lookup"], ["cpu"]), "method='nope' is not one of"),
        (("vocab", [4], ["lookup"], ["tpu"]), "device='tpu' is not one of"),
        (("vocab", [10**12, 4], ["lookup"], ["cpu"]), "num_embeddings=1000000000000 is not"),
        (("vocab", ["4"], ["lookup"], ["cpu"]), "num_embeddings='4' is not"),
        (("vocab", [math.nan], ["lookup"], ["cpu"]), "num_embeddings=NaN is not"),
        (("vocab", [[4]], ["lookup"], ["cpu"]), "num_embeddings=[4] is not"),
    ],
)
def test_a_plan_that_is_none_is_refused(arguments: tuple[Any, ...], part: str) -> None:
    """A plan that is empty, doubled, too large or wrong is refused with the reason."""
    with pytest.raises(CaseError) as refused:
        plan(*arguments, embedding_dim=2, tokens=1)
    assert part in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_method_that_nothing_here_can_run_is_refused() -> None:
    """A chosen method is refused with the reason, or left out where the caller shows the reason."""
    fixed: dict[str, Any] = {"embedding_dim": 2, "tokens": 1}
    methods = ["lookup", "numpy_take", "lookup_sparse"]
    no_forward = "lookup_sparse has no pass 'forward', only: backward, sgd, adam."
    for pass_, why in (
        ("forward", no_forward),
        ("adam", "numpy_take has no pass 'adam', only: forward."),
    ):
        with pytest.raises(CaseError) as refused:
            plan("vocab", [4], methods, ["cpu"], **fixed, pass_=pass_)
        assert str(refused.value) == why
    left_out: dict[str, str] = {}
    found = plan("vocab", [4], methods, ["cpu"], left_out=left_out, **fixed)
    assert [case.method for case in found] == ["lookup", "numpy_take"]
    assert left_out == {"lookup_sparse": no_forward}
    with pytest.raises(CaseError, match="only: backward"):
        plan("vocab", [4], ["lookup_sparse"], ["cpu"], left_out={}, **fixed)


def test_a_method_without_its_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch.compile makes is refused where nothing can be compiled, and nowhere else."""
    monkeypatch.setenv("CXX", "/nowhere/c++")
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    why = "compiled_lookup cannot be timed here: no C++ compiler."
    with pytest.raises(CaseError, match=re.escape(why)):
        plan("vocab", [4], ["lookup", "compiled_lookup"], ["cpu"], embedding_dim=2, tokens=1)
    assert Case("compiled_lookup", 4, 2, 1).memory_bytes, "a file of another machine may have it"


def test_a_method_is_left_out_only_where_it_cannot() -> None:
    """A method that lacks a device or a dtype is left out there, and stays elsewhere."""
    fixed: dict[str, Any] = {"embedding_dim": 2, "tokens": 1}
    on_both = plan("vocab", [4], ["lookup", "numpy_take"], ["cpu", "cuda"], **fixed)
    assert [(c.device, c.method) for c in on_both] == [
        ("cpu", "lookup"),
        ("cpu", "numpy_take"),
        ("cuda", "lookup"),
    ]
    by_dtype = plan(
        "dtype", VARY["dtype"].values, ["lookup", "numpy_take"], ["cpu"], num_embeddings=4, **fixed
    )
    assert [c.dtype for c in by_dtype if c.method == "numpy_take"] == [
        "float32",
        "float64",
        "float16",
    ]


def test_a_reused_output_is_for_those_that_can() -> None:
    """A method that cannot reuse its output gets a fresh one."""
    found = plan(
        "vocab",
        [4],
        ["lookup", "index_select", "matmul", "onehot_matmul"],
        ["cpu"],
        embedding_dim=2,
        tokens=1,
        output="reused",
    )
    assert [case.output for case in found] == ["fresh", "reused", "reused", "fresh"]
    assert len({case.group for case in found}) == 1
