"""A bag of words as a picture: each word's row, times its count, slides into one sum.

Beside it stands the sum that forgets the counts, with a mark on each wrong number. All numbers are
those of the tensors that the page computed. It draws the first `WORDS` words and `OUTPUTS` outputs
and says how many more there are; the sums are always those of all words.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from embviz.bag.layers import BagLayers
from embviz.bag.matrix import Matrix, Row
from embviz.bag.row_routes import RowResult
from embviz.ui.parts.cells import COLOURS
from embviz.ui.parts.component import component
from embviz.ui.state.session import widget_value

WORDS, OUTPUTS, ROWS = 8, 4, 6  # drawn at most
CELLS = 12  # of a row of numbers in the list
KEY = "bag_picture"
_FILE = Path(__file__)
_component = component(
    "embviz_bag",
    [COLOURS, _FILE.with_suffix(".js")],
    html='<div class="bag"></div>',
    css=_FILE.with_suffix(".css").read_text(encoding="utf-8"),
)


def draw_bag(
    matrix: Matrix, layers: BagLayers, result: RowResult, choose: Callable[[int], None]
) -> None:
    """Draw it; a click on a document calls `choose` with its number."""
    _component(
        key=KEY,
        data=bag_picture(matrix, layers, result),
        on_row_change=partial(_take, matrix.shape[0], choose),
    )


def _take(rows: int, choose: Callable[[int], None]) -> None:
    row = widget_value(KEY, {}).get("row")
    if type(row) is int and 0 <= row < rows:  # a forged message may carry anything
        choose(row)


def bag_picture(matrix: Matrix, layers: BagLayers, result: RowResult) -> dict[str, Any]:
    """What the picture shows: documents, words with their rows and products, both sums."""
    row, rows = result.row, matrix.shape[0]
    right, plain = result.route("weighted_embedding_sum"), result.route("embedding_sum")
    first = max(0, min(row.index - ROWS // 2, rows - ROWS))
    wrong = ~result.reference.accepts(plain.output)
    return {
        "documents": [[k, _document(matrix, k)] for k in range(first, min(first + ROWS, rows))],
        "row": row.index,
        "rows": rows,
        "named": matrix.documents is not None,
        "words": _words(row, layers),
        "sum": _numbers(right.output),
        "plain": _numbers(plain.output),
        "wrong": wrong[:OUTPUTS].tolist(),
        "outputs": len(right.output),
        "verdict": _verdict(result, int(wrong.sum())),
    }


def _verdict(result: RowResult, wrong: int) -> list[Any]:
    """Whether the sum is the product, whether the other sum is, and the sentence of both."""
    right, plain = result.route("weighted_embedding_sum"), result.route("embedding_sum")
    same = "bit for bit" if right.comparison.bitwise_equal else "within rounding"
    is_product = right.right and right.near_dense
    first = f"The sum is what nn.Linear gives, {same}" if is_product else "The sum is wrong"
    total = len(plain.output)
    if not plain.right:
        are = "is" if wrong == 1 else "are"
        second = f"without the counts, {wrong} of {total} numbers {are} wrong"
    elif result.row.binary:
        second = "no count is above 1, so forgetting them loses nothing"
    else:
        second = "without the counts it happens to be the same"
    return [is_product, plain.right, f"{first}; {second}."]


def _words(row: Row, layers: BagLayers) -> list[dict[str, Any]]:
    """The words in the order of their columns; those beyond `WORDS` are one line, summed."""
    order = row.indices.argsort(kind="stable")
    ids = torch.from_numpy(row.indices[order]).long()
    data = torch.from_numpy(row.data[order]).to(layers.dtype)
    picked = layers.table[ids][:, :OUTPUTS]
    products = picked * data[:, None]
    shown = len(ids) if len(ids) <= WORDS else WORDS - 1
    words = [
        {
            "name": str(int(ids[k])) if row.columns is None else row.columns[int(ids[k])],
            "count": _count(float(data[k])),
            "row": _numbers(picked[k]),
            "product": _numbers(products[k]),
        }
        for k in range(shown)
    ]
    if shown < len(ids):
        rest = {
            "name": f"{len(ids) - shown:,} more",
            "count": "",
            "row": _numbers(picked[shown:].sum(0)),
            "product": _numbers(products[shown:].sum(0)),
        }
        words.append(rest)
    return words


def _document(matrix: Matrix, index: int) -> str:
    if matrix.documents is not None:
        return matrix.documents[index]
    if matrix.shape[1] > CELLS:
        return f"row {index:,}"
    return " ".join(f"{value:g}" for value in matrix.row(index).dense())


def _count(value: float) -> str:
    """A whole number in full, another one with three digits."""
    return f"{value:.15g}" if value.is_integer() else f"{value:.3g}"


def _numbers(values: torch.Tensor) -> list[float | str]:
    """The first numbers; `inf` and `nan` as words, which JSON has no numbers for."""
    numbers: list[float] = values[:OUTPUTS].double().tolist()
    return [one if math.isfinite(one) else str(one) for one in numbers]
