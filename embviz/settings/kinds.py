"""The kinds of settings, and how each reads what an address, a request or an option says.

`model_settings` and `pages` have the records. A value that does not fit the others (four rows for
ids up to ten) is no matter of this file: `inputs` refuses it with the reason.
"""

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any

from embviz.system.bounds import OverLimitError
from embviz.text.digits import whole_number
from embviz.text.refused import Refused
from embviz.text.wording import quote

# Bytes of a text in an address, at most: proxies cut long ones; Streamlit itself answers 400 at
# about 65,000.
MAX_URL_TEXT_BYTES = 6000
NAMED_CHOICES = 20  # a refusal names up to this many choices; of more, the nearest


@dataclass(frozen=True)
class Setting(ABC):
    """One setting.

    Attributes:
        name: its parameter in the address, and its widget's key.
        default: its value where an address leaves it out.
        help: what it is, as its widget and `--help` say it.
        sidebar: whether a change draws the sidebar again too.
        ends_with: settings whose change sets this one to its default.
    """

    name: str
    default: Any
    _: KW_ONLY
    help: str = ""
    sidebar: bool = False
    ends_with: tuple[str, ...] = ()

    @abstractmethod
    def read(self, raw: Any) -> Any:
        """The setting's value.

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
        """The refusal of a value, as a whole sentence."""
        return Refused(f"{self.name}={quote(str(raw))} {reason}.")


@dataclass(frozen=True)
class Number(Setting):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def read(self, raw: Any) -> int:
        """The number, as `whole_number` reads it."""
        with suppress(Refused):  # JSON and widgets have numbers
            number = raw if type(raw) is int else whole_number(str(raw))
            if self.low <= number <= self.high:
                return number
        raise self.refuse(raw, f"is not a whole number from {self.low:,} to {self.high:,}")


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
        things = [option for option in options if option != self.nothing]
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
        """The values as a list of texts; a list of one empty text where there are none."""
        return [*map(str, value)] or [""]


@dataclass(frozen=True)
class Switch(Choice):
    """True or false, which an address writes in lower case."""

    choices: Callable[[], Iterable[str]] = lambda: ("true", "false")

    def read(self, raw: Any) -> bool:
        """The value, in upper or lower case."""
        lower = str(raw).lower()
        return bool(super().read(lower if lower in self.options() else str(raw)) == "true")

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
                f"{len(raw):,} characters of {self.name} are more than the {most:,} allowed.",
                about=self.name,
            )
        return raw
