"""From settings to tensors: what every page receives, or why it cannot have it.

`read_inputs` never raises for what a user can type: it returns `Inputs` whose
`refusal` says, in a sentence, what is wrong, and which settings would mend it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from embviz.config import MAX_NUM_EMBEDDINGS, MAX_TOKENS, Config, ConfigError
from embviz.escapes import EscapeError, unescape
from embviz.ids import IdsError, TooLargeIdError, parse_ids
from embviz.vocabulary import UnknownCharacterError, Vocabulary, VocabularyError, resolve


@dataclass(frozen=True)
class Refusal:
    """Why there is nothing to show, and what one click would mend.

    Attributes:
        message: one or two sentences, quoting what was given. Plain text.
        fixes: button label -> the settings it changes.
    """

    message: str
    fixes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Inputs:
    """What the user chose and typed, ready for a page.

    Attributes:
        settings: the raw settings, as in the URL.
        text: the text after escapes; `None` when ids were given.
        vocabulary: `None` when ids were given.
        config, ids: what to compute; `None` when refused. Text gives ids of
            shape (1, N), typed ids keep their own shape.
        refusal: `None` when all is well.
    """

    settings: Mapping[str, Any]
    text: str | None = None
    vocabulary: Vocabulary | None = None
    config: Config | None = None
    ids: torch.Tensor | None = None
    refusal: Refusal | None = None


def read_inputs(settings: Mapping[str, Any]) -> Inputs:
    """Build the `Config` and the ids that the settings ask for."""
    if settings["input"] == "ids":
        return _from_ids(settings)
    return _from_text(settings)


def _from_ids(settings: Mapping[str, Any]) -> Inputs:
    try:
        config = _config(settings, "")
        ids = parse_ids(settings["ids"], config.num_embeddings)
    except TooLargeIdError as error:
        needed = error.largest + 1
        fixes = {f"Use {needed:,} rows": {"rows": needed}} if needed <= MAX_NUM_EMBEDDINGS else {}
        return Inputs(settings, refusal=Refusal(str(error), fixes))
    except (ConfigError, IdsError) as error:
        return Inputs(settings, refusal=Refusal(str(error)))
    return Inputs(settings, config=config, ids=ids)


def _from_text(settings: Mapping[str, Any]) -> Inputs:
    text, vocabulary = settings["text"], None
    try:
        text = unescape(text) if settings["escapes"] else text
        if len(text) > MAX_TOKENS:
            return Inputs(settings, refusal=Refusal(
                f"{len(text):,} characters are more than the {MAX_TOKENS:,} allowed."
            ))  # fmt: skip
        characters = resolve(settings["vocab"], settings["chars"])
        if len(characters) > MAX_TOKENS:
            return Inputs(settings, text, refusal=Refusal(
                f"{len(characters):,} characters of a vocabulary are more than {MAX_TOKENS:,}."
            ))  # fmt: skip
        vocabulary = Vocabulary(characters, unk=settings["unknown"] == "unk")
        config = _config(settings, characters, vocabulary.unk)
        ids = torch.tensor([vocabulary.encode(text)], dtype=torch.int64)
    except UnknownCharacterError as error:
        rows = max(settings["rows"], len(characters) + 1)
        fixes = {"Map unknown characters to <unk>": {"unknown": "unk", "rows": rows}}
        return Inputs(settings, text, vocabulary, refusal=Refusal(str(error), fixes))
    except ConfigError as error:
        fixes = {}
        if vocabulary is not None and settings["rows"] < len(vocabulary):
            fixes = {f"Use {len(vocabulary):,} rows": {"rows": len(vocabulary)}}
        return Inputs(settings, text, vocabulary, refusal=Refusal(str(error), fixes))
    except EscapeError as error:
        fixes = {"Take backslashes as they are": {"escapes": False}}
        return Inputs(settings, text, refusal=Refusal(str(error), fixes))
    except VocabularyError as error:
        once = "".join(dict.fromkeys(settings["chars"]))
        fixes = {"Keep each character once": {"chars": once}} if once else {}
        return Inputs(settings, text, refusal=Refusal(str(error), fixes))
    return Inputs(settings, text, vocabulary, config, ids)


def _config(settings: Mapping[str, Any], characters: str | bytes, unk: bool = False) -> Config:
    return Config(
        characters, settings["rows"], settings["dim"], settings["seed"],
        settings["init"], settings["dtype"], settings["device"], unk,
    )  # fmt: skip
