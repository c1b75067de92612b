"""The URL parameters: their defaults, and one typed, bounded reading of each.

A link is a stranger's text. What is unreadable or absolutely out of range
becomes the default and a note that quotes it; what is readable but does not
fit the rest (four rows for ten characters) is kept, for the page to refuse
with its reason. This module knows no widgets.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote_plus

from embviz.core.config import (
    DTYPES,
    INITS,
    MAX_EMBEDDING_DIM,
    MAX_NUM_EMBEDDINGS,
    MAX_SEED,
    available_devices,
)
from embviz.core.vocabulary import VOCABULARIES
from embviz.core.wording import quote
from embviz.labs.exercises import LABS
from embviz.limits.case import GROUPS
from embviz.limits.cases import CATALOGUE
from embviz.timing import cases as timing
from embviz.timing.worker import default_threads
from embviz.training.optimizers import OPTIMIZERS, RATES

MAX_ROWS = 1_000_000  # of a sparse matrix
MANY = 20  # choices that a sentence can name
# Proxies cut long addresses; Streamlit itself answers 400 at about 65,000 bytes.
MAX_URL_TEXT_BYTES = 6000

DEFAULTS: dict[str, Any] = {
    "input": "text",
    "text": "WTF does nn.Embedding do?",
    "ids": "2 3 1",
    "vocab": "printable",
    "chars": "abcdefghij",
    "rows": 100,
    "dim": 10,
    "seed": 123,
    "init": "normal",
    "weights": "8 2 1 9\n6 5 4 0\n7 1 6 2\n1 3 5 8\n0 4 9 1",
    "dtype": "float32",
    "device": "cpu",
    "unknown": "error",
    "escapes": False,
    "view": "linear",
    "panel": "none",
    "token": 0,
    # of the bag of words
    "bag": "matrix",
    "x": "1 0 1 0\n0 0 1 1\n1 1 1 0",
    "docs": "the cat sat on the mat\nthe dog sat\na dog and a cat and a mat",
    "counts": "count",
    "stop": False,
    "row": 0,
    "start": "own",
    "linear": "-0.0976 -0.2872 -0.1632 0.0354\n0.2979 0.3021 0.4652 0.1204\n"
    "-0.3786 0.2526 -0.3794 -0.0699",
    "outputs": 3,
    "bag_seed": 123,
    "bag_dtype": "float32",
    "bag_panel": "contributions",
    # of the training page
    "lesson": "step",
    "loss": "mse",
    "target": "0",
    "optimizer": "sgd",
    "rate": "1x",
    "batches": "fixed",
    "corpus": "library",
    "char_dim": 16,
    "space": "2-D",
    "letter": "a",
    # of the timing page
    "vary": "vocab",
    "span": ["64", "65536"],
    "methods": list(timing.DEFAULT_METHODS),
    "devices": ["cpu"],
    "pass": "forward",
    "skew": "uniform",
    "output": "fresh",
    "time_rows": 4096,
    "time_dim": 64,
    "time_tokens": 256,
    "time_dtype": "float32",
    "threads": default_threads(),
    # of where it breaks
    "find": "",
    "group": "all",
    "verdict": "all",
    "case": CATALOGUE[0].name,
    "given": "",
    # of static against contextual
    "chapter": "static",
    "then": "shuffle",
    "shuffle": 0,
    "edit": "WTF does nn.Linear do?",
    "places": False,
    "attention": True,
    "mask": "causal",
    "heads": 1,
    "place": 0,
    "common": "a",
    "probe": "the cat sat on a mat",
    "sentences": "the river bank was muddy\nwe sat on the grassy bank of the stream\n"
    "the bank raised its interest rates\nshe opened an account at the bank",
    "word": "bank",
    # of the labs
    "student": "",
    "lab": LABS[0].code,
    "step": 1,
    "done": "",
    # of every page
    "projector": False,
}

# Neither true nor false is refused.
BOOLS = ("escapes", "stop", "places", "attention", "projector")

RANGES: dict[str, tuple[int, int]] = {
    "rows": (1, MAX_NUM_EMBEDDINGS),
    "dim": (1, MAX_EMBEDDING_DIM),
    "seed": (0, MAX_SEED),
    "token": (0, 999_999_999),  # whatever EMBVIZ_MAX_TOKENS allows; pages take the last there is
    "row": (0, MAX_ROWS - 1),
    "char_dim": (2, 64),
    "outputs": (1, 64),
    "bag_seed": (0, MAX_SEED),
    "time_rows": (1, 2**20),
    "time_dim": (1, 2**12),
    "time_tokens": (1, 2**14),
    "threads": (1, os.cpu_count() or 1),
    "shuffle": (0, MAX_SEED),
    "heads": (1, MAX_EMBEDDING_DIM),
    "place": (0, 63),
    "step": (1, 20),
}

CHOICES: dict[str, Callable[[], list[str]]] = {
    "input": lambda: ["text", "ids"],
    "vocab": lambda: VOCABULARIES,
    "init": lambda: list(INITS),
    "dtype": lambda: list(DTYPES),
    "device": available_devices,
    "unknown": lambda: ["error", "unk"],
    "view": lambda: ["linear", "embedding"],
    "panel": lambda: ["none", "tables", "weights", "one_hot", "storage", "code"],
    "bag": lambda: ["matrix", "documents", "file"],
    "counts": lambda: ["binary", "count", "tfidf"],
    "start": lambda: ["own", "random"],
    "bag_dtype": lambda: ["float32", "float64"],
    "bag_panel": lambda: ["contributions", "matrix", "from_pretrained", "batch", "memory"],
    "lesson": lambda: ["step", "lockstep", "drift", "characters", "tying"],
    "loss": lambda: ["mse", "next"],
    "optimizer": lambda: list(OPTIMIZERS),
    "rate": lambda: list(RATES),
    "batches": lambda: ["fixed", "minibatch"],
    "corpus": lambda: ["library", "own", "file"],
    "space": lambda: ["2-D", "3-D"],
    "vary": lambda: list(timing.VARY),
    "pass": lambda: list(timing.PASSES),
    "skew": lambda: list(timing.SKEWS),
    "output": lambda: list(timing.OUTPUTS),
    "time_dtype": lambda: list(timing.ITEMSIZE),
    "group": lambda: ["all", *GROUPS],
    "verdict": lambda: ["all", "differ", "raises", "same", "not run"],
    "case": lambda: [one.name for one in CATALOGUE],
    "chapter": lambda: ["static", "contextual", "trained", "sentences"],
    "then": lambda: ["shuffle", "edit"],
    "mask": lambda: ["full", "causal"],
    "lab": lambda: [one.code for one in LABS],
}

# Several values each: `methods=lookup&methods=matmul`.
LISTS: dict[str, Callable[[], list[str]]] = {
    "span": lambda: [str(2**k) for k in range(21)],
    "methods": lambda: list(timing.METHODS),
    "devices": available_devices,
}


def read(name: str, raw: object) -> Any:
    """One parameter's value.

    Args:
        name: a key of `DEFAULTS`.
        raw: what the link (or a forged message) carried.

    Raises:
        ValueError: a sentence that quotes `raw` and says what is allowed.
    """
    if name in RANGES:
        return _whole(name, raw, *RANGES[name])
    if name in CHOICES:
        allowed = CHOICES[name]()
        if raw not in allowed:
            raise ValueError(
                f"{name}={quote(str(raw))} is not one of {_several(str(raw), allowed)}"
            )
        return raw
    if name in LISTS:
        given, allowed = raw if isinstance(raw, list | tuple) else [raw], LISTS[name]()
        given = [one for one in given if one != ""]  # `methods=` is how Streamlit writes none
        if wrong := [one for one in given if one not in allowed]:
            raise ValueError(f"{name}={quote(str(wrong[0]))} is not one of {', '.join(allowed)}")
        if name == "span" and len(given) != 2:
            found = quote(" ".join(map(str, given)))
            raise ValueError(f"{name}={found} is not a smallest and a largest value")
        return given
    if name in BOOLS:
        if str(raw).lower() not in ("true", "false"):
            raise ValueError(f"{name}={quote(str(raw))} is neither true nor false")
        return str(raw).lower() == "true"
    if not isinstance(raw, str):
        raise ValueError(f"{name}={quote(str(raw))} is not text")
    return raw


def _several(raw: str, allowed: list[str]) -> str:
    """What is allowed; of many, those that are spelled most like it."""
    if len(allowed) <= MANY:
        return ", ".join(allowed)
    near = difflib.get_close_matches(raw[:100], allowed, 3, 0.0)
    return f"the {len(allowed)} there are; nearest: {', '.join(near)}"


def check(query: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Notes for the parameters of a link that cannot be used, by name."""
    notes = {}
    for name in DEFAULTS:
        if name in query:
            try:
                read(name, query[name])
            except ValueError as error:
                notes[name] = f"{error}; using {shown(DEFAULTS[name])}."
    return notes


def shown(value: object) -> str:
    """A setting as a sentence shows it."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def fits_link(text: str) -> bool:
    """Whether a text is short enough to travel in the URL."""
    return len(text) <= MAX_URL_TEXT_BYTES and url_bytes(text) <= MAX_URL_TEXT_BYTES


def url_bytes(text: str) -> int:
    """Bytes of a text once it is URL-encoded."""
    return len(quote_plus(text, errors="replace"))


def _whole(name: str, raw: object, low: int, high: int) -> int:
    text = str(raw).strip()
    digits = text.removeprefix("-")
    readable = digits.isascii() and digits.isdigit() and len(digits) <= 20
    if not readable or not low <= int(text) <= high:
        raise ValueError(f"{name}={quote(str(raw))} is not a whole number from {low:,} to {high:,}")
    return int(text)
