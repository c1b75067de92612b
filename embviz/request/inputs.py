"""From settings to a `Config`, ids and a table, or a refusal.

For a text, `rows` means "at least": a larger vocabulary has more. A character that the vocabulary
lacks is `<unk>`, one row after all others, unless the settings refuse it. For typed ids `rows` is
exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from embviz.core.config import (
    MAX_NUM_EMBEDDINGS,
    Config,
    ConfigError,
    OverLimitError,
    check_work_bytes,
    max_tokens,
)
from embviz.core.dtypes import DTYPES
from embviz.core.escapes import EscapeError, unescape
from embviz.core.ids import TooLargeIdError, parse_ids
from embviz.core.inits import INITS
from embviz.core.pieces import Symbols
from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import Named, UnknownCharacterError, VocabularyError
from embviz.core.weights import parse_weights, read_weights

# A session's cache, as `session.cached`: slot, what the result is made of, maker -> result.
Cache = Callable[[str, object, Callable[[], torch.Tensor]], torch.Tensor]


def no_cache(_slot: str, _made_of: object, make: Callable[[], torch.Tensor]) -> torch.Tensor:
    """A cache that keeps nothing."""
    return make()


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


def read_inputs(
    settings: Mapping[str, Any], upload: tuple[str, bytes] | None = None, cache: Cache = no_cache
) -> Inputs:
    """The `Config`, the ids and, for `init=own`, the table that the settings ask for.

    Args:
        settings: values of the settings `MODEL`, by name.
        upload: name and content of a file of weights; it replaces typed ones.
        cache: keeps the user's own table for this session alone, so that a rerun for every key
            does not read a file or a long text again.

    Raises:
        Refused: says what is wrong, with the settings that would correct it.
    """
    table = _table(settings, upload, cache)
    given = (_from_ids if settings["input"] == "ids" else _from_text)(settings, table)
    check_work_bytes(given.config, given.ids.numel())
    return given


def _table(
    settings: Mapping[str, Any], upload: tuple[str, bytes] | None, cache: Cache
) -> torch.Tensor | None:
    if INITS[settings["init"]].draw:
        return None
    typed = settings["weights"]
    if upload is None:
        table = cache("own_table", typed, lambda: parse_weights(typed))
    else:
        table = cache("own_table", upload, lambda: read_weights(*upload))
    most, dtype = float(table.abs().max()), settings["dtype"]
    if most > torch.finfo(DTYPES[dtype].torch).max:
        raise Refused(f"{most:g} is too large a weight for {dtype}.")
    return table


def _from_ids(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    config = _config(settings, "", 1, table)
    try:
        ids = parse_ids(settings["ids"], config.num_embeddings)
    except TooLargeIdError as error:
        needed = error.largest + 1
        if table is None and needed <= MAX_NUM_EMBEDDINGS:
            raise Refused(str(error), {f"Use {needed:,} rows": {"rows": needed}}) from None
        raise
    return Inputs(settings, config, ids, table=table)


def _from_text(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    text, unknown = read_text(settings), ""
    known = _vocabulary({**settings, "unknown": "error"})
    try:
        ids = known.encode(text)
    except UnknownCharacterError as error:
        if settings["unknown"] == "error" or table is not None:
            raise Refused(str(error), {"Use bytes": {"vocab": "bytes"}}) from None
        known = _vocabulary(settings)
        ids = known.encode(text)
        unknown = "".join(dict.fromkeys(one for one in text if one not in known.characters))
    try:
        config = _config(settings, known.characters, len(known), table, bool(unknown))
    except ConfigError as error:
        fixes = {} if table is None else {"Type ids instead of text": {"input": "ids"}}
        raise Refused(str(error), fixes) from None
    encoded = torch.tensor([ids], dtype=torch.int64)
    return Inputs(settings, config, encoded, text, known, table, unknown)


def _vocabulary(settings: Mapping[str, Any]) -> Symbols:
    try:
        return vocabulary(settings)
    except VocabularyError as error:
        named, fixes = VOCABULARIES[settings["vocab"]], {}
        once = "".join(dict.fromkeys(settings["chars"]))
        if once and "chars" in named.reads:
            fixes["Keep each character once"] = {"chars": once}
        if named.instead:
            fixes[f"Use {named.instead}"] = {"vocab": named.instead}
        raise Refused(str(error), fixes) from None


def read_text(settings: Mapping[str, Any]) -> str:
    """The text after escapes.

    Raises:
        Refused: an escape cannot be read, or it is too long.
    """
    try:
        text = unescape(settings["text"]) if settings["escapes"] else settings["text"]
    except EscapeError as error:
        fixes = {"Take backslashes as they are": {"escapes": False}}
        raise Refused(str(error), fixes) from None
    own = settings["chars"] if "chars" in VOCABULARIES[settings["vocab"]].reads else ""
    for name, long in (("text", text), ("vocabulary", own)):
        if len(long) > (most := max_tokens()):
            message = f"{len(long):,} characters of {name} are more than the {most:,} allowed."
            raise OverLimitError(message)
    return text


def _config(
    settings: Mapping[str, Any],
    characters: str | bytes | Named,
    least: int,
    table: torch.Tensor | None,
    unk: bool = False,
) -> Config:
    rows, dim = settings["rows"], settings["dim"]
    rows, dim = (max(rows, least), dim) if table is None else table.shape
    own = {name: settings[name] for name in ("seed", "init", "dtype", "device")}
    return Config(characters, rows, dim, unk=unk, **own)
