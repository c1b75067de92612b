"""Cases: one case is a method at one size, on one device, in one pass.

Its definition alone gives the bytes it must move, its operations and the memory it needs.
No tensor is touched here: a case can be refused before anything is allocated.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product
from typing import Any

from embviz.core.dtypes import DTYPES
from embviz.core.refused import Refused
from embviz.core.wording import printable
from embviz.timing.methods import INDEX, METHODS, Method
from embviz.timing.settings import (
    CACHES,
    DEVICES,
    PASSES,
    SKEWS,
    VARY,
    Cache,
    Pass,
)

LIMITS = {  # smallest and largest
    "num_embeddings": (1, 2**27),
    "embedding_dim": (1, 2**16),
    "tokens": (1, 2**20),
    "threads": (1, 1024),
}
MAX_CASES = 2_000  # of one sweep
BAG = 32  # tokens of one bag


class CaseError(Refused):
    """The sentence that refuses a case or a plan."""


class UnsupportedError(CaseError):
    """The method lacks the pass or the cache; another method may have it."""


@dataclass(frozen=True)
class Case:
    """One thing to time.

    Attributes:
        method: a key of METHODS.
        num_embeddings: V, rows of the table.
        embedding_dim: D, numbers in a row.
        tokens: N, ids looked up at once.
        dtype: of table and output.
        device: cpu, cuda, mps or xpu.
        threads: PyTorch's threads on the CPU.
        pass_: a key of PASSES; `pass` in JSON.
        ids: a key of SKEWS, how the ids are drawn.
        cache: a key of CACHES, what the caches hold when a call begins.

    Raises:
        CaseError: (a ValueError) quoting what is wrong.

    >>> Case("lookup", num_embeddings=100, embedding_dim=10, tokens=3).bytes
    264
    """

    method: str
    num_embeddings: int
    embedding_dim: int
    tokens: int
    dtype: str = "float32"
    device: str = "cpu"
    threads: int = 1
    pass_: str = "forward"
    ids: str = "uniform"
    cache: str = "same"

    def __post_init__(self) -> None:
        _one_of("method", self.method, METHODS)
        for name, (low, high) in LIMITS.items():
            _whole_number(name, getattr(self, name), low, high)
        _one_of("dtype", self.dtype, DTYPES)
        _one_of("device", self.device, DEVICES)
        _one_of("pass", self.pass_, PASSES)
        _one_of("ids", self.ids, SKEWS)
        _one_of("cache", self.cache, CACHES)
        if why := self.record.refusal(self.pass_, self.cache):
            raise UnsupportedError(why)

    @classmethod
    def from_dict(cls, given: object) -> Case:
        """A case from JSON: the fields above, with `pass` for `pass_`; others are refused.

        >>> Case.from_dict({"method": "lookup", "num_embeddings": 9, "embedding_dim": 2})
        Traceback (most recent call last):
        embviz.timing.cases.CaseError: the case lacks tokens.
        """
        if not isinstance(given, Mapping):
            raise CaseError(f"{quoted(given)} is not a case: a JSON object was expected.")
        named = {"pass_" if key == "pass" else key: value for key, value in given.items()}
        if unknown := [key for key in given if key == "pass_" or key not in NAMES]:
            raise CaseError(f"{quoted(unknown[0])} is no field of a case: {', '.join(NAMES)}.")
        if lacking := [name for name in _REQUIRED if name not in named]:
            raise CaseError(f"the case lacks {', '.join(lacking)}.")
        return cls(**named)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them."""
        return {
            name: getattr(self, field.name) for name, field in zip(NAMES, fields(self), strict=True)
        }

    @property
    def record(self) -> Method:
        """The method's record."""
        return METHODS[self.method]

    @property
    def pass_record(self) -> Pass:
        """The record of the pass."""
        return PASSES[self.pass_]

    @property
    def cache_record(self) -> Cache:
        """The record of the cache."""
        return CACHES[self.cache]

    @property
    def backward(self) -> bool:
        """Whether gradients are computed."""
        return self.pass_record.backward

    @property
    def point(self) -> Case:
        """The same case with the first method: equal for all methods timed side by side."""
        return dataclasses.replace(self, method=next(iter(METHODS)), pass_=next(iter(PASSES)))

    @cached_property
    def group(self) -> tuple[Case, str]:
        """Cases of one group are timed interleaved: the same sizes, device and pass."""
        return self.point, self.pass_

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """What results are sorted by: kinds in the order of their records, sizes, methods."""
        kinds: list[tuple[Iterable[str], str]] = [
            (DEVICES, self.device),
            (CACHES, self.cache),
            (PASSES, self.pass_),
            (DTYPES, self.dtype),
            (SKEWS, self.ids),
        ]
        sizes = (self.num_embeddings, self.embedding_dim, self.tokens, self.threads)
        places = (list(those).index(one) for those, one in kinds)
        return (*places, *sizes, list(METHODS).index(self.method))

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return DTYPES[self.dtype].itemsize

    @property
    def bags(self) -> int:
        """Bags of at most BAG tokens."""
        return -(-self.tokens // BAG)

    @property
    def output_rows(self) -> int:
        """Rows of the result: one for each token, or for each bag."""
        return self.bags if self.record.bags else self.tokens

    @property
    def table_bytes(self) -> int:
        """Bytes of one table, V x D."""
        return self.num_embeddings * self.embedding_dim * self.itemsize

    @property
    def output_bytes(self) -> int:
        """Bytes of the result: N x D, or one row for each bag."""
        return self.output_rows * self.embedding_dim * self.itemsize

    @property
    def one_hot_bytes(self) -> int:
        """Bytes of the dense factor N x V, or of counts with one row for each bag."""
        return self.output_rows * self.num_embeddings * self.itemsize

    def _built(self, int64_passes: int) -> int:
        """Bytes of the one-hot that is made inside the clock, with its int64 copy."""
        if not self.record.builds:
            return 0
        int64 = INDEX * int64_passes if self.record.from_int64 else 0
        return self.tokens * self.num_embeddings * (self.itemsize + int64)

    @property
    def _row_bytes(self) -> int:
        """Bytes of the looked-up rows."""
        return self.tokens * self.embedding_dim * self.itemsize

    @property
    def bytes(self) -> int:
        """Bytes that the definition must move through memory, reads and writes."""
        method, index, out = self.record, self.record.index_bytes(self), self.output_bytes
        if method.dense:
            # An int64 one-hot is written, and read again to be converted.
            building = self._built(2) + index if method.builds else 0
            forward = building + self.one_hot_bytes + self.table_bytes + out
            backward = self.one_hot_bytes + out + self.table_bytes
        else:
            forward = index + self._row_bytes + out
            # The gradient's rows are read and added in; a dense one is zeroed first.
            zeroed = 0 if method.sparse_gradient else self.table_bytes
            backward = index + out + zeroed + 2 * self._row_bytes
        updated = self._row_bytes if method.sparse_gradient else self.table_bytes
        return forward + self.backward * backward + self.pass_record.moved * updated

    @property
    def flops(self) -> int:
        """Floating-point operations that the definition asks for; a copy has none."""
        method, numbers = self.record, self.tokens * self.embedding_dim
        forward, backward = method.flops_per_number * numbers, numbers
        if method.dense:
            output = self.output_rows * self.embedding_dim
            forward = backward = 2 * output * self.num_embeddings
        rows = self.tokens if method.sparse_gradient else self.num_embeddings
        update = self.pass_record.flops * rows * self.embedding_dim
        return forward + self.backward * backward + update

    def memory(self) -> dict[str, int]:
        """Bytes held at the peak, part by part: ready tensors, and those made inside the clock.

        >>> Case("onehot_matmul", 65536, 64, 256).memory()["one-hot"] // 2**20
        192
        """
        method, table, out = self.record, self.table_bytes, self.output_bytes
        parts = {"table": table, "ids": method.index_bytes(self), "output": out}
        if method.dense:
            parts["one-hot"] = self._built(1) or self.one_hot_bytes
        if self.backward:
            own = out if method.sparse_gradient else table
            parts["gradients"] = out + own + method.gradient_copies * table
        if method.dense and not method.bags and self.itemsize == 2:
            parts["packed weight"] = table  # as oneDNN wants it
        if self.pass_record.moments:
            parts[f"{self.pass_record.optimizer}'s moments"] = self.pass_record.moments * table
        if self.pass_record.scratch and not method.sparse_gradient:
            parts[f"{self.pass_record.optimizer}'s scratch"] = self.pass_record.scratch * table
        return parts

    @property
    def memory_bytes(self) -> int:
        """Bytes held at the peak, predicted from the definition."""
        return sum(self.memory().values())


NAMES = [field.name.removesuffix("_") for field in fields(Case)]  # as JSON has them
_REQUIRED = [field.name for field in fields(Case) if field.default is dataclasses.MISSING]


def plan(
    vary: str,
    values: Iterable[Any],
    methods: Iterable[str],
    devices: Iterable[str],
    caches: Iterable[str] = ("same",),
    left_out: dict[str, str] | None = None,
    **fixed: Any,
) -> list[Case]:
    """The cases of a sweep: every value, device and cache, by every method that can.

    A method is left out at the points where it lacks the pass or the cache. One left out at all
    points is refused; with `left_out`, its reason is put there.

    Raises:
        CaseError: with what is wrong, also where no case is left.

    >>> [case.num_embeddings for case in plan("vocab", [4, 8], ["lookup"], ["cpu"],
    ...                                       embedding_dim=2, tokens=1)]
    [4, 8]
    """
    _one_of("vary", vary, VARY)
    axes: dict[str, list[Any]] = {
        "value": list(values),
        "method": list(methods),
        "device": list(devices),
        "cache": list(caches),
    }
    for what, chosen in axes.items():
        if not chosen:
            raise CaseError(f"no {what} is chosen; choose at least one.")
        if len(chosen) != len(set(map(str, chosen))):
            raise CaseError(f"a {what} is chosen twice: {', '.join(map(quoted, chosen))}.")
    if (count := math.prod(map(len, axes.values()))) > MAX_CASES:
        raise too_many(count)
    for method in axes["method"]:
        _one_of("method", method, METHODS)
    cases = list[Case]()
    reasons = dict[str, str]()
    for device, cache, value, method in product(
        axes["device"], axes["cache"], axes["value"], axes["method"]
    ):
        given = {**fixed, VARY[vary].field: value}
        given |= {"method": method, "device": device, "cache": cache}
        try:
            cases.append(Case(**given))
        except UnsupportedError as error:
            reasons[method] = str(error)
    measured = {case.method for case in cases}
    reasons = {method: why for method, why in reasons.items() if method not in measured}
    if reasons and (left_out is None or not cases):
        raise CaseError(" ".join(reasons.values()))
    if left_out is not None:
        left_out.update(reasons)
    return cases


def too_many(count: int) -> CaseError:
    """The refusal of a sweep with more than MAX_CASES cases."""
    return CaseError(f"{count:,} cases are more than the {MAX_CASES:,} allowed in one sweep.")


def quoted(value: object, limit: int = 60) -> str:
    """A value of unknown origin, on one short printable line."""
    try:
        shown = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    except (TypeError, ValueError, RecursionError):
        shown = f"a {type(value).__name__} that cannot be written"
    shown = "".join(printable(character) for character in shown[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "…"


def _whole_number(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        huge = isinstance(value, int) and abs(value) >= 10**50
        shown = "a number of more than 50 digits" if huge else quoted(value)
        raise CaseError(f"{name}={shown} is not a whole number from {low:,} to {high:,}.")


def _one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    allowed = list(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise CaseError(f"{name}={quoted(value)} is not one of: {', '.join(allowed)}.")
