"""The parts of pages that follow typing, by name: what the route `live` answers for each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from embviz.request.drawings import contextual, one_step, static, unseen
from embviz.request.drawings.film import Film
from embviz.request.drawings.strips import Strips
from embviz.request.inputs import Inputs
from embviz.request.model_settings import MODEL
from embviz.request.pages import Reader
from embviz.request.shared_cache import digest, shared_cache

KEPT_BYTES = 4 << 20  # bytes of the answers that all sessions share; one has 5 to 100 KB


@dataclass(frozen=True)
class Part:
    """A part of a page that follows the text.

    Attributes:
        make: inputs and a reader of settings -> what is drawn; a ValueError is a refusal.
        reads: settings that it reads besides those of the model; `token` is the chosen position.
    """

    make: Callable[[Inputs, Reader], Film | Strips]
    reads: tuple[str, ...] = ()


def _unseen(names: tuple[str, ...]) -> Callable[[Inputs, Reader], Film]:
    return lambda given, _of: unseen.unseen(given, names)


PARTS = {
    "one_step": Part(one_step.one_step, (*one_step.READS, "token")),
    "unseen": Part(_unseen(unseen.FIRST)),
    "unseen_more": Part(_unseen(unseen.OTHERS)),
    "static": Part(static.static, ("shuffle", "edit")),
    "contextual": Part(contextual.contextual, contextual.READS),
}


def part_json(name: str, given: Inputs, of: Reader) -> str:
    """The content of a part, as JSON. The rerun that follows an answer of the route finds it kept.

    Args:
        name: a key of `PARTS`.
        given: the inputs that these settings ask for.
        of: reads a setting.

    Raises:
        Refused: as the part's `make`.
    """
    asked = {setting: of(setting) for setting in (*MODEL, *PARTS[name].reads)}
    if given.weights is not None:  # This session alone has them.
        return _made(name, given, asked)
    return _kept(name, given, asked)


def _made(name: str, given: Inputs, asked: Mapping[str, Any]) -> str:
    return PARTS[name].make(given, asked.__getitem__).packed(name)


def _key(name: str, _given: Inputs, asked: Mapping[str, Any]) -> object:
    return digest(name, *asked.values())


_kept = shared_cache(KEPT_BYTES, sys.getsizeof, _key)(_made)
