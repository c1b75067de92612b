"""The main job in one call: `compare("hello", dim=4)`, for notebooks and for the command line.

The keyword names are the command's options. Bad input is a `ValueError` with the page's sentence.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import torch

from embviz.core.config import Config
from embviz.core.inits import OWN
from embviz.core.layers import tie
from embviz.core.merges import MOST_MERGES
from embviz.core.routes import BothRoutes, run_both
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.wording import quote
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.one_file import TooLargeError, one_file
from embviz.request.settings import MODEL, read

ROWS = 100  # num_embeddings, or more if the vocabulary needs it
_HEIGHT = 820  # px of the frame in a notebook
_WHOLE = ("merges", "rows", "dim", "seed")  # `Config` checks their size
Numbers = str | Sequence[Any] | torch.Tensor


@dataclass(frozen=True, repr=False)
class Compared:
    """Both routes for one input. A notebook draws the stage of it.

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

    def to_html(self) -> str:
        """One HTML file with the stage, which needs no network.

        Raises:
            TooLargeError: (a ValueError) says how large it would be.
        """
        return one_file(self.both, self.given)

    def __repr__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        try:
            page = self.to_html()
        except TooLargeError as error:
            return f"<p>{escape(self.verdict)}</p><p>{escape(str(error))}</p>"
        # Without the permission `allow-same-origin`, the frame cannot reach the notebook.
        return (
            f'<iframe title="embviz: both routes" sandbox="allow-scripts" srcdoc="{escape(page)}" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )


def compare(
    text: str | None = None,
    *,
    ids: Numbers | None = None,
    vocab: str = "printable",
    chars: str = "",
    merges: int | None = None,
    rows: int | None = None,
    dim: int = Config.embedding_dim,
    seed: int = Config.seed,
    init: str = Config.init,
    weights: Numbers | None = None,
    dtype: str = Config.dtype,
    device: str = Config.device,
    unknown: str = "error",
    escapes: bool = False,
) -> Compared:
    r"""Send a text, or ids, through `nn.Embedding` and through a one-hot times `nn.Linear`.

    Args:
        text: the text to encode; or give `ids`.
        ids: `"2 3 1"`, nested lists or a tensor of whole numbers.
        vocab: what has an id: `printable`, `bytes`, `custom`, `bpe`, ...
        chars: the characters of `vocab="custom"`, in the order of their ids.
        merges: of `vocab="bpe"`: how many of its merges are used; all by default.
        rows: num_embeddings; 100 by default, or more if the vocabulary needs it.
        dim: embedding_dim.
        seed: of the weights.
        init: how the weights start, as `python -m embviz compare --help` lists it.
        weights: your own `Embedding.weight`; its shape gives `rows` and `dim`.
        dtype: of the weights.
        device: that computes.
        unknown: `"unk"` gives unknown characters one more row; `"error"` refuses them.
        escapes: read `\n`, `\x0b`, `\u00e9` in the text.

    Raises:
        ValueError: one sentence that quotes what cannot be used.

    >>> compare("hello", dim=4).lookup.shape
    torch.Size([1, 5, 4])
    """
    if (text is None) == (ids is None):
        raise ValueError('give either a text or ids, for example: compare("hello", dim=8).')
    settings = {
        "input": "text" if ids is None else "ids",
        "text": "" if text is None else text,
        "ids": "" if ids is None else _written(ids),
        "merges": MOST_MERGES if merges is None else merges,
        "rows": ROWS if rows is None else rows,
        "init": init if weights is None else OWN.name,
        "weights": "" if weights is None else _written(weights),
    }
    settings |= {"vocab": vocab, "chars": chars, "unknown": unknown, "escapes": escapes}
    settings |= {"dim": dim, "seed": seed, "dtype": dtype, "device": device}
    if merges is not None and "merges" not in VOCABULARIES[_read("vocab", vocab)].reads:
        raise ValueError(f"merges has no effect with vocab={vocab}.")
    return _compared(
        {name: _read(name, settings[name]) for name in MODEL}, rows is None and ids is None
    )


def _compared(settings: dict[str, Any], grows: bool) -> Compared:
    """The comparison for these settings; `grows`: with as many rows as the vocabulary needs."""
    if grows:
        settings["rows"] = max(ROWS, len(vocabulary(settings)))
    given = read_inputs(settings)
    assert given.config is not None
    assert given.ids is not None
    return Compared(given, run_both(given.config, given.ids, partial(tie, table=given.table)))


def _written(numbers: Numbers) -> str:
    """Ids or weights as a person types them."""
    if isinstance(numbers, str):
        return numbers
    plain = numbers.tolist() if hasattr(numbers, "tolist") else numbers
    try:
        return json.dumps(plain)
    except TypeError:
        raise ValueError(f"{type(numbers).__name__} holds no list of numbers.") from None


def _read(name: str, value: Any) -> Any:
    try:
        return operator.index(value) if name in _WHOLE else read(name, value)
    except TypeError:
        raise ValueError(f"{name}={quote(str(value))} is not a whole number.") from None
    except ValueError as error:
        raise ValueError(f"{error}.") from None
