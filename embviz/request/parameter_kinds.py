"""The kinds of URL parameter, and how each reads what a link says.

A link may hold anything. Each kind returns a usable value or raises a `ValueError` that quotes
what was given and says what is allowed. It knows no widgets and no other parameter.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from embviz.core.wording import quote

MOST_NAMES, LONGEST_NAME = 64, 100
NAMED_CHOICES = 20  # an error names up to this many choices; of more, the nearest


@dataclass(frozen=True)
class Parameter(ABC):
    """One URL parameter.

    Attributes:
        name: its name in the address, and its widget's key.
        pages: the pages that read it.
        default: its value where a link leaves it out.
        has_widget: False where the address alone holds it.
        long: whether it may grow too long for a link.
        entry: whether a change of it makes a history entry.
    """

    name: str
    pages: tuple[str, ...]
    default: Any
    _: KW_ONLY
    has_widget: bool = True
    long: bool = False
    entry: bool = False

    @abstractmethod
    def read(self, raw: object) -> Any:
        """Its value.

        Args:
            raw: what a link or a forged message carried.

        Raises:
            ValueError: a sentence that quotes `raw` and says what is allowed.
        """

    def options(self) -> list[str]:
        """The values that it may take, where they can be listed."""
        return []

    def in_widget(self, value: Any) -> Any:
        """A value as its widget holds it in the session state."""
        return value

    def _refusal(self, raw: object, reason: str) -> ValueError:
        return ValueError(f"{self.name}={quote(str(raw))} {reason}")


@dataclass(frozen=True)
class Number(Parameter):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def read(self, raw: object) -> int:
        """The number, written with at most 20 ASCII digits."""
        text = str(raw).strip()
        digits = text.removeprefix("-")
        readable = digits.isascii() and digits.isdigit() and len(digits) <= 20
        if not readable or not self.low <= int(text) <= self.high:
            raise self._refusal(raw, f"is not a whole number from {self.low:,} to {self.high:,}")
        return int(text)


@dataclass(frozen=True)
class Choice(Parameter):
    """One of `choices()`, which is asked on every reading: devices may come and go."""

    choices: Callable[[], Iterable[str]]

    def options(self) -> list[str]:
        """The values to choose from."""
        return list(self.choices())

    def read(self, raw: object) -> str:
        """The value; an error names all choices, or the nearest of many."""
        options = self.options()
        if raw in options:
            return str(raw)
        named = ", ".join(options)
        if len(options) > NAMED_CHOICES:
            near = difflib.get_close_matches(str(raw)[:100], options, 3, 0.0)
            named = f"the {len(options)} there are; nearest: {', '.join(near)}"
        raise self._refusal(raw, f"is not one of {named}")


@dataclass(frozen=True)
class Choices(Choice):
    """Any number of `choices()`, each a parameter of its own: `methods=lookup&methods=matmul`."""

    def read(self, raw: object) -> Any:
        """The values, as a list."""
        given = raw if isinstance(raw, list | tuple) else [raw]
        given = [one for one in given if one != ""]  # `methods=` is how Streamlit writes none
        options = self.options()
        for one in given:
            if one not in options:
                raise self._refusal(one, f"is not one of {', '.join(options)}")
        return given


@dataclass(frozen=True)
class Names(Choices):
    """Names that no list has: `machines=one&machines=two`."""

    def read(self, raw: object) -> Any:
        """The names, as a list; each once."""
        given = raw if isinstance(raw, list | tuple) else [raw]
        names = list(dict.fromkeys(str(one) for one in given if one != ""))
        if len(names) > MOST_NAMES:
            raise self._refusal(f"{names[0]} …", f"names more than {MOST_NAMES}")
        for one in names:
            if len(one) > LONGEST_NAME or not one.isprintable():
                wanted = f"is not a printable name of at most {LONGEST_NAME} characters"
                raise self._refusal(one, wanted)
        return names


@dataclass(frozen=True)
class Ends(Choices):
    """A smallest and a largest of `choices()`: `span=64&span=1024`."""

    def read(self, raw: object) -> Any:
        """Both values, as a list."""
        given = super().read(raw)
        if len(given) != 2:
            found = " ".join(map(str, given))
            raise self._refusal(found, "is not a smallest and a largest value")
        return given

    def in_widget(self, value: Any) -> Any:
        """A tuple: a slider has two ends only if its value is one."""
        return tuple(value)


@dataclass(frozen=True)
class Switch(Parameter):
    """True or false."""

    def options(self) -> list[str]:
        """As a link writes them."""
        return ["true", "false"]

    def read(self, raw: object) -> bool:
        """The value, in upper or lower case."""
        if str(raw).lower() not in self.options():
            raise self._refusal(raw, "is neither true nor false")
        return str(raw).lower() == "true"


@dataclass(frozen=True)
class Text(Parameter):
    """Any text."""

    def read(self, raw: object) -> str:
        """The text as it is."""
        if not isinstance(raw, str):
            raise self._refusal(raw, "is not text")
        return raw
