"""One case: a method at one size, on one device, in one mode.

Its definition alone gives the bytes it must move, its operations and the memory it needs. No
tensor is touched here: a case can be refused before anything is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from embviz.fact.dtypes import DTYPES
from embviz.system import bounds
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote
from embviz.timing.measure.axes import (
    AXES,
    CACHES,
    DEVICES,
    MODES,
    PRECISIONS,
    SKEWS,
    VARY,
    Cache,
    Mode,
)
from embviz.timing.measure.methods import INDEX, METHODS, Method

ROUNDS = 24  # Rounds of a sweep: each measures every quick case once.
PLACEMENTS = 8  # Parts of the rounds, equally long: before each all tensors are made anew.
FEWEST = 5  # Placements, or processes where there are several, that tell two times apart.
MOST_PROCESSES = 100  # Processes of a sweep, at most.
SIZES = {  # Smallest and largest value.
    "num_embeddings": (1, 2**27),
    "embedding_dim": (1, 2**16),
    "tokens": (1, 2**20),
    "threads": (1, 1024),
}
KINDS: dict[str, Iterable[str]] = {
    "device": DEVICES,
    "cache": CACHES,
    "mode": MODES,
    "dtype": DTYPES,
    "precision": PRECISIONS,
    "ids": SKEWS,
    "method": METHODS,
}

Line = dict[str, Any]  # A line of a run file, or one between a sweep and its measuring process.


class CaseError(Refused):
    """The sentence that refuses a case or a plan."""


class UnsupportedError(CaseError):
    """The method lacks the mode or the cache, or the device a precision; another may have it."""


@dataclass(frozen=True)
class Timed:
    """One thing to time. Its JSON is `dataclasses.asdict`.

    Attributes:
        method: a key of METHODS.
        num_embeddings: V, rows of the table.
        embedding_dim: D, numbers in a row.
        tokens: N, ids looked up at once.
        dtype: of table and output.
        device: cpu, cuda, mps or xpu.
        threads: PyTorch's threads on the CPU.
        mode: a key of MODES, what is done after the forward expression.
        ids: a key of SKEWS, how the ids are drawn.
        cache: a key of CACHES, what the caches hold when a call begins.
        precision: of float32 products, one of PRECISIONS.

    Raises:
        CaseError: (a ValueError) quoting what is wrong.

    >>> Timed("lookup", num_embeddings=100, embedding_dim=10, tokens=3).bytes
    264
    """

    method: str
    num_embeddings: int
    embedding_dim: int
    tokens: int
    dtype: str = "float32"
    device: str = "cpu"
    threads: int = 1
    mode: str = "forward"
    ids: str = "uniform"
    cache: str = "same"
    precision: str = "highest"

    def __post_init__(self) -> None:
        for name, allowed in KINDS.items():
            _one_of(name, getattr(self, name), allowed)
        for name, (low, high) in SIZES.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise CaseError(
                    f"{name}={quote(str(value))} is not a whole number from {low:,} to {high:,}."
                )
        if self.mode not in self.record.modes:
            modes = ", ".join(self.record.modes)
            why = f"{self.method} has no mode {self.mode!r}, only: {modes}."
            raise UnsupportedError(why, about="mode")
        if self.cache_record.renews and self.record.route != "lookup":
            # A matmul reads the whole table.
            why = f"only lookups are timed with new ids, not {self.method}."
            raise UnsupportedError(why, about="cache")
        has_tf32 = self.device == "cuda" and self.dtype == "float32"
        if self.precision != "highest" and not has_tf32:
            why = f"precision {self.precision} (TF32) is for float32 on a CUDA GPU alone."
            raise UnsupportedError(why, about="precision")

    @property
    def record(self) -> Method:
        """The method's record."""
        return METHODS[self.method]

    @property
    def mode_record(self) -> Mode:
        """The record of the mode."""
        return MODES[self.mode]

    @property
    def cache_record(self) -> Cache:
        """The record of the cache."""
        return CACHES[self.cache]

    @property
    def backward(self) -> bool:
        """Whether gradients are computed."""
        return self.mode_record.backward

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """The order of cases: kinds as their records stand, sizes, then methods."""
        *kinds, method = (list(those).index(getattr(self, name)) for name, those in KINDS.items())
        return *kinds, *(getattr(self, name) for name in SIZES), method

    @property
    def point(self) -> tuple[int, ...]:
        """All but the method: equal for the methods that are timed side by side."""
        return self.rank[:-1]

    def __lt__(self, other: Timed) -> bool:
        """Cases are sorted by `rank`."""
        return self.rank < other.rank

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return DTYPES[self.dtype].itemsize

    @cached_property
    def _sizes(self) -> tuple[int, int, int, int]:
        """Bytes of ids or CSR factor, table (V x D), result (N x D) and dense factor (N x V)."""
        row, wide = (n * self.itemsize for n in (self.embedding_dim, self.num_embeddings))
        ids = self.tokens * INDEX
        if self.record.csr:  # where each row begins, and its column and its number
            ids += (self.tokens + 1) * INDEX + self.tokens * self.itemsize
        return ids, self.num_embeddings * row, self.tokens * row, self.tokens * wide

    @property
    def bytes(self) -> int:
        """Bytes that the definition must move through memory, reads and writes."""
        method, (ids, table, out, hot) = self.record, self._sizes
        if method.dense:
            forward, backward = hot + table + out, hot + out + table
            if method.builds:  # an int64 one-hot is written, and read again to be converted
                forward += ids + hot + 2 * self._int64
        else:
            # The gradient's rows are read and added in; a dense one is zeroed first.
            zeroed = 0 if method.sparse_gradient else table
            forward, backward = ids + 2 * out, ids + zeroed + 3 * out
        updated = out if method.sparse_gradient else table
        return forward + self.backward * backward + self.mode_record.moved * updated

    @property
    def _int64(self) -> int:
        """Bytes of the int64 one-hot that F.one_hot makes first."""
        return self.tokens * self.num_embeddings * INDEX * self.record.from_int64

    @property
    def flops(self) -> int:
        """Floating-point operations that the definition asks for; a copy has none."""
        method, numbers = self.record, self.tokens * self.embedding_dim
        forward, backward = 2 * numbers if method.csr else 0, numbers
        if method.dense:
            forward = backward = 2 * numbers * self.num_embeddings
        rows = self.tokens if method.sparse_gradient else self.num_embeddings
        update = self.mode_record.flops * rows * self.embedding_dim
        return forward + self.backward * backward + update

    def memory(self) -> dict[str, int]:
        """Bytes held at the peak, part by part: ready tensors, and those made inside the clock.

        >>> Timed("onehot_matmul", 65536, 64, 256).memory()["one-hot"] // 2**20
        192
        """
        method, mode, (ids, table, out, hot) = self.record, self.mode_record, self._sizes
        parts = {"table": table, "ids": ids, "output": out}
        if method.dense:
            parts["one-hot"] = hot + self._int64
        if self.backward:
            own = out if method.sparse_gradient else table
            parts["gradients"] = out + own
            if method.csr:
                parts["gradients"] += table  # PyTorch makes another copy of this gradient
        if method.dense and self.itemsize == 2:
            parts["packed weight"] = table  # as oneDNN wants it
        scratch = 0 if method.sparse_gradient else mode.scratch
        if tables := mode.moments + scratch:
            parts[f"{mode.optimizer}'s own tables"] = tables * table
        return parts

    @property
    def memory_bytes(self) -> int:
        """Bytes held at the peak, predicted from the definition."""
        return sum(self.memory().values())


def plan(
    vary: str,
    values: Iterable[Any],
    methods: Iterable[str],
    devices: Iterable[str],
    *,
    caches: Iterable[str] = ("same",),
    precisions: Iterable[str] = ("highest",),
    **fixed: Any,
) -> list[Timed]:
    """The cases of a sweep, point by point: each value, device, cache and precision, each method.

    A method that lacks one of several caches is timed with the others; so is a precision that a
    device or dtype lacks.

    Raises:
        CaseError: with what is wrong, also where a method has no case at all.

    >>> [case.num_embeddings for case in plan("vocab", [4, 8], ["lookup"], ["cpu"],
    ...                                       embedding_dim=2, tokens=1)]
    [4, 8]
    """
    given = {"device": devices, "cache": caches, VARY[vary].field: values}
    given |= {"precision": precisions, "method": methods}
    axes = {name: list(dict.fromkeys(chosen)) for name, chosen in given.items()}
    if missing := [name for name, chosen in axes.items() if not chosen]:
        about = {"device": "devices", "method": "methods"}.get(missing[0], missing[0])
        raise CaseError(f"no {missing[0]} is chosen; choose at least one.", about=about)
    if (count := math.prod(map(len, axes.values()))) > (most := bounds.SWEEP_CASES.value()):
        raise CaseError(f"a sweep has at most {counted(most, 'case')}, not {count:,}.")
    cases, reasons = list[Timed](), dict[str, UnsupportedError]()
    for point in product(*axes.values()):
        fields = fixed | dict(zip(axes, point, strict=True))
        try:
            cases.append(Timed(**fields))
        except UnsupportedError as error:
            reasons[fields["method"]] = error
    if lacking := reasons.keys() - {case.method for case in cases}:
        why = [reasons[name] for name in reasons if name in lacking]
        raise CaseError(" ".join(map(str, why)), about=why[0].about)
    return cases


def varying(*runs: Iterable[Timed]) -> str:
    """The field for the axis: the one with the most values in a run; rows if none differs."""
    lists = [list(cases) for cases in runs]  # Each is read once for each field.

    def most(name: str) -> int:
        return max(len({getattr(case, name) for case in cases}) for cases in lists)

    return max(AXES, key=most)


def _one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in list(allowed):
        raise CaseError(f"{name}={quote(str(value))} is not one of: {', '.join(allowed)}.")
