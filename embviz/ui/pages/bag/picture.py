"""A bag of words as a picture: a row of counts, and a weight with two sums out of it.

The left sum forgets the counts, the right one has them. A press on a count changes it.

All numbers are those of the tensors that the page computed. It draws the first `WORDS` words, the
others as one line of their sums, and as many of the first `OUTPUTS` outputs as fit.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from embviz.bag.documents import dropped
from embviz.bag.matrix import Matrix
from embviz.bag.routes import RouteResult
from embviz.request.pages import SETTINGS
from embviz.text.refused import Refused
from embviz.ui.pages.bag.fields import OneRow
from embviz.ui.parts.component import component
from embviz.ui.state.session import go, setting, widget_value

WORDS, OUTPUTS, ROWS, COUNTS = 8, 16, 6, 20  # drawn at most
_KEY = "bag_picture"
_component = component("embviz_bag", Path(__file__).with_suffix(".js"))


def draw_bag(one: OneRow) -> None:
    """Draw a row. A press on a document takes that row, and one on a count changes it."""
    matrix, row, edit, weight, result = one.matrix, one.row, one.edit, one.weight, one.result
    (rows, columns), stored = matrix.csr.shape, matrix.csr[[row]]
    names, named = matrix.columns or range(columns), bool(matrix.columns)
    first = max(0, min(row - ROWS // 2, rows - ROWS))
    few = range(columns) if columns <= COUNTS else stored.indices[:COUNTS].tolist()
    some = sorted({*few, *edit})[: 2 * COUNTS]
    notes = []
    if rows > ROWS:
        notes.append(f"Row {row:,} of {rows:,}.")
    if len(some) < columns:
        notes.append(f"{len(some)} of {columns:,} columns.")
    notes.append("Press counts to change them, the row above to undo.")
    if matrix.documents and (left_out := dropped(matrix.documents[row], setting("stop"))):
        notes.append(f"Left out: {', '.join(left_out[:COUNTS])}.")
    if matrix.documents and matrix.documents[row] != matrix.documents[row].lower():
        notes.append("Capital letters are read as small ones.")

    values = weight.t()[stored.indices, :OUTPUTS]
    products = values * torch.from_numpy(stored.data).to(weight.dtype)[:, None]
    both = torch.stack([values, products], 1)
    drawn = len(both) if len(both) <= WORDS else WORDS - 1
    lines = [
        {
            "title": str(names[k]),
            "sub": str(k) if named else "",
            "factor": _count(count),
            "numbers": pair,
        }
        for k, count, pair in zip(stored.indices, stored.data, both[:drawn].tolist(), strict=False)
    ]
    if rest := len(both) - drawn:
        omitted = f"{rest:,} {'words' if named else 'columns'}"
        lines.append({"omitted": omitted, "factor": "…", "numbers": both[drawn:].sum(0).tolist()})
    plain, right = (result.of_routes[name] for name in ("embedding_sum", "weighted_embedding_sum"))
    data = {
        "row": row,
        "documents": [[k, _title(matrix, k)] for k in range(first, min(first + ROWS, rows))],
        "counts": [[k, _count(stored[0, k]), str(names[k])] for k in some],
        "edit": [*edit.items()],
        "note": " ".join(notes),
        "lines": lines,
        "most": min(columns, WORDS),
        "named": named,
        "shape": [columns, len(weight)],
        "sums": [one.output.flatten()[:OUTPUTS].tolist() for one in (plain, right)],
        "codes": [plain.route.code, f"{right.route.code} {'=' if right.right else '≠'} linear(x)"],
        "wrong": plain.wrong.flatten().tolist(),
        "verdict": verdict(plain, right),
    }
    row_told, edit_told = (partial(take_press, name) for name in ("row", "bag_edit"))
    _component(key=_KEY, data=data, on_row_change=row_told, on_bag_edit_change=edit_told)


def verdict(plain: RouteResult, right: RouteResult) -> str:
    """Whether the sum is the product, and how much of the sum without the counts is wrong."""
    same = "bit for bit" if right.same_bits else "within rounding"
    first = f"✓ The sum is what nn.Linear gives, {same}" if right.right else "✗ The sum is wrong"
    wrong = int(plain.wrong.sum())
    return f"{first}; without the counts, {wrong:,} of {plain.wrong.numel():,} are wrong."


def _title(matrix: Matrix, row: int) -> str:
    if not matrix.documents:
        return f"row {row:,}"
    return matrix.documents[row][:80].strip() or "(empty)"


def _count(value: float) -> str:
    """A whole number as it is, another one with three digits."""
    return f"{value:.9g}" if value.is_integer() else f"{value:.3g}"


def take_press(name: str) -> None:
    """Change the setting that was pressed; a forged message carries anything.

    The other one may still have the value of an earlier press.
    """
    if (value := widget_value(_KEY, {}).get(name)) is not None:
        with suppress(Refused):
            go({name: SETTINGS[name].read(value)})
