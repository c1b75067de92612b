"""The statements inside the clock, and the tensors they find ready.

A statement is the very source that `torch.utils.benchmark.Timer` runs, so what
a page shows of a method is what was timed. Ids are drawn on the CPU and checked
there before anything is launched on a GPU.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from embviz.core import dtypes
from embviz.timing.cases import BAG, Case

DTYPES = {name: one.torch for name, one in dtypes.DTYPES.items()}
SEED = 123
STRIP = 2**18  # numbers drawn at once

_FORWARD = {
    "lookup": "F.embedding(ids, table)",
    "lookup_sparse": "F.embedding(ids, table, sparse=True)",
    "index_select": "torch.index_select(table, 0, ids)",
    "numpy_take": "np.take(table, ids, axis=0)",
    "matmul": "F.linear(one_hot, weight)",
    "matmul_table": "one_hot @ table",
    "onehot_matmul": "F.linear(F.one_hot(ids, V).to(dtype), weight)",
    "scatter_matmul": "F.linear(torch.zeros(N, V, dtype=dtype, device=device)"
    ".scatter_(1, ids[:, None], 1), weight)",
    "sparse_matmul": "csr @ table",
    "embedding_bag": 'F.embedding_bag(ids, table, offsets, mode="sum")',
    "dense_bag": "F.linear(counts, weight)",
}
_REUSED = {
    "index_select": "torch.index_select(table, 0, ids, out=out)",
    "numpy_take": 'np.take(table, ids, axis=0, out=out, mode="clip")',
    "matmul": "torch.mm(one_hot, weight.t(), out=out)",
    "matmul_table": "torch.mm(one_hot, table, out=out)",
}
_READY = {  # what stands ready before the clock starts
    "ids": "ids (N)",
    "table": "table (V × D)",
    "weight": "weight (D × V, contiguous, as in nn.Linear)",
    "one_hot": "one_hot (N × V)",
    "csr": "csr (the one-hot, N × V, as indptr, indices, data)",
    "counts": f"counts (one row for each bag of up to {BAG} tokens)",
    "offsets": f"offsets (a bag every {BAG} tokens)",
    "out": "out",
    "grad": "grad (the gradient of the output)",
}


def statement(case: Case) -> str:
    """The source that is timed.

    >>> statement(Case("matmul", 100, 10, 3, pass_="backward"))
    'F.linear(one_hot, weight).backward(grad); weight.grad = None'
    """
    forward = _REUSED[case.method] if case.output == "reused" else _FORWARD[case.method]
    if case.pass_ == "forward":
        return forward
    forward = f"({forward})" if "@" in forward else forward
    if case.pass_ == "backward":
        return f"{forward}.backward(grad); {parameter(case)}.grad = None"
    return f"{forward}.backward(grad); optimizer.step(); optimizer.zero_grad()"


def parameter(case: Case) -> str:
    """The name of the tensor that learns."""
    return "weight" if "weight" in _FORWARD[case.method] else "table"


def inside(case: Case) -> str:
    """One line: what is inside the clock, and what stands ready before it starts."""
    words = {word for word in _READY if _uses(statement(case), word)}
    ready = ", ".join(text for word, text in _READY.items() if word in words)
    return f"{statement(case)}  with {ready} ready"


def draw_ids(case: Case) -> torch.Tensor:
    """Ids (N), int64, on the CPU, all within the table; the same for every method.

    Raises:
        IndexError: if one were outside, before a GPU sees it.
    """
    generator = torch.Generator().manual_seed(SEED)
    rows, tokens = case.num_embeddings, case.tokens
    if case.ids == "equal":
        ids = torch.full((tokens,), rows // 2, dtype=torch.int64)
    elif case.ids == "zipf":
        # Inverse of the harmonic sum H(k) ~ ln(k + 1): no weights of V numbers are needed.
        uniform = torch.rand(tokens, generator=generator, dtype=torch.float64)
        ids = ((rows + 1.0) ** uniform - 1).long().clamp_(0, rows - 1)
    else:
        ids = torch.randint(0, rows, (tokens,), generator=generator)
    if not 0 <= int(ids.min()) <= int(ids.max()) < rows:
        raise IndexError(f"ids from {int(ids.min())} to {int(ids.max())} in {rows} rows")
    return ids


class Ready:
    """The tensors of one point: each made when a statement first names it, then shared."""

    def __init__(self, point: Case) -> None:
        self._point = point
        self._dtype = DTYPES[point.dtype]
        self._ids = draw_ids(point)
        self._made: dict[str, Any] = {}

    def names(self, case: Case) -> dict[str, Any]:
        """The globals of a case's statement.

        A case that learns gets a parameter of its own, so that no method sees another's.
        """
        source = statement(case)
        names: dict[str, Any] = {
            "F": F,
            "torch": torch,
            "np": np,
            "N": case.tokens,
            "V": case.num_embeddings,
            "dtype": self._dtype,
            "device": case.device,
        }
        for name in ("ids", "table", "weight", "one_hot", "csr", "counts", "offsets"):
            if _uses(source, name):
                learns = case.pass_ != "forward" and name == parameter(case)
                names[name] = self._make(name) if learns else self._shared(name)
        if case.method == "numpy_take":
            names |= {"ids": names["ids"].numpy(), "table": names["table"].numpy()}
        if case.output == "reused":
            shape = (case.tokens, case.embedding_dim)
            names["out"] = torch.empty(shape, dtype=self._dtype, device=case.device)
            if case.method == "numpy_take":
                names["out"] = names["out"].numpy()
        if case.pass_ != "forward":
            self._learn(case, names)
        return names

    @property
    def shared_bytes(self) -> int:
        """Of the tensors that stand ready at this point for any method."""
        return sum(_nbytes(made) for made in self._made.values())

    def found_bytes(self, case: Case) -> int:
        """Of those, what this case's statement names."""
        source = statement(case)
        return sum(_nbytes(made) for name, made in self._made.items() if _uses(source, name))

    def _learn(self, case: Case, names: dict[str, Any]) -> None:
        name = parameter(case)
        names[name].requires_grad_()
        rows = case.bags if case.method in ("embedding_bag", "dense_bag") else case.tokens
        names["grad"] = self._random(rows, case.embedding_dim)
        # So small a rate that the weights stay finite over a million steps.
        if case.pass_ == "sgd":
            names["optimizer"] = torch.optim.SGD([names[name]], lr=1e-9)
        elif case.pass_ == "adam":
            adam = torch.optim.SparseAdam if case.method == "lookup_sparse" else torch.optim.Adam
            names["optimizer"] = adam([names[name]], lr=1e-9)

    def _shared(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        makers: dict[str, Callable[[], Any]] = {
            "ids": lambda: self._ids.to(self._point.device),
            "table": self._table,
            "weight": lambda: self._table(transposed=True),
            "one_hot": self._one_hot,
            "csr": self._csr,
            "counts": self._counts,
            "offsets": lambda: torch.arange(0, self._point.tokens, BAG, device=self._point.device),
        }
        return makers[name]()

    def _table(self, transposed: bool = False) -> torch.Tensor:
        """V x D, or its contiguous transpose; drawn in strips, so that it exists only once."""
        rows, columns = self._point.num_embeddings, self._point.embedding_dim
        shape = (columns, rows) if transposed else (rows, columns)
        table = torch.empty(shape, dtype=self._dtype, device=self._point.device)
        generator, high = torch.Generator().manual_seed(SEED), max(1, STRIP // columns)
        for start in range(0, rows, high):
            strip = torch.randn(min(high, rows - start), columns, generator=generator)
            if transposed:
                table[:, start : start + high] = strip.t()
            else:
                table[start : start + high] = strip
        return table

    def _random(self, rows: int, columns: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(SEED)
        numbers = torch.randn(rows, columns, generator=generator)
        return numbers.to(device=self._point.device, dtype=self._dtype)

    def _one_hot(self) -> torch.Tensor:
        shape = (self._point.tokens, self._point.num_embeddings)
        zeros = torch.zeros(shape, dtype=self._dtype, device=self._point.device)
        return zeros.scatter_(1, self._shared("ids")[:, None], 1)

    def _csr(self) -> torch.Tensor:
        tokens = self._point.tokens
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
            return torch.sparse_csr_tensor(
                torch.arange(tokens + 1),
                self._ids,
                torch.ones(tokens, dtype=self._dtype),
                (tokens, self._point.num_embeddings),
                check_invariants=True,
            ).to(self._point.device)

    def _counts(self) -> torch.Tensor:
        tokens = self._point.tokens
        counts = torch.zeros(self._point.bags, self._point.num_embeddings, dtype=self._dtype)
        rows, ones = torch.arange(tokens) // BAG, torch.ones(tokens, dtype=self._dtype)
        counts.index_put_((rows, self._ids), ones, accumulate=True)
        return counts.to(self._point.device)


def _nbytes(made: torch.Tensor) -> int:
    if made.layout == torch.sparse_csr:
        return made.values().nbytes + made.crow_indices().nbytes + made.col_indices().nbytes
    return made.nbytes


def _uses(source: str, word: str) -> bool:
    # F.one_hot is a function and torch.zeros no table: only whole names count, not attributes.
    return re.search(rf"(?<![\w.]){word}(?!\w)", source) is not None
