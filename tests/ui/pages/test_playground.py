"""The panels, headless: each at every size and in every dtype, with the numbers they show."""

import io

import numpy as np
import pandas as pd
import pytest

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.request.inputs import read_inputs
from embviz.request.settings import defaults
from embviz.ui.pages.playground import outputs, panels
from tests.ui.headless import open_page, refused

VARIANTS = {
    "dim=1024": {"dim": "1024"},
    "no token": {"text": ""},
    "unk": {"unknown": "unk", "text": "hé"},
    "one row": {"input": "ids", "ids": "0 0", "rows": "1"},
    "rank 3": {"input": "ids", "ids": "[[[1],[2]]]"},
    "many rows": {"rows": "300000", "dim": "2"},
    "own": {"init": "own", "input": "ids", "ids": "3"},
    "bfloat16": {"dtype": "bfloat16"},
}


@pytest.mark.parametrize("panel", panels.PANELS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_panel_at_every_size(panel: str, variant: str) -> None:
    """Every panel draws something at every size, in every dtype and for any number of tokens."""
    app = open_page(panel=panel, **VARIANTS[variant])
    assert refused(app) == []
    tables = [one for one in app.markdown if "| Bytes |" in one.value]
    assert [*app.dataframe, *app.table, *app.code, *tables]


def said(panel: str, **query: str) -> str:
    """What a panel says in Markdown, captions and code."""
    app = open_page(panel=panel, **query)
    return " ".join(one.value for one in [*app.markdown, *app.caption, *app.code])


def test_exactness_and_cost_are_told_by_text_table_and_dtype() -> None:
    """Shapes, the largest difference, what is lost; counts, and bytes of table, ids and one-hot."""
    query = {"text": "hé", "dim": "3", "dtype": "float16", "rows": "120"}
    told = said("all tokens", **query) + said("one_hot", **query)
    for words in ("`(1, 2, 121)`", "`(1, 2, 3)`", "max ulp 0", "1 became `<unk>`", "6 n", "726 m"):
        assert words in told
    for words in ("720 of", "float16 | 726 B", "int64 | 16 B", "float16 | 484 B"):
        assert words in told


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_downloads_hold_every_bit(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids and every output, exactly, also of tokens that the table on the page leaves out."""
    made = {}
    monkeypatch.setattr(outputs, "download", lambda _, make, *__, **___: made.update({_: make()}))
    changed = {"text": "béb" * 10, "dim": "1024", "dtype": dtype}
    open_page(panel="all tokens", **changed)
    csv, npz = map(io.BytesIO, made.values())
    given = read_inputs(defaults() | changed | {"dim": 1024})
    (lookup,) = run_both(given.config, given.ids).comparison.lookup.double().numpy()
    arrays, table = np.load(npz), pd.read_csv(csv)
    assert arrays["ids"].tolist() == given.ids.tolist()
    narrow = np.float64 if dtype == "float64" else np.float32
    for route, frame in table.groupby("route"):
        assert frame["label"].tolist() == ["b", "<unk>", "b"] * 10
        for numbers in (arrays[route][0], frame.iloc[:, 4:].to_numpy(narrow)):
            assert np.array_equal(numbers.astype(np.float64), lookup)


def test_weights_panel_tells_the_moments() -> None:
    """Those of the tensors, and those of nn.Linear's own weights."""
    app = open_page(panel="weights", text="a")
    weight = tie(Config("", 100, 10)).embedding.weight.detach().double()
    frame = app.table[0].value
    wanted = [float(weight.mean()), float(weight.std(correction=0))]
    for name in ("Embedding.weight", "Linear.weight"):
        found = frame.loc[name, ["mean", "std"]].astype(float).tolist()
        assert found == pytest.approx(wanted, 1e-3)
    assert frame.loc["promised by nn.Linear's own: U(-0.1, 0.1)", "std"] == "0.05774"


def test_code_panel_shows_what_ran_and_refuses_what_is_too_long() -> None:
    """The shown functions are those that computed the page."""
    assert "one_hot.scatter_(1, hot, 1.0)" in said("code")
    assert len(open_page(panel="code", text="a" * 5000).info) == 1
