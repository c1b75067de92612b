"""The main job in one call, for scripts and for the command line: `compare("hello", dim=4)`."""

import json
from dataclasses import dataclass
from typing import Any

import torch

from embviz.core.inits import OWN
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes, run_both
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.settings import MODEL, defaults, read


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
            f"{result.num_equal:,} of {result.num_values:,} values, "
            f"max |difference| {result.max_abs_error:g}, max ulp {result.max_ulp}"
        )

    def __repr__(self) -> str:
        return self.verdict


def compare(text: str | None = None, **settings: Any) -> Compared:
    """Send a text, or ids, through `nn.Embedding` and through a one-hot times `nn.Linear`.

    Args:
        text: the text to encode; or give `ids`.
        settings: the options of `python -m embviz compare`, by name; `ids` and `weights` may also
            be lists or tensors. A text gets as many rows as its vocabulary has; `weights` set
            `rows` and `dim`.

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
    for name in {*settings} & {"ids", "weights"}:
        if not isinstance(one := settings[name], str):  # as a person types them
            settings[name] = json.dumps(one.tolist() if isinstance(one, torch.Tensor) else one)
    settings |= {"input": "ids"} if text is None else {"text": text}
    settings |= {"init": OWN.name} if "weights" in settings else {}
    given = read_inputs(read(defaults() | settings))
    return Compared(
        given, run_both(given.config, given.ids, lambda config: tie(config, given.table))
    )
