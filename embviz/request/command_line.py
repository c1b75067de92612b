"""The command that computes a page's numbers again: `python -m embviz compare hello --dim=4`.

There is none for an uploaded table, and none for a text that no command line can hold.
"""

from __future__ import annotations

import shlex

import torch

from embviz.core.inits import INITS
from embviz.core.tokenizers import VOCABULARIES
from embviz.core.weights import WeightsError, parse_weights
from embviz.request.inputs import Inputs
from embviz.request.parameters import DEFAULTS

_LONGEST = 4_000  # characters
_TABLE = ("rows", "dim", "init")  # own weights give these
_EVERY = (*_TABLE, "seed", "dtype", "device")


def command(given: Inputs) -> str:
    """The command, with each setting that is not the default; empty if there is none."""
    settings = given.settings
    names, last = list(_EVERY), list[str]()
    if given.text is None:
        words = [f"--ids={settings['ids']}"]
    else:
        names += ["vocab", "unknown"]
        words, last = _text(settings["text"], settings["escapes"])
        words += [f"--{n}={settings[n]}" for n in VOCABULARIES[settings["vocab"]].reads]
    if INITS[settings["init"]].draw is None:
        if not _is_typed(given):
            return ""
        words.append(f"--weights={settings['weights']}")
        names = [name for name in names if name not in _TABLE]
    words += [f"--{name}={settings[name]}" for name in names if settings[name] != DEFAULTS[name]]
    line = shlex.join(["python", "-m", "embviz", "compare", *words, *last])
    usable = "\0" not in line and _is_utf8(settings["text"] + line)
    return line if usable and len(line) <= _LONGEST else ""


def _text(text: str, escapes: bool) -> tuple[list[str], list[str]]:
    """The options before a text, and the text; one with characters that no font shows, escaped."""
    if not text.isprintable() and not escapes:
        text, escapes = text.encode("unicode_escape").decode(), True
    return ["--escapes"] if escapes else [], ["--", text] if text.startswith("-") else [text]


def _is_typed(given: Inputs) -> bool:
    """Whether the user's table is the typed one, and no file's."""
    try:
        typed = parse_weights(given.settings["weights"])
    except WeightsError:
        return False
    return given.table is not None and torch.equal(typed, given.table)


def _is_utf8(text: str) -> bool:
    """Whether it can be written; a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
