"""A bag of words as a picture: a row of counts, and a weight with two sums out of it.

The left sum forgets the counts, the right one has them. A press on a count changes it.

All numbers are those of the tensors that the page computed. It draws the first `WORDS` words, the
others as one line of their sums, and as many of the first `OUTPUTS` outputs as fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch

from embviz.bag.documents import dropped
from embviz.bag.matrix import Matrix
from embviz.bag.routes import Result
from embviz.core.refused import Refused
from embviz.core.wording import quote
from embviz.request.settings import SETTINGS
from embviz.ui.parts.cells import CELLS, STYLE
from embviz.ui.parts.component import component, looks
from embviz.ui.state.session import go, widget_value

WORDS, OUTPUTS, ROWS, COUNTS = 8, 16, 6, 12  # drawn at most
LETTERS = 12  # of a word
CHANGED = "Counts changed by hand; press the row above for its own."
_KEY = "bag_picture"
_FILE = Path(__file__)
_component = component("embviz_bag", [*CELLS, _FILE.with_suffix(".js")], **looks(_FILE, STYLE))


def draw_bag(picture: dict[str, Any]) -> None:
    """Draw it; a press on a document takes that row, and one on a count changes it."""
    _component(key=_KEY, data=picture, on_row_change=_take, on_edit_change=_take)


def _take() -> None:
    """Change the settings; a forged message carries anything."""
    told = widget_value(_KEY, {})
    row, edit = told.get("row"), told.get("edit")
    for name, value in (("row", row), ("bag_edit", edit)):
        if value is not None:
            with suppress(Refused):
                go({"bag_edit": "", name: SETTINGS[name].read(value)}, whole=False)


def bag_picture(
    matrix: Matrix,
    row: int,
    weight: torch.Tensor,
    result: Result,
    edit: Mapping[int, float],
    stop: bool,
) -> dict[str, Any]:
    """What the picture shows of row `row`, whose result is given.

    Returns:
        `documents` around the row, and `counts`: lists of key, words, note and whether it is
        chosen; `edit`, the counts that were pressed; a `note` on them; the verdict; and what
        `drawWays` draws.
    """
    right, plain = result.answers["weighted_embedding_sum"], result.answers["embedding_sum"]
    wrong = plain.wrong.flatten()
    stored = matrix.csr[[row]]
    lines = _lines(matrix, stored, weight)
    sums = [one.output.flatten()[:OUTPUTS].tolist() for one in (plain, right)]
    drawn = np.array([*sums, *(line[of] for line in lines for of in ("values", "products"))])
    return _buttons(matrix, row, edit, stop) | {
        "lines": lines,
        "scale": float(np.abs(drawn).max()),
        "whole": bool((drawn % 1 == 0).all()),
        "total": drawn.shape[1],
        "labels": 2 + max([6, *(len(line["label"]) for line in lines)]),
        "digits": len(str(len(matrix.columns))) * bool(matrix.columns),
        "factors": max([1, *(len(line["factor"]) for line in lines)]),
        "outputs": len(weight),
        "heads": [
            ["lookup", "word, id" if matrix.columns else "column", "blue"],
            ["weight", f"{weight.shape[1]:,} × {len(weight):,}", ""],
            ["count", "", "orange"],
            ["matmul", "each row × its count, then add", "orange"],
        ],
        "left": {
            "name": "counts\nforgotten",
            "code": plain.route.code,
            "adds": True,
            "values": sums[0],
            "differs": wrong[:OUTPUTS].tolist(),
        },
        "right": {"code": right.route.code, "values": sums[1]},
        "sign": "=" if plain.right else "≠",
        "alike": plain.right,
        "said": f"{int((~wrong).sum()):,} of {len(wrong):,}\nequal",
        "verdict": _verdict(result, bool((stored.data == 1).all())),
    }


def _buttons(matrix: Matrix, row: int, edit: Mapping[int, float], stop: bool) -> dict[str, Any]:
    """The documents around the row, its counts, and a note on them."""
    rows, columns = matrix.csr.shape
    first = max(0, min(row - ROWS // 2, rows - ROWS))
    stored = matrix.csr[[row]]
    few = range(columns) if columns <= COUNTS else stored.indices[:COUNTS].tolist()
    some = sorted({*few, *edit})[: 2 * COUNTS]
    names = matrix.columns or range(columns)
    notes = [f"Row {row:,} of {rows:,}."] * (rows > ROWS)
    notes += [f"{len(some)} of {columns:,} columns."] * (len(some) < columns)
    notes.append(CHANGED if edit else "Press a count to change it.")
    if matrix.documents and (left_out := dropped(matrix.documents[row], stop)):
        notes.append(f"Left out: {', '.join(left_out[:COUNTS])}.")
    return {
        "documents": [
            [k, _document(matrix, k), "", k == row] for k in range(first, min(first + ROWS, rows))
        ],
        "counts": [[k, _count(stored[0, k]), str(names[k])] for k in some],
        "edit": [*edit.items()],
        "note": " ".join(notes),
    }


def _lines(matrix: Matrix, stored: Any, weight: torch.Tensor) -> list[dict[str, Any]]:
    """A line for each word of a row; those beyond `WORDS` are one line, summed."""
    ids, counts, named = stored.indices, torch.from_numpy(stored.data), bool(matrix.columns)
    drawn = len(ids) if len(ids) <= WORDS else WORDS - 1
    values = weight.t()[ids, :OUTPUTS]
    products = values * counts.to(weight.dtype)[:, None]
    lines: list[dict[str, Any]] = [
        {
            "title": (word := matrix.columns[id_] if named else str(id_)),
            "label": word if len(word) <= LETTERS else word[: LETTERS - 1] + "…",
            "sub": str(id_) * named,
            "factor": _count(count),
            "values": row,
            "products": product,
        }
        for id_, count, row, product in zip(
            ids[:drawn].tolist(), counts.tolist(), values.tolist(), products.tolist(), strict=False
        )
    ]
    if rest := len(ids) - drawn:
        fold = f"{rest:,} {'words' if named else 'columns'} more"
        rests = {"values": values, "products": products}
        sums = {name: one[drawn:].sum(0).tolist() for name, one in rests.items()}
        lines.append({"label": "", "sub": "", "factor": "…", "fold": fold} | sums)
    return lines


def _verdict(result: Result, binary: bool) -> str:
    """Whether the sum is the product, and whether the other sum is."""
    right, plain = result.answers["weighted_embedding_sum"], result.answers["embedding_sum"]
    same = "bit for bit" if right.same_bits else "within rounding"
    first = f"✓ The sum is what nn.Linear gives, {same}" if right.right else "✗ The sum is wrong"
    if not plain.right:
        wrong = int(plain.wrong.sum())
        are = "is" if wrong == 1 else "are"
        second = f"without the counts, {wrong:,} of {plain.wrong.numel():,} numbers {are} wrong"
    elif binary:
        second = "no count is above 1, so forgetting them loses nothing"
    else:
        second = "without the counts it happens to be the same"
    return f"{first}; {second}."


def _document(matrix: Matrix, row: int) -> str:
    if matrix.documents:
        return quote(matrix.documents[row], 80)[1:-1] or "(empty)"
    if matrix.csr.shape[1] > COUNTS:
        return f"row {row:,}"
    return " ".join(map(_count, matrix.csr[[row]].toarray()[0]))


def _count(value: float) -> str:
    """A whole number in full, another one with three digits."""
    return f"{value:.9g}" if value.is_integer() and abs(value) < 1e9 else f"{value:.3g}"
