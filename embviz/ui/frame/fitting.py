"""A choice by hand brings a text and sizes that fit, and later the user's own come back.

A vocabulary that cannot read the text, or own weights with too few rows, would be refused at the
first press. Such a choice brings an example instead. What the example replaced comes back with the
next choice that can read it, as long as the example was not edited. A link keeps its own values.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import Inputs
from embviz.request.parameters import MODEL
from embviz.ui.state.session import settings, state

Settings = Mapping[str, Any]
_CHARACTERS = string.ascii_letters + string.digits  # of own weights: one a row
_SHOWN = 12  # characters of a custom vocabulary in its example


def brought(
    by: str, read: Callable[[Settings], Inputs], chosen: Settings | None = None
) -> dict[str, Any]:
    """The settings that a choice brings: an example, the user's own again, or none.

    Args:
        by: the setting that the user chose; it never changes here. `chars` and `weights` are
            typed, so they replace only an example.
        read: gives the inputs for some settings.
        chosen: settings that were chosen and are not in the session yet.
    """
    now, typed = {**settings(MODEL), **(chosen or {})}, by in ("chars", "weights")
    example, own = state().pop("brought", ({}, {}))
    if any(now[name] != value for name, value in example.items() if name != by):
        example, own = {}, {}  # edited, so it is the user's own
    own = {name: value for name, value in own.items() if name != by}
    given = read(now)
    if own and not typed and read({**now, **own}).refusal is None:
        return own
    if given.refusal is None or (typed and not example):
        state()["brought"] = (example, own)
        return {}
    for better in _examples(now, given):
        if by not in better and read({**now, **better}).refusal is None:
            state()["brought"] = (better, {name: own.get(name, now[name]) for name in better})
            return better
    return {}


def _examples(now: Settings, given: Inputs) -> Iterator[dict[str, Any]]:
    """Settings that may fit; those that change least come first."""
    named = VOCABULARIES[now["vocab"]]
    if now["input"] == "ids":
        yield {"ids": "0 1 0"}
        yield {"ids": "0"}
    if text := named.example or ("chars" in named.reads and now["chars"][:_SHOWN]):
        yield {"text": text}
    if given.table is not None:
        chars = _CHARACTERS[: len(given.table)]
        yield {"vocab": "custom", "chars": chars, "text": chars[:_SHOWN]}
