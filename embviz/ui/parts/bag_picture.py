"""A bag of words as a picture: a weight with two sums out of it, without the counts and with them.

All numbers are those of the tensors that the page computed. It draws the first `WORDS` words, the
others as one line of their sums, and as many of the first `OUTPUTS` outputs as fit.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from embviz.bag.layers import BagLayers
from embviz.bag.matrix import Matrix
from embviz.bag.row_routes import RowResult
from embviz.ui.parts.cells import CELLS, STYLE
from embviz.ui.parts.component import component, looks
from embviz.ui.state.session import widget_value

WORDS, OUTPUTS, ROWS = 8, 16, 6  # drawn at most
WRITTEN = 12  # numbers of a row on its button
_KEY = "bag_picture"
_FILE = Path(__file__)
_component = component("embviz_bag", [*CELLS, _FILE.with_suffix(".js")], **looks(_FILE, STYLE))


def draw_bag(
    matrix: Matrix, layers: BagLayers, result: RowResult, choose: Callable[[int], None]
) -> None:
    """Draw it; a press on a document calls `choose` with its number."""

    def take() -> None:
        row = widget_value(_KEY, {}).get("row")
        if type(row) is int and 0 <= row < matrix.shape[0]:  # a forged message carries anything
            choose(row)

    _component(key=_KEY, data=bag_picture(matrix, layers, result), on_row_change=take)


def bag_picture(matrix: Matrix, layers: BagLayers, result: RowResult) -> dict[str, Any]:
    """What the picture shows.

    Returns:
        `documents` around the chosen `row`; `words` with name, id, count and, for the line of those
        that have no line, how many they are; `numbers`, in base64: float64 of shape
        (2, words + 1, C), the rows and the sum without the counts, then both with them; the words
        for both answers; and the verdict.
    """
    row, rows = result.row, matrix.shape[0]
    right, plain = result.route("weighted_embedding_sum"), result.route("embedding_sum")
    wrong = ~result.reference.accepts(plain.output)
    first = max(0, min(row.index - ROWS // 2, rows - ROWS))
    words, numbers = _lines(result, layers)
    left = {"name": "counts\nforgotten", "code": plain.code, "adds": True}
    return {
        "documents": [[k, _document(matrix, k)] for k in range(first, min(first + ROWS, rows))],
        "row": row.index,
        "more": f"row {row.index:,} of {rows:,}" if rows > ROWS else "",
        "words": words,
        "numbers": b64encode(numbers.double().numpy().tobytes()).decode(),
        "columns": numbers.shape[2],
        "outputs": len(wrong),
        "heads": [
            ["lookup", "word, id" if row.columns else "column", "blue"],
            ["weight", "{:,} × {:,}".format(*layers.table.shape), ""],
            ["count", "", "orange"],
            ["matmul", "each row × its count, then add", "orange"],
        ],
        "left": left | {"differs": wrong[:OUTPUTS].tolist()},
        "right": {"code": right.code},
        "sign": "=" if plain.right else "≠",
        "alike": plain.right,
        "said": f"the same\n{int((~wrong).sum()):,} of {len(wrong):,}",
        "verdict": _verdict(result, int(wrong.sum())),
    }


def _lines(result: RowResult, layers: BagLayers) -> tuple[list[list[str]], torch.Tensor]:
    """The words in the order of their columns; those beyond `WORDS` are one line, summed."""
    row = result.row
    order = row.indices.argsort(kind="stable")
    ids = torch.from_numpy(row.indices[order]).long()
    counts = torch.from_numpy(row.data[order]).to(layers.dtype)
    drawn = len(ids) if len(ids) <= WORDS else WORDS - 1
    table = layers.table[ids, :OUTPUTS]
    both = torch.stack([table, table * counts[:, None]])
    words = [
        [row.columns[id_], str(id_), _count(count), ""]
        if row.columns
        else [str(id_), "", _count(count), ""]
        for id_, count in zip(ids[:drawn].tolist(), counts.tolist(), strict=False)
    ]
    parts = [both[:, :drawn]]
    if rest := len(ids) - drawn:
        parts.append(both[:, drawn:].sum(1, keepdim=True))
        words.append(["", "", "…", f"{rest:,} {'words' if row.columns else 'columns'} more"])
    routes = [result.route(name).output for name in ("embedding_sum", "weighted_embedding_sum")]
    return words, torch.cat([*parts, torch.stack(routes)[:, None, :OUTPUTS]], 1)


def _verdict(result: RowResult, wrong: int) -> str:
    """Whether the sum is the product, and whether the other sum is."""
    right, plain = result.route("weighted_embedding_sum"), result.route("embedding_sum")
    same = "bit for bit" if right.comparison.bitwise_equal else "within rounding"
    is_product = right.right and right.near_dense
    first = f"✓ The sum is what nn.Linear gives, {same}" if is_product else "✗ The sum is wrong"
    if not plain.right:
        are = "is" if wrong == 1 else "are"
        second = f"without the counts, {wrong:,} of {len(plain.output):,} numbers {are} wrong"
    elif result.row.binary:
        second = "no count is above 1, so forgetting them loses nothing"
    else:
        second = "without the counts it happens to be the same"
    return f"{first}; {second}."


def _document(matrix: Matrix, index: int) -> str:
    if matrix.documents is not None:
        return matrix.documents[index].strip() or "(empty)"
    if matrix.shape[1] > WRITTEN:
        return f"row {index:,}"
    return " ".join(f"{value:g}" for value in matrix.row(index).dense())


def _count(value: float) -> str:
    """A whole number in full, another one with three digits."""
    return f"{value:.9g}" if value.is_integer() and abs(value) < 1e9 else f"{value:.3g}"
