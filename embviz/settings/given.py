"""Settings as they are given: read, filled up with defaults, and named in an address."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote_plus

from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Setting
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import SETTINGS
from embviz.settings.worlds import shown_world

TYPED = "input", "text", "ids", "world"  # no reset takes them


def base(given: Mapping[str, Any], example: bool = True) -> dict[str, Any]:
    """Values in place of the records' defaults, for these given settings: those of their world.

    >>> base({"dim": 4})["chars"], base({"text": "abc"}), base({"input": "ids"})
    ('abcdef', {}, {})
    """
    return shown_world(given, example).usual()


def filled(
    given: Mapping[str, Any], names: Iterable[str] = MODEL, example: bool = False
) -> dict[str, Any]:
    """The given settings, and the usual values of the others with these names."""
    return defaults(names) | base(given, example) | {**given}


def named(given: Mapping[str, Any], example: bool) -> dict[str, Any]:
    """The settings that an address has to name: a text, and all that differ from the usual.

    >>> named({"world": "characters", "seed": 123}, True), named({"text": "a", "dim": 10}, True)
    ({'world': 'characters'}, {'text': 'a'})
    """
    usual = defaults(given) | base(given, example)
    found = {name: value for name, value in given.items() if name == "text" or value != usual[name]}
    if shown_world(found, example) is not shown_world(given, example):
        found["world"] = given["world"]  # the bare address has another one
    return found


def asked_of(given: Mapping[str, Any], example: bool = True) -> dict[str, Any]:
    """The question that given settings ask of the model, as `named` says it.

    It names the world of the bare address, so that a text that is typed there stays in it.
    In the order of `MODEL`: an answer has its question, and a browser knows by the letters of its
    JSON that it has drawn it already (`ui/elements/ask.js`).
    """
    question = named({name: given[name] for name in MODEL if name in given}, example)
    if shown_world(given, example) is not shown_world(given, False):
        question["world"] = shown_world(given, example).name
    return question


def read(given: Mapping[str, Any], records: Mapping[str, Setting] = SETTINGS) -> dict[str, Any]:
    """The values of settings, by name.

    Args:
        given: what an address, a request or options say.
        records: those of the names.

    Raises:
        Refused: a sentence that quotes what is given and says what is allowed.
    """
    return {name: records[name].read(raw) for name, raw in given.items()}


def defaults(names: Iterable[str] = MODEL) -> dict[str, Any]:
    """The defaults of these settings, by name."""
    return {name: SETTINGS[name].default for name in names}


def fits_link(text: str) -> bool:
    """Whether a text is short enough to travel in the address."""
    return len(text) <= MAX_URL_TEXT_BYTES >= url_bytes(text)  # a long one is not encoded


def url_bytes(text: str) -> int:
    """Bytes of a text once it is URL-encoded."""
    return len(quote_plus(text, errors="replace"))
