"""The main job in one call, for scripts and for the command line: `compare("hello", dim=4)`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch

from embviz.fact.inits import OWN
from embviz.fact.inputs import Inputs, read_inputs
from embviz.fact.layers import tie
from embviz.fact.routes import BothRoutes, run_both
from embviz.fact.weights import Own, check_weights
from embviz.settings.given import filled, read
from embviz.settings.model_settings import MODEL
from embviz.text.files import MAX_PACKED_BYTES
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote

GIVE = "Give numbers in lists, tuples, a range, an array or a tensor."


@dataclass(frozen=True, repr=False)
class Compared:
    """Both routes for one input.

    Attributes:
        given: the inputs.
        both: the result of both routes.
    """

    given: Inputs
    both: BothRoutes

    @property
    def lookup(self) -> torch.Tensor:
        """`nn.Embedding(ids)`, shape (..., D)."""
        return self.both.comparison.lookup

    @property
    def matmul(self) -> torch.Tensor:
        """`one_hot(ids) @ weight`, shape (..., D)."""
        return self.both.comparison.matmul

    @property
    def verdict(self) -> str:
        """One sentence: shapes, whether all bits are equal, and the largest difference."""
        result = self.both.comparison
        same = "bitwise equal" if result.bitwise_equal else "NOT bitwise equal"
        return (
            f"{self.both.ids_shape} -> {self.both.output_shape}: lookup and matmul are {same}: "
            f"{result.num_equal:,} of {counted(result.num_values, 'value')}, "
            f"max |difference| {result.max_abs_error:g}, max ulp {result.max_ulp}"
        )

    def __repr__(self) -> str:
        return self.verdict


def compare(text: str | None = None, **settings: Any) -> Compared:
    """Send a text, or ids, through `nn.Embedding` and through a one-hot times `nn.Linear`.

    Args:
        text: the text to encode; or give `ids`.
        settings: the options of `python -m embviz compare`, by name; `ids` and `weights` may also
            be lists, tuples, ranges, arrays or tensors, and `weights` the `Path` of a file. A text
            gets as many rows as its vocabulary has; `weights` set `rows` and `dim`.

    Raises:
        Refused: (a ValueError) one sentence that quotes what cannot be used.
        TypeError: there is no such setting.

    >>> compare("hello", dim=4).lookup.shape
    torch.Size([1, 5, 4])
    """
    if (text is None) == ("ids" not in settings):
        raise Refused('give either a text or ids, for example: compare("hello", dim=8).')
    if wrong := {*settings} - ({*MODEL} - {"input"}):
        raise TypeError(f"compare() has no settings {wrong}.")
    settings |= {"input": "ids"} if text is None else {"text": text}
    ids, weights = settings.get("ids", ""), settings.get("weights", "")
    if not isinstance(ids, str):  # as a person types them
        settings["ids"] = _as_numbers("ids", ids, str)
    if "weights" in settings:
        settings.setdefault("init", OWN.name)
    if isinstance(weights, str):
        given = read_inputs(filled(read(settings)))
    elif isinstance(weights, PathLike):
        settings["weights"] = ""
        given = read_inputs(filled(read(settings)), _file(weights))
    else:  # as text it could be longer than a person may type
        own = Own(check_weights(_as_numbers("weights", weights, np.atleast_2d)))
        settings["weights"] = ""
        given = read_inputs(filled(read(settings)), keep=lambda *_: own)
    return Compared(given, run_both(given.table, given.ids, tie(given.table, given.weights)))


def _file(path: PathLike[str]) -> tuple[str, bytes]:
    """The name of a file and its first bytes.

    Raises:
        Refused: it cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            return Path(path).name, file.read(MAX_PACKED_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refused(f"cannot read {quote(str(path))}: {reason}.") from None


def _as_numbers(name: str, given: Any, convert: Callable[[Any], Any]) -> Any:
    """The result of `convert` for nested lists, made of tuples, ranges, arrays or tensors.

    Raises:
        Refused: names the type of what is none of these, and quotes what is no number.
    """
    try:
        return convert(_lists(name, given))
    except Refused:
        raise
    except (TypeError, ValueError, RuntimeError):  # RecursionError is a RuntimeError
        raise Refused(f"{name} of type {type(given).__name__} cannot be read. {GIVE}") from None


def _lists(name: str, given: Any) -> Any:
    """Nested lists of ints and floats.

    Raises:
        Refused: quotes what is neither, as Python writes it.
    """
    if hasattr(given, "tolist"):  # NumPy, PyTorch on any device, a pandas Series
        given = given.tolist()
    elif hasattr(given, "__array__"):  # a pandas DataFrame
        given = np.asarray(given).tolist()
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        if {*map(type, given)} <= {int, float}:
            return list(given)
        return [_lists(name, item) for item in given]
    if type(given) in (int, float):
        return given
    kind = type(given).__name__
    raise Refused(
        f"{name} cannot be read: {quote(repr(given))} is of type {kind}; int and float are read. "
        f"{GIVE}"
    )
