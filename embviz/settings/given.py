"""Settings as they are given: read, filled up with defaults, and named in an address."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote_plus

from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Setting
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import SETTINGS
from embviz.settings.worlds import LETTERS, shown_world

TYPED = "input", "text", "ids", "world"  # no reset takes them


def in_address(name: str) -> str:
    """The name of a parameter of an address, as it was before a page escaped the link twice.

    Courses and mail programs write `&amp;` for `&`, and some of them keep it in the link.

    >>> in_address("amp;dim"), in_address("amp;amp;dim"), in_address("dim")
    ('dim', 'dim', 'dim')
    """
    while name.startswith("amp;"):
        name = name.removeprefix("amp;")
    return name


def base(given: Mapping[str, Any], example: str = LETTERS.text) -> dict[str, Any]:
    """Values in place of the records' defaults, for these given settings.

    They are those of their world. A vocabulary that was chosen decides the rows of a text: there
    `rows` is at least 1.

    Args:
        given: settings by name.
        example: the text that the page shows while nothing is typed; empty for none.

    >>> base({"dim": 4})["chars"], base({"text": "abc"}), base({"input": "ids"})
    ('abcdef', {}, {})
    >>> base({"text": "7", "vocab": "digits"})
    {'rows': 1}
    """
    shown = shown_world(given, example)
    world = shown.usual()
    if shown is LETTERS and example:
        world["text"] = example
    usual = defaults(("input", "vocab", "chars")) | world
    chosen = [name for name, value in given.items() if value != usual.get(name, value)]
    if "input" not in chosen and not {"vocab", "chars"}.isdisjoint(chosen):
        return world | {"rows": 1}
    return world


def filled(
    given: Mapping[str, Any], names: Iterable[str] = MODEL, example: str = ""
) -> dict[str, Any]:
    """The given settings, and the usual values of the others with these names."""
    return defaults(names) | base(given, example) | {**given}


def named(given: Mapping[str, Any], example: str) -> dict[str, Any]:
    """The settings that an address has to name: a text, and all that differ from the usual.

    >>> named({"world": "characters", "seed": 123}, "cab"), named({"text": "a"}, "cab")
    ({'world': 'characters'}, {'text': 'a'})
    """
    usual = defaults(given) | base(given, example)
    found = {name: value for name, value in given.items() if name == "text" or value != usual[name]}
    if shown_world(found, example) is not shown_world(given, example):
        found["world"] = given["world"]  # the bare address has another one
    return found


def asked_of(given: Mapping[str, Any], example: str = LETTERS.text) -> dict[str, Any]:
    """The question that given settings ask of the model, as `named` says it.

    It names the world of the bare address, so that a text that is typed there stays in it; and the
    example of a page, where it is another one than that of the world.
    In the order of `MODEL`: an answer has its question, and a browser knows by the letters of its
    JSON that it has drawn it already (`ui/elements/ask.js`).
    """
    if example != LETTERS.text and shown_world(given, example) is LETTERS:
        given = {"world": LETTERS.name, "text": example, **given}
    question = named({name: given[name] for name in MODEL if name in given}, example)
    if shown_world(given, example) is not shown_world(given, ""):
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
