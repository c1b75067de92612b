"""The settings: one record each, and how it reads what an address, a request or an option says.

Sidebar, address, the route `live` and the command line all use these records. The settings of a
single page stand in that page's file and come here with its `Page`. A value that does not fit the
others (four rows for ids up to ten) is no matter of this file: `inputs` refuses it with the reason.
"""

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any
from urllib.parse import quote_plus

from embviz.fact.dtypes import DTYPES
from embviz.fact.inits import INITS
from embviz.fact.table import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS, MAX_SEED
from embviz.fact.tokenizers import MOST_MERGES, VOCABULARIES
from embviz.system.bounds import PASTED, TOKENS, OverLimitError, id_characters
from embviz.system.devices import available_devices
from embviz.text.digits import plain_digits
from embviz.text.refused import Refused
from embviz.text.wording import quote

NAMED_CHOICES = 20  # a refusal names up to this many choices; of more, the nearest
# Proxies cut long addresses; Streamlit itself answers 400 at about 65,000 bytes.
MAX_URL_TEXT_BYTES = 6000


@dataclass(frozen=True)
class Setting(ABC):
    """One setting.

    Attributes:
        name: its parameter in the address, and its widget's key.
        default: its value where an address leaves it out.
        help: what it is, as its widget and `--help` say it.
        whole: whether a change draws the sidebar again too.
        ends_with: settings whose change sets this one to its default.
    """

    name: str
    default: Any
    _: KW_ONLY
    help: str = ""
    whole: bool = False
    ends_with: tuple[str, ...] = ()

    @abstractmethod
    def read(self, raw: Any) -> Any:
        """Its value.

        Args:
            raw: what an address, a request, a widget or an option carried: anything.

        Raises:
            Refused: quotes `raw` and says what is allowed.
        """

    def options(self) -> list[str]:
        """The values that it may take, where they can be listed."""
        return []

    def written(self, value: Any) -> Any:
        """A value as the address has it: a text, or a list of texts."""
        return str(value)

    def refuse(self, raw: Any, reason: str) -> Refused:
        """The refusal of a value."""
        return Refused(f"{self.name}={quote(str(raw))} {reason}")


@dataclass(frozen=True)
class Number(Setting):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def read(self, raw: Any) -> int:
        """The number, written with at most 20 digits."""
        text = plain_digits(str(raw)).strip()
        readable = re.fullmatch("[+-]?[0-9]{1,20}", text)
        if not readable or not self.low <= int(text) <= self.high:
            raise self.refuse(raw, f"is not a whole number from {self.low:,} to {self.high:,}")
        return int(text)


@dataclass(frozen=True)
class Choice(Setting):
    """One of `choices()`, which is asked on every reading: devices may come and go.

    Attributes:
        nothing: the choice that chooses none of the things, such as `none`, or all of them. No
            sentence counts it or names it as one of them.
    """

    choices: Callable[[], Iterable[str]]
    nothing: str = ""

    def options(self) -> list[str]:
        """The values to choose from."""
        return list(self.choices())

    def read(self, raw: Any) -> Any:
        """The value; a refusal names all choices, or the nearest of many."""
        options = self.options()
        if raw in options:
            return raw
        things = [one for one in options if one != self.nothing]
        named = ", ".join(things)
        if len(things) > NAMED_CHOICES:
            near = difflib.get_close_matches(str(raw)[:100], things, 3, 0.0)
            named = f"the {len(things)} there are; nearest: {', '.join(near)}"
        raise self.refuse(raw, f"is not one of {named}")


def _several(raw: Any) -> list[str]:
    """One value, or many, as texts; each once, none empty."""
    given = raw if isinstance(raw, list | tuple) else [raw]
    return list(dict.fromkeys(filter(None, map(str, given))))


@dataclass(frozen=True)
class Choices(Choice):
    """Any number of `choices()`, each a parameter of its own: `methods=lookup&methods=matmul`."""

    def read(self, raw: Any) -> Any:
        """The values, as a list, each once."""
        return [*map(super().read, _several(raw))]

    def written(self, value: Any) -> Any:
        """Each value, as a list; of none, one that is empty."""
        return [*map(str, value)] or [""]


@dataclass(frozen=True)
class Switch(Choice):
    """True or false, which an address writes in lower case."""

    choices: Callable[[], Iterable[str]] = lambda: ("true", "false")

    def read(self, raw: Any) -> bool:
        """The value, in upper or lower case."""
        return bool(super().read(str(raw).lower()) == "true")

    def written(self, value: Any) -> str:
        """`true` or `false`."""
        return str(value).lower()


@dataclass(frozen=True)
class Text(Setting):
    """A text of so many characters at most.

    Attributes:
        most: that number, which is asked on every reading: it differs where hosted.
    """

    _: KW_ONLY
    most: Callable[[], int]

    def read(self, raw: Any) -> str:
        """The text as it is; one that is too long is in no message, and nobody keeps it."""
        if not isinstance(raw, str):
            raise self.refuse(raw, "is not text")
        if len(raw) > (most := self.most()):
            raise OverLimitError(
                f"{len(raw):,} characters of {self.name} are more than the {most:,} allowed",
                about=self.name,
            )
        return raw


SETTINGS: dict[str, Setting] = {}  # by name; each page adds its own


def add(*settings: Setting) -> tuple[str, ...]:
    """Add settings to `SETTINGS`; return their names."""
    SETTINGS.update({one.name: one for one in settings})
    return tuple(one.name for one in settings)


def _meanings(named: Any) -> str:
    return "".join(f"\n- `{one.name}`: {one.sentence}" for one in named.values())


# What `read_inputs` reads.
MODEL = add(
    Choice("input", "text", lambda: ("text", "ids"), help="Type a text, or ids.", whole=True),
    Text(
        "text",
        "WTF does nn.Embedding do?",
        help="The text: each character has an id.",
        most=TOKENS.value,
    ),
    Text(
        "ids",
        "2 3 1",
        help="The ids: `2 3 1` or `[[1, 3], [0, 1]]`.",
        most=id_characters,
    ),
    Choice(
        "vocab",
        "printable",
        lambda: VOCABULARIES,
        help=f"The place of each character or piece is its id.{_meanings(VOCABULARIES)}",
        whole=True,
    ),
    Text(
        "chars",
        "abcdefghij",
        help="The characters of `custom`, in id order.",
        most=TOKENS.value,
    ),
    Number("merges", MOST_MERGES, 0, MOST_MERGES, help="Of `bpe`: each joins two pieces to one."),
    Number(
        "rows",
        100,
        1,
        MAX_NUM_EMBEDDINGS,
        help="V: rows of the table, or more where the vocabulary needs them.",
    ),
    Number("dim", 10, 1, MAX_EMBEDDING_DIM, help="D: how many numbers each row has."),
    Number("seed", 123, 0, MAX_SEED, help="Start of the draw: one seed is one table, everywhere."),
    Choice(
        "init",
        "normal",
        lambda: INITS,
        help=f"How the weights start.{_meanings(INITS)}",
        whole=True,
    ),
    Text(
        "weights",
        "8 2 1 9\n6 5 4 0\n7 1 6 2\n1 3 5 8\n0 4 9 1",
        help="Of `own`: `Embedding.weight`, one row a line, or nested lists.",
        most=PASTED.value,
    ),
    Choice(
        "dtype",
        "float32",
        lambda: DTYPES,
        help="How a number is stored: drawn in float32, then cast.",
    ),
    Choice("device", "cpu", available_devices, help="Where it is computed."),
    Choice(
        "unknown",
        "unk",
        lambda: ("unk", "error"),
        help="An unknown character: `unk` shows it as `<unk>`, one row more; `error` refuses it.",
    ),
)

# What the playground's picture depends on besides the model.
PLACE = add(
    # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
    Number("token", 0, 0, 999_999_999, help="Index of the selected token, from 0."),
    Number("column", 0, 0, MAX_EMBEDDING_DIM, help="First column that is shown."),
)

# The small example: what the playground and the route `live` show while nothing is typed, with
# these values where the records have their defaults.
EXAMPLE: dict[str, Any] = {
    "text": "cab",
    "vocab": "custom",
    "chars": "abcdef",
    "rows": 6,
    "dim": 3,
    "init": "integers",
}
TYPED = "input", "text", "ids"  # no reset takes them


def base(given: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in for the records' defaults, for these given settings: the example, or nothing.

    >>> base({"dim": 4}) is EXAMPLE, base({"text": "abc"}), base({"input": "ids"})
    (True, {}, {})
    """
    return {} if "text" in given or given.get("input") == "ids" else EXAMPLE


def named(given: Mapping[str, Any], example: bool) -> dict[str, Any]:
    """The settings that an address has to name: a text, and all that differ from the usual."""
    usual = defaults(given) | (base(given) if example else {})
    return {name: one for name, one in given.items() if name == "text" or one != usual[name]}


def asked_of(given: Mapping[str, Any], example: bool = True) -> dict[str, Any]:
    """What given settings ask of the model, as `named` says it, in one order."""
    return named({name: given[name] for name in MODEL if name in given}, example)


def read(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of settings, by name.

    Raises:
        Refused: a sentence that quotes what is given and says what is allowed.
    """
    try:
        return {name: SETTINGS[name].read(raw) for name, raw in given.items()}
    except OverLimitError as error:
        raise OverLimitError(f"{error}.", about=error.about) from None
    except Refused as error:
        raise Refused(f"{error}.") from None


def defaults(names: Iterable[str] = MODEL) -> dict[str, Any]:
    """The defaults of these settings, by name."""
    return {name: SETTINGS[name].default for name in names}


def fits_link(text: str) -> bool:
    """Whether a text is short enough to travel in the address."""
    return len(text) <= MAX_URL_TEXT_BYTES >= url_bytes(text)  # a long one is not encoded


def url_bytes(text: str) -> int:
    """Bytes of a text once it is URL-encoded."""
    return len(quote_plus(text, errors="replace"))
