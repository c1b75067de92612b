"""The page's numbers as a short PyTorch script, to run without embviz.

The script makes the same ids, weights and two routes with torch alone. Typed text enters only as an
ASCII literal, so no text can break out of it. Refused: too many ids, a table or vocabulary of the
user's own that is too large, a one-hot that is too large, and weights that are not finite. It runs
nothing itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pprint import pformat

import torch

from embviz.core.comparison import INTEGERS
from embviz.core.config import MIB, Config
from embviz.core.inits import INITS, LAYERS_OF_TABLE
from embviz.core.pieces import Pieces, Symbols
from embviz.core.refused import Refused
from embviz.core.tokenizers import CODE
from embviz.core.wording import format_bytes

MAX_TOKENS = 2_000
MAX_NUMBERS = 10_000  # of a table of the user's own
MAX_CHARACTERS = 10_000
ONE_HOT_BYTES = 256 * MIB  # largest int64 result of F.one_hot

_WIDTH = 96
_INTRO = (
    "nn.Embedding(ids) equals one_hot(ids) @ weight: reading rows of a table is multiplying "
    "one-hot rows by it. These are the numbers that embviz showed, made again with plain PyTorch."
)
_OWN_COPY = (
    "nn.Linear keeps the table transposed, D x V, and here as a copy of its own, so that "
    "training one layer would leave the other alone."
)


class ExportError(Refused):
    """Input that makes no short script; the message says what is allowed."""


def script(
    config: Config,
    *,
    ids: torch.Tensor,
    text: str | None = None,
    known: Symbols | None = None,
    table: torch.Tensor | None = None,
) -> str:
    """Write a PyTorch script that gives the same numbers, bit for bit.

    Only products with weights of -0.0, or below the smallest normal number, may differ.

    Args:
        config: of the tables; its seed and init are not used with `table`.
        ids: int64; of a text, shape (1, N), else any shape.
        text: the text of the ids, or `None` if ids were given.
        known: the vocabulary of the text.
        table: own weights, shape (V, D), instead of drawn ones.

    Returns:
        Source, ASCII only, that needs torch and nothing else.

    Raises:
        ExportError: (a ValueError) quotes the input and says what is allowed.

    >>> from embviz.core.vocabulary import Vocabulary
    >>> ids, known = torch.tensor([[1, 0]]), Vocabulary("ab")
    >>> source = script(Config("ab", 2, 3), ids=ids, text="ba", known=known)
    >>> "text = 'ba'" in source, "nn.Embedding(V, D)" in source
    (True, True)
    """
    _check_sizes(config, ids, text)
    if text is None or known is None:
        why, made = "each names a row of the table.", _given_ids(ids)
    else:
        why, made = _ids_of_text(text, known, ids)
    weights = _drawn_weights(config) if table is None else _own_weights(config, table)
    return _written(config, f"1. The ids: {why}", made, weights)


def _check_sizes(config: Config, ids: torch.Tensor, text: str | None) -> None:
    _at_most(ids.numel(), MAX_TOKENS, "ids")
    _at_most(len(text or ""), MAX_CHARACTERS, "characters of text")
    one_hot_bytes = ids.numel() * config.num_embeddings * torch.int64.itemsize
    if one_hot_bytes > ONE_HOT_BYTES:
        raise ExportError(
            f"A script makes a one-hot of at most {format_bytes(ONE_HOT_BYTES)}; "
            f"here it would take {format_bytes(one_hot_bytes)}."
        )


def _written(config: Config, about_ids: str, ids: str, weights: str) -> str:
    """The whole script around the code of its ids and weights."""
    home = "" if config.device == "cpu" else ".cpu()"
    bits = INTEGERS[config.torch_dtype.itemsize]
    needs_string = "import string\n\n" if "= string." in ids else ""
    intro = textwrap.fill(f'"""{_INTRO}"""', _WIDTH, break_on_hyphens=False)
    return f"""\
{intro}

{needs_string}import torch
from torch import nn
from torch.nn import functional as F

V, D = {config.num_embeddings}, {config.embedding_dim}  # num_embeddings, embedding_dim
device, dtype = "{config.device}", torch.{config.dtype}
torch.set_grad_enabled(False)  # nothing is trained here

{comment(about_ids)}
{ids}

{comment(f"2. One weight, two layers: {_OWN_COPY}")}
{weights}

# 3. Both routes: a lookup reads one row for each id; the product multiplies the table by a row of
# V - 1 zeros and a single 1, which picks the same numbers.
lookup = embedding(ids){home}
one_hot = F.one_hot(ids, num_classes=V).to(dtype)
matmul = linear(one_hot){home}

# 4. Compare: bit patterns are compared as integers, because == calls 0.0 and -0.0 the same.
differs = lookup.view({bits}) != matmul.view({bits})
errors = (lookup[differs].double() - matmul[differs].double()).abs()
print("ids:", tuple(ids.shape), "weight:", tuple(linear.weight.shape))
print("lookup:", tuple(lookup.shape), "matmul:", tuple(matmul.shape))
print("every bit equal:", not differs.any().item())
print("max |difference|:", errors.max().item() if len(errors) else 0.0)
"""


def comment(words: str) -> str:
    """The words as comment lines of Python."""
    return textwrap.fill(
        words, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def _at_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise ExportError(f"A script holds at most {most:,} {what}; here are {count:,}.")


def _given_ids(ids: torch.Tensor) -> str:
    if not ids.numel():  # nested lists cannot express every empty shape, and become floats
        return f"ids = torch.empty({tuple(ids.shape)}, dtype=torch.int64, device=device)"
    literal = pformat(ids.tolist(), width=_WIDTH - 20, compact=True)
    return f"ids = torch.tensor({literal}, device=device)"


def _ids_of_text(text: str, known: Symbols, ids: torch.Tensor) -> tuple[str, str]:
    """Why these are the ids of the text, and the code that makes them."""
    characters = known.characters
    if isinstance(known, Pieces):
        why = "the text was cut into pieces before; each has an id."
        symbols = [(known.symbol(token), token) for token in ids.flatten().tolist()]
        made = f"""\
pieces = {_literal([symbol for symbol, _ in symbols])}
places = dict({_literal([*dict.fromkeys(symbols)])})
assert b"".join(pieces) == text.encode("utf-8")
"""
        row = "[places[piece] for piece in pieces]"
    elif isinstance(characters, bytes):
        why = "a text is its UTF-8 bytes, and a byte's value is its id."
        made, row = "", 'list(text.encode("utf-8"))'
    else:
        code = CODE.get(characters)
        if code is None:
            _at_most(len(characters), MAX_CHARACTERS, "characters of a vocabulary of your own")
        why = "a character's id is its place in the vocabulary"
        why += f"; that of any other is {len(characters):,}, <unk>." if known.unk else "."
        made = f"characters = {code or ascii(characters)}\n"
        made += "places = {c: place for place, c in enumerate(characters)}\n"
        row = f"[places.get(c, {len(characters)}) for c in text]"
        row = row if known.unk else "[places[c] for c in text]"
    made += f"ids = torch.tensor([{row}], dtype=torch.int64, device=device)"
    return why, f"text = {text!a}\n{made}"


def _literal(items: Sequence[object]) -> str:
    """ASCII source of a list, several items a line."""
    written = pformat(list(items), width=_WIDTH, compact=True)
    return written.encode("ascii", "backslashreplace").decode()


def _drawn_weights(config: Config) -> str:
    init = INITS[config.init]
    if init.draw is None:
        raise ExportError(f"init={init.name!r} needs a table; none was given.")
    why = "# Drawn on the CPU in float32, then cast: one seed is one table everywhere."
    return f"{why}\ntorch.manual_seed({config.seed})\n{init.code}"


def _own_weights(config: Config, table: torch.Tensor) -> str:
    _at_most(table.numel(), MAX_NUMBERS, "weights of your own")
    if not table.to(config.torch_dtype).isfinite().all():
        raise ExportError(f"A script holds finite weights only, in {config.dtype}.")
    # float64 holds every float exactly, and repr writes the shortest decimal that reads back.
    rows = "\n".join(f"    {row}," for row in table.detach().cpu().double().tolist())
    made = f"torch.tensor([\n{rows}\n], dtype=torch.float64)"
    return f"table = {made}.to(dtype).to(device)\n{LAYERS_OF_TABLE}"
