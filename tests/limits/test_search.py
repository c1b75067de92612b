import json
import time
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import CASES, case_named
from embviz.limits.search import MAX_PARTIAL, find

WEIGHT = torch.arange(12.0).reshape(4, 3)
IDS = torch.tensor([1, 2])


def step(optimizer: type[torch.optim.Optimizer], sparse: bool, **options: float) -> None:
    """One step of an optimizer on a table."""
    table = nn.Parameter(WEIGHT.clone())
    F.embedding(IDS, table, sparse=sparse).sum().backward()
    optimizer([table], lr=0.1, **options).step()


def used_before_max_norm() -> None:
    """A weight used before a lookup that changes it."""
    table = nn.Parameter(WEIGHT.clone())
    squares = (table * table).sum()
    (squares + F.embedding(IDS, table, max_norm=1.0).sum()).backward()


ADAM, SPARSE_ADAM, SGD = torch.optim.Adam, torch.optim.SparseAdam, torch.optim.SGD
LIVE: list[tuple[str, Callable[[], object]]] = [
    ("out-of-range", lambda: nn.Embedding.from_pretrained(WEIGHT)(torch.tensor([4]))),
    ("out-of-range", lambda: F.one_hot(torch.tensor([4]), 4)),
    ("out-of-range", lambda: F.one_hot(torch.tensor([-1]), 4)),
    ("float-ids", lambda: F.embedding(torch.tensor([1.0]), WEIGHT)),
    ("float-ids", lambda: F.embedding_bag(torch.tensor([[1.0]]), WEIGHT)),
    ("int32-ids", lambda: F.one_hot(torch.tensor([1], dtype=torch.int32), 4)),
    ("float-ids", lambda: nn.Embedding.from_pretrained(WEIGHT)([1, 2])),
    ("float-ids", lambda: F.embedding(IDS.numpy(), WEIGHT)),
    ("float-ids", lambda: F.one_hot(torch.tensor([], dtype=torch.int64))),
    ("one-hot-without-classes", lambda: F.one_hot(IDS).float() @ WEIGHT),
    ("shared-storage", lambda: WEIGHT.T.view(-1)),
    ("padding-idx-value", lambda: F.embedding(IDS, WEIGHT, padding_idx=4)),
    ("max-norm", used_before_max_norm),
    ("from-pretrained-frozen", lambda: nn.Embedding.from_pretrained(WEIGHT)(IDS).sum().backward()),
    ("one-hot-is-int64", lambda: F.linear(F.one_hot(IDS, 4).float(), WEIGHT.T.half())),
    ("one-hot-is-int64", lambda: F.one_hot(IDS, 4) @ WEIGHT),
    ("one-hot-is-int64", lambda: F.linear(F.one_hot(IDS, 4), WEIGHT.T)),
    (
        "weighted-mean",
        lambda: F.embedding_bag(
            IDS[None], WEIGHT, mode="mean", per_sample_weights=torch.ones(1, 2)
        ),
    ),
    ("bag-without-offsets", lambda: F.embedding_bag(IDS, WEIGHT)),
    ("bag-without-offsets", lambda: F.embedding_bag(IDS, WEIGHT, torch.tensor([1]))),
    ("adam-needs-dense", lambda: step(SGD, True, weight_decay=0.1)),
    ("adam-needs-dense", lambda: step(torch.optim.Adagrad, True, weight_decay=0.1)),
    ("adam-needs-dense", lambda: step(ADAM, True)),
    ("adam-needs-dense", lambda: step(torch.optim.RMSprop, True)),
    ("adam-needs-dense", lambda: step(SPARSE_ADAM, False)),
    ("input-gradient", lambda: IDS.clone().requires_grad_()),
    ("loss-without-parentheses", lambda: nn.MSELoss(WEIGHT, WEIGHT)),
    ("loss-without-parentheses", lambda: nn.MSELoss().backward()),
    ("loss-without-parentheses", lambda: nn.MSELoss(WEIGHT[0, 0], WEIGHT[0, 1])),
    ("rows-from-max", lambda: json.dumps(max(IDS) + 1)),
]

FRAME = """Traceback (most recent call last):
  File "/home/me/project/train.py", line 12, in <module>
    output = model(ids.to(device), mask)
  File "/usr/lib/python3/site-packages/torch/nn/functional.py", line 2567, in forward
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
GPU_KERNEL = (
    "../aten/src/ATen/native/cuda/Indexing.cu:1146: indexSelectLargeIndex: block: [100,0,0], "
    "thread: [32,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
) * 40
GPU_ASSERT = """RuntimeError: CUDA error: device-side assert triggered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below
might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."""


@pytest.mark.parametrize(("name", "provoke"), LIVE, ids=lambda part: str(part)[:20])
def test_an_error_of_this_pytorch_leads_to_its_case(
    name: str, provoke: Callable[[], object]
) -> None:
    """An error of this PyTorch, pasted with or without its traceback, leads to its case first."""
    with pytest.raises(Exception) as raised:  # noqa: PT011 - its text is what is tested
        provoke()
    text = f"{type(raised.value).__name__}: {raised.value}"
    for pasted in (
        text,
        FRAME + text,
        f"  {FRAME}{text}\n\n",
        text.replace(" ", "\n"),
        text.upper(),
    ):
        assert find(pasted)[0].name == name, pasted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("out-of-range", GPU_ASSERT),
        ("out-of-range", GPU_KERNEL),
        (
            "out-of-range",
            "RuntimeError: cuda runtime error (59) : device-side assert "
            "triggered at /pytorch/aten/src/THC/generated/../THCReduceAll.cuh:339",
        ),
        (
            "float-ids",
            "Expected tensor for argument #1 'indices' to have one of the following "
            "scalar types: Long, Int; but got torch.cuda.DoubleTensor instead (while checking "
            "arguments for embedding)",
        ),
        (
            "float-ids",
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got "
            "torch.IntTensor instead (while checking arguments for embedding)",
        ),
        ("int32-ids", "RuntimeError: one_hot is only applicable to index tensor."),
        (
            "out-of-range",
            "RuntimeError: Expected all tensors to be on the same device, but "
            "found at least two devices, cuda:0 and cpu! (when checking argument for argument "
            "index in method wrapper_CUDA__index_select)",
        ),
        (
            "out-of-range",
            "RuntimeError: Expected all tensors to be on the same device, but "
            "got index is on cpu, different from other tensors on cuda:0 (when checking argument "
            "in method wrapper_CUDA__index_select)",
        ),
        (
            "out-of-range",
            "Expected object of device type cuda but got device type cpu for "
            "argument #1 'self' in call to _th_index_select",
        ),
        ("out-of-range", "Input, output and indices must be on the current device"),
        ("one-hot-without-classes", "size mismatch, m1: [2 x 3], m2: [4 x 3] at TH.h:41"),
        ("one-hot-without-classes", "RuntimeError: mat1 dim 1 must match mat2 dim 0"),
        (
            "one-hot-is-int64",
            "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half",
        ),
        ("one-hot-is-int64", "RuntimeError: expected scalar type Long but found Float"),
        ("max-norm", "RuntimeError: leaf variable has been moved into the graph interior"),
        ("loss-without-parentheses", "bool value of Tensor with more than one value is ambiguous"),
    ],
)
def test_an_error_of_another_machine_or_version_leads_to_its_case(name: str, text: str) -> None:
    """Errors of GPUs and older versions lead to their case first."""
    assert find(text)[0].name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("negative zero", "minus-zero"),
        ("-0.0", "minus-zero"),
        ("PADDING", "padding-idx-value"),
        ("padding_idx gradient", "padding-idx-gradient"),
        ("nan", "inf-in-unseen-row"),
        ("TF32", "medium-precision-on-a-cpu"),
        ("autocast", "autocast"),
        ("what is the order of a sum?", "sum-order"),
        ("weight tying", "shared-storage"),
        ("tied output layer", "tied-output"),
        ("bf16", "bfloat16-gradient"),
        ("why is my embedding slow", "always-faster"),
        ("tf-idf", "counts-ignored"),
        ("num_classes", "one-hot-without-classes"),
        ("GloVe freeze", "from-pretrained-frozen"),
        ("index out of range", "out-of-range"),
        ("hidden notebook state", "seed-of-another-cell"),
        ("real-valued inputs", "embedding-cannot-replace"),
        ("reset_parameters", "padding-idx-value"),
        ("continuous", "input-gradient"),
        ("gumbel", "input-gradient"),
        ("subnormal", "flush-to-zero"),
        ("max(idx) + 1", "rows-from-max"),
    ],
)
def test_words_lead_to_their_case(text: str, name: str) -> None:
    """A case is among the first three for its own words."""
    assert name in [case.name for case in find(text)[:3]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why is my weight changing?", "max-norm shared-storage weight-decay-unseen"),
        ("embedding weights change during evaluation", "max-norm"),
        ("loss not decreasing", "from-pretrained-frozen"),
        ("gradient is None", "from-pretrained-frozen"),
        ("wrong shape", "one-hot-without-classes forgotten-transpose"),
        (
            "mat1 and mat2 shapes cannot be multiplied",
            "one-hot-without-classes forgotten-transpose",
        ),
        ("word order", "order-and-context"),
        ("my loss is nan", "inf-in-unseen-row mean-with-padding"),
        ("ids are a numpy array", "float-ids"),
        ("model on GPU, ids on CPU", "out-of-range"),
        ("why is it out of memory", "one-hot-is-int64"),
        ("how do I make padding zero and xyzzy", "padding-idx-value"),
    ],
)
def test_a_question_leads_to_its_cases(text: str, names: str) -> None:
    """Questions in a student's words find their cases among the first five."""
    found = [case.name for case in find(text)]
    assert set(names.split()) <= set(found[:5])


@pytest.mark.parametrize("shape", [(), (3,), (1, 3), (2, 1, 3)])
def test_every_grad_fn_of_a_route_is_found(shape: tuple[int, ...]) -> None:
    """The `grad_fn` of either route, for ids of any shape, finds its case first."""
    ids, table = torch.zeros(shape, dtype=torch.int64), nn.Parameter(WEIGHT.clone())
    one_hot, linear = F.one_hot(ids, 4).float(), nn.Parameter(WEIGHT.T.clone())
    bias = torch.zeros(3)
    outputs = [F.embedding(ids, table), one_hot @ table, F.linear(one_hot, linear)]
    for output in [*outputs, F.linear(one_hot, linear, bias)]:
        assert output.grad_fn is not None
        assert find(output.grad_fn.name())[0].name == "grad-fn-differs"


def test_more_than_half_of_the_words_must_be_there() -> None:
    """Two words of every case do not outweigh two that no case has."""
    assert find("cook the embedding table recipe") == []
    assert find("purple monkey dishwasher weight") == []
    some = find("sparse gradient of the momentum xyzzy")
    assert 0 < len(some) <= MAX_PARTIAL == len(find("weight row xyzzy"))
    assert case_named("adam-needs-dense") in some


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("changes", "changing"),
        ("optimizers", "optimizer"),
        ("PADDED", "padding"),
    ],
)
def test_a_word_is_found_in_any_of_its_forms(text: str, same: str) -> None:
    """Plural, past and -ing forms of a word find the same cases."""
    assert find(text) == find(same) != []


def test_every_title_finds_its_case() -> None:
    """The title and the name of a case find it."""
    for case in CASES:
        assert case in find(case.title), case.title
        assert case in find(case.name.replace("-", " ")), case.name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\t",
        "?!",
        "xyzzy",
        "no such words anywhere",
        "list index out of range",
        "nan xyzzy",
        "why is there no " + "pizza on the table " * 50,
        " ".join(f"word{number}" for number in range(100)),
        "index out of range in self" + " xyzzy" * 4000,
    ],
    ids=lambda text: text[:9],
)
def test_what_is_not_there_is_not_found(text: str) -> None:
    """A search about something else finds nothing."""
    assert [case.name for case in find(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**7,
        "' " * 10**6,
        "'" + "x" * 10**6,
        "type object '" * 10**5,
        " ".join(f"a{i}" for i in range(10**5)),
        "\0\ud800(((((" * 10**5,
    ],
    ids=lambda text: text[:9],
)
def test_a_hostile_text_costs_nothing(text: str) -> None:
    """A search takes less than a second for any text."""
    started = time.thread_time()
    assert isinstance(find(text), list)
    assert time.thread_time() - started < 1.0
