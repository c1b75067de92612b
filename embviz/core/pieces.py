"""A vocabulary of pieces: runs of bytes that a tokenizer cut a text into.

A piece may hold a part of a character alone; it is then shown as bytes. The pieces of a text put
together are its UTF-8 bytes, so no text is lost. The tokenizer decides how a text is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from embviz.core.vocabulary import UNK, Named, Vocabulary, check_ids, utf8, visible

LABELS = 1024  # kept in memory: each key shows the same 256 rows


class Pieces:
    """Pieces in id order, and optionally one `<unk>` row after them, which no text uses."""

    unit = "piece"

    def __init__(
        self,
        characters: Named,
        encode: Callable[[str], list[int]],
        spell: Callable[[int], bytes],
        unk: bool = False,
    ) -> None:
        """Keep a tokenizer.

        Args:
            characters: its name and size.
            encode: text -> ids.
            spell: id -> its bytes; none for an id that no piece has.
            unk: whether a row `<unk>` follows.
        """
        self.characters, self.unk = characters, unk
        self._encode, self._spell = encode, spell
        self._label = lru_cache(LABELS)(self._make_label)

    def __len__(self) -> int:
        """Number of ids."""
        return len(self.characters) + self.unk

    @property
    def unk_id(self) -> int | None:
        """Id of the `<unk>` row, or None without one."""
        return len(self.characters) if self.unk else None

    def encode(self, text: str) -> list[int]:
        """One id per piece.

        Raises:
            UnknownCharacterError: a lone surrogate.
        """
        utf8(text)
        return self._encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; bytes that are no UTF-8 become U+FFFD.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        known = (t for t in check_ids(ids, len(self)) if t != self.unk_id)
        return b"".join(map(self._spell, known)).decode("utf-8", errors="replace")

    def label(self, token: int) -> str:
        """The piece, visible: `·do` for ` do`; a part of a character as bytes, `E2 80`."""
        return self._label(token)

    def _make_label(self, token: int) -> str:
        if token == self.unk_id:
            return UNK
        piece = self._piece(token)
        try:
            return "".join(map(visible, piece.decode("utf-8")))
        except UnicodeDecodeError:
            return piece.hex(" ").upper()

    def symbol(self, token: int) -> bytes:
        """The piece's bytes."""
        return self._piece(token)

    def is_stand_in(self, token: int) -> bool:
        """Whether the label is not the piece itself."""
        return self.label(token) != self._piece(token).decode("utf-8", errors="replace")

    def name(self, token: int) -> str:
        """An id's piece in words: `piece ' do', 3 bytes`."""
        if token == self.unk_id:
            return "any unknown character"
        if not (piece := self._piece(token)):
            return "a row that no piece uses"
        many = "1 byte" if len(piece) == 1 else f"{len(piece)} bytes"
        try:
            return f"piece {piece.decode('utf-8')!r}, {many}"
        except UnicodeDecodeError:
            return f"piece of {many}, {piece.hex(' ').upper()}: a part of a character"

    def _piece(self, token: int) -> bytes:
        return self._spell(token) if 0 <= token < len(self.characters) else b""


Symbols = Vocabulary | Pieces  # every vocabulary
