"""From settings to a `Config`, ids and a table, or to a refusal.

`read_inputs` raises nothing for what a user can type. It returns `Inputs` whose `refusal` says in
a sentence what is wrong, and which settings would correct it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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
from embviz.core.ids import IdsError, TooLargeIdError, parse_ids
from embviz.core.inits import INITS
from embviz.core.pieces import Symbols
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import Named, UnknownCharacterError, VocabularyError
from embviz.core.weights import WeightsError, parse_weights, read_weights

# A session's cache, as `session.cached`: slot, what the result is made of, maker -> result.
Cache = Callable[[str, object, Callable[[], torch.Tensor]], torch.Tensor]


def no_cache(_slot: str, _made_of: object, make: Callable[[], torch.Tensor]) -> torch.Tensor:
    """A cache that keeps nothing."""
    return make()


@dataclass(frozen=True)
class Refusal:
    """Why the inputs cannot be used, and what would correct them.

    Attributes:
        message: one or two sentences, quoting what was given. Plain text.
        fixes: button label -> the settings it changes.
        too_large: whether a limit on memory or tokens refused them.
    """

    message: str
    fixes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    too_large: bool = False

    @classmethod
    def of(cls, error: ValueError, fixes: Mapping[str, Mapping[str, Any]]) -> Refusal:
        """The refusal by an error of the core."""
        return cls(str(error), fixes, isinstance(error, OverLimitError))


@dataclass(frozen=True)
class Inputs:
    """The inputs of a page.

    Attributes:
        settings: the settings by parameter name.
        text: the text after escapes; `None` when ids were given.
        vocabulary: `None` when ids were given.
        config: `None` when refused.
        ids: int64, `None` when refused. A text gives shape (1, N); typed ids keep their own.
        table: the user's own weights, float64 (V, D), for `init=own`.
        refusal: `None` when all is well.
    """

    settings: Mapping[str, Any]
    text: str | None = None
    vocabulary: Symbols | None = None
    config: Config | None = None
    ids: torch.Tensor | None = None
    table: torch.Tensor | None = None
    refusal: Refusal | None = None


def read_inputs(
    settings: Mapping[str, Any], upload: tuple[str, bytes] | None = None, cache: Cache = no_cache
) -> Inputs:
    """The `Config`, the ids and, for `init=own`, the table that the settings ask for.

    Args:
        settings: values of the parameters `MODEL`, by name.
        upload: name and content of a file of weights; it replaces typed ones.
        cache: keeps the user's own table for this session alone, so that a rerun for every key
            does not read a file or a long text again.
    """
    given = Inputs(settings)
    try:
        table = _table(settings, upload, cache)
        if settings["input"] == "ids":
            given = _from_ids(settings, table)
        else:
            given = _from_text(settings, table)
        if given.config is not None and given.ids is not None:
            check_work_bytes(given.config, given.ids.numel())
    except (ConfigError, WeightsError) as error:
        return replace(given, config=None, ids=None, refusal=Refusal.of(error, {}))
    return replace(given, table=table)


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
        raise WeightsError(f"{most:g} is too large a weight for {dtype}.")
    return table


def _from_ids(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    try:
        config = _config(settings, "", table=table)
        ids = parse_ids(settings["ids"], config.num_embeddings)
    except TooLargeIdError as error:
        needed = error.largest + 1
        possible = table is None and needed <= MAX_NUM_EMBEDDINGS
        fixes = {f"Use {needed:,} rows": {"rows": needed}} if possible else {}
        return Inputs(settings, refusal=Refusal.of(error, fixes))
    except IdsError as error:
        return Inputs(settings, refusal=Refusal.of(error, {}))
    return Inputs(settings, config=config, ids=ids)


def _from_text(settings: Mapping[str, Any], table: torch.Tensor | None) -> Inputs:
    text: str = settings["text"]
    known: Symbols | None = None
    refused: ValueError
    fixes: dict[str, Mapping[str, Any]] = {}
    try:
        text = unescape(text) if settings["escapes"] else text
        own = settings["chars"] if "chars" in VOCABULARIES[settings["vocab"]].reads else ""
        for name, long in (("text", text), ("vocabulary", own)):
            if len(long) > (most := max_tokens()):
                raise OverLimitError(
                    f"{len(long):,} characters of {name} are more than the {most:,} allowed."
                )
        known = vocabulary(settings)
        config = _config(settings, known.characters, known.unk, table)
        ids = torch.tensor([known.encode(text)], dtype=torch.int64)
        return Inputs(settings, text, known, config, ids)
    except UnknownCharacterError as error:
        rows = max(settings["rows"], len(known or ()) + 1)
        if not VOCABULARIES[settings["vocab"]].knows_all:  # nor does <unk> stand for a surrogate
            fixes["Map unknown characters to <unk>"] = {"unknown": "unk", "rows": rows}
        refused = error
    except ConfigError as error:
        refused = error
        if known is not None and table is not None:
            fixes["Type ids instead of text"] = {"input": "ids"}
        elif known is not None and settings["rows"] < len(known):
            fixes[f"Use {len(known):,} rows"] = {"rows": len(known)}
    except EscapeError as error:
        refused = error
        fixes["Take backslashes as they are"] = {"escapes": False}
    except VocabularyError as error:
        refused, named = error, VOCABULARIES[settings["vocab"]]
        once = "".join(dict.fromkeys(settings["chars"]))
        if once and "chars" in named.reads:
            fixes["Keep each character once"] = {"chars": once}
        if named.instead:
            other = {**settings, "vocab": named.instead}
            rows = len(vocabulary(other))
            fixes[f"Use {named.instead}"] = {"vocab": named.instead, "rows": rows}
    return Inputs(settings, text, known, refusal=Refusal.of(refused, fixes))


def _config(
    settings: Mapping[str, Any],
    characters: str | bytes | Named,
    unk: bool = False,
    table: torch.Tensor | None = None,
) -> Config:
    rows, dim = (settings["rows"], settings["dim"]) if table is None else table.shape
    return Config(
        characters,
        rows,
        dim,
        settings["seed"],
        settings["init"],
        settings["dtype"],
        settings["device"],
        unk,
    )
