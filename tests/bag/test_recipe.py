import ast
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.bag import recipe as recipes
from embviz.bag.all_rows import run_matrix
from embviz.bag.documents import KINDS, split, vectorize
from embviz.bag.layers import WeightError, draw_weight, tie_weight
from embviz.bag.matrix import Matrix, from_parts, parse_matrix
from embviz.bag.recipe import (
    MAX_BATCH,
    MAX_CHARACTERS,
    MAX_NUMBERS,
    MAX_STORED,
    Documents,
    RecipeError,
    SparseRows,
    first_batch,
    recipe,
)
from tests.core.scripts import run_sources

QUICK = settings(deadline=None, max_examples=60)
TEXT = "the cat\n\nthe dog saw the cat\nit's 'a' \"dog\" \\ {x} 🤦🏽\u2028\u202e"
TYPED = parse_matrix("[[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0]]")

# Runs every source in one interpreter, each in a namespace of its own.
RUNNER = """
import contextlib, io, json, sys
results = []
for source in json.load(sys.stdin):
    names, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "recipe", "exec"), names)
    results.append(printed.getvalue())
assert "embviz" not in sys.modules
json.dump(results, sys.stdout)
"""


@dataclass(frozen=True)
class Case:
    """The arguments of one recipe."""

    matrix: Matrix
    batch_size: int
    weight: torch.Tensor
    seed: int | None = None
    documents: Documents | None = None

    def source(self) -> str:
        """The recipe."""
        return recipe(self.matrix, self.batch_size, self.weight, self.seed, self.documents)


def drawn(matrix: Matrix, batch_size: int, dtype: str = "float32", **more: Any) -> Case:
    """A case whose weight is drawn by seed."""
    weight = draw_weight(matrix.shape[1], 3, 123, getattr(torch, dtype))
    return Case(matrix, batch_size, weight, 123, **more)


def own(matrix: Matrix, batch_size: int, dim: int, dtype: torch.dtype = torch.float32) -> Case:
    """A case whose weight is the user's own."""
    generator = torch.Generator().manual_seed(dim)
    weight = torch.randn(dim, matrix.shape[1], generator=generator, dtype=torch.float64)
    return Case(matrix, batch_size, weight.to(dtype))


def of_text(kind: Any, stop_words: Any = None, dtype: str = "float32") -> Case:
    """A case of documents."""
    documents = Documents(TEXT, kind, stop_words)
    return drawn(vectorize(TEXT, kind, stop_words), 3, dtype, documents=documents)


def untidy(rows: int, dtype: type, index: type, columns: int = 7) -> Matrix:
    """Empty rows, stored zeros, unsorted and repeated ids, odd numbers."""
    generator = np.random.default_rng(rows)
    lengths = generator.integers(0, 9, rows)
    values = generator.normal(size=lengths.sum()) * (generator.random(lengths.sum()) > 0.2)
    return from_parts(
        (rows, columns),
        np.concatenate([[0], lengths.cumsum()]).astype(index),
        generator.integers(0, columns, lengths.sum()).astype(index),
        values.astype(dtype),
    )


LARGE = untidy(2_000, np.float32, np.int32, 20)
CASES = {
    "typed": drawn(TYPED, 2),
    "typed, float64": drawn(TYPED, 2, "float64"),
    "own weight": own(TYPED, 3, 2),
    "own weight, float64": own(TYPED, 1, 40, torch.float64),
    "a batch larger than the matrix": drawn(TYPED, 100),
    "one cell": own(parse_matrix("2"), 1, 1),
    "nothing stored": drawn(parse_matrix("0 0\n0 0"), 2),
    "stop words": of_text("count", "english"),
    "documents, float64": of_text("tfidf", dtype="float64"),
    "documents too long to write": Case(
        TYPED, 2, draw_weight(4, 3, 1), 1, Documents("cat " * MAX_CHARACTERS, "count")
    ),
    "from files": own(LARGE, 4, MAX_NUMBERS // 20 + 1),
    "of the most rows": drawn(untidy(1_000, np.float64, np.int64), MAX_BATCH),
}
CASES |= {f"documents, {kind}": of_text(kind) for kind in KINDS}
CASES |= {
    f"untidy {dtype.__name__} {index.__name__} {name}": drawn(untidy(12, dtype, index), 5, name)
    for dtype in (np.float32, np.float64)
    for index in (np.int32, np.int64)
    for name in ("float32", "float64")
}


def expected(case: Case, printed: str) -> str:
    """The page's results for the batch, without the output."""
    batch = first_batch(case.matrix, case.batch_size, case.weight.dtype)
    output = next(line for line in printed.splitlines() if line.startswith("output: "))
    error = next(line for line in printed.splitlines() if line.startswith("max "))
    batches = -(-case.matrix.shape[0] // case.batch_size)
    return (
        f"batches: {batches} rows: {len(batch.rows)} of {case.matrix.shape[0]}\n"
        f"ids: {batch.ids.tolist()}\n"
        f"offsets: {batch.offsets.tolist()}\n"
        f"weights: {batch.weights.tolist()}\n"
        f"{output}\n{error}\nequal within rounding: True\n"
    )


def test_every_recipe_prints_the_batch_that_the_page_shows(tmp_path: Path) -> None:
    """Every recipe runs without warnings and prints the page's batch."""
    saved = CASES["from files"]
    scipy.sparse.save_npz(tmp_path / recipes.MATRIX_FILE, saved.matrix.csr)
    np.save(tmp_path / recipes.WEIGHT_FILE, saved.weight.numpy())
    printed = run_sources(RUNNER, [case.source() for case in CASES.values()], tmp_path)
    for (name, case), told in zip(CASES.items(), printed, strict=True):
        assert told == expected(case, told), name
        output = next(line for line in told.splitlines() if line.startswith("output: "))
        shown = torch.tensor(json.loads(output.removeprefix("output: ")), dtype=torch.float64)
        reference = run_matrix(case.matrix, tie_weight(case.weight)).reference
        error = (shown - reference.product[: len(shown)]).abs()
        assert bool((error <= reference.tolerance[: len(shown)]).all()), name


def test_what_is_shown_is_what_ran() -> None:
    """The recipe has the source of the classes that the page runs."""
    tree = ast.parse(Path(recipes.__file__).read_text("utf-8"))
    ours = {node.name: ast.dump(node) for node in tree.body if hasattr(node, "name")}
    for case in CASES.values():
        written = {
            node.name: ast.dump(node)
            for node in ast.parse(case.source()).body
            if isinstance(node, ast.ClassDef | ast.FunctionDef)
        }
        assert written == {name: ours[name] for name in ("SparseRows", "collate")}


def test_a_recipe_is_short_ascii_and_imports_what_it_uses() -> None:
    """A recipe is short and ASCII, and imports only what it uses."""
    for name, case in CASES.items():
        source = case.source()
        assert source.isascii(), name
        assert max(map(len, source.splitlines())) <= 100, name
        assert ("sklearn" in source) == (case.documents is not None and "long" not in name), name
        assert ("import numpy" in source) == ("np." in source.partition("# 1.")[2]), name
        assert ("import scipy" in source) == ("scipy.sparse." in source.partition("# 1.")[2]), name
    assert len(CASES["documents, count"].source().splitlines()) < 75
    for name in ("typed", "documents, tfidf", "from files", "own weight"):
        rules = ["--isolated", "--line-length=100", "--select=E,F,I,W", "-"]
        checked = subprocess.run(
            [sys.executable, "-m", "ruff", "check", *rules],
            input=CASES[name].source(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stdout
    assert len(CASES["from files"].source()) < 3_000
    assert f'load_npz("{recipes.MATRIX_FILE}")' in CASES["from files"].source()
    assert f'np.load("{recipes.WEIGHT_FILE}")' in CASES["from files"].source()


def test_documents_make_the_very_matrix_of_the_page() -> None:
    """The recipe's vectorizer makes the page's matrix."""
    for kind in KINDS:
        for stop_words in (None, "english"):
            dtype = "float64" if kind == "tfidf" else "float32"  # what scikit-learn gives
            source = of_text(kind, stop_words, dtype).source()
            names: dict[str, Any] = {}
            exec(source.partition("# 2.")[0], names)  # noqa: S102 - our own script
            csr = vectorize(TEXT, kind, stop_words).csr
            assert names["documents"] == split(TEXT)
            assert (abs(names["X"] - csr)).nnz == 0
            assert names["X"].dtype == csr.dtype
            assert names["X"].indices.tolist() == csr.indices.tolist()


@QUICK
@given(st.text())
def test_no_document_breaks_out_of_its_literal(text: str) -> None:
    """No typed document becomes code."""
    documents = Documents(text, "count")
    source = recipe(TYPED, 2, draw_weight(4, 3, 123), 123, documents)
    assert source.isascii()
    value = next(
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "documents"
    )
    assert ast.literal_eval(value) == split(text)


def test_a_batch_is_rows_one_after_another() -> None:
    """A batch has its rows in order, with empty ones."""
    matrix = from_parts(
        (4, 4),
        np.array([0, 2, 2, 5, 6]),
        np.array([3, 1, 0, 0, 2, 1]),
        np.array([1, 2, 0.5, 0, 3, 9], dtype=np.float32),
    )
    batch = first_batch(matrix, 3)
    assert batch.ids.tolist() == [3, 1, 0, 0, 2]
    assert batch.offsets.tolist() == [0, 2, 2, 5]
    assert batch.weights.tolist() == [1, 2, 0.5, 0, 3]
    assert batch.rows == range(3)
    assert (batch.ids.dtype, batch.offsets.dtype) == (torch.int64, torch.int64)
    assert batch.weights.dtype is torch.float32
    assert first_batch(matrix, 1, torch.float64).weights.dtype is torch.float64
    everything = first_batch(matrix, MAX_BATCH)
    assert everything.rows == range(4)
    rows = SparseRows(matrix.csr, torch.float32)
    assert len(rows) == 4
    assert [part.tolist() for part in rows[1]] == [[], []]


def test_a_batch_is_a_copy_and_draws_nothing() -> None:
    """A batch copies the matrix and leaves the global generator alone."""
    matrix = untidy(6, np.float32, np.int64)
    before, state = matrix.csr.data.copy(), torch.get_rng_state()
    batch = first_batch(matrix, 4)
    batch.weights.mul_(0).add_(7)
    batch.ids.zero_()
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(matrix.csr.data, before)
    assert np.array_equal(matrix.csr.indices, untidy(6, np.float32, np.int64).csr.indices)


def test_the_limits_are_where_they_are_said_to_be() -> None:
    """The limits of literals are exact."""
    for stored in (MAX_STORED, MAX_STORED + 1):
        matrix = from_parts(
            (1, 1), np.array([0, stored]), np.zeros(stored, np.int32), np.ones(stored, np.float32)
        )
        source = own(matrix, 1, 1).source()
        assert ("load_npz" in source) == (stored > MAX_STORED)
        assert len(source) < 100_000
    many = from_parts(
        (MAX_STORED + 1, 1), np.zeros(MAX_STORED + 2, int), np.zeros(0, int), np.zeros(0)
    )
    assert "load_npz" in own(many, 1, 1).source()
    for numbers in (MAX_NUMBERS, MAX_NUMBERS + 1):
        source = own(parse_matrix("1"), 1, numbers).source()
        assert ("np.load(" in source) == (numbers > MAX_NUMBERS)
        assert len(source) < 500_000


@pytest.mark.parametrize("size", [0, -1, MAX_BATCH + 1])
def test_a_batch_of_no_rows_or_too_many_is_refused(size: int) -> None:
    """A batch size out of range is refused."""
    for make in (lambda: first_batch(TYPED, size), lambda: drawn(TYPED, size).source()):
        with pytest.raises(RecipeError, match=rf"A batch of {size:,} rows is outside 1 to 1,024"):
            make()


def test_a_weight_that_does_not_belong_is_refused() -> None:
    """A weight that does not fit the matrix or its seed is refused."""
    with pytest.raises(RecipeError, match=r"\(3, 4\) is not what seed 124 draws"):
        recipe(TYPED, 2, draw_weight(4, 3, 123), 124)
    with pytest.raises(WeightError, match="4 columns of the matrix"):
        recipe(TYPED, 2, draw_weight(5, 3, 123), 123)
