"""The panels, headless: each at every size and in every dtype, with the numbers they show."""

import io

import numpy as np
import pandas as pd
import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from embviz.ui.pages.playground import outputs, panels
from tests.ui.headless import answer, open_page, refused

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
    told = said("all tokens", **query)
    for words in ("`(1, 2)`", "`(1, 2, 121)`", "`(1, 2, 3)`", "max ulp 0", "1 became `<unk>`"):
        assert words in told
    odd = {"input": "ids", "ids": "1", "init": "own", "weights": "nan 1\n2 3"}
    assert "ulp none" in said("all tokens", **odd)
    assert "whole" in said("all tokens", text="a")
    told = said("one_hot", **query)
    for words in ("6 n", "726 m", "720 of", "float16 | 726 B", "int64 | 16 B", "float16 | 484 B"):
        assert words in told


def test_only_the_chosen_panel_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """*Look closer* offers the panels there are, and none; a refused input leaves none open."""
    assert {*SETTINGS["panel"].options()} == {"none", *panels.PANELS, *panels.ALWAYS}
    called: list[str] = []
    for name in list(panels.PANELS):
        monkeypatch.setitem(panels.PANELS, name, lambda *_, name=name: called.append(name))
    for panel in ("none", "storage"):
        open_page(panel=panel)
    found = answer(open_page(panel="code", text="é", unknown="error"))
    assert "'é'" in found["refusal"]
    assert {"vocab": "bytes"} in found["fixes"].values()
    assert called == ["storage"]


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
    for route in ("lookup", "matmul"):
        assert np.array_equal(arrays[route][0].astype(np.float64), lookup)
        frame = table[table["route"] == route]
        assert frame["id"].tolist() == given.ids[0].tolist()
        assert frame["label"].tolist() == ["b", "<unk>", "b"] * 10
        narrow = np.float64 if dtype == "float64" else np.float32
        assert np.array_equal(frame.iloc[:, 4:].to_numpy(narrow).astype(np.float64), lookup)


def test_large_outputs_are_no_csv() -> None:
    """A CSV over its limit is off, and says why; the `.npz` takes any number, the table a part."""
    app = open_page(text="a" * 1000, dim="1024", panel="all tokens")
    csv, npz = (one.proto for one in app.get("download_button"))
    assert (csv.disabled, npz.disabled) == (True, False)
    assert "2,048,000 numbers are more than the 2,000,000" in csv.help
    assert len(app.dataframe[0].value) == 48
    assert "The first 24 of 1,000 tokens." in [one.value for one in app.caption]


def test_weights_panel_tells_the_moments() -> None:
    """Those of the tensors, and the spread that nn.Linear gives inputs from N(0, 1)."""
    app = open_page(panel="weights", text="a")
    weight = tie(Config("", 100, 10)).embedding.weight.detach().double()
    frame = app.table[0].value
    wanted = [float(weight.mean()), float(weight.std(correction=0))]
    for name in ("Embedding.weight", "Linear.weight"):
        found = frame.loc[name, ["mean", "std"]].astype(float).tolist()
        assert found == pytest.approx(wanted, 1e-3)
    assert frame.loc["promised by nn.Linear's own: U(-0.1, 0.1)", "std"] == "0.05774"
    torch.manual_seed(0)
    outputs = torch.nn.Linear(500, 400, bias=False)(torch.randn(2_000, 500)).detach()
    assert outputs.std().item() == pytest.approx(panels.INPUTS_STD, rel=0.02)
    assert any("deviation of 0.58" in one.value for one in app.caption)


def test_code_panel_shows_what_ran_and_refuses_what_is_too_long() -> None:
    """The shown functions are those that computed the page."""
    assert "one_hot.scatter_(1, hot, 1.0)" in said("code")
    assert len(open_page(panel="code", text="a" * 5000).info) == 1


def test_every_vocabulary_has_a_line_below_the_finding() -> None:
    """The title has the fewest and the most ids and rows of the table below it."""
    app = open_page(panel="tokenizers", text="the letters", vocab="bytes", merges="0")
    (table,) = app.dataframe
    assert len(table.value) == len(VOCABULARIES)
    rows, ids = table.value.rows, table.value.ids
    assert (rows.min(), ids.max()) == (11, 11)  # ten digits and <unk>
    title = f"**The same text: {ids.min()} to 11 ids, 11 to {rows.max():,} rows**"
    assert title in [one.value for one in app.markdown]


@pytest.mark.parametrize(
    ("query", "tables"),
    [
        ({"vocab": "digits", "text": "a1", "unknown": "error"}, 1),  # another one can take it
        ({"input": "ids"}, 0),
        ({"text": "\\d", "escapes": "true"}, 0),
    ],
)
def test_vocabularies_need_a_text_that_one_can_take(query: dict[str, str], tables: int) -> None:
    """The panel stays where the chosen one refuses the text; typed ids have no vocabulary."""
    app = open_page(panel="tokenizers", **query)
    assert len(app.dataframe) == tables
    assert (len(app.info) > 0) == ("input" in query)
