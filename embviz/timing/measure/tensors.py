"""The statement that is timed, and the tensors that stand ready before the clock starts.

The page shows the very source that runs. Ids are drawn on the CPU and checked there before a GPU
sees them. Nothing is timed here.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import torch
from torch.nn import functional as F

from embviz.fact.dtypes import DTYPES
from embviz.fact.layers import check_range
from embviz.timing.measure.axes import SKEWS
from embviz.timing.measure.timed import Timed

SEED = 123
STRIP = 2**18  # Numbers that are drawn; a larger table repeats them.
LEARNING_RATE = 1e-9  # Size of an update: the weights stay finite over a million of them.


def statement(case: Timed) -> str:
    """The source that is timed.

    >>> statement(Timed("matmul", 100, 10, 3, mode="backward"))
    'F.linear(one_hot, weight).backward(grad); weight.grad = None'
    >>> statement(Timed("lookup", 100, 10, 3, cache="new"))
    'for ids in batches: F.embedding(ids, table)'
    """
    method = case.record
    whole = case.mode_record.statement(method.source, method.learns)
    return f"for ids in batches: {whole}" if case.cache_record.renews else whole


def draw_ids(case: Timed) -> torch.Tensor:
    """Ids (N), int64, on the CPU, all within the table; the same for every method.

    Raises:
        IndexError: if one were outside, before a GPU sees it.
    """
    generator = torch.Generator().manual_seed(SEED)
    rows = case.num_embeddings
    empty = torch.empty(case.tokens, dtype=torch.int64)
    ids = SKEWS[case.ids](empty, rows, generator)
    check_range(ids, rows)
    return ids


def learned(case: Timed, names: dict[str, Any]) -> torch.Tensor:
    """The tensor whose gradient is computed, among the globals of a case's statement."""
    found: torch.Tensor = attrgetter(case.record.learns)(SimpleNamespace(**names))
    return found


@contextmanager
def precision(case: Timed) -> Iterator[None]:
    """Compute float32 products as the case says, then again in `highest`.

    PyTorch has this once for a whole process. So only the measuring process calls this.
    """
    torch.set_float32_matmul_precision(case.precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision("highest")


class Ready:
    """The tensors of one point: each is made when a statement first names it, then shared.

    Args:
        point: any case of the point.
    """

    def __init__(self, point: Timed) -> None:
        self._point, self._ids = point, draw_ids(point)
        self._kind: dict[str, Any] = {"dtype": DTYPES[point.dtype].torch, "device": point.device}
        self._made: dict[str, torch.Tensor] = {}

    def names(self, case: Timed) -> dict[str, Any]:
        """The globals of a case's statement.

        A case that learns gets a parameter of its own, so that no method changes another's.
        """
        names: dict[str, Any] = {"F": F, "torch": torch, **self._kind}
        names |= {"N": case.tokens, "V": case.num_embeddings}
        read = _names(statement(case))
        if "embedding" in read:
            read.add("table")
        for name in [made for made in MADE if made in read]:
            own = case.backward and name in ("table", "weight")
            names[name] = MADE[name](self) if own else self.shared(name)
        if "embedding" in read:
            size = (case.num_embeddings, case.embedding_dim)
            names["embedding"] = torch.nn.Embedding(*size, _weight=names["table"], _freeze=True)
        if case.backward:
            self._learn(case, names)
        return names

    def shared(self, name: str) -> torch.Tensor:
        """A tensor that the methods of the point read, by its name in MADE."""
        if name not in self._made:
            self._made[name] = MADE[name](self)
        return self._made[name]

    def _learn(self, case: Timed, names: dict[str, Any]) -> None:
        learns, update = learned(case, names).requires_grad_(), case.mode_record
        names["grad"] = self._drawn(case.tokens, case.embedding_dim)
        sparse = case.record.sparse_gradient
        if optimizer := update.sparse_optimizer if sparse else update.optimizer:
            kind = getattr(torch.optim, optimizer)
            more: dict[str, Any] = {}
            if case.device == "cuda" and optimizer == "Adam":
                more = {"capturable": True}  # A CUDA graph must hold its step.
            names["optimizer"] = kind([learns], lr=LEARNING_RATE, **more)

    def _table(self, transposed: bool = False) -> torch.Tensor:
        """V x D, or its contiguous transpose."""
        return self._drawn(self._point.num_embeddings, self._point.embedding_dim, transposed)

    def _drawn(self, rows: int, columns: int, transposed: bool = False) -> torch.Tensor:
        """Normal numbers, one strip again and again: to draw them all takes longer than to time."""
        made = torch.empty((columns, rows) if transposed else (rows, columns), **self._kind)
        table = made.t() if transposed else made
        generator, high = torch.Generator().manual_seed(SEED), max(1, STRIP // columns)
        drawn = torch.randn(min(high, rows), columns, generator=generator).to(**self._kind)
        for strip in torch.split(table, high):
            strip.copy_(drawn[: len(strip)])
        return made

    def _one_hot(self) -> torch.Tensor:
        zeros = torch.zeros(self._point.tokens, self._point.num_embeddings, **self._kind)
        return zeros.scatter_(1, self.shared("ids")[:, None], 1)

    def _csr(self) -> torch.Tensor:
        tokens = self._point.tokens
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
            return torch.sparse_csr_tensor(
                torch.arange(tokens + 1),
                self._ids,
                torch.ones(tokens, dtype=self._kind["dtype"]),
                (tokens, self._point.num_embeddings),
                check_invariants=True,
            ).to(self._point.device)


MADE: dict[str, Callable[[Ready], torch.Tensor]] = {
    "ids": lambda ready: ready._ids.to(ready._point.device),
    "table": Ready._table,
    "weight": lambda ready: ready._table(transposed=True),
    "one_hot": Ready._one_hot,
    "csr": Ready._csr,
}


def nbytes(made: torch.Tensor) -> int:
    """Bytes of a tensor, dense or CSR."""
    if made.layout == torch.sparse_csr:
        return made.values().nbytes + made.crow_indices().nbytes + made.col_indices().nbytes
    return made.nbytes


def _names(source: str) -> set[str]:
    """The names that a statement reads; an attribute such as F.one_hot is none."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
