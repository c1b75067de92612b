"""Every vocabulary on the same text: its pieces, and what its ids and its table need.

Each is read as if it were chosen, so a refusal is the sentence of the page. Only ids are made, no
table. The text and the memory have the limits of `read_inputs`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from embviz.core.cost import Cost
from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.request.inputs import Cache, Inputs, no_cache, read_inputs

SHOWN = 80  # pieces


@dataclass(frozen=True)
class Line:
    """One vocabulary on a text.

    Attributes:
        name: of the vocabulary.
        sentence: how the page explains it.
        chosen: whether it is the one on the stage.
        rows: rows of its table; `None` if there is no such vocabulary here.
        refusal: why it cannot be used, as the page says it; `""` if it can.
        pieces: the first `SHOWN` labels of the ids.
        cost: counts and bytes; `None` if refused.
        touched: number of distinct ids.
    """

    name: str
    sentence: str
    chosen: bool
    rows: int | None
    refusal: str = ""
    pieces: tuple[str, ...] = ()
    cost: Cost | None = None
    touched: int = 0


def survey(
    given: Inputs, upload: tuple[str, bytes] | None = None, cache: Cache = no_cache
) -> list[Line]:
    """A line for each vocabulary, in the order of the records.

    Args:
        given: the inputs of the chosen one.
        upload: as for `read_inputs`.
        cache: as for `read_inputs`.
    """
    lines = []
    for one in VOCABULARIES.values():
        chosen = one.name == given.settings["vocab"]
        found = given
        if not chosen:
            changed = {**given.settings, **choosing(given.settings, one.name)}
            found = read_inputs(changed, upload, cache)
        lines.append(_line(one.name, one.sentence, chosen, found))
    return lines


def _line(name: str, sentence: str, chosen: bool, found: Inputs) -> Line:
    known, config, ids = found.vocabulary, found.config, found.ids
    if known is None or config is None or ids is None:
        why = found.refusal.message if found.refusal else ""
        return Line(name, sentence, chosen, None if known is None else len(known), why)
    flat = ids.flatten().tolist()
    rows, dim = config.num_embeddings, config.embedding_dim
    return Line(
        name,
        sentence,
        chosen,
        rows,
        pieces=tuple(known.label(token) for token in flat[:SHOWN]),
        cost=Cost(len(flat), rows, dim, config.torch_dtype.itemsize),
        touched=len(set(flat)),
    )


def choosing(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings that choose this vocabulary, with as many rows as it has ids."""
    changes: dict[str, Any] = {"vocab": name}
    with contextlib.suppress(Refused):  # the page then says why
        changes["rows"] = len(vocabulary({**settings, **changes}))
    return changes


def finding(lines: Iterable[Line]) -> str:
    """The smallest and largest numbers of ids and rows, of the vocabularies that can be used."""
    costs = [line.cost for line in lines if line.cost is not None]
    ids, rows = (
        _span(sorted({getattr(cost, name) for cost in costs}))
        for name in ("tokens", "num_embeddings")
    )
    return f"The same text: {ids} ids, {rows} rows"


def _span(counts: list[int]) -> str:
    return " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
