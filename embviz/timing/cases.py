"""What is timed: one case is a method at one size, on one device, in one pass.

A case knows, from its definition alone, the bytes it must move, the operations
it must do and the memory it needs; nothing here touches a tensor, so a case can
be refused before anything is allocated. `methods` has the statements themselves.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from embviz.core.dtypes import DTYPES
from embviz.core.wording import printable

ITEMSIZE = {name: one.itemsize for name, one in DTYPES.items()}  # bytes
DEVICES = ("cpu", "cuda", "mps", "xpu")
PASSES = {
    "forward": "forward",
    "backward": "forward + backward",
    "sgd": "training step (SGD)",
    "adam": "training step (Adam)",
}
SKEWS = {
    "uniform": "every id equally likely",
    "zipf": "id k with weight 1 / (k + 1), as words in a text",
    "equal": "one id, always",
}
OUTPUTS = ("fresh", "reused")
LIMITS = {  # smallest and largest
    "num_embeddings": (1, 2**27),
    "embedding_dim": (1, 2**16),
    "tokens": (1, 2**20),
    "threads": (1, 1024),
}
# Numbers read and written for each weight by a step: SGD reads weight and gradient and writes the
# weight; PyTorch's Adam on a CPU is seven element-wise operations, one after the other.
_STEP_PASSES = {"sgd": 3, "adam": 18}
MAX_CASES = 2_000  # of one sweep
BAG = 32  # tokens of one bag
INDEX = 8  # bytes of an int64


class CaseError(ValueError):
    """A case that is not one, in one sentence."""


@dataclass(frozen=True)
class Method:
    """One way to get the rows: what it is called, and which passes it has."""

    label: str
    route: str  # lookup | matmul | bag
    passes: tuple[str, ...] = tuple(PASSES)
    reuses_output: bool = False


METHODS = {
    "lookup": Method("lookup", "lookup"),
    "lookup_sparse": Method("lookup, sparse gradient", "lookup", ("backward", "sgd", "adam")),
    "index_select": Method("index_select", "lookup", reuses_output=True),
    "numpy_take": Method("NumPy take", "lookup", ("forward",), reuses_output=True),
    "matmul": Method("matmul, one-hot ready", "matmul", reuses_output=True),
    "matmul_table": Method("matmul with the table", "matmul", reuses_output=True),
    "onehot_matmul": Method("one-hot built + matmul", "matmul"),
    "scatter_matmul": Method("one-hot by scatter + matmul", "matmul"),
    "sparse_matmul": Method("sparse (CSR) matmul", "matmul", ("forward", "backward")),
    "embedding_bag": Method("embedding_bag", "lookup"),
    "dense_bag": Method("counts @ weight", "matmul"),
}
DEFAULT_METHODS = ("lookup", "index_select", "matmul", "onehot_matmul")
# A point's word on the command line and in the address: the field it varies, and its defaults.
VARY: dict[str, tuple[str, tuple[Any, ...]]] = {
    "vocab": ("num_embeddings", tuple(2**k for k in range(6, 17))),
    "dim": ("embedding_dim", tuple(2**k for k in range(2, 11))),
    "tokens": ("tokens", tuple(2**k for k in range(0, 13))),
    "ids": ("ids", tuple(SKEWS)),
    "dtype": ("dtype", ("float32", "float64", "bfloat16", "float16")),
}


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
        output: `fresh`, or `reused` where the method can write into a ready tensor.

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
    output: str = "fresh"

    def __post_init__(self) -> None:
        _one_of("method", self.method, METHODS)
        for name, (low, high) in LIMITS.items():
            _whole(name, getattr(self, name), low, high)
        _one_of("dtype", self.dtype, ITEMSIZE)
        _one_of("device", self.device, DEVICES)
        _one_of("pass", self.pass_, PASSES)
        _one_of("ids", self.ids, SKEWS)
        _one_of("output", self.output, OUTPUTS)
        method = METHODS[self.method]
        if self.pass_ not in method.passes:
            raise CaseError(
                f"{self.method} has no pass {self.pass_!r}, only: {', '.join(method.passes)}."
            )
        if self.output == "reused" and (not method.reuses_output or self.pass_ != "forward"):
            able = ", ".join(name for name, one in METHODS.items() if one.reuses_output)
            raise CaseError(f"only a forward pass of {able} can write into a ready output.")
        if self.method == "numpy_take" and (self.device != "cpu" or self.dtype == "bfloat16"):
            raise CaseError("numpy_take needs the CPU and a dtype that NumPy has.")

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
        if unknown := [key for key in given if key == "pass_" or key not in _NAMES]:
            raise CaseError(f"{quoted(unknown[0])} is no field of a case: {', '.join(_NAMES)}.")
        lacking = [name for name in _REQUIRED if name not in named]
        if lacking:
            raise CaseError(f"the case lacks {', '.join(lacking)}.")
        return cls(**named)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them."""
        return {_json_name(field.name): getattr(self, field.name) for field in fields(self)}

    @property
    def point(self) -> Case:
        """The same case with the first method: equal for all methods timed side by side."""
        return dataclasses.replace(self, method="lookup", pass_="forward", output="fresh")

    @property
    def group(self) -> tuple[Case, str]:
        """What is timed interleaved: the same sizes and device, and the same pass."""
        return self.point, self.pass_

    @property
    def bags(self) -> int:
        """Bags of at most BAG tokens."""
        return -(-self.tokens // BAG)

    @property
    def table_bytes(self) -> int:
        """Of one table, V x D."""
        return self.num_embeddings * self.embedding_dim * ITEMSIZE[self.dtype]

    @property
    def _rows(self) -> int:
        return self.bags if self.method in ("embedding_bag", "dense_bag") else self.tokens

    @property
    def output_bytes(self) -> int:
        """Of the result: N x D, or one row a bag."""
        return self._rows * self.embedding_dim * ITEMSIZE[self.dtype]

    @property
    def one_hot_bytes(self) -> int:
        """Of the dense factor N x V (of counts: one row a bag), in the table's dtype."""
        return self._rows * self.num_embeddings * ITEMSIZE[self.dtype]

    @property
    def _dense(self) -> bool:
        return METHODS[self.method].route == "matmul" and self.method != "sparse_matmul"

    @property
    def _index_bytes(self) -> int:
        """Of what says which rows: ids, or ids with offsets, or a CSR matrix."""
        per = {"embedding_bag": self.tokens + self.bags}.get(self.method, self.tokens)
        if self.method == "sparse_matmul":
            return (2 * self.tokens + 1) * INDEX + self.tokens * ITEMSIZE[self.dtype]
        return per * INDEX

    @property
    def _building_bytes(self) -> int:
        """Written and read to build the one-hot, where that is inside the clock."""
        cells = self.tokens * self.num_embeddings
        if self.method == "onehot_matmul":  # int64 zeros, then a converted copy
            return cells * (2 * INDEX + ITEMSIZE[self.dtype]) + self._index_bytes
        if self.method == "scatter_matmul":
            return cells * ITEMSIZE[self.dtype] + self._index_bytes
        return 0

    @property
    def bytes(self) -> int:
        """Bytes that the definition must move through memory, reads and writes."""
        moved_rows = self.tokens * self.embedding_dim * ITEMSIZE[self.dtype]
        out = self.output_bytes
        if self._dense:
            forward = self._building_bytes + self.one_hot_bytes + self.table_bytes + out
            backward = self.one_hot_bytes + out + self.table_bytes
        else:
            forward = self._index_bytes + moved_rows + out
            # The gradient's rows are read and added in; a dense one is zeroed first.
            zeroed = 0 if self.method == "lookup_sparse" else self.table_bytes
            backward = self._index_bytes + out + zeroed + 2 * moved_rows
        total = forward
        if self.pass_ != "forward":
            total += backward
        stepped = moved_rows if self.method == "lookup_sparse" else self.table_bytes
        return total + _STEP_PASSES.get(self.pass_, 0) * stepped

    @property
    def flops(self) -> int:
        """Floating-point operations that the definition asks for; a copy has none."""
        cells = self._rows * self.embedding_dim
        if self._dense:
            one = 2 * cells * self.num_embeddings
        elif self.method == "sparse_matmul":
            one = 2 * cells
        else:
            one = self.tokens * self.embedding_dim if self.method == "embedding_bag" else 0
        total = one
        if self.pass_ != "forward":
            total += one if self._dense else self.tokens * self.embedding_dim
        numbers = self.tokens if self.method == "lookup_sparse" else self.num_embeddings
        return total + {"sgd": 2, "adam": 12}.get(self.pass_, 0) * numbers * self.embedding_dim

    @property
    def fresh_bytes(self) -> int:
        """Of `bytes`, those written into memory that was just allocated."""
        cells = self.tokens * self.num_embeddings
        built = {
            "onehot_matmul": cells * (INDEX + ITEMSIZE[self.dtype]),
            "scatter_matmul": cells * ITEMSIZE[self.dtype],
        }.get(self.method, 0)
        out = 0 if self.output == "reused" else self.output_bytes
        gradient = 0
        if self.pass_ != "forward":
            gradient = self.output_bytes if self.method == "lookup_sparse" else self.table_bytes
        return built + out + gradient

    def memory(self) -> dict[str, int]:
        """Bytes held at the peak, part by part: what is ready, and what is made inside the clock.

        >>> Case("onehot_matmul", 65536, 64, 256).memory()["one-hot"] // 2**20
        192
        """
        size = ITEMSIZE[self.dtype]
        cells = self.tokens * self.num_embeddings
        parts = {"table": self.table_bytes, "ids": self._index_bytes, "output": self.output_bytes}
        if self.method == "onehot_matmul":
            parts["one-hot"] = cells * (INDEX + size)  # int64, and its converted copy
        elif self._dense:
            parts["one-hot"] = self.one_hot_bytes
        if self.pass_ != "forward":
            small = self.method == "lookup_sparse"
            parts["gradients"] = self.output_bytes + (
                self.output_bytes if small else self.table_bytes
            )
            if self.method == "sparse_matmul":
                parts["gradients"] += self.table_bytes  # made, then converted
        if self._dense and self.method != "dense_bag" and ITEMSIZE[self.dtype] == 2:
            parts["packed weight"] = self.table_bytes  # as oneDNN wants it
        if self.pass_ == "adam":
            parts["Adam's moments"] = 2 * self.table_bytes
            if self.method != "lookup_sparse":
                parts["Adam's scratch"] = 2 * self.table_bytes  # the denominator, step by step
        return parts

    @property
    def memory_bytes(self) -> int:
        """Bytes held at the peak, predicted from the definition."""
        return sum(self.memory().values())


_NAMES = ["pass" if field.name == "pass_" else field.name for field in fields(Case)]
_REQUIRED = [field.name for field in fields(Case) if field.default is dataclasses.MISSING]


def plan(
    vary: str, values: Iterable[Any], methods: Iterable[str], devices: Iterable[str], **fixed: Any
) -> list[Case]:
    """The cases of a sweep: every value, on every device, by every method that can.

    A method that lacks the pass, the reused output or the device is left out where another
    one has it; a plan without any case is refused.

    Raises:
        CaseError: with what is wrong; nothing has been measured.

    >>> [case.num_embeddings for case in plan("vocab", [4, 8], ["lookup"], ["cpu"],
    ...                                       embedding_dim=2, tokens=1)]
    [4, 8]
    """
    _one_of("vary", vary, VARY)
    name = VARY[vary][0]
    values, methods, devices = list(values), list(methods), list(devices)
    for chosen, what in ((values, "value"), (methods, "method"), (devices, "device")):
        if not chosen:
            raise CaseError(f"no {what} is chosen; choose at least one.")
        if len(chosen) != len(set(map(str, chosen))):
            raise CaseError(f"a {what} is chosen twice: {', '.join(map(quoted, chosen))}.")
    if len(values) * len(methods) * len(devices) > MAX_CASES:
        raise too_many(len(values) * len(methods) * len(devices))
    cases: list[Case] = []
    refused: CaseError | None = None
    for device in devices:
        for value in values:
            for method in methods:
                given = {**fixed, name: value, "method": method, "device": device}
                if given.get("output") == "reused" and method in METHODS:
                    given["output"] = "reused" if METHODS[method].reuses_output else "fresh"
                try:
                    cases.append(Case(**given))
                except CaseError as error:
                    if not _cannot(given):
                        raise
                    refused = error
    if not cases:
        raise refused or CaseError("nothing to measure.")
    return cases


def _cannot(given: dict[str, Any]) -> bool:
    """Whether it is the method that lacks something, and not a value that is wrong."""
    return (
        isinstance(given["method"], str)
        and given["method"] in METHODS
        and (
            given.get("pass_", "forward") not in METHODS[given["method"]].passes
            or given["method"] == "numpy_take"
        )
    )


def too_many(count: int) -> CaseError:
    """The refusal of a sweep that would never end."""
    return CaseError(f"{count:,} cases are more than the {MAX_CASES:,} allowed in one sweep.")


def quoted(value: object, limit: int = 60) -> str:
    """A value of unknown origin, on one short printable line."""
    try:
        shown = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    except (TypeError, ValueError, RecursionError):
        shown = f"a {type(value).__name__} that cannot be written"
    shown = "".join(printable(character) for character in shown[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "…"


def _json_name(name: str) -> str:
    return "pass" if name == "pass_" else name


def _whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        huge = isinstance(value, int) and abs(value) >= 10**50
        shown = "a number of more than 50 digits" if huge else quoted(value)
        raise CaseError(f"{name}={shown} is not a whole number from {low:,} to {high:,}.")


def _one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    allowed = list(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise CaseError(f"{name}={quoted(value)} is not one of: {', '.join(allowed)}.")
