"""The exported script: the page's numbers bit for bit, and no typed text that becomes code."""

import ast
import io
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embviz.fact.comparison import Pair
from embviz.fact.dtypes import DTYPES
from embviz.fact.export import MAX_TSV_NUMBERS, metadata_tsv, script, vectors_tsv
from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.fact.weights import Own
from embviz.fact.words import ROWS
from embviz.playground.compare import compare
from embviz.text.refused import Refused

# Runs every source in one interpreter, each in a namespace of its own.
RUNNER = """
import contextlib, io, sys, torch
results = []
for source in torch.load("sources"):
    torch.set_grad_enabled(True)
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "exported", "exec"), names)
    tensors = [names[name] for name in ("ids", "lookup", "matmul")]
    tensors += [names[name].weight for name in ("embedding", "linear")]
    results.append([printed.getvalue(), tensors])
assert "embviz" not in sys.modules
torch.save(results, "results")
"""
UNUSUAL = "the n\u00e4ive W\u00f6rd \U0001f44d\n\t'\\\"#"
CODE = ["'''", "\\'\"", "\r\n\x00\u2028", "{text!r}%s#", "\\N{BULLET}\udc80"]
OWN = "-12345.678 0.1 3e-1\n6e4 1e-4 -7"
DRAWN = [name for name, one in INITS.items() if one.draw and not one.sizes]
SETTINGS: list[dict[str, Any]] = [
    {"text": UNUSUAL, "vocab": "bytes"},
    {"text": UNUSUAL, "vocab": "bpe", "merges": 300},
    {"text": "The k\u00eeng, the king", "vocab": "words", "rows": 5_000, "dim": 2},
    *({"text": "a King; a queen", "vocab": "words", "init": "trained", "dtype": d} for d in DTYPES),
    {"ids": "2800 0", "init": "trained"},
    {"ids": "0 299999", "rows": 300_000},
    {"ids": "0 1", "weights": "-0.0 1\n-2 3"},
    *({"text": one, "vocab": "custom", "chars": "".join(dict.fromkeys(one))} for one in CODE),
    *({"ids": "0 1", "weights": OWN, "dtype": dtype} for dtype in DTYPES),
    *(
        {"text": "12é", "vocab": "letters", "init": init, "dtype": dtype, "seed": 2**31}
        for dtype, init in zip(cycle(DTYPES), DRAWN, strict=False)
    ),
]


def source(given: Inputs) -> str:
    """The script of these inputs."""
    text, known, own = given.text, given.vocabulary, given.weights
    return script(given.table, ids=given.ids, text=text, vocabulary=known, weights=own)


def test_every_script_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    """Run without embviz and with warnings as errors, each gives ids, outputs and verdict."""
    compared = [compare(**one) for one in SETTINGS]
    assert "('king', 287), ('<unk>', 2800)" in source(compare("king ;", vocab="words").given)
    torch.save([source(one.given) for one in compared], tmp_path / "sources")
    shutil.copy(ROWS, tmp_path)
    subprocess.run([sys.executable, "-W", "error", "-c", RUNNER], cwd=tmp_path, check=True)
    results = torch.load(tmp_path / "results")
    for one, (printed, found) in zip(compared, results, strict=True):
        both, layers = one.both, one.both.layers
        weights = layers.embedding.weight, layers.linear.weight
        assert printed == (
            f"ids: {both.ids_shape} weight: {tuple(layers.linear.weight.shape)}\n"
            f"lookup: {both.output_shape} matmul: {both.output_shape}\n"
            f"every bit equal: {both.comparison.bitwise_equal}\n"
            f"max |difference|: {both.comparison.max_abs_error}\n"
        )
        expected = both.ids, one.lookup, one.matmul, *weights
        assert all(pair.bitwise_equal for pair in map(Pair, found, expected))
        assert found[3].data_ptr() != found[4].data_ptr()


@settings(max_examples=50)
@given(st.text(st.characters()))
@example("letters = string.ascii_letters")
def test_nothing_that_is_typed_becomes_code(text: str) -> None:
    """A typed text and its characters are literals of an ASCII source, which is otherwise equal."""
    trees = []
    for one in (text + "é", "é"):
        made = source(compare(one, vocab="custom", chars="".join(dict.fromkeys(one))).given)
        assert made.isascii()
        assert f"\ntext = {one!a}\n" in made
        trees.append([*map(type, ast.walk(ast.parse(made)))])
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("make", "most", "said"),
    [
        (lambda n: {"ids": "0 " * n}, 2_000, "at most 2,000 ids; here are 2,001"),
        (lambda n: {"ids": "0 " * 64, "rows": n, "dim": 1}, 2**19, "at most 256.0 MiB"),
    ],
)
def test_what_would_be_no_short_script_is_refused(make: Any, most: int, said: str) -> None:
    """Too long and too large input is refused; the largest is exported."""
    assert source(compare(**make(most)).given)
    with pytest.raises(Refused, match=said):
        source(compare(**make(most + 1)).given)


def test_weights_that_are_not_finite_are_refused() -> None:
    """Weights are refused if they are not finite in their dtype, as the script has them."""
    given = compare(ids="0", weights="65504", dtype="float16").given
    assert source(given)
    for wrong in (torch.nan, 70_000.0):
        with pytest.raises(Refused, match="finite weights only, in float16"):
            source(replace(given, own=Own(torch.tensor([[wrong]]))))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_table_reads_back_from_its_file_of_vectors(dtype: str) -> None:
    """Every number is the same one, one row a line, and each line has its label and id."""
    numbers = [[0.1, -1e-6, 3.0], [1 / 3, 60_000.0, -0.0]]
    weight = torch.tensor(numbers, dtype=DTYPES[dtype].torch)
    found = np.loadtxt(io.StringIO(vectors_tsv(weight)), delimiter="\t", ndmin=2)
    assert Pair(torch.from_numpy(found).to(weight.dtype), weight).bitwise_equal
    assert metadata_tsv(2, ["cat", ""].__getitem__) == "symbol\tid\ncat\t0\nrow 1\t1\n"


def test_no_label_breaks_a_line_and_what_no_projector_reads_is_refused() -> None:
    """A tab and a line break are visible signs; too many numbers, and those that are not finite."""
    given = compare("\t\n", vocab="custom", chars="\t\n").given
    assert metadata_tsv(2, given.label) == "symbol\tid\n⇥\t0\n↵\t1\n"
    too_many = torch.empty(1, device="meta").expand(MAX_TSV_NUMBERS + 1, 1)
    for weight, said in ((too_many, "here are 2,000,001"), (torch.tensor([[torch.inf]]), "finite")):
        with pytest.raises(Refused, match=said):
            vectors_tsv(weight)
