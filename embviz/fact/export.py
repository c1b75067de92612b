"""The page's numbers to take along: a short PyTorch script, and files for a projector.

The script runs without embviz, and makes the same ids, weights and two routes with torch alone.
Typed text enters only as an ASCII literal, so no text can break out of it. Refused: too many ids, a
table or vocabulary of the user's own that is too large, a one-hot that is too large, and weights
that are not finite. A table of learnt rows is read from its file, which the script names.
`vectors_tsv` and `metadata_tsv` make the files that the Embedding Projector
(https://projector.tensorflow.org) reads. Nothing is run here.
"""

import io
import re
from collections.abc import Callable
from pprint import pformat

import numpy as np
import torch

from embviz.fact.comparison import INTEGERS
from embviz.fact.inits import INITS
from embviz.fact.table import Table
from embviz.fact.vocabulary import BYTES, UNK, Symbols, Vocabulary
from embviz.fact.words import ROWS, SOURCE_MODEL
from embviz.system.bounds import MIB
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes

MAX_TOKENS = 2_000
MAX_NUMBERS = 10_000  # Numbers of the user's own weights.
MAX_CHARACTERS = 10_000
ONE_HOT_BYTES = 256 * MIB  # largest int64 result of F.one_hot

VECTORS_FILE, METADATA_FILE = "vectors.tsv", "metadata.tsv"
MAX_TSV_NUMBERS = 2_000_000  # Numbers of a table that is written, about 12 bytes each.
# Digits after which a number of this dtype reads back as the same one.
DIGITS = {torch.float64: 17, torch.float32: 9, torch.float16: 5, torch.bfloat16: 4}

_WIDTH = 96
NEEDS = "It needs PyTorch alone."
NEEDS_ROWS = f"""\
It needs PyTorch, NumPy, and a file beside it, {ROWS.name}: the learnt rows of {SOURCE_MODEL}.
The page has it below this script; in embviz's own folder it is embviz/fact/{ROWS.name}."""
_SCRIPT = '''\
"""nn.Embedding(ids) equals one_hot(ids) @ weight: reading rows of a table is multiplying
one-hot rows by it. These numbers are those that embviz showed, made again with plain PyTorch.

{needs}"""

{imports}import torch
from torch import nn
from torch.nn import functional as F

V, D = {rows}, {sizes.embedding_dim}  # num_embeddings, embedding_dim
device, dtype = "{sizes.device}", torch.{sizes.dtype}
torch.set_grad_enabled(False)  # nothing is trained here

# 1. The ids: {ids}

# 2. The same weight in two layers. nn.Linear keeps the table transposed, D x V, as a copy, so
# that training one layer would leave the other alone.
{table}
table = table.to(dtype).to(device)
embedding = nn.Embedding.from_pretrained(table)
linear = nn.Linear(V, D, bias=False, device=device, dtype=dtype)
linear.weight.copy_(table.t())

# 3. Both routes: a lookup reads one row for each id; the product multiplies the table by a row of
# V - 1 zeros and a single 1, which picks the same numbers.
lookup = embedding(ids).cpu()
one_hot = F.one_hot(ids, num_classes=V).to(dtype)
matmul = linear(one_hot).cpu()

# 4. Compare: bit patterns are compared as integers, because == calls 0.0 and -0.0 the same.
differs = lookup.view({bits}) != matmul.view({bits})
errors = (lookup[differs].double() - matmul[differs].double()).abs()
print("ids:", tuple(ids.shape), "weight:", tuple(linear.weight.shape))
print("lookup:", tuple(lookup.shape), "matmul:", tuple(matmul.shape))
print("every bit equal:", not differs.any().item())
print("max |difference|:", errors.max().item() if len(errors) else 0.0)
'''


def script(
    table: Table,
    *,
    ids: torch.Tensor,
    text: str | None = None,
    vocabulary: Symbols | None = None,
    weights: torch.Tensor | None = None,
) -> str:
    """Write a PyTorch script that gives the same numbers, bit for bit.

    Only products with weights of -0.0, or below the smallest normal number, may differ.

    Args:
        table: of the weights; its seed and init are not used with `weights`.
        ids: int64; of a text, shape (1, N), else any shape.
        text: the text of the ids, or `None` if ids were given.
        vocabulary: that of the text.
        weights: the user's own, shape (V, D), instead of drawn ones.

    Returns:
        Source, ASCII only, that needs torch and nothing else; for learnt rows also NumPy and their
        file.

    Raises:
        Refused: quotes the input and says what is allowed.

    >>> ids, known = torch.tensor([[1, 0]]), Vocabulary("ab")
    >>> source = script(Table(2, 3), ids=ids, text="ba", vocabulary=known)
    >>> "text = 'ba'" in source, "nn.Embedding(V, D)" in source
    (True, True)
    """
    _at_most(ids.numel(), MAX_TOKENS, "ids")
    _at_most(len(text or ""), MAX_CHARACTERS, "characters of text")
    one_hot_bytes = ids.numel() * table.num_embeddings * torch.int64.itemsize
    if one_hot_bytes > ONE_HOT_BYTES:
        raise Refused(
            f"A script makes a one-hot of at most {format_bytes(ONE_HOT_BYTES)}; "
            f"here it would take {format_bytes(one_hot_bytes)}."
        )
    if text is None or vocabulary is None:
        literal = pformat(ids.tolist(), width=_WIDTH - 20, compact=True)
        made = f"each names a row of the table.\n{_ids(literal)}"
    else:
        made = _of_text(table, text, vocabulary, ids)
    reads = needs_rows(table)
    return _SCRIPT.format(
        needs=NEEDS_ROWS if reads else NEEDS,
        imports="import numpy as np\n" if reads else "",
        rows=table.num_embeddings if reads else table.known_rows,
        sizes=table,
        bits=INTEGERS[table.torch_dtype.itemsize],
        ids=made,
        table=_drawn(table) if weights is None else _own(table, weights),
    )


def needs_rows(table: Table) -> bool:
    """Whether the script of this table reads the file of learnt rows."""
    return INITS[table.init].recorded


def _at_most(count: int, most: int, what: str) -> None:
    if count > most:
        raise Refused(f"A script holds at most {most:,} {what}; here are {count:,}.")


def _ids(numbers: str) -> str:
    return f"ids = torch.tensor({numbers}, dtype=torch.int64, device=device)"


def _of_text(table: Table, text: str, known: Symbols, ids: torch.Tensor) -> str:
    """The end of the comment on the ids of a text, and the lines that make them."""
    if isinstance(known, Vocabulary):
        _at_most(len(known), MAX_CHARACTERS, "characters of a vocabulary of your own")
        why, row = "a character's id is its place in the vocabulary.", "[places[c] for c in text]"
        if table.unk:
            why = "a character's id is its place in the vocabulary; any other is <unk>."
            row = f"[places.get(c, {table.unk_id}) for c in text]"
        made = f"characters = {known.symbols!a}\n"
        made += "places = {c: place for place, c in enumerate(characters)}\n"
    elif known is BYTES:
        why, row = "a text is its UTF-8 bytes, and a byte's value is its id.", "list(text.encode())"
        made = ""
    else:
        pieces = [(known.symbol(token) or UNK, token) for token in ids.flatten().tolist()]
        literal = pformat(pieces, width=_WIDTH, compact=True)
        made = f"pieces = {literal.encode('ascii', 'backslashreplace').decode()}\n"
        said = "the text was cut into these pieces, each with its id."
        return f"{said}\n{made}" + _ids("[[token for _, token in pieces]]")
    return f"{why}\ntext = {text!a}\n{made}" + _ids(f"[{row}]")


def _drawn(table: Table) -> str:
    init = INITS[table.init]
    if init.recorded:
        return f"# Rows of {SOURCE_MODEL}: one a word, and last <unk>.\ntable = {init.code}"
    seeded = f"torch.manual_seed({table.seed})\n"
    if init.program:
        made = init.program(table.seed)
    else:
        made = (
            "# Drawn on the CPU in float32, then cast: one seed is one table everywhere.\n"
            f"{seeded}table = {init.code}"
        )
    if not table.unk:
        return made
    if init.unk:
        made += f"\n# <unk>, a random row: it was in no word.\n{seeded}"
    else:
        made += "\n# <unk>, the first row of a second draw, so that no other number changes:\n"
    drawn = INITS[init.unk or init.name].code
    return f"{made}table = torch.cat([table, {drawn}[:1]])\nV = len(table)"


def _own(table: Table, weights: torch.Tensor) -> str:
    _at_most(weights.numel(), MAX_NUMBERS, "weights of your own")
    if not weights.to(table.torch_dtype).isfinite().all():
        raise Refused(f"A script holds finite weights only, in {table.dtype}.")
    # float64 holds every float exactly, and repr writes the shortest decimal that reads back.
    rows = "\n".join(f"    {row}," for row in weights.detach().cpu().double().tolist())
    return f"table = torch.tensor([\n{rows}\n], dtype=torch.float64)"


def vectors_tsv(weight: torch.Tensor) -> str:
    r"""A table as tab-separated text, one row a line, without a header.

    Args:
        weight: shape (V, D), any float dtype. Each number is written so that it reads back as the
            same one.

    Raises:
        Refused: more than `MAX_TSV_NUMBERS`, or NaN or inf among them.

    >>> vectors_tsv(torch.tensor([[1.0, -0.5], [0.25, 2.0]]))
    '1.0\t-0.5\n0.25\t2.0\n'
    """
    if weight.numel() > MAX_TSV_NUMBERS:
        raise Refused(
            f"A file of vectors holds at most {MAX_TSV_NUMBERS:,} numbers; "
            f"here are {weight.numel():,}."
        )
    if not weight.isfinite().all():
        raise Refused("The Embedding Projector reads finite numbers only.")
    text = io.StringIO()
    values = weight.detach().cpu().double().numpy()
    np.savetxt(text, values, fmt=f"%.{DIGITS[weight.dtype]}g", delimiter="\t")
    # With a point: a first line of whole numbers would be read as a header.
    return re.sub(r"(?m)(^|\t)(-?[0-9]+)(?=\t|$)", r"\1\2.0", text.getvalue())


def metadata_tsv(rows: int, label: Callable[[int], str]) -> str:
    r"""The labels of a table's rows and their ids as tab-separated text, with a header.

    Args:
        rows: of the table.
        label: an id's symbol on one line; empty where it has none.

    >>> metadata_tsv(3, {0: "a", 1: "b", 2: ""}.__getitem__)
    'symbol\tid\na\t0\nb\t1\nrow 2\t2\n'
    """
    lines = (f"{label(row) or f'row {row}'}\t{row}\n" for row in range(rows))
    return "".join(["symbol\tid\n", *lines])
