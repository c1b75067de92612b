"""The content of the playground's picture as one JSON record, made of settings and text.

The route `live` and a rerun make it by the same function. It holds at most `TOKENS` tokens; the
rows of a table up to `ALL_ROWS` rows, else `AROUND` of them around the selected id; and `COLUMNS`
columns. What is left out is told as sums, so that each total on the screen can be checked. It
draws nothing.
"""

import json
from typing import Any

import torch

from embviz.fact.comparison import bits
from embviz.fact.inputs import Inputs
from embviz.fact.layers import TiedLayers
from embviz.fact.routes import BothRoutes
from embviz.fact.table import origin
from embviz.picture.numbers import packed

TOKENS = 2000  # Tokens of the text that are sent.
ALL_ROWS = 256  # Rows of a table that is sent whole.
AROUND = 31  # Rows that are sent of a larger one.
COLUMNS = 64  # Columns of each row that are sent.
# Multiples of the root of the mean square up to which colours grow evenly: the largest of numbers
# that are drawn evenly around 0 has 1.73.
USUAL = 1.75


def picture_json(both: BothRoutes, given: Inputs, question: dict[str, Any]) -> str:
    """`picture` as JSON. NaN and both infinities are within base64, or null."""
    return json.dumps(picture(both, given, question), separators=(",", ":"), allow_nan=False)


def picture(both: BothRoutes, given: Inputs, question: dict[str, Any]) -> dict[str, Any]:
    """The record.

    Args:
        both: the result of both routes.
        given: its inputs.
        question: the settings that were asked for, as `asked_of` names them; with `token`, the
            selected one, and `column`, the first one shown.

    Returns:
        `question` that it answers; sizes; `ids`, those of the tokens from `first` on; `labels` of
        the rows from `row` on; `table`, those rows from `column` on, in base64 as `bits` says;
        `distinct` ids with their `names` and outputs: `lookup`, left out if it is those rows bit
        for bit, and `matmul` with `differs`, left out if equal; `omitted`, the sums of the rows not
        sent, before and after, times 0; and `same` and `differing`, the verdict on the whole input.
    """
    sizes, comparison, flat = both.table, both.comparison, both.ids.flatten()
    token = min(question["token"], max(0, len(flat) - 1))
    first = _first(token, len(flat), TOKENS)
    ids: list[int] = flat[first : first + TOKENS].tolist()
    selected = ids[token - first] if ids else 0
    weight, places = both.layers.embedding.weight.detach(), comparison.differing_tokens
    size = ALL_ROWS if len(weight) <= ALL_ROWS else AROUND
    row = _first(selected, len(weight), size)
    column = _first(question["column"], sizes.embedding_dim, COLUMNS)
    rows, columns = slice(row, row + size), slice(column, column + COLUMNS)
    table = weight[rows, columns]
    return {
        "question": question,
        "tokens": len(flat),
        "first": first,
        "shape": both.ids_shape,
        "ids": ids,
        "rows": len(weight),
        "dims": sizes.embedding_dim,
        "row": row,
        "column": column,
        "columns": table.shape[1],
        "bits": 64 if sizes.dtype == "float64" else 32,
        "table": packed(table),
        **_outputs(both, given, first=first, ids=ids, row=row, table=table, columns=columns),
        "omitted": _omitted(both.layers, rows, columns),
        "extremes": both.layers.extremes,
        "scale": colour_scale(both.layers),
        "origin": origin(sizes),
        "unit": given.vocabulary.unit if given.vocabulary else "",
        "labels": [*map(given.label, range(row, row + len(table)))],
        "same": (comparison.num_equal, comparison.num_values),
        "differing": (places[:5], len(places)),
    }


def _outputs(
    both: BothRoutes,
    given: Inputs,
    *,
    first: int,
    ids: list[int],
    row: int,
    table: torch.Tensor,
    columns: slice,
) -> dict[str, Any]:
    """Both outputs of each distinct id, from one of its tokens."""
    sample = {token: place for place, token in enumerate(ids, first)}
    places, result = [*sample.values()], both.comparison
    lookup, matmul, differs = (
        output.flatten(0, -2)[places] for output in (result.lookup, result.matmul, result.differs)
    )
    outputs = {
        "distinct": [*sample],
        "names": [_name(given, token) for token in sample],
        "equal": (~differs).sum(1).tolist(),
    }
    at, shown = [token - row for token in sample], lookup[:, columns]
    if not all(0 <= token < len(table) for token in at) or not bits(shown).equal(bits(table[at])):
        outputs["lookup"] = packed(shown)
    if not result.bitwise_equal:
        outputs["matmul"] = packed(matmul[:, columns])
        outputs["differs"] = differs[:, columns].int().tolist()
    return outputs


def _name(given: Inputs, token: int) -> list[object]:
    """A token's label; with a vocabulary its name in words, and whether the label is a stand-in."""
    known, unk_id = given.vocabulary, given.table.unk_id
    if known is None:
        return [given.label(token)]
    return [given.label(token), known.name(token, unk_id), known.is_stand_in(token, unk_id)]


def _omitted(layers: TiedLayers, rows: slice, columns: slice) -> list[list[float | None]]:
    """The sums of 0 times each row before, and after, those sent: 0 for each column, None for NaN.

    Empty where there are no such rows.
    """
    weight = layers.embedding.weight.detach()[:, columns]
    sums = []
    for part in (weight[: rows.start], weight[rows.stop :]):
        known = [True] * part.shape[1] if layers.is_finite else part.isfinite().all(0).tolist()
        sums.append([0.0 if is_known else None for is_known in known] if len(part) else [])
    return sums


def colour_scale(layers: TiedLayers) -> float:
    """The scale of the colours: the largest |weight|, or less where few are that large.

    Else these would make all others pale, as in learnt rows.
    """
    largest = max(map(abs, layers.extremes))
    return min(largest, USUAL * layers.spread) if layers.is_finite else largest


def _first(selected: int, total: int, size: int) -> int:
    """Start of a window of `size` around the selection, within 0 to `total`."""
    return max(0, min(selected - size // 2, total - size))
