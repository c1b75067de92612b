"""The answers of the route `live`: the content of the stage or of a part, or the comparison.

It reads settings as the pages do, so a request and a rerun with the same settings give the same
answer. A link's unreadable setting becomes its default; a request's is refused with a sentence. It
knows no session and no server.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from embviz.fact.routes import BothRoutes
from embviz.request.drawings.stage import picture_json
from embviz.request.given import asked_of, base, defaults, read
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.model_settings import MODEL, PLACE
from embviz.request.pages import SETTINGS
from embviz.system.bounds import OverLimitError
from embviz.text.refused import Refused
from embviz.text.wording import quote

JSON_NUMBERS = 50_000  # writing them takes 30 ms, and all other answers wait for it
# A small request has at most so many bytes and numbers of its table, and these settings alone.
SIZE = "rows", "dim"
SMALL_BYTES, SMALL_NAMES, SMALL_TABLE = 500, {"text", "seed", *SIZE, *PLACE}, 10_000
RunBoth = Callable[[Inputs], BothRoutes]  # as `run_both`, on tables that a server keeps


def is_small(body: bytes) -> bool:
    """Whether `answer` takes about a millisecond: a short text and a small table.

    >>> is_small(b'{"settings": {"text": "hi"}}'), is_small(b'{"settings": {"rows": 100000}}')
    (True, False)
    """
    if len(body) > SMALL_BYTES:
        return False
    try:
        asked = json.loads(body)
        given = asked["settings"]
        own = defaults(SIZE) | read({name: given[name] for name in SIZE if name in given})
        usual = given.keys() <= SMALL_NAMES and not asked.get("part")
        return usual and own["rows"] * own["dim"] <= SMALL_TABLE
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return False  # `answer` refuses it


def answer(body: bytes, run: RunBoth) -> str:
    """The content of the stage, as `picture_json` makes it, or of a part of a page; JSON.

    Args:
        body: JSON, `{"settings": {name: value}, "part": name}`; both may be left out.
        run: computes both routes.

    Raises:
        Refused: it is no such JSON, a name or a value is not allowed, or the page refuses it.
    """
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):  # also bytes that are no UTF-8, numbers of 4,301 digits
        raise Refused("The request is not JSON in UTF-8, or nested too deeply.") from None
    asked = _object("the request", asked, ("settings", "part"))
    if part := asked.get("part", ""):
        return _part_answer(part, asked.get("settings", {}))
    own = read(_object("settings", asked.get("settings", {}), (*MODEL, *PLACE)))
    place = {name: own.get(name, 0) for name in PLACE}
    given = read_inputs(defaults() | base(own) | own, finite=False)
    return picture_json(run(given), given, asked_of(own) | place)


def _part_answer(part: Any, given: Any) -> str:
    from embviz.request.drawings.parts import PARTS, part_json  # imports all that is drawn

    if part not in [*PARTS]:  # A list, because the part may be any JSON, which has no hash.
        raise Refused(f"{quote(str(part))} is no part of a page that follows the text.")
    settings = defaults(SETTINGS) | read(_object("settings", given, SETTINGS))
    return part_json(part, read_inputs(settings), settings.__getitem__)


def answer_json(query: Mapping[str, str], run: RunBoth) -> str:
    """The output of `python -m embviz compare --json`, for the parameters of a page's address.

    Parameters of other pages are allowed, and not read.

    Raises:
        Refused: an unknown name, a value that is not allowed, what the page refuses, or more
            than `JSON_NUMBERS`.
    """
    _object("the address", dict(query), SETTINGS)
    own = read({name: query[name] for name in MODEL if name in query})
    given = read_inputs(defaults() | base(own) | own)
    numbers = 2 * given.ids.numel() * given.table.embedding_dim
    if numbers > JSON_NUMBERS:
        raise OverLimitError(
            f"{numbers:,} numbers are more than the {JSON_NUMBERS:,} of one answer in JSON. "
            "`python -m embviz compare --json` prints any number of them."
        )
    return run(given).to_json()


def refusal_json(refused: Refused) -> str:
    """A refusal in the place of an answer: the sentence, and its fixes."""
    return json.dumps({"refusal": str(refused), "fixes": refused.fixes})


def _object(what: str, given: object, names: Iterable[str]) -> dict[str, Any]:
    """The object, if it is one and has no other names."""
    if not isinstance(given, dict):
        raise Refused(f"{what.capitalize()} is no JSON object.")
    for name in given:
        if name not in names:
            raise Refused(f"{quote(name)} is no name in {what}; allowed are {', '.join(names)}.")
    return given
