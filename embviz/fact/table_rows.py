"""The rows of the table that settings ask for, without PyTorch: the sidebar shows them first.

For a text they are at least those of its vocabulary, and `<unk>` is one more where it is needed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from embviz.fact.inits import INITS
from embviz.fact.tokenizers import VOCABULARIES, vocabulary
from embviz.fact.vocabulary import Symbols
from embviz.system.bounds import check_count
from embviz.text.breaks import unmarked
from embviz.text.refused import Refused


@dataclass(frozen=True)
class TableRows:
    """The rows of the table that settings ask for.

    Attributes:
        count: V, all of them.
        least: the fewest that a text may have: those of its vocabulary, and `<unk>`.
        unk: whether the last one is `<unk>`.
        symbols: characters or pieces of the vocabulary; 0 where ids are typed.
        unit: what one of them is called.
    """

    count: int
    least: int = 1
    unk: bool = False
    symbols: int = 0
    unit: str = ""


def rows_of(settings: Mapping[str, Any], texts: Iterable[str]) -> TableRows:
    """The rows of a table that is not the user's own; no table is made, and nothing is refused.

    Args:
        settings: values of the settings `MODEL`, by name.
        texts: all texts that are looked up in it, as they are typed.
    """
    if settings["input"] == "ids":
        return rows_for(settings)
    try:
        known = vocabulary_of(settings)
        unk = settings["unknown"] == "unk" and any(known.unknown(read_text(text)) for text in texts)
    except Refused:  # the page says why
        return TableRows(settings["rows"])
    return rows_for(settings, known, unk)


def rows_for(
    settings: Mapping[str, Any], known: Symbols | None = None, unk: bool = False
) -> TableRows:
    """The rows of a table that is not the user's own.

    Args:
        settings: values of the settings `MODEL`, by name.
        known: the vocabulary; None where ids are typed.
        unk: whether a text has what the vocabulary lacks.
    """
    init = INITS[settings["init"]]
    symbols, unit = (len(known), known.unit) if known else (0, "")
    if init.sizes and (known is None or init.fits(settings)):
        count = init.sizes[0] + (unk and not init.recorded)
        return TableRows(count, count, unk or init.recorded, symbols, unit)
    if known is None:
        return TableRows(settings["rows"])
    return TableRows(max(settings["rows"], symbols) + unk, symbols + unk, unk, symbols, unit)


def read_text(typed: str) -> str:
    """A text as it was typed, with its line breaks.

    Raises:
        Refused: it is too long.
    """
    check_count(len(typed), "characters of text", "text")
    return unmarked(typed)


def vocabulary_of(settings: Mapping[str, Any]) -> Symbols:
    """The vocabulary that the settings name.

    Raises:
        Refused: it has no characters, one of them twice, or too many.
    """
    if "chars" in VOCABULARIES[settings["vocab"]].reads:
        check_count(len(settings["chars"]), "characters of vocabulary", "chars")
    return vocabulary(settings)
