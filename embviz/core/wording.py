"""Sizes, numbers and quoted text for messages, always on one printable line."""

import re

# A spreadsheet takes a cell that begins so for a formula; the wide ones too, in some languages.
_FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_PATH = re.compile(r"""(?<![\w.])(?:[A-Za-z]:)?(?:[/\\][^\s/\\'",:;()]+){2,}[/\\]?""")


def format_bytes(count: int, decimals: int = 1) -> str:
    """`1536` -> `'1.5 KiB'`: binary units, so many decimals above a KiB.

    >>> format_bytes(100), format_bytes(1024**2 - 1)
    ('100 B', '1.0 MiB')
    """
    shown, size = f"{count} B", float(count)
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


def quote(text: str, limit: int = 40) -> str:
    r"""A text between quotes, shortened and printable; of white space alone it is all.

    >>> quote(" 1\n2"), quote(" "), quote("\t")
    ("'1\\n2'", "' '", "'\\t'")
    """
    text = text.strip() or text
    shown = "".join(printable(c) for c in text[:limit])
    return f"'{shown}…'" if len(text) > limit else f"'{shown}'"


def printable(character: str) -> str:
    r"""The character, or its escape: a line break becomes `\n`, a right-to-left mark `\u202e`."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def without_paths(text: str) -> str:
    """The text without the paths in it: a folder may name the user, and a file is sent to others.

    >>> without_paths("No such file: '/home/ada/.cache/x.so'; 12 GB/s, and/or")
    "No such file: '…'; 12 GB/s, and/or"
    """
    return _PATH.sub("…", text)


def formula_safe(cell: str) -> str:
    """A cell that no spreadsheet runs: one that could be a formula gets a leading `'`.

    >>> formula_safe("=1+1"), formula_safe(" |x"), formula_safe("3")
    ("'=1+1", "' |x", '3')
    """
    begins = cell.lstrip().startswith(_FORMULA) or cell[:1] in ("\t", "\r", "\n", "\0")
    return f"'{cell}" if begins else cell
