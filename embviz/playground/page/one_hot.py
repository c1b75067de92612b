"""The panel *one_hot*: the row of the selected token, whose numbers can be pressed, and its cost.

A press takes a number from 0 to 1, to 0.5 and to 0 again. Both layers then compute with that row.
The setting `one_hot` has the numbers that are not 0, as `2:1 5:0.5`; empty, it is the row of the
selected token.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import streamlit as st
import torch
from torch.nn import functional as F

from embviz.fact.comparison import Pair
from embviz.fact.inputs import Inputs
from embviz.fact.layers import TiedLayers
from embviz.fact.routes import BothRoutes
from embviz.picture.numbers import packed
from embviz.playground.page.stage.drawing import colour_scale
from embviz.settings.pages import SETTINGS
from embviz.text.digits import plain_digits
from embviz.text.refused import refusals_about
from embviz.text.wording import counted, format_bytes
from embviz.ui.elements.ask import pick
from embviz.ui.elements.component import component
from embviz.ui.elements.failure import contained
from embviz.ui.elements.links import link
from embviz.ui.state.address import setting

CELLS = 24  # Numbers of the row that are drawn, at most.
AROUND = 2  # Rows on each side of the selected one that are drawn too.
TERMS = 4  # Rows that a sentence names.
NUMBERS = 10  # First numbers of each result that are sent.
START_AGAIN = {"Start again": {"one_hot": ""}}
_KEY = "one_hot_row"
_component = component("embviz_one_hot", Path(__file__).with_suffix(".js"))


def draw(both: BothRoutes, given: Inputs) -> None:
    """The row and its outcome; then what the one-hot of the whole text costs."""
    ids = both.ids.flatten().tolist()
    if ids:
        with contained("one_hot row"):
            _row(both, given, ids)
        link("bag_of_words", label="Rows added up: Bag of words")
    else:
        st.caption("Type something: each token has a row with a single 1.")
    said = [cost_sentence(both)]
    if ids:
        said.append(without_classes(both))
    st.markdown("\n\n".join(said))
    link("limits", {"case": "one-hot-without-classes"}, label="`F.one_hot` without `num_classes`")


def read_factors(typed: str, rows: int) -> dict[int, float]:
    """The numbers of a row by id, as an address has them: `2:1 5:0.5`.

    Args:
        typed: up to `CELLS` ids, each with 0, 0.5 or 1; empty for none.
        rows: V, the width of the row.

    Raises:
        Refused: it has something else, an id twice, too many, or one that the table lacks.
    """
    record, plain = SETTINGS["one_hot"], plain_digits(typed)
    if not re.fullmatch(r"([0-9]{1,9}:(0|0\.5|1)(\s+|$))*", plain):
        raise record.refuse(typed, "is not ids with 0, 0.5 or 1, such as 2:1 5:0.5")
    pairs = [pair.split(":") for pair in plain.split()]
    factors = {int(name): float(factor) for name, factor in pairs}
    if len(factors) < len(pairs):
        raise record.refuse(typed, "has an id twice")
    if len(factors) > CELLS:
        raise record.refuse(typed, f"has {len(factors):,} ids, more than the {CELLS} allowed")
    if (largest := max(factors, default=0)) >= rows:
        raise record.refuse(typed, f"has id {largest:,}; this table has ids 0 to {rows - 1:,}")
    return factors


def shown_ids(wanted: list[int], selected: int, rows: int) -> list[int]:
    """The ids of the drawn numbers, in order: at most `CELLS`, and all of a small table.

    Args:
        wanted: ids, the most wanted first.
        selected: the id whose neighbours are drawn too.
        rows: V, the width of the row.

    >>> shown_ids([7, 90], 7, 100)
    [5, 6, 7, 8, 9, 90]
    """
    if rows <= CELLS:
        return list(range(rows))
    near = range(max(0, selected - AROUND), min(rows, selected + AROUND + 1))
    return sorted([*dict.fromkeys([*wanted, *near])][:CELLS])


@torch.no_grad()
def compute(layers: TiedLayers, factors: dict[int, float]) -> Pair:
    """The results of both layers for a row that is 0 but for these factors by id.

    Returns:
        The rows of `nn.Embedding`, each times its factor, added; and the row through `nn.Linear`.
        Both have shape (1, D).
    """
    weight = layers.linear.weight
    ids = torch.tensor([*factors], dtype=torch.long, device=weight.device)
    given = torch.tensor([*factors.values()], dtype=weight.dtype, device=weight.device)
    row = weight.new_zeros(1, layers.linear.in_features)
    row[0, ids] = given
    rows = layers.embedding(ids) * given[:, None]
    return Pair(rows.sum(0, keepdim=True), layers.linear(row))


def sentence(factors: dict[int, float]) -> str:
    """The sentence on what the row gives, in rows of the table.

    Args:
        factors: by id, none of them 0.

    >>> sentence({5: 0.5, 2: 1.0})
    'row 2 + half of row 5: a sum of rows.'
    """
    if not factors:
        return "All 0: the sum of no rows."
    terms = []
    for token, factor in sorted(factors.items()):
        terms.append(f"row {token:,}" if factor == 1 else f"half of row {token:,}")
    if len(terms) == 1:
        return f"That is {terms[0]}."
    if len(terms) > TERMS:
        terms = [*terms[:TERMS], f"{len(terms) - TERMS} more"]
    return f"{' + '.join(terms)}: a sum of rows."


def compared(pair: Pair) -> str:
    """How the results of both layers compare, beginning with = or ≠."""
    if pair.bitwise_equal:
        count = "number" if pair.num_values == 1 else f"{pair.num_values:,} numbers"
        return f"= The same {count}, bit for bit."
    differing = pair.num_values - pair.num_equal
    verb = "differs" if differing == 1 else "differ"
    said = f"≠ {differing:,} of {counted(pair.num_values, 'number')} {verb}"
    if pair.max_ulp is None:
        return f"{said}: nn.Linear multiplies every row, and 0 x NaN or 0 x inf is NaN."
    if pair.max_ulp == 0:
        return f"{said}, in the sign of a zero alone: 0.0 and -0.0."
    return (
        f"{said}, by {pair.max_abs_error:.1g} at most ({pair.max_ulp:,} ulp): both layers round, "
        "but not after the same steps."
    )


def without_classes(both: BothRoutes) -> str:
    """The shape of `F.one_hot` without `num_classes` for these ids, and the error of nn.Linear."""
    ids, rows = both.ids, both.table.num_embeddings
    width = int(ids.max()) + 1
    said = f"Without `num_classes`, `F.one_hot(ids)` has shape `{(*ids.shape, width)}` here"
    if width == rows:
        return f"{said}: right, because the last id, {width - 1:,}, is among these ids."
    weight = both.layers.linear.weight
    narrow = weight.new_zeros(1).expand(*ids.shape, width)  # one number in memory
    try:
        F.linear(narrow, weight)
    except RuntimeError as error:
        return f"{said}, and `linear` of it gives `RuntimeError: {error}`."
    return f"{said}."


def _row(both: BothRoutes, given: Inputs, ids: list[int]) -> None:
    """Draw the component: the row, and the results of both layers."""
    rows, selected = both.table.num_embeddings, ids[min(setting("token"), len(ids) - 1)]
    with refusals_about("one_hot", START_AGAIN):
        pressed = read_factors(setting("one_hot"), rows) or {selected: 1.0}
    factors = {token: factor for token, factor in pressed.items() if factor}
    shown = shown_ids([*factors, selected, *ids], selected, rows)
    results = compute(both.layers, factors)
    more = rows - len(shown)
    data = {
        "cells": [[token, given.label(token), factors.get(token, 0)] for token in shown],
        "selected": selected,
        "more": f"{more:,} more, all 0." if more else "",
        "said": sentence(factors),
        "numbers": [packed(output[0, :NUMBERS]) for output in (results.first, results.second)],
        "wide": both.table.dtype == "float64",
        "same": (~results.differs)[0, :NUMBERS].tolist(),
        "scale": colour_scale(both.layers),  # as above: equal numbers have equal tints
        "verdict": compared(results),
    }
    _component(key=_KEY, data=data, on_picked_change=partial(pick, _KEY))


def cost_sentence(both: BothRoutes) -> str:
    """The work of both layers for the text, and the bytes of what they get."""
    dtype, cost = both.table.dtype, both.cost
    made = 8 * both.ids.numel() * both.table.num_embeddings
    ids, copied, weight = map(format_bytes, (cost.ids_bytes, cost.one_hot_bytes, cost.table_bytes))
    return (
        f"Lookup reads {counted(cost.numbers_read, 'number')}. Matmul does "
        f"{counted(cost.multiplications, 'multiplication')}, {cost.multiplications_by_zero:,} of "
        f"them by 0. The ids need {ids}. `F.one_hot` makes int64, {format_bytes(made)}; its copy "
        f"in {dtype} needs {copied} more. Either weight needs {weight}."
    )
