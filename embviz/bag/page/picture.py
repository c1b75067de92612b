"""A bag of words as a picture: counts to change, and two layers over one weight.

On the left `nn.Embedding` looks up the rows of the words that occur, and adds them, times their
counts. On the right stands what `nn.Linear` gives for the whole row of counts, zeros too.

All numbers are those of the tensors that the page computed. It draws `WORDS` lines at most: rows of
the weight, those that count first, and a line of all others. As many of the first `OUTPUTS` outputs
are drawn as fit.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from embviz.bag.documents import cut_words, dropped
from embviz.bag.matrix import Matrix
from embviz.bag.page.fields import OneRow, weight_call, weight_words
from embviz.bag.page.sentences import count_words, noun, sentence
from embviz.settings.pages import SETTINGS
from embviz.text.refused import Refused
from embviz.text.wording import counted, isolated
from embviz.ui.elements.component import component
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go
from embviz.ui.state.session import cached, widget_value

# Lines of the weight, outputs, documents and counts that are drawn at most.
WORDS, OUTPUTS, ROWS, COUNTS = 8, 16, 6, 12
LEFT_OUT = 20  # Words of a document that the note names at most, with why they are left out.
_KEY = "bag_picture"
_component = component("embviz_bag", Path(__file__).with_suffix(".js"))


def draw_bag(bag_row: OneRow) -> None:
    """Draw a row. What is pressed in it changes the settings `row`, `bag_edit` and `forget`."""
    matrix, row = bag_row.matrix, bag_row.row
    rows, columns = matrix.csr.shape
    first = max(0, min(row - ROWS // 2, rows - ROWS))
    drawn = columns_drawn(bag_row, COUNTS)
    changeable = [
        [k, count_words(count).replace("−", "-"), _name(matrix, k)]  # as a field has it
        for k, count in zip(drawn, counts_at(bag_row, drawn), strict=True)
    ]
    forget = setting("forget")
    data = {
        "row": row,
        "documents": [[k, _title(matrix, k)] for k in range(first, min(first + ROWS, rows))],
        "counts": changeable,
        "least": 0 if matrix.documents else None,
        "edit": [*bag_row.edit.items()],
        "note": note(bag_row, matrix.documents[first : first + ROWS], len(changeable)),
        "forget": forget,
        "noun": noun(),
        "named": bool(matrix.columns),
        "shape": [columns, len(bag_row.weight)],
        "origin": weight_words(),
        "scale": table_scale(bag_row),
        "lines": lines(bag_row, forget),
        **answers(bag_row, forget),
        "verdict": sentence(bag_row),
    }
    told: dict[str, Any] = {
        f"on_{name}_change": partial(take_press, name) for name in ("row", "bag_edit", "forget")
    }
    _component(key=_KEY, data=data, **told)


def columns_drawn(bag_row: OneRow, most: int) -> list[int]:
    """So many columns at most, in order: those that were pressed or count first, then the first."""
    columns = bag_row.matrix.csr.shape[1]
    if columns <= most:
        return [*range(columns)]
    wanted = [*bag_row.edit, *bag_row.counts.indices[:most].tolist(), *range(most)]
    return sorted([*dict.fromkeys(wanted)][:most])


def counts_at(bag_row: OneRow, columns: list[int]) -> list[float]:
    """The counts of these columns."""
    counts: list[float] = bag_row.counts[:, columns].toarray()[0].tolist()
    return counts


def lines(bag_row: OneRow, forget: bool) -> list[dict[str, Any]]:
    """The rows of the weight that are drawn, and a line of all others.

    `numbers` are the row, the row × its count, and what the left sum adds of it.
    """
    columns = bag_row.matrix.csr.shape[1]
    drawn = columns_drawn(bag_row, WORDS if columns <= WORDS else WORDS - 1)
    entries, stored = [], {*bag_row.counts[:, drawn].indices.tolist()}
    for place, (k, count) in enumerate(zip(drawn, counts_at(bag_row, drawn), strict=True)):
        is_looked_up = place in stored  # a count of 0 may be stored in an uploaded matrix
        values = bag_row.weight[:OUTPUTS, k]
        products = values * count
        added = values if forget and is_looked_up else products
        entries.append(
            {
                "title": _name(bag_row.matrix, k),
                "sub": str(k) if bag_row.matrix.columns else "",
                "factor": count_words(count),
                "looked_up": is_looked_up,
                "numbers": [part.tolist() for part in (values, products, added)],
            }
        )
    if rest := columns - len(drawn):
        entries.append(_others(bag_row, drawn, rest, forget))
    return entries


def _others(bag_row: OneRow, drawn: list[int], rest: int, forget: bool) -> dict[str, Any]:
    """The line of the rows that are not drawn: their sums; each is × 0, or × its count."""
    is_other = ~np.isin(bag_row.counts.indices, drawn)
    stored, data = bag_row.counts.indices[is_other], bag_row.counts.data[is_other]
    values = bag_row.weight.t()[stored, :OUTPUTS]
    products = values * torch.from_numpy(data).to(bag_row.weight.dtype)[:, None]
    added = values if forget else products
    return {
        "omitted": f"{rest:,} {'row' if rest == 1 else 'rows'}",
        "factor": "…" if len(stored) else "0",
        "looked_up": False,
        "numbers": [part.sum(0).tolist() for part in (values, products, added)],
    }


def answers(bag_row: OneRow, forget: bool) -> dict[str, Any]:
    """The sum of `nn.Embedding` rows, the output of `nn.Linear`, and how equal they are."""
    name = "embedding_sum" if forget else "weighted_embedding_sum"
    left, right = (bag_row.result.of_routes[route] for route in (name, "dense_linear"))
    total, wrong = left.wrong.numel(), int(left.wrong.sum())
    said = "equal within\nrounding"
    if left.same_bits:
        said = f"identical:\n{total} of {total}"
    elif wrong:
        said = f"equal:\n{total - wrong} of {total}"
    return {
        "sums": [route.output.flatten()[:OUTPUTS].tolist() for route in (left, right)],
        "codes": [route.route.code for route in (left, right)],
        "wrong": left.wrong.flatten()[:OUTPUTS].tolist(),
        "alike": left.right and right.right,
        "said": said,
    }


def table_scale(bag_row: OneRow) -> float:
    """The largest |number| of the whole weight: one scale of colours for all documents."""

    def largest() -> float:
        return max(map(abs, map(float, bag_row.weight.aminmax())))

    return cached("bag_scale", weight_call(bag_row.matrix.csr.shape[1]), largest)


def note(bag_row: OneRow, documents: tuple[str, ...], counts: int) -> str | None:
    """Says how much is drawn, and what the vectorizer left out or folded in the document.

    None where there is nothing to say of any of these documents: then it needs no place.
    """
    (rows, columns), sizes = bag_row.matrix.csr.shape, []
    if rows > ROWS:
        sizes.append(f"Row {bag_row.row:,} of {rows:,}.")
    if counts < columns:
        sizes.append(f"{counts} of {counted(columns, 'column')}.")
    stop = setting("stop")
    made_of = documents, stop
    changed = cached(
        "bag_note", made_of, lambda: {document: changes(document, stop) for document in documents}
    )
    if not sizes and not any(changed.values()):
        return None
    own = changed[bag_row.matrix.documents[bag_row.row]] if documents else ""
    return " ".join(filter(None, [*sizes, own]))


def changes(document: str, stop: bool) -> str:
    """Says what the vectorizer leaves out and folds; empty if nothing."""
    found = []
    if cut := cut_words(document):
        found.append(isolated(cut))
    if left_out := dropped(document, stop):
        more = f", {len(left_out) - LEFT_OUT:,} more" if len(left_out) > LEFT_OUT else ""
        found.append(f"Left out: {', '.join(left_out[:LEFT_OUT])}{more}.")
    if document != document.lower():
        found.append("Capital letters are read as small ones.")
    return " ".join(found)


def _name(matrix: Matrix, column: int) -> str:
    return matrix.columns[column] if matrix.columns else str(column)


def _title(matrix: Matrix, row: int) -> str:
    if not matrix.documents:
        return f"row {row:,}"
    return matrix.documents[row][:80].strip() or "(empty)"


def take_press(name: str) -> None:
    """Change the setting that was pressed; a forged message carries anything.

    The other ones may still have the value of an earlier press.
    """
    if (value := widget_value(_KEY, {}).get(name)) is not None:
        with suppress(Refused):
            go({name: SETTINGS[name].read(value)})
