"""What the route `live` answers: bytes of the stage or of a page's part, or JSON of the comparison.

It reads settings as the pages do, so a request and a rerun with the same settings give the same
bytes. A link's unreadable setting becomes its default; a request's is refused with a sentence. It
knows no session and no server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from embviz.core.config import OverLimitError
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes
from embviz.core.wording import quote
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.payload import Window, pack
from embviz.request.settings import MODEL, SETTINGS, read

JSON_NUMBERS = 50_000  # writing them takes 30 ms, and all other answers wait for it
_WINDOW = ("token", "dim")
_LARGEST = 999_999_999
Part = Callable[[Inputs, Callable[[str], Any]], bytes]  # inputs, and how a setting is read
PARTS: dict[str, Part] = {}  # by name; the modules of pages add those that follow the text


RefusedError = Refused


class UnknownPartError(Refused):
    """A part that no imported module has added; at a server's start it may still come."""


@dataclass(frozen=True)
class Asked:
    """One request.

    Attributes:
        settings: a value for each parameter of `MODEL`; for a part of a page, for every parameter.
        window: the tokens and dimensions that the stage shows.
        part: a name of `PARTS`, or empty for the stage.
    """

    settings: Mapping[str, Any]
    window: Window = field(default_factory=Window)
    part: str = ""

    @property
    def numbers(self) -> int:
        """Numbers of the table that the settings ask for."""
        size: int = self.settings["rows"] * self.settings["dim"]
        return size


def from_body(body: bytes) -> Asked:
    """The request of a JSON body: `{"settings": {name: value}, "window": {"token": 0, "dim": 0}}`.

    With `"part": name` it asks for a part of a page.

    Raises:
        RefusedError: it is no such JSON, or a name or a value is not allowed.
        UnknownPartError: the part is unknown.
    """
    try:
        asked = json.loads(body, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        _refuse("The request is nested too deeply.")
    except ValueError as error:  # also bytes that are no UTF-8, and numbers of 4,301 digits
        if isinstance(error, RefusedError):
            raise
        _refuse("The request is not JSON in UTF-8.")
    given = _object("the request", asked, ("settings", "window", "part"))
    part = given.get("part", "")
    if not isinstance(part, str) or (part and part not in PARTS):
        message = f"{quote(str(part))} is no part of a page that follows the text."
        raise UnknownPartError(message)
    names = tuple(SETTINGS) if part else MODEL
    settings = _object("settings", given.get("settings", {}), names)
    window = _object("window", given.get("window", {}), _WINDOW)
    for name, value in window.items():
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
            _refuse(f"window.{name} is not a whole number from 0 to {_LARGEST:,}.")
    return Asked(_settings(settings, names), Window(**window), part)


def from_query(pairs: Iterable[tuple[str, Any]]) -> Asked:
    """The request of a page's address, `text=hello&rows=200&token=3`.

    Parameters of other pages are allowed, and not read.

    Raises:
        RefusedError: a name is unknown or given twice, or a value is not allowed.
    """
    given = _object("the address", _once(pairs), tuple(SETTINGS))
    token = _read("token", given.get("token", 0))
    return Asked(_settings({n: v for n, v in given.items() if n in MODEL}, MODEL), Window(token))


def answer(asked: Asked, run: Callable[[Inputs], BothRoutes]) -> bytes:
    """The stage's bytes, as `pack` makes them, or those of the part.

    Args:
        asked: the request.
        run: computes both routes of usable inputs.

    Raises:
        RefusedError: as the page refuses the inputs.
    """
    given = _inputs(asked)
    if not asked.part:
        return pack(run(given), given, asked.window)
    settings = {**asked.settings, "token": asked.window.token}
    try:
        return PARTS[asked.part](given, settings.__getitem__)
    except ValueError:  # every refusal of the core is one
        raise


def answer_json(asked: Asked, run: Callable[[Inputs], BothRoutes]) -> str:
    """What `python -m embviz compare --json` prints.

    Raises:
        RefusedError: as the page refuses the inputs, or more than `JSON_NUMBERS`.
    """
    given = _inputs(asked)
    assert given.config is not None
    assert given.ids is not None
    numbers = 2 * given.ids.numel() * given.config.embedding_dim
    if numbers > JSON_NUMBERS:
        message = (
            f"{numbers:,} numbers are more than the {JSON_NUMBERS:,} of one answer in JSON. "
            "`python -m embviz compare --json` prints any number of them."
        )
        raise OverLimitError(message)
    return run(given).to_json()


def _inputs(asked: Asked) -> Inputs:
    return read_inputs(asked.settings)


def _settings(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {
        name: _read(name, given[name]) if name in given else SETTINGS[name].default
        for name in names
    }


def _read(name: str, value: object) -> Any:
    try:
        return read(name, value)
    except ValueError as error:
        _refuse(f"{error}.")


def _object(what: str, given: object, names: tuple[str, ...]) -> dict[str, Any]:
    """The object, if it is one and has no other names."""
    if not isinstance(given, dict):
        _refuse(f"{what[:1].upper()}{what[1:]} is no JSON object.")
    for name in given:
        if name not in names:
            _refuse(f"{quote(name)} is no name in {what}; allowed are {', '.join(names)}.")
    return given


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a dict, each name once."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            _refuse(f"{quote(name)} is given more than once.")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    _refuse(f"{name} is no number that JSON allows.")


def _refuse(message: str) -> NoReturn:
    raise RefusedError(message)
