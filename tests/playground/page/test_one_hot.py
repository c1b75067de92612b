"""The panel *one_hot*: a row that is pressed, and what both layers make of it."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.fact.comparison import Pair
from embviz.fact.layers import tie
from embviz.fact.routes import run_both
from embviz.fact.table import Table
from embviz.playground.page import one_hot
from embviz.ui.elements import ask, links
from embviz.ui.state import changes
from tests.ui.headless import open_page, press, refused, sent, unescaped

OWN = {"input": "ids", "init": "own", "panel": "one_hot"}


def row(**query: str) -> dict[str, Any]:
    """What the component gets, for a text of three letters."""
    (found,) = sent(open_page(**{"text": "abc", "panel": "one_hot", **query}), "embviz_one_hot")
    return found  # type: ignore[no-any-return]


def numbers(found: dict[str, Any]) -> list[list[float]]:
    """Both results, as the browser unpacks them."""
    return [np.frombuffer(b64decode(one), np.float32).tolist() for one in found["numbers"]]


@pytest.mark.parametrize(
    ("pressed", "said"),
    [
        ("", "That is row 10."),
        ("10:1 12:1", "row 10 + row 12: a sum of rows."),
        ("99:0.5", "That is half of row 99."),
        ("10:0", "All 0: the sum of no rows."),
        ("1:1 2:1 3:1 4:1 5:1 6:0.5", "row 1 + row 2 + row 3 + row 4 + 2 more: a sum of rows."),
    ],
)
def test_a_row_gives_the_sum_of_its_rows(pressed: str, said: str) -> None:
    """Both layers give the sum, with PyTorch's own numbers; the sentence is always true."""
    found = row(one_hot=pressed)
    factors = {int(k): float(x) for k, x in (one.split(":") for one in (pressed or "10:1").split())}
    torch.manual_seed(123)
    weight = nn.Embedding(100, 10).weight.detach()
    wanted = sum((factor * weight[one] for one, factor in factors.items()), torch.zeros(10))
    for result in numbers(found):
        torch.testing.assert_close(torch.tensor(result), wanted)
    assert found["said"] == said
    drawn = {one: factor for one, _, factor in found["cells"] if factor}
    assert drawn == {one: factor for one, factor in factors.items() if factor}
    is_same = numbers(found)[0] == numbers(found)[1]
    assert found["verdict"].startswith("=" if is_same else "≠")
    assert all(found["same"]) == is_same


def test_the_drawn_numbers_are_those_of_text_and_neighbours() -> None:
    """The numbers come in order, each once, with its token; the others are counted.

    A small table is drawn whole. A press moves no other number of a row.
    """
    found = row(text="zab z", token="1")
    assert [(one, token) for one, token, _ in found["cells"]] == [
        *((8, "8"), (9, "9"), (10, "a"), (11, "b"), (12, "c"), (35, "z"), (94, "·"))
    ]
    assert found["more"] == "93 more, all 0."
    pressed = " ".join(f"{k}:1" for k in range(99, 99 - one_hot.CELLS, -1))
    for factors in ("99:1", pressed):
        found = row(text="".join(map(chr, range(48, 122))), one_hot=factors)
        assert len(found["cells"]) == one_hot.CELLS
        assert found["cells"][-1][0] == 99
    found = row(**OWN, ids="4 0")
    assert ([one for one, _, _ in found["cells"]], found["more"]) == ([0, 1, 2, 3, 4], "")
    ids = list(range(40, 90))
    before = one_hot.shown_ids([40, *ids], 40, 100)
    for pressed in before:
        assert one_hot.shown_ids([pressed, 40, *ids], 40, 100) == before


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("2:2", "is not ids with 0, 0.5 or 1, such as 2:1 5:0.5."),
        ("2:1 -1:1", "is not ids with 0, 0.5 or 1, such as 2:1 5:0.5."),
        (" ".join(f"{k}:1" for k in range(25)), "has 25 ids, more than the 24 allowed."),
        ("100:1", "has id 100; this table has ids 0 to 99."),
    ],
)
def test_what_is_no_row_is_refused_with_a_way_back(typed: str, reason: str) -> None:
    """The rest of the panel stays; one press shows the row of the token again."""
    app = open_page(text="abc", panel="one_hot", one_hot=typed)
    (said,) = refused(app)
    assert said.endswith(reason)
    assert any(one.value.startswith("Lookup reads") for one in app.markdown)
    press(app, "Start again")
    assert app.query_params == {"text": "abc", "panel": "one_hot"}
    assert sent(app, "embviz_one_hot")[0]["said"] == "That is row 10."


@pytest.mark.parametrize(
    ("told", "query"),
    [
        ("10:1 12:0.5", {"one_hot": "10:1 12:0.5"}),
        ("", {}),
        ("x" * 500, {"one_hot": "11:1"}),
        (float("nan"), {"one_hot": "11:1"}),
    ],
)
def test_a_press_goes_into_the_address(
    told: object, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forged message changes nothing. Another vocabulary, where ids mean others, ends the row."""
    monkeypatch.setattr(ask, "widget_value", lambda *_: {"picked": {"one_hot": told}})
    monkeypatch.setattr(changes, "redraw", lambda *_: None)
    monkeypatch.setattr(links, "fold", lambda *_: ask.pick("one_hot_row"))
    app = open_page(text="abc", panel="one_hot", one_hot="11:1")
    assert app.query_params == {"text": "abc", "panel": "one_hot"} | query
    monkeypatch.undo()
    app.selectbox(key="vocab").set_value("bytes").run()
    assert "one_hot" not in app.query_params


def test_results_that_differ_are_told_apart_by_their_reason() -> None:
    """Rounding, the sign of a zero, and NaN of a row that is multiplied by 0."""
    one, zeros = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2)
    for first, second, said in (
        (one, one.clone(), "= The same 2 numbers, bit for bit."),
        (one[:, :1], one[:, :1], "= The same number, bit for bit."),
        (
            one,
            torch.tensor([[1.0, 2.0000002]]),
            "≠ 1 of 2 numbers differs, by 2e-07 at most (1 ulp): both layers round, but not after "
            "the same steps.",
        ),
        (zeros, -zeros, "≠ 2 of 2 numbers differ, in the sign of a zero alone: 0.0 and -0.0."),
    ):
        assert one_hot.compared(Pair(first, second)) == said
    found = row(**OWN, ids="0", weights="1 2\n3 nan")
    assert found["same"] == [True, False]
    assert found["verdict"].endswith("multiplies every row, and 0 x NaN or 0 x inf is NaN.")


def test_the_error_without_classes_is_that_of_the_line() -> None:
    """The shape and the error's text are those of the printed line; the last id gives none."""
    given = torch.tensor([[1, 3], [0, 1]])
    app = open_page(input="ids", ids=str(given.tolist()), panel="one_hot")
    told = unescaped(" ".join(one.value for one in app.markdown))
    with pytest.raises(RuntimeError) as error:
        nn.Linear(100, 10, bias=False)(F.one_hot(given).float())
    assert f"`RuntimeError: {error.value}`" in told
    assert f"`{tuple(F.one_hot(given).shape)}`" in told
    last = run_both(Table(5, 2), torch.tensor([4]), tie(Table(5, 2)))
    assert "right, because the last id, 4, is among" in one_hot.without_classes(last)
