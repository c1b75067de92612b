"""The user's text on the page *Context*: its first tokens, their labels and the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from embviz.context.settings import DRAWN_TOKENS
from embviz.fact.comparison import bits
from embviz.fact.inputs import Inputs
from embviz.fact.shared_layers import layers_of
from embviz.text.refused import Refused
from embviz.text.wording import isolate

NAMED = 6  # Places of a token that a sentence names.


class ShownText:
    """The first tokens of the user's text.

    Attributes:
        ids: int64 (N,), N from 1 to 64.
        layers: the tables.
        names: the visible character of each id, or the id where ids were given.
        cut: what is left out, if anything.

    Raises:
        Refused: the text is empty.
    """

    def __init__(self, given: Inputs) -> None:
        self.given, self.ids = given, given.ids.flatten()[:DRAWN_TOKENS]
        if not len(self.ids):
            said = "There is nothing to compare: type a character or more."
            raise Refused(said, about=given.input)
        self.layers, self.names = layers_of(given), self.labels(self.ids)
        count = given.ids.numel()
        self.cut = f"The first {DRAWN_TOKENS} of {count:,}: " if count > DRAWN_TOKENS else ""

    def labels(self, ids: torch.Tensor) -> list[str]:
        """The label of each id."""
        return [self.given.label(token) or str(token) for token in ids.tolist()]

    def repeated(self) -> int | None:
        """A place of the token that comes most often, a letter or digit if possible, if twice."""
        ids = self.ids.tolist()
        often = {k: ids.count(token) for k, token in enumerate(ids) if ids.count(token) > 1}
        return max(often, key=lambda k: (self.names[k].isalnum(), often[k]), default=None)


def at_places(places: Sequence[int]) -> str:
    """Some places of a text."""
    return f"at {numbered('place', places)}, from 0"


def alike(
    ids: Sequence[int],
    labels: Sequence[str],
    rows: torch.Tensor,
    where: Callable[[Sequence[int]], str] = at_places,
) -> dict[int, list[str]]:
    """A sentence for each id: its places, and whether its rows there have the same bits.

    Args:
        ids: the tokens, N.
        labels: their labels.
        rows: (N, D).
        where: says where some of the N places are.
    """
    told = {}
    for token, label in zip(ids, labels, strict=True):
        places = [k for k, other in enumerate(ids) if other == token]
        same = "one row" if same_bits(rows[places]) else "not the same bits"
        what = same if len(places) > 1 else f"row {token}"
        told[token] = ["", isolate(label), f" (id {token}) {where(places)}: {what}."]
    return told


def numbered(name: str, numbers: Sequence[int]) -> str:
    """Some numbers after their name, the first `NAMED` of many.

    >>> numbered("place", [1]), numbered("place", [1, 4, 6]), numbered("place", range(9))
    ('place 1', 'places 1, 4 and 6', 'places 0, 1, 2, 3, 4, 5 and 3 more')
    """
    few = [*map(str, numbers[:NAMED])]
    if len(numbers) > NAMED:
        few.append(f"{len(numbers) - NAMED} more")
    *others, last = few
    return f"{name}s {', '.join(others)} and {last}" if others else f"{name} {last}"


def same_bits(rows: torch.Tensor) -> bool:
    """Whether all rows have the bits of the first."""
    found = bits(rows)
    return bool((found == found[:1]).all())
