"""Words of messages, and cells of a spreadsheet."""

import ast
from itertools import pairwise
from pathlib import Path

from embviz.text.wording import format_bytes, formula_safe, number, quote, without_paths


def test_messages_are_short_and_printable() -> None:
    """Bytes have binary units; long texts and numbers are shortened, and no path is sent."""
    assert (format_bytes(1023), format_bytes(2000 * 1024**4)) == ("1023 B", "2,000.0 TiB")
    assert quote("\u202e" + "x" * 40) == "'‹right-to-left override›" + "x" * 39 + "…'"
    assert (quote(" a "), quote("x" * 40)) == ("'a'", f"'{'x' * 40}'")
    assert (number(-12345), number(-(10**5000))) == ("-12,345", "of more than 18 digits")
    assert without_paths("at C:\\Users\\ada and /home/ada/x.so, /x, 1/2") == "at … and …, /x, 1/2"


def test_a_cell_that_could_be_a_formula_is_quoted() -> None:
    """A spreadsheet shows the text and runs nothing; other cells are left alone."""
    for cell in ("=1", "-1", "@x", "|x", "＝1", " =1", "\t1", "\x00=1"):
        assert formula_safe(cell) == f"'{cell}"
    for cell in ("", "3", "a=b", "'=1"):
        assert formula_safe(cell) == cell


ROOT = Path(__file__).resolve().parents[2] / "embviz"
# Nouns that are counted in these rooms, in the plural.
NOUNS = (
    "cases rounds rows tokens threads cores processes placements numbers columns sweeps controls"
)
ROOMS = ("timing", "commands/time.py", "commands/runs.py", "text")


def test_every_count_with_a_noun_has_its_singular() -> None:
    """No sentence has `1 cases`: a number beside a noun is `counted`, or a constant beyond 1."""
    wrong = list[str]()
    for path in (file for room in ROOMS for file in _sources(room)):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for before, after in pairwise(parts):
                if isinstance(before, ast.FormattedValue) and isinstance(after, ast.Constant):
                    value, word = ast.unparse(before.value), f"{after.value} ".split(" ")[1]
                    if word.strip(".,;:") in NOUNS.split() and not value.isupper():
                        wrong.append(f"{path.name}, line {node.lineno}: {value} {word}")
    assert not wrong


def _sources(room: str) -> list[Path]:
    place = ROOT / room
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]
