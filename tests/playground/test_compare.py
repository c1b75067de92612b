"""`compare` in a script: the numbers of the layer, whatever form ids and weights have."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import embviz
from embviz import compare
from embviz.text.refused import Refused


def test_the_numbers_are_those_of_the_layer() -> None:
    """A text is looked up in the layer that its settings make, and so is the product."""
    result = compare("hello", dim=4, seed=7, rows=200)
    torch.manual_seed(7)
    layer = torch.nn.Embedding(200, 4)
    assert torch.equal(result.lookup, layer(torch.tensor([[17, 14, 21, 21, 24]])))
    assert torch.equal(result.matmul, result.lookup)
    assert repr(result) == result.verdict
    assert result.verdict.startswith("(1, 5) -> (1, 5, 4): lookup and matmul are bitwise equal: 20")


RANKED = torch.tensor([[1, 3], [0, 1]])
WEIGHT = torch.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize(
    ("ids", "shape"),
    [
        (str(RANKED.tolist()), (2, 2)),
        (RANKED.numpy(), (2, 2)),
        ([RANKED[0], RANKED[1].numpy()], (2, 2)),
        ([range(1, 4, 2), (np.int64(0), np.uint8(1))], (2, 2)),
        (RANKED.int(), (2, 2)),
        (pd.DataFrame(RANKED.numpy()), (2, 2)),
        (pd.Series([1, 3]), (2,)),
        (3, (1,)),
        (np.array([], int), (0,)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_ids_of_any_array(ids: Any, shape: tuple[int, ...]) -> None:
    """What a script has is looked up in its own shape."""
    found = compare(ids=ids, weights=str(WEIGHT.tolist()))
    assert torch.equal(found.lookup, WEIGHT[found.given.ids])
    assert found.given.ids.shape == shape
    if len(shape) == 2:
        assert torch.equal(found.given.ids, RANKED)


@pytest.mark.parametrize(
    "weights",
    [
        torch.nn.Parameter(WEIGHT),
        WEIGHT.bfloat16(),
        tuple(map(tuple, WEIGHT.tolist())),
        pd.DataFrame(WEIGHT.numpy()),
        WEIGHT.numpy().astype("i8"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_weights_of_any_array(weights: Any) -> None:
    """They are the table."""
    assert torch.equal(compare(ids=[2, 0], weights=weights).lookup, WEIGHT[[2, 0]])


def test_weights_of_a_real_size() -> None:
    """As text they would be longer than a person may type."""
    table = np.random.default_rng(0).normal(size=(4_000, 100))
    found = compare(ids=[3_999], weights=table, dtype="float64")
    assert torch.equal(found.lookup, torch.from_numpy(table[-1:]))


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


NO_ARRAYS = (
    *({1, 2}, b"12", {"a": 1}, [1j], [[1], [1, 2]], CIRCLE, [10**5000], [float("nan")]),
    *(np.array([1j]), np.array(["a"]), np.datetime64("2020"), np.array([[True]]), None),
    *(torch.eye(3).to_sparse(), torch.empty(2, device="meta"), iter([1]), object()),
)


@pytest.mark.parametrize("given", NO_ARRAYS, ids=lambda one: type(one).__name__)
def test_what_is_no_array_of_numbers_is_refused(given: Any) -> None:
    """In words of Python; JSON's words are in no sentence, nor is an error of NumPy."""
    for settings in ({"ids": given}, {"ids": [0], "weights": given}):
        with pytest.raises(Refused) as refused:
            compare(rows=9, **settings)
        assert str(refused.value).isprintable()
        assert not re.search("null|true|NaN|Infinity|json", str(refused.value))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, None], "'None' is of type NoneType"),
        ([True], "'True' is of type bool"),
        (["1"], "''1'' is of type str"),
        (np.ma.array([1, 2], mask=[0, 1]), "'None' is of type NoneType"),
        (torch.nn.Embedding(2, 2), "is of type Embedding"),
    ],
    ids=repr,
)
def test_what_is_no_number_is_quoted_as_python_writes_it(given: Any, words: str) -> None:
    """And the sentence says what is read."""
    with pytest.raises(Refused) as refused:
        compare(ids=given)
    assert f"{words}; int and float are read. Give numbers in lists" in str(refused.value)


def test_only_names_that_exist() -> None:
    """An unknown setting is a mistake of the script, as is a name of the package."""
    for name in ("dims", "input"):  # whether text or ids are given says it
        with pytest.raises(TypeError, match=name):
            compare("a", **{name: "ids"})
    with pytest.raises(ValueError, match=r"dim='2\.5' is not a whole number"):
        compare("a", dim=2.5)
    with pytest.raises(AttributeError, match="compares"):
        _ = embviz.compares
