"""The answers of the route `live`: the content of the stage or of a part, or the comparison.

It reads settings as the pages do, so a request and a rerun with the same settings give the same
answer. A link's unreadable setting becomes its default; a request's is refused with a sentence. It
knows no session and no server.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from embviz.fact.inputs import read_inputs
from embviz.fact.shared_layers import run_on_shared_layers
from embviz.playground.page.stage.drawing import picture_json
from embviz.settings.given import asked_of, filled, in_address, read
from embviz.settings.model_settings import MODEL, PLACE
from embviz.settings.pages import SETTINGS
from embviz.settings.worlds import LETTERS, WORDS
from embviz.system.bounds import OverLimitError
from embviz.text.refused import Refused
from embviz.text.wording import quote

# Numbers of one answer: writing them takes 30 ms, and all other answers wait for it.
JSON_NUMBERS = 50_000
# What a small request has at most: bytes, numbers of its table, and these settings alone.
QUICK_BYTES, QUICK_TABLE = 500, 10_000
SIZE = "rows", "dim"
QUICK_NAMES = {"text", "seed", "world", *SIZE, *PLACE}


def is_small(asked_bytes: bytes) -> bool:
    """Whether `answer` takes about a millisecond: a short text and a small table.

    >>> is_small(b'{"settings": {"text": "hi"}}'), is_small(b'{"settings": {"rows": 100000}}')
    (True, False)
    """
    if len(asked_bytes) > QUICK_BYTES:
        return False
    try:
        asked = json.loads(asked_bytes)
        given = read(asked["settings"])
        own = filled(given, SIZE, example=LETTERS.text)
        usual = given.keys() <= QUICK_NAMES and given.get("world") != WORDS.name
        return usual and not asked.get("part") and own["rows"] * own["dim"] <= QUICK_TABLE
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return False  # `answer` refuses it


def answer(asked_bytes: bytes) -> str:
    """The content of the stage, as `picture_json` makes it, or of a part of a page; JSON.

    Args:
        asked_bytes: JSON, `{"settings": {name: value}, "part": name}`; both may be left out.

    Raises:
        Refused: it is no such JSON, a name or a value is not allowed, or the page refuses it.
    """
    try:
        asked = json.loads(asked_bytes)
    except (ValueError, RecursionError):  # also bytes that are no UTF-8, numbers of 4,301 digits
        raise Refused("The request is not JSON in UTF-8, or nested too deeply.") from None
    asked = _object("the request", asked, ("settings", "part"))
    if part := asked.get("part", ""):
        return _part_answer(part, asked.get("settings", {}))
    own = read(_object("settings", asked.get("settings", {}), (*MODEL, *PLACE)))
    place = {name: own.get(name, 0) for name in PLACE}
    given = read_inputs(filled(own, example=LETTERS.text), finite=False)
    return picture_json(run_on_shared_layers(given), given, asked_of(own) | place)


def _part_answer(part: Any, given: Any) -> str:
    from embviz.live.parts import PARTS
    from embviz.picture.part import part_json  # imports all that is drawn

    if part not in [*PARTS]:  # A list, because the part may be any JSON, which has no hash.
        raise Refused(f"{quote(str(part))} is no part of a page that follows the text.")
    settings = filled(read(_object("settings", given, SETTINGS)), SETTINGS)
    return part_json(PARTS[part], read_inputs(settings), settings.__getitem__)


def answer_json(query: Mapping[str, str]) -> str:
    """The output of `python -m embviz compare --json`, for the parameters of a page's address.

    Parameters of other pages are allowed, and not read.

    Raises:
        Refused: an unknown name, a value that is not allowed, what the page refuses, or more
            than `JSON_NUMBERS`.
    """
    query = {in_address(name): value for name, value in query.items()}
    _object("the address", query, SETTINGS)
    own = read({name: query[name] for name in MODEL if name in query})
    given = read_inputs(filled(own, example=LETTERS.text))
    numbers = 2 * given.ids.numel() * given.table.embedding_dim
    if numbers > JSON_NUMBERS:
        raise OverLimitError(
            f"{numbers:,} numbers are more than the {JSON_NUMBERS:,} of one answer in JSON. "
            "`python -m embviz compare --json` prints any number of them."
        )
    return run_on_shared_layers(given).to_json(given.label)


def _object(what: str, given: object, names: Iterable[str]) -> dict[str, Any]:
    """The object, if it is one and has no other names."""
    if not isinstance(given, dict):
        raise Refused(f"{what.capitalize()} is no JSON object.")
    for name in given:
        if name not in names:
            raise Refused(f"{quote(name)} is no name in {what}; allowed are {', '.join(names)}.")
    return given
