"""The pages that are measured: their addresses, what is typed, and what they then show."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from keys.servers import TEXT, defaults, vocabulary

LETTERS = "hjklp"  # none is in the text, so each adds a row that is looked up


@dataclass(frozen=True)
class Expected:
    """The state of a page after a key.

    Attributes:
        shown: the text.
        parameter: the name that the address then has, or None.
        value: its value.
        default: its value where the address lacks it.
        ids: the token strip's ids, where the page has one.
    """

    shown: str
    parameter: str | None
    value: str
    default: str
    ids: list[int]


@dataclass(frozen=True)
class Kind:
    """A kind of page.

    Attributes:
        name: its name in `probe.js`, which knows what "drawn" means there.
        path: its address.
        field: the CSS selector of the field that takes the keys.
        painted: whether `probe.js` can tell the first frame with the whole result. Elsewhere a key
            is drawn when the page no longer changes.
        linked: whether the field is in the address.
        paused: whether its rerun waits until the typing pauses.
        block: the keys of one block; after them all is as before.
        vocab: the vocabulary of its text.
    """

    name: str
    path: str
    field: str = ".st-key-text input"
    painted: bool = False
    linked: bool = True
    paused: bool = False
    block: tuple[str, ...] = (*LETTERS, *["Backspace"] * len(LETTERS))
    vocab: str = "printable"

    def after(self, value: str, key: str) -> str:
        """The field's value after a key at its end."""
        return value[:-1] if key == "Backspace" else value + key

    def expected(self, value: str) -> Expected:
        """The state of the page for a value of its field."""
        ids = vocabulary(defaults() | {"vocab": self.vocab}).encode(value)
        return Expected(value, "text" if self.linked else None, value, TEXT, ids)


ECHO = Kind("echo", "/", painted=True, linked=False)
USUAL = "/?" + urlencode({"text": TEXT})  # the bare address is the small example
PLAYGROUND = Kind("playground", USUAL, painted=True, paused=True)
PANEL = Kind("panel", f"{USUAL}&panel=one_hot", painted=True, paused=True)
LARGE = Kind("large", f"{USUAL}&rows=1000000&dim=64", painted=True, paused=True)
PAGES = {
    "playground": (PLAYGROUND, PANEL, LARGE),
    "training": (Kind("training", "/training?lesson=step"),),
    "context": (
        Kind("static", "/context?chapter=static", painted=True, paused=True),
        Kind("contextual", "/context?chapter=contextual", painted=True, paused=True),
    ),
}


def pieces(vocab: str) -> Kind:
    """The playground with a text in this vocabulary."""
    return Kind(vocab, f"{USUAL}&vocab={vocab}", painted=True, paused=True, vocab=vocab)
