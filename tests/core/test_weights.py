"""Reading the user's own weights, typed or from a file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.core.weights import WeightsError, parse_weights, read_weights
from embviz.request.inputs import read_inputs
from embviz.request.settings import defaults
from tests.core.archives import npy, zipped

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text(encoding="utf-8"))


def test_one_hot_times_matrix_of_the_seed_facts() -> None:
    """The article's example can be typed and gives its row."""
    fact = FACTS["one_hot_times_matrix"]
    table = parse_weights(json.dumps(fact["weight"]))
    assert parse_weights(defaults()["weights"]).tolist() == fact["weight"]
    row = torch.tensor([fact["one_hot"].index(1)])
    both = run_both(Config("", 5, 4, init="own"), row, lambda config: tie(config, table))
    assert both.comparison.matmul.tolist() == [fact["output"]]
    assert both.comparison.bitwise_equal


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_text_is_a_table_or_a_sentence(typed: str) -> None:
    """Any text gives a table or a WeightsError."""
    try:
        table = parse_weights(typed)
    except WeightsError:
        return
    assert table.dim() == 2
    assert bool(table.isfinite().all())


@given(st.binary(max_size=300), st.sampled_from(["w.npy", "w.npz", "w.csv"]))
@settings(deadline=None)
def test_any_file_is_a_table_or_a_sentence(content: bytes, name: str) -> None:
    """Any file gives a table or a WeightsError."""
    try:
        table = read_weights(name, content)
    except WeightsError:
        return
    assert table.dim() == 2


@pytest.mark.parametrize(("dtype", "order"), [("float16", "C"), ("int64", "F"), (">f4", "F")])
def test_arrays_of_any_number_type(dtype: str, order: Any) -> None:
    """Arrays of any number type and order keep their values."""
    array = np.arange(6, dtype=dtype).reshape(2, 3, order=order)
    assert read_weights("w.npy", npy(array)).tolist() == array.tolist()
    assert read_weights("w.npz", zipped({"w.npy": npy(array)})).tolist() == array.tolist()


HEADER = npy(np.zeros((2, 3)))
FILES = [
    ("w.npy", b"", "not a .npy array"),
    ("w.npy", HEADER[:-1], "but 47 bytes are there"),
    ("w.npy", HEADER.replace(b"(2, 3)", b"(2, 9)"), "but 48 bytes are there"),
    ("w.npy", npy(np.array([[{}]], dtype=object)), "Python objects, which are never read"),
    ("w.npy", npy(np.array([["a"]])), "is not numbers"),
    ("w.npy", npy(np.zeros((2, 3), dtype=complex)), "is of type '<c16'"),
    ("w.npy", npy(np.zeros(3)), "a shape of (3,) is no table"),
    ("w.npy", npy(np.full((2, 2), np.nan)), "nan at row 0, column 0"),
    ("w.npz", b"PK\x05\x06", "not a .npz archive"),
    ("w.npz", zipped({"a.npy": HEADER, "b.npy": HEADER}), "holds 2 arrays"),
    ("w.npz", zipped({"a.npy": b"\0" * 20_000_000}), "larger than the 2,000,000 numbers"),
    ("w.csv", b"\xff\xfe1", "is not UTF-8 text"),
    ("w.csv", b"", "No weights were given"),
    ("w.csv", b"1 " * 1025, "1 x 1,025 is outside"),
]


@pytest.mark.parametrize(("name", "content", "words"), FILES)
def test_files_that_lie_or_break(name: str, content: bytes, words: str) -> None:
    """Broken and forged files are refused; no pickle is run."""
    with pytest.raises(WeightsError) as refused:
        read_weights(name, content)
    assert words in str(refused.value)


def test_a_table_too_small_for_the_text_is_refused_with_a_way_out() -> None:
    """A table too small for the text is refused with a fix that works."""
    wanted = {**defaults(), "init": "own"}
    refusal = read_inputs(wanted).refusal
    assert refusal is not None
    (fix,) = refusal.fixes.values()
    assert read_inputs({**wanted, **fix}).refusal is None


def test_weights_that_the_dtype_cannot_hold() -> None:
    """Weights too large for the dtype are refused."""
    wanted = {**defaults(), "init": "own", "input": "ids", "ids": "0", "weights": "1e30 1"}
    refusal = read_inputs({**wanted, "dtype": "float16"}).refusal
    assert refusal is not None
    assert "1e+30 is too large a weight for float16" in refusal.message


def test_own_weights_are_copied() -> None:
    """The layers copy the user's table."""
    table = parse_weights("1 2")
    layers = tie(Config("", 1, 2, init="own", dtype="float64"), table)
    with torch.no_grad():
        layers.embedding.weight.fill_(9)
    assert table.tolist() == [[1, 2]]
    assert layers.linear.weight.tolist() == [[1], [2]]
