"""From settings to a `Config`, ids and a table, or to a refusal.

`read_inputs` raises nothing for what a user can type. It returns `Inputs` whose `refusal` says in
a sentence what is wrong, and which settings would correct it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from embviz.core.config import Config, OverLimitError, check_count, check_work_bytes
from embviz.core.dtypes import DTYPES
from embviz.core.escapes import unescape
from embviz.core.ids import parse_ids
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import Symbols
from embviz.core.weights import parse_weights, read_weights

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
    def of(cls, error: Refused) -> Refusal:
        """The refusal by an error of the core."""
        return cls(str(error), error.fixes, isinstance(error, OverLimitError))


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
        given = replace(given, table=table)
        rows, dim = (settings["rows"], settings["dim"]) if table is None else table.shape
        model = {name: settings[name] for name in ("seed", "init", "dtype", "device")}
        if settings["input"] == "ids":
            config = Config("", rows, dim, **model)
            ids = parse_ids(settings["ids"], rows)
        else:
            given = _read_text(given)
            known, text = given.vocabulary, given.text
            assert known is not None
            assert text is not None
            unk = settings["unknown"] == "unk" and table is None and bool(known.unknown(text))
            config = Config(known.characters, rows + unk, dim, unk=unk, **model)
            ids = torch.tensor([known.encode(text, config.unk_id)], dtype=torch.int64)
        check_work_bytes(config, ids.numel())
    except Refused as error:
        refused = Refusal.of(error)
        if given.table is not None and given.vocabulary is not None:
            refused = replace(refused, fixes={"Type ids instead of text": {"input": "ids"}})
        return replace(given, refusal=refused)
    return replace(given, config=config, ids=ids)


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


def _read_text(given: Inputs) -> Inputs:
    """The inputs with their text and vocabulary."""
    settings = given.settings
    text = unescape(settings["text"]) if settings["escapes"] else settings["text"]
    own = settings["chars"] if "chars" in VOCABULARIES[settings["vocab"]].reads else ""
    check_count(len(text), "characters of text")
    check_count(len(own), "characters of vocabulary")
    return replace(given, text=text, vocabulary=vocabulary(settings))
