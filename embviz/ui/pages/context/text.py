"""The user's text on the context page: its first tokens, their labels and the table."""

from __future__ import annotations

import torch

from embviz.context.run import cosine
from embviz.context.static import pair
from embviz.core.comparison import bits
from embviz.core.refused import Refused
from embviz.core.typed import parse_ids
from embviz.figures.context import similarity_grid
from embviz.figures.grid import Grid
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.tables import layers_of

SHOWN = 64  # tokens; each is compared with every other


class Text:
    """The first tokens of the user's text.

    Raises:
        Refused: the text is empty.
    """

    def __init__(self, given: Inputs) -> None:
        assert given.config is not None
        assert given.ids is not None
        self.given, self.config = given, given.config
        self.length = given.ids.numel()
        self.ids = given.ids.flatten()[:SHOWN]
        if not len(self.ids):
            raise Refused("There is nothing to compare: type a character or more.")
        self.layers = layers_of(given)
        self.cut = ""  # a sentence where not all tokens are compared
        if self.length > SHOWN:
            self.cut = f":small[The first {SHOWN} of {self.length:,} tokens are compared.]\n\n"

    def encode(self, typed: str) -> torch.Tensor:
        """The first ids of another text, or of other ids.

        Raises:
            Refused: it does not fit the vocabulary or the table.
        """
        if self.given.vocabulary is None:
            return parse_ids(typed, self.config.num_embeddings).flatten()[:SHOWN]
        return torch.tensor(self.given.vocabulary.encode(typed[:SHOWN]), dtype=torch.int64)[:SHOWN]

    def label(self, token: int) -> str:
        """The visible character, or the id where ids were given."""
        return self.given.label(token) or str(token)

    def labels(self, ids: torch.Tensor) -> list[str]:
        """The label of each id."""
        return [self.label(token) for token in ids.tolist()]

    @property
    def named(self) -> str:
        """`letters`, or `tokens` where some are longer pieces or ids."""
        return "letters" if all(len(one) == 1 for one in self.labels(self.ids)) else "tokens"

    def pair(self) -> tuple[int, int] | None:
        """Two places of one token, of a letter or digit if possible; None if none comes twice."""
        distinct = sorted(set(self.ids.tolist()))
        return pair(self.ids, [token for token in distinct if self.label(token).isalnum()])

    def alike(self, ids: torch.Tensor, rows: torch.Tensor) -> dict[int, str]:
        """For each id a sentence: its places, and whether its rows there have the same bits."""
        found = dict[int, str]()
        for token in dict.fromkeys(ids.tolist()):
            places = (ids == token).nonzero().flatten().tolist()
            mine = bits(rows[places])
            same = bool((mine == mine[:1]).all())
            said = f"**{literal(self.label(token))}** is id {token}"
            if len(places) == 1:
                found[token] = f"{said}, at place {places[0]}: row {token}."
                continue
            where = f"{', '.join(map(str, places[:-1]))} and {places[-1]}"
            what = f"row {token}, the same bits" if same else "not the same bits"
            found[token] = f"{said}, at places {where}: each time {what}."
        return found

    def similarity(self, vectors: torch.Tensor, ids: torch.Tensor, name: str) -> Grid:
        """The cosine of every two vectors; the title gives the cosines of equal tokens."""
        alike = cosine(vectors).cpu()
        equal = (ids[:, None] == ids[None, :]).cpu().triu(1)
        pairs = alike[equal]
        words = "no token comes twice"
        if len(pairs):
            low, high = f"{float(pairs.min()):.4f}", f"{float(pairs.max()):.4f}"
            words = f"{len(pairs):,} pairs of equal tokens, cosine "
            words += low if low == high else f"{low} to {high}"
        return similarity_grid(alike.numpy(), self.labels(ids), f"{name}: {words}")
