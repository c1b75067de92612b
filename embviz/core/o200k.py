"""The pieces that GPT-4o reads, `o200k_base`: 200,019 ids, of an optional library.

Any installed library with tiktoken's interface serves: `bpe_openai` brings its tables along,
`tiktoken` downloads them once. Special tokens in a text are read as plain text.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
import warnings
from contextlib import suppress
from functools import cache

from embviz.core.merges import MOST_MERGES
from embviz.core.refused import Refused
from embviz.core.vocabulary import Named, Pieces

NAME = "o200k_base"
LIBRARIES = ("bpe_openai", "tiktoken")
_FIXES = {"Use bpe": {"vocab": "bpe", "rows": 256 + MOST_MERGES}}
_lock = threading.Lock()


def missing() -> str:
    """How to install a library, or `""` if one is installed; imports nothing."""
    if any(importlib.util.find_spec(name) for name in LIBRARIES):
        return ""
    return (
        "o200k, the vocabulary of GPT-4o, is an optional extra: pip install bpe-openai, then "
        "start embviz again."
    )


def o200k() -> Pieces:
    """The pieces of GPT-4o.

    Raises:
        Refused: no library is installed, or none could load its tables.
    """
    if why := missing():
        raise Refused(why, _FIXES)
    with _lock:  # two sessions at once would load twice 150 MB
        known = _load()
    if isinstance(known, str):
        raise Refused(known, _FIXES)
    return known


@cache  # a failure too: a key must not try a download again
def _load() -> Pieces | str:
    """The pieces, or why they cannot be loaded."""
    reasons = []
    for name in filter(importlib.util.find_spec, LIBRARIES):
        try:
            with warnings.catch_warnings():  # they concern the library's authors
                warnings.simplefilter("ignore", DeprecationWarning)
                encoding = importlib.import_module(name).get_encoding(NAME)
        except Exception as error:  # of a library that others wrote: no network, a broken file
            said = str(error).strip("'\"") or type(error).__name__
            reasons.append(f"{name}: {said.splitlines()[0]}")
            continue

        def encode(text: str) -> list[int]:
            try:
                return list(encoding.encode_ordinary(text))
            except ValueError as error:
                raise Refused(f"o200k cannot encode this text: {error}.", _FIXES) from None

        def spell(token: int) -> bytes:
            with suppress(KeyError):  # some ids have no piece
                return bytes(encoding.decode_single_token_bytes(token))
            return b""

        return Pieces(Named("o200k", encoding.n_vocab), encode, spell)
    return f"o200k could not be loaded ({'; '.join(reasons)}); start embviz again to retry."
