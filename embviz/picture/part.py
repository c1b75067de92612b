"""A part of a page that follows the text: the page draws it, and the route `live` gives it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from embviz.fact.inputs import Inputs
from embviz.settings.model_settings import MODEL
from embviz.settings.page_record import Reader
from embviz.system.shared_cache import digest, shared_cache

KEPT_BYTES = 4 << 20  # bytes of the answers that all sessions share; one has 5 to 100 KB


class Drawing(Protocol):
    """The content of a component."""

    def packed(self, name: str) -> str:
        """The content as JSON; `name` is the part's."""


@dataclass(frozen=True)
class Part:
    """A part of a page that follows the text.

    Attributes:
        name: in the route, and of the component.
        make: inputs and a reader of settings -> what is drawn; a ValueError is a refusal.
        reads: settings that it reads besides those of the model; `token` is the chosen position.
    """

    name: str
    make: Callable[[Inputs, Reader], Drawing]
    reads: tuple[str, ...] = ()


def part_json(part: Part, given: Inputs, of: Reader) -> str:
    """The content of a part, as JSON. The rerun that follows an answer of the route finds it kept.

    Args:
        part: what is drawn.
        given: the inputs that these settings ask for.
        of: reads a setting.

    Raises:
        Refused: as the part's `make`.
    """
    asked = {setting: of(setting) for setting in (*MODEL, *part.reads)}
    if given.weights is not None:  # This session alone has them.
        return _made(part, given, asked)
    return _kept(part, given, asked)


def _made(part: Part, given: Inputs, asked: Mapping[str, Any]) -> str:
    return part.make(given, asked.__getitem__).packed(part.name)


def _key(part: Part, _given: Inputs, asked: Mapping[str, Any]) -> object:
    return digest(part.name, *asked.values())


_kept = shared_cache(KEPT_BYTES, sys.getsizeof, _key)(_made)
