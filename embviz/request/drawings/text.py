"""The user's text on the page *Context*: its first tokens, their labels and the table."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from embviz.fact.comparison import bits
from embviz.request.inputs import Inputs
from embviz.request.pages import DRAWN_TOKENS
from embviz.request.shared_layers import layers_of
from embviz.text.refused import Refused


class ShownText:
    """The first tokens of the user's text.

    Attributes:
        ids: int64 (N,), N from 1 to 64.
        layers: the tables.
        names: the visible character of each id, or the id where ids were given.
        named: `letters` if all are, else `characters`, `bytes` or `pieces`; `ids` without a text.
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
        self.named = f"{given.vocabulary.unit}s" if given.vocabulary else "ids"
        if self.named == "characters" and all(one.isalpha() for one in self.names):
            self.named = "letters"

    def labels(self, ids: torch.Tensor) -> list[str]:
        """The label of each id."""
        return [self.given.label(token) or str(token) for token in ids.tolist()]

    def repeated(self) -> int | None:
        """A place of the token that comes most often, a letter or digit if possible, if twice."""
        ids = self.ids.tolist()
        often = {k: ids.count(token) for k, token in enumerate(ids) if ids.count(token) > 1}
        return max(often, key=lambda k: (self.names[k].isalnum(), often[k]), default=None)


def alike(
    ids: list[int], labels: list[str], rows: torch.Tensor, names: Sequence[str] = ()
) -> dict[int, list[str]]:
    """For each id a sentence: its places, and whether its rows there have the same bits.

    `names` are those of the places, if their numbers are not.
    """
    found = {}
    for token, label in zip(ids, labels, strict=True):
        places = [k for k, other in enumerate(ids) if other == token]
        *others, last = (names[k] if names else str(k) for k in places)
        where = f"places {', '.join(others)} and {last}" if others else f"place {last}"
        same = "one row, bit for bit" if same_bits(rows[places]) else "not the same bits"
        what = same if others else f"row {token}"
        found[token] = ["", label, f" (id {token}) at {where}, from 0: {what}."]
    return found


def same_bits(rows: torch.Tensor) -> bool:
    """Whether all rows have the bits of the first."""
    found = bits(rows)
    return bool((found == found[:1]).all())
