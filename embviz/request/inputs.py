"""From settings to a `Config`, ids and a table, or a refusal.

For a text, `rows` means "at least": a larger vocabulary has more. A character that the vocabulary
lacks is `<unk>`, one row after all others, unless the settings refuse it. For typed ids `rows` is
exact.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import torch

from embviz.core.config import Config, check_count, check_work_bytes
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.typed import parse_ids, unescape
from embviz.core.vocabulary import Symbols
from embviz.core.weights import parse_weights, read_weights

# A session's cache, as `session.cached`: slot, what the result is made of, maker -> result.
Keep = Callable[[str, object, Callable[[], torch.Tensor]], torch.Tensor]
DRAWN = itemgetter("seed", "init", "dtype", "device")  # of a `Config`, in its order


@dataclass(frozen=True)
class Inputs:
    """The inputs of a page.

    Attributes:
        settings: the settings by name.
        config: the table's sizes, seed, init, dtype and device.
        ids: int64. A text gives shape (1, N); typed ids keep their own.
        text: the text after escapes; `None` when ids were given.
        vocabulary: `None` when ids were given.
        table: the user's own weights, float64 (V, D), for `init=own`.
        unknown: the characters of the text that the vocabulary lacks, each once.
    """

    settings: Mapping[str, Any]
    config: Config
    ids: torch.Tensor
    text: str | None = None
    vocabulary: Symbols | None = None
    table: torch.Tensor | None = None
    unknown: str = ""

    def label(self, token: int) -> str:
        """A token's short name, also `<unk>`; empty where its row has no symbol."""
        return self.vocabulary.label(token, self.config.unk_id) if self.vocabulary else ""


def read_inputs(
    settings: Mapping[str, Any],
    upload: tuple[str, bytes] | None = None,
    keep: Keep = lambda _slot, _of, make: make(),
    finite: bool = True,
) -> Inputs:
    """The `Config`, the ids and, for `init=own`, the table that the settings ask for.

    Args:
        settings: values of the settings `MODEL`, by name.
        upload: name and content of a file of weights; it replaces typed ones.
        keep: keeps the user's own table for this session alone, so that a rerun for every key
            does not read a file or a long text again.
        finite: whether own weights with NaN or inf are refused; only the playground shows them.

    Raises:
        Refused: says what is wrong, with the settings that would correct it.
    """
    table: torch.Tensor | None = None
    if not INITS[settings["init"]].draw:
        typed, dtype = settings["weights"], settings["dtype"]
        table = keep(
            "own_table",
            (upload or typed, finite),
            lambda: read_weights(*upload, finite) if upload else parse_weights(typed, finite),
        )
        most = float(table.nan_to_num(0.0, 0.0, 0.0).abs().max())
        if most > torch.finfo(DTYPES[dtype].torch).max:
            raise Refused(f"{most:g} is too large a weight for {dtype}.")
    given = (_from_ids if settings["input"] == "ids" else _from_text)(settings, table)
    check_work_bytes(given.config, given.ids.numel())
    return given


def read_text(settings: Mapping[str, Any]) -> str:
    """The text after escapes.

    Raises:
        Refused: an escape cannot be read, or the text is too long.
    """
    text: str = unescape(settings["text"]) if settings["escapes"] else settings["text"]
    check_count(len(text), "characters of text")
    return text


def _from_ids(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    rows, dim = (settings["rows"], settings["dim"]) if table is None else table.shape
    config = Config("", rows, dim, *DRAWN(settings))
    return Inputs(settings, config, parse_ids(settings["ids"], rows), table=table)


def _from_text(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    text = read_text(settings)
    if "chars" in VOCABULARIES[settings["vocab"]].reads:
        check_count(len(settings["chars"]), "characters of vocabulary")
    known = vocabulary(settings)
    rows, dim = (
        (max(settings["rows"], len(known)), settings["dim"]) if table is None else table.shape
    )
    lacks = known.unknown(text) if settings["unknown"] == "unk" and table is None else ()
    unknown = "".join(dict.fromkeys(text[place] for place in lacks))
    unk = bool(unknown)
    try:
        config = Config(  # type: ignore[call-arg]  # mypy does not know how many `DRAWN` gives
            known.characters, rows + unk, dim, *DRAWN(settings), unk
        )
        ids = torch.tensor([known.encode(text, config.unk_id)], dtype=torch.int64)
    except Refused as error:
        if table is None:
            raise
        raise Refused(str(error), {"Type ids instead of text": {"input": "ids"}}) from None
    return Inputs(settings, config, ids, text, known, table, unknown)
