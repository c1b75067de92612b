"""The panels, headless: each at every size and in every dtype, with the numbers they show."""

import io
import re

import numpy as np
import pandas as pd
import pytest
import torch
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from embviz.ui.pages.playground import outputs, panels
from tests.ui.headless import answer, open_page, refused

VARIANTS = {
    "example": {},
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
    assert [*app.dataframe, *app.table, *app.code]


def test_exactness_and_cost_are_told_by_text_table_and_dtype() -> None:
    """Shapes, the largest difference, what is lost; counts, and bytes of table, ids and one-hot."""
    query = {"text": "hé", "dim": "3", "dtype": "float16", "rows": "120"}
    told = open_page(panel="all tokens", **query).markdown[-1].value
    for words in ("`(1, 2)`", "`(1, 2, 121)`", "`(1, 2, 3)`", "max ulp 0", "1 became `<unk>`"):
        assert words in told
    odd = {"input": "ids", "ids": "1", "init": "own", "weights": "nan 1\n2 3"}
    assert "ulp none" in open_page(panel="all tokens", **odd).markdown[-1].value
    assert "whole" in open_page(panel="all tokens", text="a").markdown[-1].value
    told = " ".join(one.value for one in open_page(panel="one_hot", **query).markdown)
    for words in ("6 n", "726 m", "720 of", "float16 | 726 B", "int64 | 16 B", "float16 | 484 B"):
        assert words in told


def test_only_the_chosen_panel_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel that is not open is not computed."""
    called: list[str] = []
    for name in list(panels.PANELS):
        monkeypatch.setitem(panels.PANELS, name, lambda *_, name=name: called.append(name))
    for panel in ("none", "storage"):
        open_page(panel=panel)
    assert called == ["storage"]


def test_a_mistake_shows_no_panel() -> None:
    """A refused input leaves no panel open; the picture gets the sentence and what mends it."""
    app = open_page(panel="storage", text="é", unknown="error")
    assert len(app.dataframe) == len(app.error) == 0
    found = answer(app)
    assert "'é'" in found["refusal"]
    assert {"vocab": "bytes"} in found["fixes"].values()


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


def test_weights_panel_tells_the_moments() -> None:
    """Mean and standard deviation are those of the tensors."""
    app = open_page(panel="weights", text="a")
    weight = tie(Config("", 100, 10)).embedding.weight.detach().double()
    frame = app.table[0].value
    wanted = [float(weight.mean()), float(weight.std(correction=0))]
    for name in ("Embedding.weight", "Linear.weight"):
        shown = [float(frame.loc[name, of]) for of in ("mean", "std")]
        assert shown == pytest.approx(wanted, rel=1e-3)
    assert frame.loc["promised by nn.Linear's own: U(-0.1, 0.1)", "std"] == "0.05774"


def test_weights_panel_tells_the_spread_of_a_linear_layers_outputs() -> None:
    """nn.Linear turns inputs from N(0, 1) into outputs with the standard deviation it says."""
    torch.manual_seed(0)
    for rows in (20, 500):
        outputs = torch.nn.Linear(rows, 400, bias=False)(torch.randn(2_000, rows)).detach()
        assert float(outputs.std()) == pytest.approx(panels.INPUTS_STD, rel=0.02)
    said = " ".join(one.value for one in open_page(panel="weights").caption)
    assert ("deviation of 0.58" in said, "near 1" in said) == (True, False)


def test_one_hot_panel_shows_it_going_wrong() -> None:
    """The shown width and error are those of `F.one_hot` and `nn.Linear`."""
    app = open_page(panel="one_hot", text="ab")
    code = app.code[0].value
    guessed = F.one_hot(torch.tensor([[10, 11]])).shape
    assert f"# {tuple(guessed)}" in code
    assert "# (1, 2, 100)" in code
    with pytest.raises(RuntimeError) as error:
        torch.nn.Linear(100, 10, bias=False)(torch.zeros(2, 12))
    assert str(error.value) in code


def test_large_outputs_are_no_csv() -> None:
    """A CSV over its limit is off, and says why; the `.npz` takes any number, the table a part."""
    app = open_page(text="a" * 1000, dim="1024", panel="all tokens")
    csv, npz = (one.proto for one in app.get("download_button"))
    assert (csv.disabled, npz.disabled) == (True, False)
    assert "2,048,000 numbers are more than the 2,000,000" in csv.help
    assert len(app.dataframe[0].value) == 48
    assert "The first 24 of 1,000 tokens." in [one.value for one in app.caption]


def test_one_hot_panel_says_when_it_happens_to_work() -> None:
    """Where the last row is in use, the page says that the guessed width works."""
    app = open_page(panel="one_hot", input="ids", ids="9 0", rows="10")
    assert "works, for the last row" in app.code[0].value


def test_storage_panel_springs_the_trap_without_hurting_the_table() -> None:
    """The view follows the change, the copy does not, and the shared table keeps its numbers."""
    first, code = (open_page(panel="storage", seed="77").code[0].value for _ in range(2))
    assert first == code
    start, after, view, copy = map(float, re.findall(r"-?\d+\.\d{4}", code))
    assert after == pytest.approx(start + 1, abs=1.1e-4)
    assert (view, copy) == (after, start)


def test_code_panel_refuses_what_is_too_long_in_a_sentence() -> None:
    """Code that is too long is refused in one sentence."""
    app = open_page(panel="code", text="a" * 5000)
    assert len(app.info) == 1


def test_the_source_shown_is_the_source_that_ran() -> None:
    """The shown functions are those that computed the page."""
    app = open_page(panel="code")
    assert any("one_hot.scatter_(1, hot, 1.0)" in one.value for one in app.code)


def test_every_panel_that_can_be_chosen_is_drawn() -> None:
    """*Look closer* offers the panels there are, and none."""
    assert {*SETTINGS["panel"].options()} == {"none", *panels.PANELS, *panels.ALWAYS}
