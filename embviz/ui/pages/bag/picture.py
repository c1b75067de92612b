"""A bag of words as a picture: a row of counts, and a weight with two sums out of it.

The left sum forgets the counts, the right one has them. A press on a count changes it.

All numbers are those of the tensors that the page computed. It draws the first `WORDS` words, the
others as one line of their sums, and as many of the first `OUTPUTS` outputs as fit.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

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
        chosen; `edit`, the counts that were pressed; a `note` on them; `words` with name, id, count
        and, for the line of those that have no line, how many they are; `numbers`, in base64:
        float64 of shape (2, words + 1, C), the rows and the sum without the counts, then both with
        them; the words for both answers; and the verdict.
    """
    rows, columns = matrix.csr.shape
    right, plain = result.answers["weighted_embedding_sum"], result.answers["embedding_sum"]
    wrong = plain.wrong.flatten()
    first = max(0, min(row - ROWS // 2, rows - ROWS))
    words, numbers = _lines(matrix, row, weight, (plain.output, right.output))
    stored = matrix.csr[[row]]
    some = (
        range(columns) if columns <= COUNTS else sorted({*stored.indices[:COUNTS].tolist(), *edit})
    )
    names = matrix.columns or range(columns)
    some = some[: 2 * COUNTS]
    notes = [f"{len(some)} of {columns:,} columns."] * (len(some) < columns)
    notes.append(CHANGED if edit else "Press a count to change it.")
    if matrix.documents and (left_out := dropped(matrix.documents[row], stop)):
        notes.append(f"Left out: {', '.join(left_out[:COUNTS])}.")
    return {
        "documents": [
            [k, _document(matrix, k), "", k == row] for k in range(first, min(first + ROWS, rows))
        ],
        "more": f"row {row:,} of {rows:,}" if rows > ROWS else "",
        "counts": [[k, _count(stored[0, k]), str(names[k])] for k in some],
        "edit": [*edit.items()],
        "note": " ".join(notes),
        "words": words,
        "numbers": b64encode(numbers.double().numpy().tobytes()).decode(),
        "columns": numbers.shape[2],
        "outputs": len(weight),
        "heads": [
            ["lookup", "word, id" if matrix.columns else "column", "blue"],
            ["weight", f"{columns:,} × {len(weight):,}", ""],
            ["count", "", "orange"],
            ["matmul", "each row × its count, then add", "orange"],
        ],
        "left": {
            "name": "counts\nforgotten",
            "code": plain.route.code,
            "adds": True,
            "differs": wrong[:OUTPUTS].tolist(),
        },
        "right": {"code": right.route.code},
        "sign": "=" if plain.right else "≠",
        "alike": plain.right,
        "said": f"the same\n{int((~wrong).sum()):,} of {len(wrong):,}",
        "verdict": _verdict(result, bool((stored.data == 1).all())),
    }


def _lines(
    matrix: Matrix, row: int, weight: torch.Tensor, sums: tuple[torch.Tensor, torch.Tensor]
) -> tuple[list[list[str]], torch.Tensor]:
    """The words of a row; those beyond `WORDS` are one line, summed."""
    stored = matrix.csr[[row]]
    ids, counts = torch.from_numpy(stored.indices), torch.from_numpy(stored.data)
    drawn = len(ids) if len(ids) <= WORDS else WORDS - 1
    table = weight.t()[ids, :OUTPUTS]
    both = torch.stack([table, table * counts.to(table.dtype)[:, None]])
    words = [
        [matrix.columns[k], str(k), _count(count), ""]
        if matrix.columns
        else [str(k), "", _count(count), ""]
        for k, count in zip(ids[:drawn].tolist(), counts.tolist(), strict=False)
    ]
    parts = [both[:, :drawn]]
    if rest := len(ids) - drawn:
        parts.append(both[:, drawn:].sum(1, keepdim=True))
        words.append(["", "", "…", f"{rest:,} {'words' if matrix.columns else 'columns'} more"])
    return words, torch.cat([*parts, torch.stack(sums)[:, None, :OUTPUTS]], 1)


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
