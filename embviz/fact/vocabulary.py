"""Symbols <-> ids, and the label of a symbol.

`Symbols` is what a page calls a vocabulary: which symbol has which id. There are two kinds: runs of
bytes, into which something else cuts a text: single bytes, or the pieces of a tokenizer; and those
of a list, `Listed`: a `Vocabulary` of characters, and the `Words` of `words.py`. A `Tokenizer` of
`tokenizers.py` is the record that makes one by name. None has a row for what is unknown: that is
the last row of a table with `Table.unk`, and its id is given as `unk_id`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from embviz.text.refused import Fixes, Refused
from embviz.text.wording import counted, describe, visible

UNK = "<unk>"


class Symbols:
    """Symbols in id order: here runs of bytes, which put together are a text's UTF-8 bytes.

    Args:
        size: number of ids.
        encode: text -> ids.
        spell: id -> its bytes; none for an id that no piece has.
        unit: what one of them is called.
    """

    unit: str
    # What no id tells of a text, beside what is unknown.
    loses = ""

    def __init__(
        self,
        size: int,
        encode: Callable[[str], list[int]],
        spell: Callable[[int], bytes],
        unit: str = "token",
    ) -> None:
        self._size, self._encode, self._spell, self.unit = size, encode, spell, unit

    def __len__(self) -> int:
        """Number of ids."""
        return self._size

    def encode(self, text: str, unk_id: int | None = None) -> list[int]:
        """One id for each piece or character; `unk_id` for an unknown character.

        Raises:
            Refused: a lone surrogate, which has no bytes; an unknown character without `unk_id`.
        """
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Refused(
                f"{describe(text[error.start])} at index {error.start:,} has no UTF-8 bytes, "
                "so no id.",
                about="text",
            ) from None
        return self._encode(text)

    def symbol(self, token: int) -> str | bytes:
        """The character or the bytes of an id; empty where it stands for none."""
        return self._spell(token) if 0 <= token < len(self) else b""

    def unknown(self, text: str) -> list[str]:
        """The characters or words that have no id, each once."""
        return []

    def folded(self, text: str) -> bool:
        """Whether a text has capital letters that count as small ones."""
        return False

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; an id without a symbol is `<unk>`, broken UTF-8 is U+FFFD."""
        symbols = (self.symbol(token) or UNK for token in ids)
        parts = (
            symbol.encode("utf-8", "replace") if isinstance(symbol, str) else symbol
            for symbol in symbols
        )
        return b"".join(parts).decode("utf-8", "replace")

    def label(self, token: int, unk_id: int | None = None) -> str:
        """A short visible stand-in: `a`, `·` for a space, `·do` for ` do`, `C3` for a byte."""
        text, digits = self._shown(token)
        return UNK if token == unk_id else "".join(map(visible, text)) or digits

    def is_stand_in(self, token: int, unk_id: int | None = None) -> bool:
        """Whether the label is not the symbol itself: a space's dot, hex digits, `<unk>`."""
        return self.label(token, unk_id) != self._shown(token)[0]

    def name(self, token: int, unk_id: int | None = None) -> str:
        """The name of an id in words: `'a' (U+0061)`, `byte C3`, `piece ' do' (20 64 6F)`."""
        text, digits = self._shown(token)
        if token == unk_id:
            return f"any unknown {self.unit}"
        if not digits:
            return describe(text) if text else f"a row that no {self.unit} uses"
        return f"{self.unit} " + (f"{text!r} ({digits})" if text else digits)

    def _shown(self, token: int) -> tuple[str, str]:
        """The symbol as text, empty for a part of a character, and bytes in hex digits."""
        symbol = self.symbol(token)
        if isinstance(symbol, str):
            return symbol, ""
        text = symbol.decode("utf-8", "ignore")
        return text if text.encode() == symbol else "", symbol.hex(" ").upper()


class Listed(Symbols):
    """Symbols of a list, in id order; a text may have others. Of equal ones the first has the id.

    Attributes:
        symbols: the list.
        fixes: settings that make all symbols of a text known, by the labels of their buttons.
    """

    symbols: Sequence[str]
    fixes: Fixes = MappingProxyType({"Show it as <unk>": {"unknown": "unk"}})

    def __len__(self) -> int:
        """Number of symbols."""
        return len(self.symbols)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return dict(zip(self.symbols[::-1], range(len(self))[::-1], strict=True))

    def tokens(self, text: str) -> Sequence[str]:
        """The symbols of a text, known or not."""
        return text

    def unknown(self, text: str) -> list[str]:
        """The symbols of a text that have no id, each once."""
        return [token for token in dict.fromkeys(self.tokens(text)) if token not in self._ids]

    def encode(self, text: str, unk_id: int | None = None) -> list[int]:
        """One id for each symbol of a text.

        Raises:
            Refused: an unknown symbol without `unk_id`; names it.
        """
        if unk_id is None and (unknown := self.unknown(text)):
            more = len(unknown) - 1
            others = f" {more:,} more {'is' if more == 1 else 'are'} unknown too." if more else ""
            raise Refused(
                f"{self._said(unknown[0], text)} is not among the {counted(len(self), self.unit)} "
                f"of the vocabulary.{others}",
                self.fixes,
                "text",
            )
        return [self._ids.get(token, unk_id or 0) for token in self.tokens(text)]

    def symbol(self, token: int) -> str:
        """The symbol of an id, or `''`."""
        return self.symbols[token] if 0 <= token < len(self) else ""

    def _said(self, symbol: str, text: str) -> str:
        """An unknown symbol of a text, for its refusal."""
        return f"{describe(symbol)} at index {text.index(symbol):,}"


@dataclass(frozen=True)
class Vocabulary(Listed):
    """Symbols that are characters, in id order.

    Raises:
        Refused: no characters, or one of them twice.

    >>> Vocabulary("abc").encode("cab"), Vocabulary("abc").decode([2, 0, 1])
    ([2, 0, 1], 'cab')
    >>> Vocabulary("ab").encode("a?b", unk_id=100), Vocabulary("ab").decode([0, 100])
    ([0, 100, 1], 'a<unk>')
    """

    symbols: str
    unit = "character"
    fixes = MappingProxyType({**Listed.fixes, "Use bytes": {"vocab": "bytes"}})

    def __post_init__(self) -> None:
        characters = self.symbols
        if not characters:
            raise Refused(
                "A vocabulary needs at least one character; none was given.",
                {"Use printable": {"vocab": "printable"}},
                "chars",
            )
        if len(self._ids) < len(characters):
            place, twice = next(
                (place, letter)
                for place, letter in enumerate(characters)
                if self._ids[letter] < place
            )
            raise Refused(
                f"{describe(twice)} stands in the vocabulary twice, at positions "
                f"{self._ids[twice]:,} and {place:,}; each character may stand there once.",
                {"Keep each character once": {"chars": "".join(dict.fromkeys(characters))}},
                "chars",
            )


BYTES = Symbols(256, lambda text: list(text.encode()), lambda t: bytes([t]), "byte")
