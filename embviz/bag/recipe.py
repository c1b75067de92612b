"""Batches of sparse rows for `nn.EmbeddingBag`, and a script that makes them without embviz.

The page runs `SparseRows` and `collate`, and `recipe` writes their source into a script around the
user's matrix or documents: a `DataLoader`, one batch, and a comparison with the dense product.
Nothing is trained. Typed text enters the script only as an ASCII literal; what is too long for a
literal is loaded from a file by name.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from embviz.bag.documents import Kind, StopWords, split
from embviz.bag.layers import check_weight, draw_weight
from embviz.bag.matrix import Matrix
from embviz.core.dtypes import dtype_name
from embviz.core.export import comment

MAX_BATCH = 1_024  # rows
MAX_STORED = 5_000  # values, and rows, of a matrix that is written out
MAX_NUMBERS = 10_000  # of a weight that is
MAX_CHARACTERS = 10_000  # of documents that are
MATRIX_FILE = "matrix.npz"
WEIGHT_FILE = "linear_weight.npy"

_WIDTH = 96


class RecipeError(ValueError):
    """A batch size out of range, or a weight that its seed does not draw."""


@dataclass(frozen=True)
class Documents:
    """The arguments of `embviz.bag.documents.vectorize` that made the matrix."""

    text: str
    kind: Kind
    stop_words: StopWords = None


@dataclass(frozen=True, eq=False)
class Batch:
    """One batch of a DataLoader over `SparseRows`, as `nn.EmbeddingBag` takes it.

    Attributes:
        ids: int64, shape (nnz of the batch,): the columns of one row after another.
        offsets: int64, shape (rows + 1,): row k is ids[offsets[k]:offsets[k + 1]].
        weights: shape of `ids`: the stored values.
        rows: the rows of the matrix in this batch.
    """

    ids: Tensor
    offsets: Tensor
    weights: Tensor
    rows: range


class SparseRows(Dataset[tuple[Tensor, Tensor]]):
    """Row i of a CSR matrix as ids and weights: its columns, and what they store."""

    def __init__(self, csr: Any, dtype: torch.dtype) -> None:
        self.csr, self.dtype = csr, dtype

    def __len__(self) -> int:
        return int(self.csr.shape[0])

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        start, end = self.csr.indptr[i : i + 2]
        ids = torch.tensor(self.csr.indices[start:end], dtype=torch.int64)
        weights = torch.tensor(self.csr.data[start:end], dtype=self.dtype)
        return ids, weights


def collate(batch: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """Put rows one after another: row k of the batch is ids[offsets[k]:offsets[k + 1]]."""
    lengths = torch.tensor([0, *(len(ids) for ids, _ in batch)])
    ids, weights = (torch.cat(parts) for parts in zip(*batch, strict=True))
    return ids, lengths.cumsum(0), weights


def first_batch(matrix: Matrix, batch_size: int, dtype: torch.dtype = torch.float32) -> Batch:
    """The batch that the recipe shows, from the same class and function.

    Args:
        matrix: its entries are used as they are stored.
        batch_size: rows, 1 to `MAX_BATCH`; a shorter matrix gives all its rows.
        dtype: of the weight.

    Raises:
        RecipeError: another batch size.
    """
    _check_batch(batch_size)
    # A private generator: a DataLoader draws its seed from the global one otherwise.
    loader = DataLoader(
        SparseRows(matrix.csr, dtype),
        batch_size=batch_size,
        collate_fn=collate,
        generator=torch.Generator(),
    )
    ids, offsets, weights = next(iter(loader))
    return Batch(ids, offsets, weights, range(len(offsets) - 1))


def recipe(
    matrix: Matrix,
    batch_size: int,
    weight: Tensor,
    seed: int | None = None,
    documents: Documents | None = None,
) -> str:
    """Write a script that makes the first batch and compares its bags with the dense product.

    Args:
        matrix: written out if it stores at most `MAX_STORED` values in as many rows, else
            loaded from `MATRIX_FILE`, as `scipy.sparse.save_npz` writes it.
        batch_size: rows, 1 to `MAX_BATCH`.
        weight: `Linear.weight`, shape (D, V); written out if it has at most `MAX_NUMBERS`
            numbers, else loaded from `WEIGHT_FILE`, as `numpy.save` writes it.
        seed: the seed that `draw_weight` drew the weight with; then the script draws it too.
        documents: the source of the matrix; then the script calls scikit-learn too, if they have
            at most `MAX_CHARACTERS` characters.

    Returns:
        Source, ASCII only, that needs torch, scipy, and scikit-learn for documents.

    Raises:
        WeightError: the weight does not fit the matrix.
        RecipeError: another batch size, or a weight that the seed does not draw.
    """
    _check_batch(batch_size)
    check_weight(weight, matrix.shape[1])
    dtype = dtype_name(weight.dtype)
    about, made = _matrix(matrix, documents)
    if matrix.csr.dtype != dtype:  # X.astype() would sum the duplicates, in the old dtype
        made += f'\nX.data = X.data.astype("{dtype}")'
    steps = [
        (about, made),
        ("Rows as ids and weights: nothing is made dense.", _classes()),
        _layers(weight, seed),
        _one_batch(batch_size, dtype),
        _dense_product(batch_size, dtype),
    ]
    body = [
        f"{comment(f'{number}. {why}')}\n{code}\n" for number, (why, code) in enumerate(steps, 1)
    ]
    return "\n".join([_imports("\n".join(body)), *body])


def _one_batch(batch_size: int, dtype: str) -> tuple[str, str]:
    return (
        "One batch: its bags in one call. For training, say shuffle=True.",
        f"""\
loader = DataLoader(SparseRows(X, torch.{dtype}), batch_size={batch_size}, collate_fn=collate)
ids, offsets, weights = next(iter(loader))
output = bag(ids, offsets, per_sample_weights=weights)""",
    )


def _dense_product(batch_size: int, dtype: str) -> tuple[str, str]:
    return (
        "The same by the dense product. Both round at every step, so the bound is that of a "
        "sum of so many terms.",
        f"""\
dense = linear(torch.from_numpy(X[:{batch_size}].toarray()))
sizes = F.embedding_bag(
    ids, table.abs(), offsets, mode="sum", per_sample_weights=weights.abs(),
    include_last_offset=True,
)
bound = (len(ids) + 1) * torch.finfo(torch.{dtype}).eps * sizes
error = (output - dense).abs()
print("batches:", len(loader), "rows:", len(output), "of", len(X.indptr) - 1)
print("ids:", ids.tolist())
print("offsets:", offsets.tolist())
print("weights:", weights.tolist())
print("output:", output.tolist())
print("max |difference| from the dense product:", error.max().item())
print("equal within rounding:", (error <= bound).all().item())""",
    )


def _check_batch(batch_size: int) -> None:
    if not 1 <= batch_size <= MAX_BATCH:
        raise RecipeError(f"A batch of {batch_size:,} rows is outside 1 to {MAX_BATCH:,}.")


def _imports(body: str) -> str:
    sklearn = "from sklearn.feature_extraction.text import"
    needed = {  # each import by the code that needs it; "" is in every body
        "import numpy as np": "np.",
        "import scipy.sparse": "scipy.sparse.",
        "import torch": "",
        f"{sklearn} CountVectorizer": "CountVectorizer(",
        f"{sklearn} TfidfVectorizer": "TfidfVectorizer(",
        "from torch import Tensor, nn": "",
        "from torch.nn import functional as F": "",
        "from torch.utils.data import DataLoader, Dataset": "",
    }
    third = [line for line, use in needed.items() if use in body]
    return "\n".join(["from typing import Any", "", *third, ""])


def _classes() -> str:
    return f"{inspect.getsource(SparseRows)}\n\n{inspect.getsource(collate)}"


def _matrix(matrix: Matrix, documents: Documents | None) -> tuple[str, str]:
    """The source of X in words, and the code that makes it."""
    if documents is not None and len(documents.text) <= MAX_CHARACTERS:
        return "Your documents, a row each, and their words, a column each.", _of(documents)
    rows, _ = matrix.shape
    if matrix.nnz > MAX_STORED or rows > MAX_STORED:
        why = f"Your matrix, too long to write out: save it as {MATRIX_FILE}."
        return why, f'X = scipy.sparse.load_npz("{MATRIX_FILE}").tocsr()'
    index = matrix.csr.indices.dtype
    code = f"""\
data = np.array({_list(f"[{_numbers(matrix.csr.data)}]")}, dtype=np.{matrix.csr.dtype})
indices = np.array({_list(str(matrix.csr.indices.tolist()))}, dtype=np.{index})
indptr = np.array({_list(str(matrix.csr.indptr.tolist()))}, dtype=np.{index})
X = scipy.sparse.csr_array((data, indices, indptr), shape={matrix.shape})"""
    return "Your matrix, as CSR stores it.", code


def _numbers(values: Any) -> str:
    """The shortest decimals that read back the same in their dtype, as numpy writes them."""
    return ", ".join(str(value) for value in np.asarray(values))


def _list(literal: str) -> str:
    """A list on one line, or on several lines if it is long."""
    if len(literal) <= _WIDTH - 40:
        return literal
    lines = textwrap.fill(
        literal[1:-1],
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"[\n{lines},\n]"


def _of(documents: Documents) -> str:
    stop = f"stop_words={documents.stop_words!r}"
    vectorizer = {
        "tfidf": f"TfidfVectorizer({stop})",
        "count": f"CountVectorizer({stop}, dtype=np.float32)",
        "binary": f"CountVectorizer(binary=True, {stop}, dtype=np.float32)",
    }[documents.kind]
    lines = "\n".join(f"    {line!a}," for line in split(documents.text))
    return f"documents = [\n{lines}\n]\nX = {vectorizer}.fit_transform(documents)"


def _layers(weight: Tensor, seed: int | None) -> tuple[str, str]:
    """The step that makes both layers, in words and code."""
    dim, columns = weight.shape
    dtype = dtype_name(weight.dtype)
    if seed is not None:
        if not torch.equal(weight, draw_weight(columns, dim, seed, weight.dtype)):
            raise RecipeError(
                f"This weight of {tuple(weight.shape)} is not what seed {seed} draws."
            )
        cast = "" if weight.dtype is torch.float32 else f".to(torch.{dtype})"
        linear = (
            f"torch.manual_seed({seed})\nlinear = nn.Linear({columns}, {dim}, bias=False){cast}"
        )
    else:
        if weight.numel() <= MAX_NUMBERS:
            lists = "\n".join(f"{_list(f'[{_numbers(row)}]')}," for row in weight)
            given = f"torch.tensor([\n{lists}\n], dtype=torch.{dtype})"
        else:
            given = f'torch.from_numpy(np.load("{WEIGHT_FILE}")).to(torch.{dtype})'
        linear = f"""\
linear = nn.Linear({columns}, {dim}, bias=False, dtype=torch.{dtype})
linear.weight = nn.Parameter({given})"""
    return (
        "One weight, two layers: nn.EmbeddingBag's is the transpose, a copy of its own.",
        f"""\
{linear}
table = linear.weight.detach().t().clone(memory_format=torch.contiguous_format)
bag = nn.EmbeddingBag.from_pretrained(table, mode="sum", include_last_offset=True, freeze=False)""",
    )
