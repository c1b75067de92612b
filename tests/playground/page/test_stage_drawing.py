"""The record of the playground's picture: every number is the tensor's, whatever is left out."""

import json
from base64 import b64decode
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.fact.dtypes import DTYPES
from embviz.fact.inputs import Inputs
from embviz.fact.layers import tie
from embviz.fact.routes import BothRoutes, run_both
from embviz.fact.table import Table
from embviz.playground.page.stage.drawing import (
    ALL_ROWS,
    COLUMNS,
    TOKENS,
    picture_json,
)

NAN = float("nan")


def read(text: str) -> dict[str, Any]:
    """The record as the browser reads it, which knows no NaN in JSON."""
    found: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    for name in {"table", "lookup", "matmul"} & {*found}:
        values = np.frombuffer(b64decode(found[name]), f"<f{found['bits'] // 8}").copy()
        found[name] = values.reshape(-1, found["columns"])
    return found


def of_table(
    table: torch.Tensor, ids: torch.Tensor, dtype: str = "float32", token: int = 0, column: int = 0
) -> tuple[BothRoutes, dict[str, Any]]:
    """Both routes of a table, and the record."""
    rows, dim = table.shape
    config = Table(rows, dim, init="own", dtype=dtype)
    both = run_both(config, ids, tie(config, table))
    place = {"token": token, "column": column}
    return both, read(picture_json(both, Inputs(config, ids), place))


def is_same(one: Any, other: Any) -> bool:
    """Whether the numbers are the same, -0.0 and NaN too; either may have a wider dtype."""
    one, other = (torch.as_tensor(values).double() for values in (one, other))
    same = (one == other) & (one.signbit() == other.signbit())
    return one.shape == other.shape and bool((same | (one.isnan() & other.isnan())).all())


@given(st.randoms())
@settings(max_examples=60)
def test_every_number_is_the_tensors(random: Random) -> None:
    """The numbers are right for any table, shape of ids and window, with NaN, inf and -0.0."""
    pick, below = random.choice, random.randrange
    torch.manual_seed(below(99))
    rows, dim = pick([1, ALL_ROWS, ALL_ROWS + 1, 600]), pick([1, COLUMNS, 200])
    table = torch.randn(rows, dim) * pick([1, 1e-4])
    if pick([True, False]):
        table[:, -1] = -1
    few = min(rows, 32)
    for _ in range(below(4)):
        table[below(pick([rows, few])), -1] = pick([1.0, 1.0, -0.0, NAN, -float("inf")])
    shape = pick([(0,), (1,), (2, 30), (2, 3, 4), (TOKENS + 99,)])
    ids = torch.randint(pick([rows, few]), shape)
    token, column = below(TOKENS + 200), below(250)
    both, found = of_table(table, ids, pick([*DTYPES]), token, column)

    weight, row = both.layers.embedding.weight.detach(), found["row"]
    end, columns = row + len(found["labels"]), slice(found["column"], found["column"] + COLUMNS)
    assert columns.start <= min(column, dim - 1) < columns.stop
    assert is_same(found["table"], weight[row:end, columns])
    sizes = [found[one] for one in ("tokens", "shape", "rows", "dims")]
    assert sizes == [ids.numel(), [*shape], rows, dim]
    flat, tokens = ids.flatten(), slice(found["first"], found["first"] + TOKENS)
    assert found["ids"] == flat[tokens].tolist()
    token = min(token, max(0, len(flat) - 1))
    assert tokens.start <= token < tokens.stop
    selected = int(flat[token]) if len(flat) else 0
    assert row <= max(0, selected - 15) <= min(rows, selected + 16) <= end
    assert end - row == rows or rows > ALL_ROWS > end - row

    places, result = found["distinct"], both.comparison
    is_sent = {*places} <= {*range(row, end)}
    assert ("lookup" in found) != is_sent
    assert ("matmul" in found) != result.bitwise_equal
    lookup = found["table"][[one - row for one in places]] if is_sent else found["lookup"]
    slot = [places.index(one) for one in found["ids"]]
    for sent, of in (
        (lookup, result.lookup),
        (found.get("matmul", lookup), result.matmul),
        (np.array(found.get("differs", lookup < lookup), bool), result.differs),
    ):
        assert is_same(sent[slot], of.reshape(-1, dim)[tokens, columns])
    equal = (~result.differs).sum(-1).flatten()[tokens]
    assert [found["equal"][one] for one in slot] == equal.tolist()

    for told, part in zip(found["omitted"], (weight[:row], weight[end:]), strict=True):
        sums = (0 * part[:, columns].double()).sum(0).abs().numpy()
        assert is_same(np.array(told, float), sums if len(part) else sums[:0])


def test_a_omitted_line_is_of_the_rows_outside_alone() -> None:
    """The line is right at the edges of the window; differing tokens are told up to five."""
    edges = {284: [[None], [0]], 285: [[0], [0]], 315: [[0], [0]], 316: [[0], [None]]}
    for row, folded in edges.items():
        table = torch.ones(600, 1)
        table[row] = NAN
        assert of_table(table, torch.tensor([300]))[1]["omitted"] == folded
    table = torch.ones(600, 2)
    table[5, 1] = -0.0
    found = of_table(table, torch.tensor([300, *[5] * 6]))[1]
    assert (found["same"], found["differing"]) == ([8, 14], [[1, 2, 3, 4, 5], 6])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0.0, 9.0], [3.0, -4.0]], 9.0),
        ([[0.05] * 63 + [0.5]], 1.75 * 0.0798),  # one large weight leaves the others their tints
        ([[0.05] * 63 + [torch.inf]], 0.05),
        ([[0.0, 0.0]], 0.0),
    ],
)
def test_few_large_weights_do_not_make_the_others_pale(
    values: list[list[float]], expected: float
) -> None:
    """The scale of the colours is the largest weight, or less where that is an exception."""
    _, shown = of_table(torch.tensor(values), torch.tensor([0]))
    assert shown["scale"] == pytest.approx(expected, abs=1e-4)


def test_a_text_of_some_lines_is_sent_whole() -> None:
    """Play goes through the tokens of one answer: another first token would end it."""
    ids = torch.arange(600) % 7
    for token in (0, 300, 599):
        _, found = of_table(torch.randn(7, 2), ids, "float32", token, 0)
        assert (found["first"], found["ids"]) == (0, ids.tolist())
