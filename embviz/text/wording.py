"""Sizes, numbers and quoted text for messages, always on one printable line."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# A spreadsheet takes a cell that begins so for a formula; the wide ones too, in some languages.
_FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Classes of Unicode: letters of Hebrew, of Arabic and their kin, and Arabic digits.
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_PATH = re.compile(
    r"""(?<![\w.])(?:[A-Za-z]:)?(?:[/\\][^\s/\\'",:;()]+){2,}[/\\]?"""
    "|<[\\w.]+ object at 0x[0-9a-f]+>"
)


def format_bytes(count: int, decimals: int = 1) -> str:
    """`1536` -> `'1.5 KiB'`: binary units, so many decimals above a KiB.

    >>> format_bytes(100), format_bytes(1024**2 - 1)
    ('100 B', '1.0 MiB')
    """
    shown, size = f"{count:,} B", float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        # 1,023.96 KiB would round to 1,024.0 KiB: take the next unit before.
        if round(size, decimals) >= 1024:
            size /= 1024
            shown = f"{size:,.{decimals}f} {unit}"
    return shown


def number(value: int) -> str:
    """An int with thousands separators; a huge one in words, because str() refuses 4,300 digits.

    >>> number(-12345)
    '-12,345'
    """
    return f"{value:,}" if abs(value) < 10**18 else "of more than 18 digits"


def counted(count: int, noun: str) -> str:
    """So many things.

    >>> counted(1, "row"), counted(1200, "row"), counted(5, "process")
    ('1 row', '1,200 rows', '5 processes')
    """
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}es" if noun.endswith("s") else f"{count:,} {noun}s"


def quote(text: str, limit: int = 40) -> str:
    r"""A text between quotes, shortened and printable; what has no ink is named.

    >>> quote("1\n2"), quote("a\u200db"), quote("\xa0")
    ("'1\\n2'", "'a‹zero width joiner›b'", 'no-break space (U+00A0)')
    """
    text = text.strip() or text[:1]
    if len(text) == 1:
        return short_name(text)
    shown = "".join(map(_quoted, text[:limit]))
    return f"'{shown}…'" if len(text) > limit else f"'{shown}'"


def _quoted(character: str) -> str:
    """The character; a control character's escape; the name of another one that has no ink."""
    has_ink = unicodedata.category(character)[0] not in "CZ" and character not in _BLANK
    if has_ink or character.isascii():
        return printable(character)
    return f"‹{unicode_name(character)}›"


def isolate(token: str) -> str:
    """A token or word for a page's sentence; one from right to left stands in an isolate.

    Without the isolate's two marks a list of such words is drawn with the last one first.

    >>> isolate("é"), len(isolate("ב"))
    ('é', 3)
    """
    directions = {*map(unicodedata.bidirectional, token)}
    return f"\u2068{token}\u2069" if directions & _RIGHT_TO_LEFT else token


def isolated(sentence: str) -> str:
    """The sentence for a page: what it quotes from right to left stands in an isolate.

    Without its two marks the quotes, commas and numbers around are drawn in another order.

    >>> isolated("'é', 2 more"), len(isolated("'ב', 2 more")) - len("'ב', 2 more")
    ("'é', 2 more", 2)
    """
    return re.sub("'([^']+)'", lambda quoted: f"'{isolate(quoted[1])}'", sentence)


def printable(character: str) -> str:
    r"""The character, or its escape: a line break becomes `\n`, a right-to-left mark `\u202e`."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def without_paths(text: str) -> str:
    """An error's text without paths and addresses of objects.

    A folder may name the user, and a file is sent to others; an address tells a reader nothing.

    >>> without_paths("No such file: '/home/ada/.cache/x.so'; 12 GB/s, and/or")
    "No such file: '…'; 12 GB/s, and/or"
    >>> without_paths("The file <_io.BytesIO object at 0x7f88d26758f0> is empty")
    'The file … is empty'
    """
    return _PATH.sub("…", text)


def formula_safe(cell: str) -> str:
    """A cell that no spreadsheet runs: one that could be a formula gets a leading `'`.

    >>> formula_safe("=1+1"), formula_safe(" |x"), formula_safe("3")
    ("'=1+1", "' |x", '3')
    """
    begins = cell.lstrip().startswith(_FORMULA) or cell[:1] in ("\t", "\r", "\n", "\0")
    return f"'{cell}" if begins else cell


# Common fonts draw these, but not the control pictures such as U+2420.
_GLYPHS = {" ": "·", "\t": "⇥", "\n": "↵"}
# Letters, symbols and marks by category, but without ink: Hangul fillers, an empty Braille cell,
# two Khmer vowels, the grapheme joiner, and variation selectors.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f") | frozenset(
    map(chr, (*range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
# What Unicode has no name for, by character or category; all others are control characters.
_NAMELESS = {"\t": "tab", "\n": "line feed", "\r": "carriage return"} | {
    "Co": "private-use character",
    "Cn": "unassigned character",
    "Cs": "lone surrogate",
}


@lru_cache(4096)  # each key shows hundreds of labels
def visible(character: str) -> str:
    r"""A visible stand-in that common fonts can draw.

    >>> [visible(c) for c in "a \t\n\x0b"]
    ['a', '·', '⇥', '↵', '0B']
    """
    kind = unicodedata.category(character)[0]
    if kind in "CZ" or character in _BLANK:
        return _GLYPHS.get(character, f"{ord(character):02X}")
    return "◌" + character if kind == "M" else character


def unicode_name(character: str) -> str:
    """A character's Unicode name in lower case; its kind if it has no name."""
    kind = _NAMELESS.get(unicodedata.category(character), "control character")
    return unicodedata.name(character, _NAMELESS.get(character, kind)).lower()


def short_name(character: str) -> str:
    """A character by sight, or by name where it has no ink: `'é'`, `no-break space (U+00A0)`."""
    return f"'{character}'" if visible(character) == character else describe(character)


def few_names(symbols: Sequence[str], most: int = 3) -> str:
    r"""Some characters or words by sight or name, and how many more there are.

    >>> few_names("aéb c"), few_names(["\n", "xyz"])
    ("'a', 'é', 'b', 2 more", "line feed (U+000A), 'xyz'")
    """
    named = [*map(quote, symbols[:most])]
    if len(symbols) > most:
        named.append(f"{len(symbols) - most:,} more")
    return ", ".join(named)


def describe(character: str) -> str:
    """A character by sight and code point, safe to print: `'é' (U+00E9)`."""
    shown = f"'{character}'" if visible(character) == character else unicode_name(character)
    return f"{shown} (U+{ord(character):04X})"
