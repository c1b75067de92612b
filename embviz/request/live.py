"""What the route `live` answers: bytes of the stage or of a page's part, or JSON of the comparison.

It reads settings as the pages do, so a request and a rerun with the same settings give the same
bytes. A link's unreadable setting becomes its default; a request's is refused with a sentence. It
knows no session and no server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from embviz.core.config import OverLimitError
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes
from embviz.core.wording import quote
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.payload import Window, pack
from embviz.request.settings import MODEL, SETTINGS, base, defaults, read

JSON_NUMBERS = 50_000  # writing them takes 30 ms, and all other answers wait for it
Run = Callable[[Inputs], BothRoutes]  # computes both routes of usable inputs
Part = Callable[[Inputs, Callable[[str], Any]], bytes]  # inputs, and how a setting is read
PARTS: dict[str, Part] = {}  # by name; the modules of pages add those that follow the text


class UnknownPartError(Refused):
    """A part that no imported module has added; at a server's start it may still come."""


def answer(body: bytes, run: Run) -> bytes:
    """The stage's bytes, as `pack` makes them, or those of a part of a page.

    Args:
        body: JSON, `{"settings": {name: value}, "window": {"token": 0, "dim": 0}, "part": name}`;
            each of the three may be left out.
        run: computes both routes.

    Raises:
        Refused: it is no such JSON, a name or a value is not allowed, or the page refuses it.
        UnknownPartError: the part is unknown.
    """
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):  # also bytes that are no UTF-8, numbers of 4,301 digits
        raise Refused("The request is not JSON in UTF-8, or nested too deeply.") from None
    asked = _object("the request", asked, ("settings", "window", "part"))
    part, window = asked.get("part", ""), Window.read(asked.get("window"))
    if not isinstance(part, str) or (part and part not in PARTS):
        message = f"{quote(str(part))} is no part of a page that follows the text."
        raise UnknownPartError(message)
    names = SETTINGS if part else MODEL
    settings = _settings(_object("settings", asked.get("settings", {}), names), names)
    given = read_inputs(settings)
    if not part:
        return pack(run(given), given, window)
    return PARTS[part](given, {**settings, "token": window.token}.__getitem__)


def answer_json(query: Mapping[str, str], run: Run) -> str:
    """What `python -m embviz compare --json` prints, for the parameters of a page's address.

    Parameters of other pages are allowed, and not read.

    Raises:
        Refused: an unknown name, a value that is not allowed, what the page refuses, or more
            than `JSON_NUMBERS`.
    """
    given = read_inputs(_settings(_object("the address", dict(query), SETTINGS), MODEL))
    numbers = 2 * given.ids.numel() * given.config.embedding_dim
    if numbers > JSON_NUMBERS:
        message = (
            f"{numbers:,} numbers are more than the {JSON_NUMBERS:,} of one answer in JSON. "
            "`python -m embviz compare --json` prints any number of them."
        )
        raise OverLimitError(message)
    return run(given).to_json()


def _settings(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    try:
        own = {name: read(name, value) for name, value in given.items() if name in names}
    except Refused as error:
        raise Refused(f"{error}.") from None
    # A page's part comes with all settings that its page shows; without one it is the playground.
    return defaults(names) | ({**base(own)} if names is MODEL else {}) | own


def _object(what: str, given: object, names: Iterable[str]) -> dict[str, Any]:
    """The object, if it is one and has no other names."""
    if not isinstance(given, dict):
        raise Refused(f"{what.capitalize()} is no JSON object.")
    for name in given:
        if name not in names:
            raise Refused(f"{quote(name)} is no name in {what}; allowed are {', '.join(names)}.")
    return given
