import ast
import dataclasses
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from embviz.core import bounds
from embviz.core.config import available_devices
from embviz.core.dtypes import DTYPES
from embviz.timing.cases import BAG, LIMITS, MAX_CASES, Case, CaseError, plan
from embviz.timing.methods import DEFAULT_METHODS, METHODS
from embviz.timing.settings import DEVICES, OUTPUTS, PASSES, SKEWS, VARY
from embviz.timing.tensors import READY, Ready, draw_ids, inside, statement

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


def possible(**fixed: Any) -> Iterator[Case]:
    """Every method with every pass and output that it has."""
    for method, about in METHODS.items():
        for pass_ in about.passes:
            for output in OUTPUTS:
                try:
                    yield Case(method, pass_=pass_, output=output, **fixed)
                except CaseError:
                    assert output == "reused" or fixed.get("dtype") == "bfloat16"


def small(dtype: str = "float32", device: str = "cpu") -> list[Case]:
    """Small cases of every kind that PyTorch can compute."""
    cases = possible(num_embeddings=50, embedding_dim=6, tokens=70, dtype=dtype, device=device)
    # PyTorch has no CSR product for these on a CPU; the sweep reports that.
    no_csr = () if dtype in ("float32", "float64") else ("sparse_matmul",)
    return [case for case in cases if case.method not in no_csr]


def known(case: Case) -> str:
    """A case's name in pytest's output."""
    return f"{case.method}-{case.pass_}-{case.output}-{case.dtype}"


def refusal(given: object) -> str:
    """The sentence with which a case is refused, however it comes."""
    with pytest.raises(CaseError) as refused:
        Case.from_dict(given)
    said = str(refused.value)
    assert said.endswith(".")
    assert said.isprintable()
    assert len(said) < 300
    return said


def value_of(source: str, names: dict[str, Any]) -> Any:
    """What a method's expression gives."""
    return eval(source, names)  # noqa: S307 - our own statements


def run(source: str, names: dict[str, Any], calls: int = 1) -> None:
    """Call a method's statement as the timer does."""
    code = compile(source, "timed", "exec")
    for _ in range(calls):
        exec(code, names)  # noqa: S102 - our own statements


# --- what is a case


@pytest.mark.parametrize("field", LIMITS)
@pytest.mark.parametrize("bad", NOT_WHOLE, ids=lambda bad: repr(bad)[:20])
def test_a_size_that_is_none_is_refused_by_name(field: str, bad: object) -> None:
    """A forged size would reach an allocation, or its refusal would not say which it was."""
    assert refusal({**GOOD, field: bad}).startswith(f"{field}=")
    with pytest.raises(CaseError, match=rf"^{field}=.* is not a whole number from 1 to "):
        Case(**{**GOOD, field: bad})


@pytest.mark.parametrize("field", CHOICES)
@pytest.mark.parametrize("bad", NOT_NAMED, ids=lambda bad: repr(bad)[:20])
def test_a_choice_that_is_none_is_refused_by_name(field: str, bad: object) -> None:
    """A forged name, or a value that cannot be hashed, would end in a traceback."""
    said = refusal({**GOOD, field: bad})
    assert said.startswith(f"{field}=")
    assert " is not one of: " in said


@pytest.mark.parametrize("levels", [5000])
@pytest.mark.parametrize("field", ["method", "tokens"])
def test_a_value_nested_without_end_is_refused_like_any_other(field: str, levels: int) -> None:
    """A value that Python cannot even print would escape as RecursionError."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    assert refusal({**GOOD, field: value}).startswith(f"{field}=")


@pytest.mark.parametrize("field", LIMITS)
def test_the_limits_themselves_are_cases(field: str) -> None:
    """A limit would be off by one."""
    for value in LIMITS[field]:
        assert getattr(Case(**{**GOOD, field: value}), field) == value
    low, high = LIMITS[field]
    for value in (low - 1, high + 1):
        assert str(value) in refusal({**GOOD, field: value})


def test_the_choices_are_those_of_the_issue() -> None:
    """A method or pass that run files and links use would have vanished or been renamed."""
    asked = [
        "lookup",
        "index_select",
        "numpy_take",
        "matmul",
        "matmul_table",
        "onehot_matmul",
        "scatter_matmul",
        "sparse_matmul",
        "embedding_bag",
        "dense_bag",
    ]
    assert [name for name in METHODS if name != "lookup_sparse"] == asked
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
    """A hand-written line would be half believed, or end in a traceback."""
    assert part in refusal(given)


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"method": "numpy_take", "pass": "backward"}, "numpy_take has no pass 'backward'"),
        ({"method": "lookup_sparse"}, "lookup_sparse has no pass 'forward', only: backward, sgd"),
        ({"method": "sparse_matmul", "pass": "adam"}, "only: forward, backward"),
        ({"method": "lookup", "output": "reused"}, "index_select, numpy_take, matmul"),
        ({"method": "onehot_matmul", "output": "reused"}, "can write into a ready output"),
        ({"method": "matmul", "output": "reused", "pass": "sgd"}, "only a forward pass"),
        ({"method": "numpy_take", "dtype": "bfloat16"}, "numpy_take needs the CPU and a dtype"),
        ({"method": "numpy_take", "device": "cuda"}, "numpy_take needs the CPU"),
    ],
)
def test_what_a_method_lacks_is_refused(changed: dict[str, Any], part: str) -> None:
    """A statement that cannot run, or measures something else than it says, would be timed."""
    assert part in refusal({**GOOD, **changed})


sizes = {name: st.integers(low, high) for name, (low, high) in LIMITS.items()}
choices = {
    "method": st.sampled_from(list(METHODS)),
    "dtype": st.sampled_from(list(DTYPES)),
    "device": st.sampled_from(DEVICES),
    "pass_": st.sampled_from(list(PASSES)),
    "ids": st.sampled_from(list(SKEWS)),
    "output": st.sampled_from(list(OUTPUTS)),
}


@QUICK
@given(st.fixed_dictionaries({**sizes, **choices}))
def test_a_case_survives_json(fields: dict[str, Any]) -> None:
    """A case in a run file or on the way to the worker would come back as another."""
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
    """Methods would not be interleaved, or different sizes would."""
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


# --- what a definition moves and computes


@pytest.mark.parametrize(
    ("method", "pass_", "moved", "flops"),
    [  # V = 100, D = 10, N = 3, float32, by hand: table 4,000 B, output 120 B, one-hot 1,200 B
        ("lookup", "forward", 24 + 120 + 120, 0),
        ("index_select", "forward", 24 + 120 + 120, 0),
        ("numpy_take", "forward", 24 + 120 + 120, 0),
        ("matmul", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        ("matmul_table", "forward", 1200 + 4000 + 120, 2 * 3 * 100 * 10),
        # int64 zeros written and read, a converted copy written and read
        ("onehot_matmul", "forward", 24 + 2400 + 2400 + 1200 + 1200 + 4000 + 120, 6000),
        ("scatter_matmul", "forward", 24 + 1200 + 1200 + 4000 + 120, 6000),
        ("sparse_matmul", "forward", (4 + 3) * 8 + 12 + 120 + 120, 2 * 3 * 10),
        ("embedding_bag", "forward", 24 + 8 + 120 + 40, 3 * 10),  # one bag, one row out
        ("dense_bag", "forward", 400 + 4000 + 40, 2 * 1 * 100 * 10),
        # ids and the output's gradient read, a dense one zeroed, its rows read and written
        ("lookup", "backward", 264 + 24 + 120 + 4000 + 240, 30),
        ("lookup_sparse", "backward", 264 + 24 + 120 + 240, 30),
        ("matmul", "backward", 5320 + 1200 + 120 + 4000, 12000),
        ("lookup", "sgd", 4648 + 3 * 4000, 30 + 2 * 1000),
        ("lookup_sparse", "sgd", 648 + 3 * 120, 30 + 2 * 30),
        ("matmul", "sgd", 10640 + 3 * 4000, 12000 + 2 * 1000),
    ],
)
def test_bytes_and_operations_are_those_of_the_definition(
    method: str, pass_: str, moved: int, flops: int
) -> None:
    """The model, and the reason it gives for a plot, would rest on wrong counts."""
    case = Case(method, 100, 10, 3, pass_=pass_)
    assert (case.bytes, case.flops) == (moved, flops)


def test_half_the_width_moves_half_the_numbers() -> None:
    """The dtype would be left out of the counts."""
    wide, narrow = Case(**GOOD, dtype="float64"), Case(**GOOD, dtype="float16")
    assert wide.bytes - 24 == 4 * (narrow.bytes - 24)
    assert wide.flops == narrow.flops


# --- the tensors


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", available_devices())
def test_every_method_gives_what_the_lookup_gives(dtype: str, device: str) -> None:
    """Methods would be compared that do not compute the same thing."""
    outputs = {}
    for case in small(dtype, device):
        if case.pass_ != "forward":
            continue
        names = Ready(case.point).names(case)
        table, ids = Ready(case.point)._shared("table"), names.get("ids")
        ids = draw_ids(case).to(device) if not isinstance(ids, torch.Tensor) else ids
        rows = F.embedding(ids, table)
        # A NumPy array shares the tensors' memory, but is none.
        output = torch.as_tensor(value_of(statement(case), names))
        if case.method in ("embedding_bag", "dense_bag"):
            exact = torch.stack([bag.sum(0) for bag in rows.double().split(BAG)])
            assert output.dtype == table.dtype
            error = (output.double() - exact).abs().max().item()
            assert error <= 2 * BAG * torch.finfo(table.dtype).eps * rows.abs().max().item()
        else:
            assert output.dtype == rows.dtype
            assert torch.equal(output, rows), case
        outputs[case.method] = output
        if case.output == "reused":
            assert torch.equal(torch.as_tensor(names["out"]), rows)
    assert len(outputs) >= 7


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("method", METHODS)
def test_ids_of_every_skew_give_the_lookups_rows(method: str, skew: str) -> None:
    """A method would be right only for ids that are all different, or all drawn alike."""
    pass_ = METHODS[method].passes[0]
    case = Case(method, 9, 4, 40, ids=skew, pass_=pass_)
    ready = Ready(case.point)
    forward = statement(case).split(".backward")[0]
    output = torch.as_tensor(value_of(forward, ready.names(case)))
    rows = F.embedding(draw_ids(case), ready._shared("table"))
    if case.bags == len(output):
        rows = torch.stack([bag.sum(0) for bag in rows.split(BAG)])
    assert torch.allclose(output, rows, rtol=1e-5, atol=1e-5)


def dense(gradient: torch.Tensor, case: Case) -> torch.Tensor:
    """A gradient as V x D numbers, whatever the method's layout."""
    gradient = gradient.to_dense() if gradient.is_sparse else gradient
    return gradient.t() if case.record.learns == "weight" else gradient


def reference_gradient(case: Case, grad: torch.Tensor) -> torch.Tensor:
    """What the table's gradient is: each token's, added into its row."""
    per_token = grad.repeat_interleave(BAG, 0)[: case.tokens] if len(grad) == case.bags else grad
    zeros = torch.zeros(case.num_embeddings, case.embedding_dim, dtype=torch.float64)
    return zeros.index_add_(0, draw_ids(case), per_token.cpu().double())


LEARNING = [case for dtype in DTYPES for case in small(dtype) if case.pass_ != "forward"]


@pytest.mark.parametrize("case", [c for c in LEARNING if c.pass_ == "backward"], ids=known)
def test_every_backward_gives_the_lookups_dense_gradient(case: Case) -> None:
    """A backward pass would be timed that learns something else."""
    names = Ready(case.point).names(case)
    learns = names[case.record.learns]
    first, *rest = statement(case).split("; ")
    run(first, names)
    assert learns.grad.is_sparse == (case.method == "lookup_sparse")
    wanted = reference_gradient(case, names["grad"])
    error = (dense(learns.grad, case).double() - wanted).abs().max().item()
    # 70 tokens on 50 rows: a row has few summands, each of size 1 or so.
    assert error <= 20 * torch.finfo(learns.dtype).eps * wanted.abs().max().item()
    run("; ".join(rest), names)
    assert learns.grad is None, "gradients of one call would be added to those of the next"


@pytest.mark.parametrize(
    "case", [c for c in LEARNING if c.pass_ in ("sgd", "adam") and c.dtype == "float64"], ids=known
)
def test_every_step_moves_the_table_as_the_textbook_says(case: Case) -> None:
    """A training step would be timed that does not train, or trains another tensor."""
    names = Ready(case.point).names(case)
    learns = names[case.record.learns]
    names["optimizer"].param_groups[0]["lr"] = 0.5
    before = dense(learns.detach().clone(), case)
    run(statement(case), names)
    gradient = reference_gradient(case, names["grad"])
    step = gradient if case.pass_ == "sgd" else gradient / (gradient.abs() + 1e-8)
    assert torch.allclose(dense(learns.detach(), case), before - 0.5 * step, rtol=1e-9, atol=1e-4)
    assert learns.grad is None


@pytest.mark.parametrize("pass_", ["backward", "sgd", "adam"])
def test_many_steps_leave_finite_numbers(pass_: str) -> None:
    """The time of a step would become that of arithmetic with NaN or subnormal numbers."""
    for case in possible(num_embeddings=5, embedding_dim=2, tokens=40):
        if case.pass_ == pass_:
            names = Ready(case.point).names(case)
            run(statement(case), names, 100)
            assert names[case.record.learns].isfinite().all(), case


def test_what_is_shared_and_what_is_not() -> None:
    """Two methods would be timed on different ids, or one would train the other's table."""
    cases = {c.method: c for c in small() if (c.pass_, c.output) == ("forward", "fresh")}
    ready = Ready(next(iter(cases.values())).point)
    names = {method: ready.names(case) for method, case in cases.items()}
    assert names["lookup"]["ids"] is names["index_select"]["ids"] is names["onehot_matmul"]["ids"]
    assert names["lookup"]["table"] is names["matmul_table"]["table"]
    assert names["matmul"]["one_hot"] is names["matmul_table"]["one_hot"]
    assert np.shares_memory(names["numpy_take"]["table"], names["lookup"]["table"].numpy())
    weight = names["matmul"]["weight"]
    assert weight.is_contiguous()
    assert weight.shape == (6, 50)
    assert torch.equal(weight.t(), names["lookup"]["table"])
    assert names["sparse_matmul"]["csr"].layout == torch.sparse_csr
    learning = [ready.names(c) for c in small() if c.pass_ == "sgd" and c.method != "embedding_bag"]
    parameters = [one.get("weight", one.get("table")) for one in learning]
    pointers = [one.data_ptr() for one in [*parameters, weight, names["lookup"]["table"]]]
    assert len(set(pointers)) == len(pointers)


@pytest.mark.parametrize("case", small(), ids=known)
def test_tensors_have_the_bytes_that_were_predicted(case: Case) -> None:
    """Memory would be promised for other tensors than those that are made."""
    names = Ready(case.point).names(case)
    output = value_of(statement(case).split(".backward")[0], names)
    made = {name: value.nbytes for name, value in names.items() if hasattr(value, "nbytes")}
    if (csr := names.get("csr")) is not None:
        parts = (csr.crow_indices(), csr.col_indices(), csr.values())
        made["csr"] = sum(part.nbytes for part in parts)
    predicted = case.memory()
    assert output.nbytes == predicted["output"] == case.output_bytes
    assert made.get("out", output.nbytes) == output.nbytes
    assert made.get("grad", output.nbytes) == output.nbytes
    assert made.get("weight", made.get("table")) == predicted["table"] == case.table_bytes
    assert made.get("one_hot", made.get("counts", case.one_hot_bytes)) == case.one_hot_bytes
    if "csr" in made:
        assert made["csr"] == predicted["ids"]
    if "ids" in made:
        assert made["ids"] + made.get("offsets", 0) == predicted["ids"]


PEAKS = """
import ctypes, gc, json, re, sys
from pathlib import Path
import torch
from embviz.timing.cases import Case
from embviz.timing.tensors import Ready, statement

libc = ctypes.CDLL(None)

def now(name):
    found = re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())
    return int(found.group(1)) * 1024

def peak(case):
    gc.collect()
    libc.malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again
    before = now("VmRSS")
    names = Ready(case.point).names(case)
    code = compile(statement(case), "timed", "exec")
    for _ in range(2):
        exec(code, names)
    return now("VmHWM") - before

torch.set_num_threads(1)
cases = [Case.from_dict(one) for one in json.loads(sys.argv[1])]
for case in cases:  # what a first call loads is not the case's
    peak(Case.from_dict(case.to_dict() | {"num_embeddings": 64, "embedding_dim": 8}))
    gc.freeze()
print(json.dumps([peak(case) for case in cases]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_predicted_memory_is_what_a_process_takes() -> None:
    """A case within the budget would take three times as much, and a small host would die."""
    cases = []
    for dtype in ("float32", "bfloat16"):  # in float32 a table of 16 MiB, a one-hot of 8 MiB
        fixed = {"num_embeddings": 2**15, "embedding_dim": 128, "tokens": 64, "dtype": dtype}
        cases += [
            case
            for case in possible(**fixed)
            if case.output == "fresh"
            and (dtype == "float32" or case.pass_ == "forward")
            and (dtype == "float32" or case.method != "sparse_matmul")
        ]
    asked = json.dumps([case.to_dict() for case in cases])
    done = subprocess.run(
        [sys.executable, "-c", PEAKS, asked],
        cwd=ROOT,
        check=False,
        capture_output=True,
        # What is freed goes back to the system at once, and is not counted twice.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    wrong = [
        f"{known(case)}: {case.memory_bytes / MIB:.0f} MiB predicted, {taken / MIB:.0f} taken"
        for case, taken in zip(cases, json.loads(done.stdout), strict=True)
        if not 0.65 * case.memory_bytes <= taken <= 1.1 * case.memory_bytes + 5 * MIB
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", DTYPES)
def test_statements_are_whole_and_say_what_they_use(dtype: str) -> None:
    """The one line that says what is inside the clock would say something else than was run."""
    for case in [*possible(num_embeddings=50, embedding_dim=6, tokens=70, dtype=dtype)]:
        source, line = statement(case), inside(case)
        assert not set("{}") & set(source)
        used = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
        assert used <= set(Ready(case.point).names(case)), source
        assert line.startswith(source)
        assert line.count("\n") == 0
        _, _, ready = line.removeprefix(source).partition("with ")
        for name, text in READY.items():
            # Some labels begin like others: "out" is not "grad (the gradient of the output)".
            named = text in ready.removesuffix(" ready").split(", ") or f"{text}," in ready
            named |= ready.startswith(text) or ready.endswith(f"{text} ready")
            assert named == (name in used), f"{name} in {line!r}"


# --- the ids


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("rows", [1, 2, 3, 1000, 2**27])
@pytest.mark.parametrize("tokens", [1, 7, 5000])
def test_ids_are_within_the_table(skew: str, rows: int, tokens: int) -> None:
    """A GPU would be asked for a row that is not there, and lose its whole context."""
    case = Case("lookup", rows, 1, tokens, ids=skew)
    ids = draw_ids(case)
    assert ids.shape == (tokens,)
    assert (ids.dtype, ids.device.type) == (torch.int64, "cpu")
    assert 0 <= ids.min() <= ids.max() < rows
    assert torch.equal(ids, draw_ids(case)), "two runs would time different ids"
    for other in ("matmul", "numpy_take"):
        assert torch.equal(ids, draw_ids(dataclasses.replace(case, method=other)))


def test_the_skews_are_what_they_say() -> None:
    """Uniform, Zipf and equal ids would be timed under each other's names."""
    uniform, zipf, equal = (
        draw_ids(Case("lookup", 1000, 1, 50_000, ids=skew)).bincount(minlength=1000).double()
        for skew in ("uniform", "zipf", "equal")
    )
    assert (equal > 0).sum() == 1
    assert (uniform > 0).sum() == 1000
    assert uniform.max() < 3 * uniform.mean()
    # Id k with weight 1 / (k + 1): its share of 1,000 ids is about 1 / (7.5 (k + 1)).
    share = zipf / zipf.sum()
    assert 0.08 < share[0] < 0.16
    assert share[:10].sum() > 0.3
    for k in (1, 3, 10, 50):
        assert 0.5 < share[k] * 7.5 * (k + 1) < 1.5
    assert zipf[:100].sum() > 5 * zipf[900:].sum()


def test_no_generator_of_anybody_is_touched() -> None:
    """Drawing ids would move the random numbers of everything else in the process."""
    before, numpy_before = torch.get_rng_state(), repr(np.random.get_state())
    for case in small():
        Ready(case.point).names(case)
    assert torch.equal(torch.get_rng_state(), before)
    assert repr(np.random.get_state()) == numpy_before


# --- plans


def test_a_plan_is_every_value_by_every_method_on_every_device() -> None:
    """Methods at one point would not come side by side, and could not be interleaved."""
    cases = plan("dim", [4, 8], ["lookup", "matmul"], ["cpu", "cuda"], num_embeddings=9, tokens=2)
    assert [(c.device, c.embedding_dim, c.method) for c in cases] == [
        (device, dim, method)
        for device in ("cpu", "cuda")
        for dim in (4, 8)
        for method in ("lookup", "matmul")
    ]
    groups = [case.group for case in cases]
    assert groups == [one for one in dict.fromkeys(groups) for _ in range(2)]


@pytest.mark.parametrize("vary", VARY)
def test_the_defaults_of_every_axis_are_a_plan(vary: str) -> None:
    """A page's default values would be refused by the engine."""
    name, values = VARY[vary].field, VARY[vary].values
    fixed: dict[str, Any] = {"num_embeddings": 64, "embedding_dim": 4, "tokens": 2}
    fixed.pop(name, None)
    cases = plan(vary, values, DEFAULT_METHODS, ["cpu"], **fixed)
    assert [getattr(c, name) for c in cases[:: len(DEFAULT_METHODS)]] == list(values)


def test_the_default_sweep_is_that_of_the_issue() -> None:
    """Acceptance would be measured on other cases than the issue names."""
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
        (("vocab", [4, 8, 4], ["lookup"], ["cpu"]), "a value is chosen twice: 4, 8, 4"),
        (("vocab", [4], ["lookup", "lookup"], ["cpu"]), "a method is chosen twice"),
        (("vocab", [4], ["lookup"], ["cpu", "cpu"]), "a device is chosen twice"),
        (("vocab", range(1, MAX_CASES + 2), ["lookup"], ["cpu"]), "2,001 cases are more than"),
        (("rows", [4], ["lookup"], ["cpu"]), "vary='rows' is not one of: vocab"),
        ((None, [4], ["lookup"], ["cpu"]), "vary=null is not one of"),
        (("vocab", [4], ["nope", "lookup"], ["cpu"]), "method='nope' is not one of"),
        (("vocab", [4], ["lookup"], ["tpu"]), "device='tpu' is not one of"),
        (("vocab", [10**12, 4], ["lookup"], ["cpu"]), "num_embeddings=1000000000000 is not"),
        (("vocab", ["4"], ["lookup"], ["cpu"]), "num_embeddings='4' is not"),
        (("vocab", [math.nan], ["lookup"], ["cpu"]), "num_embeddings=NaN is not"),
        (("vocab", [[4]], ["lookup"], ["cpu"]), "num_embeddings=[4] is not"),
    ],
)
def test_a_plan_that_is_none_is_refused(arguments: tuple[Any, ...], part: str) -> None:
    """A sweep would start that measures nothing, the same thing twice, or for hours."""
    with pytest.raises(CaseError) as refused:
        plan(*arguments, embedding_dim=2, tokens=1)
    assert part in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_method_that_lacks_the_pass_is_left_out_where_another_has_it() -> None:
    """One method without a backward pass would forbid timing that of the others."""
    fixed = {"embedding_dim": 2, "tokens": 1}
    methods = ["lookup", "numpy_take", "lookup_sparse"]
    found = plan("vocab", [4], methods, ["cpu"], **fixed, pass_="backward")
    assert [case.method for case in found] == ["lookup", "lookup_sparse"]
    found = plan("vocab", [4], methods, ["cpu"], **fixed)
    assert [case.method for case in found] == ["lookup", "numpy_take"]
    with pytest.raises(CaseError, match="numpy_take has no pass 'adam'"):
        plan("vocab", [4], ["numpy_take"], ["cpu"], **fixed, pass_="adam")
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
    """Asking for ready outputs would refuse the lookup itself."""
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


def test_a_method_that_cannot_be_hashed_is_refused() -> None:
    """A forged list of methods would end in a TypeError."""
    with pytest.raises(CaseError, match="method="):
        plan("vocab", [4], [["lookup"]], ["cpu"], embedding_dim=2, tokens=1)  # type: ignore[list-item]
