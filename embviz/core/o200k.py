"""The pieces that GPT-4o reads, `o200k_base`: 200,019 ids, of an optional library.

Any installed library with tiktoken's interface serves: `bpe_openai` brings its tables along,
`tiktoken` downloads them once. Special tokens in a text are read as plain text.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
import warnings
from functools import lru_cache
from typing import Any

from embviz.core.pieces import Pieces
from embviz.core.vocabulary import Named, VocabularyError

NAME = "o200k_base"
LIBRARIES = ("bpe_openai", "tiktoken")
_lock = threading.Lock()
_failed: list[str] = []  # the reason, so that not every key tries a download again
_kept: list[Any] = []  # the one encoding of this process, and the bytes of its pieces


def missing() -> str:
    """How to install a library, or `""` if one is installed; imports nothing."""
    if any(importlib.util.find_spec(name) for name in LIBRARIES):
        return ""
    return (
        "o200k, the vocabulary of GPT-4o, is an optional extra: pip install bpe-openai, then "
        "start embviz again."
    )


@lru_cache(maxsize=2)
def o200k(unk: bool = False) -> Pieces:
    """The pieces of GPT-4o.

    Raises:
        VocabularyError: no library is installed, or none could load its tables.
    """
    with _lock:  # two sessions at once would load twice 150 MB
        if not _kept:
            encoding = _load()
            _kept.append((encoding, tuple(_spell(encoding, t) for t in range(encoding.n_vocab))))
    encoding, spelled = _kept[0]  # a tuple: each garbage collection would walk a list
    named = Named("o200k", len(spelled))
    return Pieces(named, lambda text: _encode(encoding, text), spelled.__getitem__, unk)


def _load() -> Any:
    if why := missing() or next(iter(_failed), ""):
        raise VocabularyError(why)
    reasons = []
    for name in LIBRARIES:
        if importlib.util.find_spec(name) is None:
            continue
        try:
            with warnings.catch_warnings():  # they concern the library's authors
                warnings.simplefilter("ignore", DeprecationWarning)
                return importlib.import_module(name).get_encoding(NAME)
        except Exception as error:  # of a library that others wrote: no network, a broken file
            said = str(error).strip("'\"") or type(error).__name__
            reasons.append(f"{name}: {said.splitlines()[0]}")
    _failed.append(
        f"o200k could not be loaded ({'; '.join(reasons)}); start embviz again to retry."
    )
    raise VocabularyError(_failed[0])


def _spell(encoding: Any, token: int) -> bytes:
    try:
        return bytes(encoding.decode_single_token_bytes(token))
    except KeyError:  # some ids have no piece
        return b""


def _encode(encoding: Any, text: str) -> list[int]:
    try:
        return list(encoding.encode_ordinary(text))
    except ValueError as error:
        raise VocabularyError(f"o200k cannot encode this text: {error}.") from None
