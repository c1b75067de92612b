"""The vocabularies that are chosen by name, one record each, and how those of pieces are made.

A record says how its vocabulary is made of the settings, and which of them it reads. Nothing else
compares names of vocabularies.

`bpe`: 2,000 merges learned once by Hugging Face's `tokenizers` from docstrings of Python's library,
of which the first k may be used. They lie in `merges.txt`, so a link gives everybody the same ids:
below 256 a byte, 256 + i the piece of merge i.

`o200k`: what GPT-4o reads. Any installed library with tiktoken's interface serves: `bpe_openai`
brings its tables along, `tiktoken` downloads them once. Special tokens are read as plain text.
"""

import string
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module, util
from pathlib import Path
from typing import Any

from embviz.fact.vocabulary import BYTES, Named, Symbols, Vocabulary
from embviz.text.refused import Refused

MERGES = Path(__file__).with_name("merges.txt")
MOST_MERGES = 2_000
LIBRARIES = ("bpe_openai", "tiktoken")

# The letter that the merges write for each byte: printable bytes as they are.
_OTHERS = [*range(33), *range(127, 161), 173]
_LETTERS = {chr(256 + _OTHERS.index(b) if b in _OTHERS else b): bytes([b]) for b in range(256)}
_FIXES = {"Use bpe": {"vocab": "bpe", "rows": 256 + MOST_MERGES}}
_lock = threading.Lock()


@lru_cache(maxsize=8)  # 0.6 MB each
def bpe(merges: int = MOST_MERGES) -> Symbols:
    """The pieces of the first `merges` merges: 256 + `merges` ids.

    >>> [len(bpe(k).encode("the letters")) for k in (0, 300, 2000)]
    [11, 7, 4]
    >>> bpe(0).encode("ab") == list(b"ab")
    True
    """
    import tokenizers

    used, spelled = list[tuple[str, str]](), dict(_LETTERS)
    for line in MERGES.read_text("utf-8").splitlines()[1 : merges + 1]:
        first, second = line.split(" ")
        used.append((first, second))
        spelled[first + second] = spelled[first] + spelled[second]
    places = {text: place for place, text in enumerate(spelled)}
    # Its own cache would keep visitors' words: up to 100 MB for each number of merges.
    cut = tokenizers.Tokenizer(tokenizers.models.BPE(places, used, cache_capacity=0))
    cut.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return Symbols(
        Named("bpe", len(spelled), merges),
        lambda text: list(cut.encode(text).ids),
        list(spelled.values()).__getitem__,
    )


def missing() -> str:
    """How to install a library for `o200k`, or `""` if one is installed; imports nothing."""
    if any(map(util.find_spec, LIBRARIES)):
        return ""
    return (
        "o200k, the vocabulary of GPT-4o, is an optional extra: pip install bpe-openai, then "
        "start embviz again."
    )


def o200k() -> Symbols:
    """The 200,019 pieces of GPT-4o.

    Raises:
        Refused: no library is installed, or none could load its tables.
    """
    with _lock:  # two sessions at once would load twice 150 MB
        encoding = missing() or _load()
    if isinstance(encoding, str):
        raise Refused(encoding, _FIXES, "vocab")

    def encode(text: str) -> list[int]:
        try:
            return list(encoding.encode_ordinary(text))
        except ValueError as error:
            said = f"o200k cannot encode this text: {error}."
            raise Refused(said, _FIXES, "text") from None

    def spell(token: int) -> bytes:
        with suppress(KeyError):  # some ids have no piece
            return bytes(encoding.decode_single_token_bytes(token))
        return b""

    return Symbols(Named("o200k", encoding.n_vocab), encode, spell)


@cache  # a failure too: a key must not try a download again
def _load() -> Any:
    """A library's tables, or why there are none."""
    reasons = []
    for name in filter(util.find_spec, LIBRARIES):
        try:
            with warnings.catch_warnings():  # they concern the library's authors
                warnings.simplefilter("ignore", DeprecationWarning)
                return import_module(name).get_encoding("o200k_base")
        except Exception as error:  # of a library that others wrote: no network, a broken file
            said = str(error).strip("'\"") or type(error).__name__
            reasons.append(f"{name}: {said.splitlines()[0]}")
    return f"o200k could not be loaded ({'; '.join(reasons)}); start embviz again to retry."


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary that is chosen by name.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        make: the vocabulary of these settings: `chars`, `merges`.
        reads: those settings of its own that a user sets.
        missing: says how to install what it needs; `""` if it is there.
    """

    name: str
    sentence: str
    make: Callable[[Mapping[str, Any]], Symbols]
    reads: tuple[str, ...] = ()
    missing: Callable[[], str] = str


_ALL = (
    Tokenizer(
        "printable",
        "Python's `string.printable`, so 'a' is 10",
        lambda _given: Vocabulary(string.printable),
    ),
    Tokenizer("letters", "a to z, then A to Z", lambda _given: Vocabulary(string.ascii_letters)),
    Tokenizer("digits", "0 to 9", lambda _given: Vocabulary(string.digits)),
    Tokenizer("bytes", "the 256 bytes of UTF-8", lambda _given: BYTES),
    Tokenizer(
        "custom", "the characters you give", lambda given: Vocabulary(given["chars"]), ("chars",)
    ),
    Tokenizer(
        "bpe",
        "byte-pair pieces: letters that often stand together are one id",
        lambda given: bpe(given["merges"]),
        ("merges",),
    ),
    Tokenizer(
        "o200k",
        "the 200,019 pieces that GPT-4o reads",
        lambda _given: o200k(),
        missing=missing,
    ),
)
VOCABULARIES = {one.name: one for one in _ALL}


def vocabulary(settings: Mapping[str, Any]) -> Symbols:
    """The vocabulary that the settings `vocab`, `chars` and `merges` name.

    Raises:
        Refused: what it needs is not installed, or it has no characters, or one twice.

    >>> vocabulary({"vocab": "printable"}).encode("a")
    [10]
    """
    return VOCABULARIES[settings["vocab"]].make(settings)
