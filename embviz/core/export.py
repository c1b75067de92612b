"""The page's numbers as a short PyTorch script, or as a notebook, to run without embviz.

`script` writes the same ids, weights and two routes with torch alone; `notebook` is that script in
cells. Typed text enters only as an ASCII literal, so no text can break out of it. Refused: too many
ids, too large a table or vocabulary of the user's own, weights that are not finite, and ids or a
table that do not fit the text or the config. It runs nothing itself.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pprint import pformat

import torch

from embviz.core.comparison import INTEGERS
from embviz.core.config import MIB, ONE_HOT_SLICE_BYTES, Config
from embviz.core.inits import INITS, LAYERS_OF_TABLE
from embviz.core.tokenizers import CODE, vocabulary_of
from embviz.core.vocabulary import Named
from embviz.core.wording import format_bytes

MAX_SCRIPT_TOKENS = 2_000
MAX_SCRIPT_NUMBERS = 10_000
MAX_SCRIPT_CHARACTERS = 10_000
# Largest int64 result of F.one_hot; a larger one is made of distinct ids, in slices.
ONE_HOT_BYTES = 256 * MIB

_WIDTH = 96
_INTRO = (
    "`nn.Embedding(ids)` equals `one_hot(ids) @ weight`: reading rows of a table is multiplying "
    "one-hot rows by it. These are the numbers that embviz showed, made again with plain PyTorch."
)


class ExportError(ValueError):
    """Input that makes no short script; the message says what is allowed."""


@dataclass(frozen=True)
class _Step:
    """A few lines of code and their reason (a comment, or text between cells)."""

    title: str
    why: str
    code: str


def script(
    config: Config, *, text: str | None, ids: torch.Tensor, table: torch.Tensor | None = None
) -> str:
    """Write a PyTorch script that gives the same numbers, bit for bit.

    Args:
        config: of the tables; its seed and init are not used with `table`.
        text: the text of the ids, or `None` if ids were given.
        ids: int64; of a text, shape (N,) or (1, N), else any shape.
        table: own weights, shape (V, D), instead of drawn ones.

    Returns:
        Source, ASCII only, that needs torch and nothing else.

    Raises:
        ExportError: (a ValueError) quotes the input and says what is allowed.

    >>> source = script(Config("ab", 2, 3), text="ba", ids=torch.tensor([[1, 0]]))
    >>> "text = 'ba'" in source, "nn.Embedding(V, D)" in source
    (True, True)
    """
    steps = _steps(config, text, ids, table)
    commented = [
        f"{comment(f'{number}. {step.title}: {step.why}')}\n{step.code}\n"
        for number, step in enumerate(steps, 1)
    ]
    intro = textwrap.fill(f'"""{_INTRO.replace("`", "")}"""', _WIDTH, break_on_hyphens=False)
    return "\n".join([f"{intro}\n", f"{_setup(config, text)}\n", *commented])


def notebook(
    config: Config, *, text: str | None, ids: torch.Tensor, table: torch.Tensor | None = None
) -> str:
    """Write the script as a Jupyter notebook: a text and a code cell for each of its steps.

    Arguments and errors are those of `script`. The same arguments give the same bytes.

    Returns:
        The JSON of an .ipynb file, format 4.5, in the layout of nbformat.
    """
    steps = _steps(config, text, ids, table)
    cells = [_cell("markdown", 0, _INTRO)]
    for number, step in enumerate(steps, 1):
        first = f"{_setup(config, text)}\n\n" if number == 1 else ""
        cells.append(_cell("markdown", number, f"## {number}. {step.title}\n\n{step.why}"))
        cells.append(_cell("code", number, first + step.code))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    return json.dumps(made, indent=1, sort_keys=True) + "\n"


def _cell(kind: str, number: int, source: str) -> dict[str, object]:
    cell: dict[str, object] = {"cell_type": kind, "id": f"{kind}-{number}", "metadata": {}}
    cell["source"] = source.splitlines(keepends=True)
    return cell | {"execution_count": None, "outputs": []} if kind == "code" else cell


def comment(words: str) -> str:
    """The words as comment lines of Python."""
    return textwrap.fill(
        words, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def _steps(
    config: Config, text: str | None, ids: torch.Tensor, table: torch.Tensor | None
) -> list[_Step]:
    if ids.numel() > MAX_SCRIPT_TOKENS:
        raise ExportError(
            f"A script holds at most {MAX_SCRIPT_TOKENS:,} ids; here are {ids.numel():,}."
        )
    if text is not None and len(text) > MAX_SCRIPT_CHARACTERS:
        raise ExportError(
            f"A script holds a text of at most {MAX_SCRIPT_CHARACTERS:,} characters; "
            f"here are {len(text):,}."
        )
    return [
        _given_ids(ids) if text is None else _ids_of_text(config, text, ids),
        _drawn_weights(config) if table is None else _own_weights(config, table),
        _routes(config, ids.numel(), table),
        _verdict(config),
    ]


def _setup(config: Config, text: str | None) -> str:
    needs_string = text is not None and config.characters in CODE
    return f"""\
{"import string" if needs_string else ""}

import torch
from torch import nn
from torch.nn import functional as F

V, D = {config.num_embeddings}, {config.embedding_dim}  # num_embeddings, embedding_dim
device, dtype = "{config.device}", torch.{config.dtype}
torch.set_grad_enabled(False)  # nothing is trained here""".lstrip()


def _given_ids(ids: torch.Tensor) -> _Step:
    title, why = "The ids", "each names a row of the table."
    if ids.numel():
        literal = pformat(ids.tolist(), width=_WIDTH - 20, compact=True)
        if len(literal) > _WIDTH - 40:
            literal = f"\n{literal}"
        return _Step(title, why, f"ids = torch.tensor({literal}, device=device)")
    # Nested lists cannot express every empty shape, and empty ones become floats.
    shape = tuple(ids.shape)
    return _Step(title, why, f"ids = torch.empty({shape}, dtype=torch.int64, device=device)")


def _ids_of_text(config: Config, text: str, ids: torch.Tensor) -> _Step:
    characters, count = config.characters, ids.numel()
    known = vocabulary_of(characters, config.unk)
    encoded = known.encode(text)
    if tuple(ids.shape) not in ((count,), (1, count)) or encoded != ids.flatten().tolist():
        raise ExportError(f"These ids, of shape {tuple(ids.shape)}, are not those of the text.")
    if isinstance(characters, Named):
        lost = f" Lost: {known.loses}." if known.loses else ""
        why = f"the text was cut into {known.unit}s before; each has an id.{lost}"
        symbols = {token: known.symbol(token) for token in encoded}
        places = [(symbol, token) for token, symbol in symbols.items()]
        vocabulary = f"""\
pieces = {_literal([symbols[token] for token in encoded])}
places = dict({_literal(places)})
"""
        if not known.loses:
            vocabulary += 'assert b"".join(pieces) == text.encode("utf-8")\n'
        row = "[places[piece] for piece in pieces]"
    elif isinstance(characters, bytes):
        why = "a text is its UTF-8 bytes, and a byte's value is its id."
        vocabulary, row = "", 'list(text.encode("utf-8"))'
    else:
        if characters not in CODE and len(characters) > MAX_SCRIPT_CHARACTERS:
            raise ExportError(
                f"A script holds a vocabulary of at most {MAX_SCRIPT_CHARACTERS:,} characters of "
                f"your own; here are {len(characters):,}."
            )
        why = "a character's id is its place in the vocabulary"
        why += f"; that of any other is {len(characters):,}, <unk>." if config.unk else "."
        vocabulary = f"""\
characters = {CODE.get(characters, ascii(characters))}
places = {{c: place for place, c in enumerate(characters)}}
"""
        if config.unk:
            vocabulary += "unk = len(characters)  # the row after theirs\n"
        found = "places.get(c, unk)" if config.unk else "places[c]"
        row = f"[{found} for c in text]"
    nested = row if ids.dim() == 1 else f"[{row}]"
    made = f"ids = torch.tensor({nested}, dtype=torch.int64, device=device)"
    return _Step("The ids", why, f"text = {text!a}\n{vocabulary}{made}")


def _literal(items: Sequence[object]) -> str:
    """ASCII source of a list, several items a line."""
    inner = pformat(list(items), width=_WIDTH - 12, compact=True)[1:-1]
    lines = [
        line.strip() for line in inner.encode("ascii", "backslashreplace").decode().split("\n")
    ]
    return f"[{lines[0]}]" if len(lines) == 1 else "\n    ".join(["[", *lines]) + "\n]"


_OWN_COPY = (
    "nn.Linear keeps the table transposed, D x V, and here as a copy of its own, so that "
    "training one layer would leave the other alone."
)


def _drawn_weights(config: Config) -> _Step:
    init = INITS[config.init]
    if init.draw is None:
        raise ExportError(f"init={init.name!r} needs a table; none was given.")
    why = f"{_OWN_COPY} Drawn on the CPU in float32, then cast: one seed is one table everywhere."
    return _Step("One weight, two layers", why, f"torch.manual_seed({config.seed})\n{init.code}")


def _own_weights(config: Config, table: torch.Tensor) -> _Step:
    expected = (config.num_embeddings, config.embedding_dim)
    if tuple(table.shape) != expected:
        raise ExportError(f"The table has shape {tuple(table.shape)}, not {expected}.")
    if table.numel() > MAX_SCRIPT_NUMBERS:
        raise ExportError(
            f"A script holds at most {MAX_SCRIPT_NUMBERS:,} weights of your own; "
            f"here are {table.numel():,}."
        )
    if not table.to(config.torch_dtype).isfinite().all():
        raise ExportError(f"A script holds finite weights only, in {config.dtype}.")
    # float64 holds every float exactly, and repr writes the shortest decimal that reads back.
    numbers = table.detach().cpu().double()
    rows = "\n".join(f"    {row}," for row in numbers.tolist())
    literal = f"[\n{rows}\n]"
    code = (
        f"table = torch.tensor({literal}, dtype=torch.float64).to(dtype).to(device)\n"
        f"{LAYERS_OF_TABLE}"
    )
    return _Step("One weight, two layers", f"{_OWN_COPY} The numbers are your own.", code)


def _routes(config: Config, tokens: int, table: torch.Tensor | None) -> _Step:
    why = (
        "a lookup reads one row for each id; the product multiplies the table by a row of V - 1 "
        "zeros and a single 1, which picks the same numbers."
    )
    home = "" if config.device == "cpu" else ".cpu()"
    one_hot_bytes = tokens * config.num_embeddings * torch.int64.itemsize
    if one_hot_bytes > ONE_HOT_BYTES:
        reason = f"a one-hot of every id would take {format_bytes(one_hot_bytes)}."
    elif table is not None and _bits_depend_on_the_kernel(table.to(config.torch_dtype)):
        reason = "the number of rows can change the bits of -0.0 and subnormal weights."
    else:
        return _Step(
            "Both routes",
            why,
            f"""\
lookup = embedding(ids){home}
one_hot = F.one_hot(ids, num_classes=V).to(dtype)
matmul = linear(one_hot){home}""",
        )
    # The slices of TiedLayers.multiply, so that the products are the same bit for bit.
    slice_rows = max(
        1, ONE_HOT_SLICE_BYTES // (config.num_embeddings * config.torch_dtype.itemsize)
    )
    if slice_rows >= tokens:
        product = f"""\
one_hot = F.one_hot(distinct, num_classes=V).to(dtype)
matmul = linear(one_hot)[place]{home}"""
    else:
        product = f"""\
slices = distinct.split({slice_rows})  # of at most {format_bytes(ONE_HOT_SLICE_BYTES)}
rows = [linear(F.one_hot(part, num_classes=V).to(dtype)) for part in slices]
matmul = torch.cat(rows)[place]{home}"""
    return _Step(
        "Both routes",
        f"{why} Each distinct id is multiplied once: {reason}",
        f"""\
lookup = embedding(ids){home}
distinct, place = torch.unique(ids, return_inverse=True)
{product}""",
    )


def _bits_depend_on_the_kernel(weights: torch.Tensor) -> bool:
    """Whether adding zeros may change a weight: -0.0 to 0.0, or a subnormal to 0.0."""
    too_small = weights.abs() < torch.finfo(weights.dtype).smallest_normal
    return bool((too_small & ((weights != 0) | weights.signbit())).any())


def _verdict(config: Config) -> _Step:
    bits = INTEGERS[config.torch_dtype.itemsize]
    why = "bit patterns are compared as integers, because == calls 0.0 and -0.0 the same."
    return _Step(
        "Compare",
        why,
        f"""\
differs = lookup.view({bits}) != matmul.view({bits})
errors = (lookup[differs].double() - matmul[differs].double()).abs()
print("ids:", tuple(ids.shape), "weight:", tuple(linear.weight.shape))
print("lookup:", tuple(lookup.shape), "matmul:", tuple(matmul.shape))
print("every bit equal:", not differs.any().item())
print("max |difference|:", errors.max().item() if len(errors) else 0.0)""",
    )
