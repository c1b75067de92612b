"""The panels, headless: each at every size and in every dtype, with the numbers they show."""

import io
from base64 import b64decode
from typing import Any

import numpy as np
import pandas as pd
import pytest
from torch import nn

from embviz.fact.inputs import read_inputs
from embviz.fact.layers import tie
from embviz.fact.routes import run_both
from embviz.fact.table import Table
from embviz.limits.cases import CASES
from embviz.playground.page import outputs, panels, story
from embviz.playground.page.story import TRIES
from embviz.settings.given import defaults
from embviz.text.glossary import explained
from tests.ui.headless import answer, open_page, press, refused, unescaped

VARIANTS = {
    "dim=1024": {"dim": "1024"},
    "no token": {"text": ""},
    "unk": {"text": "hé", "dtype": "bfloat16"},
    "one row": {"input": "ids", "ids": "[[[0],[0]]]", "rows": "1"},
    "many rows": {"rows": "300000", "dim": "2"},
    "own": {"init": "own", "input": "ids", "ids": "3"},
    "learnt": {"text": "The king", "vocab": "words", "init": "trained"},
}


@pytest.mark.parametrize("panel", panels.PANELS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_panel_at_every_size(panel: str, variant: str) -> None:
    """Every panel draws something at every size, in every dtype and for any number of tokens."""
    app = open_page(panel=panel, **VARIANTS[variant])
    sentence, terms, _ = panels.PANELS[panel]
    assert [one.proto.help for one in app.markdown if sentence in one.value] == [
        explained(sentence, *terms)
    ]
    assert refused(app) == [*app.error] == []


def test_exactness_and_cost_are_told_by_text_table_and_dtype() -> None:
    """Shapes, the largest difference, what is lost; counts, and bytes of table, ids and one-hot."""
    query = {"text": "hé", "dim": "3", "dtype": "float16", "rows": "120"}
    told = open_page(panel="all tokens", **query).markdown[-1].value
    for words in ("`(1, 2, 121)`", "`(1, 2, 3)`", "max ulp 0", "1 became `<unk>`"):
        assert words in told
    app = open_page(panel="one_hot", **query)
    (told,) = [one.value for one in app.markdown if "Matmul" in one.value]
    assert told.startswith(
        "Lookup reads 6 numbers. Matmul does 726 multiplications, 720 of them by 0. The ids need "
        "16 B. `F.one_hot` makes int64, 1.9 KiB; its copy in float16 needs 484 B more. Either "
        "weight needs 726 B.\n\n"
    )


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_downloads_hold_every_bit(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and outputs exactly, also of tokens that the page leaves out; no label is a formula.

    Many numbers are made at the press; a table with NaN has no file for the projector.
    """
    made: dict[str, Any] = {}
    monkeypatch.setattr(
        outputs, "download", lambda label, make, *_, **more: made.update({label: (make, more)})
    )
    own = {"init": "own", "input": "ids", "ids": "0", "weights": "1 nan"}
    open_page(panel="all tokens", **own)
    assert not made["All tokens as CSV"][1]["late"]
    assert made["Table as TSV"][1]["disabled"]
    changed = {"text": "bé=" * 10, "dim": "1024", "dtype": dtype}
    open_page(panel="all tokens", **changed)
    assert made["As .npz"][1]["late"]
    assert not any(more["disabled"] for _, more in made.values())
    csv, npz, *_ = (make() for make, _ in made.values())
    given = read_inputs(defaults() | changed | {"dim": 1024})
    (lookup,) = (
        run_both(given.table, given.ids, tie(given.table)).comparison.lookup.double().numpy()
    )
    arrays, table = np.load(io.BytesIO(npz)), pd.read_csv(io.StringIO(csv))
    assert arrays["ids"].tolist() == given.ids.tolist()
    narrow = np.float64 if dtype == "float64" else np.float32
    for route, frame in table.groupby("route"):
        assert frame["label"].tolist() == ["b", "<unk>", "'="] * 10
        for numbers in (arrays[route][0], frame.iloc[:, 4:].to_numpy(narrow)):
            assert np.array_equal(numbers.astype(np.float64), lookup)


def test_padding_is_zeros_where_what_to_try_says_so() -> None:
    """The second text is one id shorter, and row 0 is that of a new `nn.Embedding`."""
    (tried,) = (one for one in TRIES if "padding_idx" in one[0])
    sentence, page, settings = tried
    shown = answer(open_page(page, **{name: str(one) for name, one in settings.items()}))
    assert (shown["shape"], shown["ids"]) == ([2, 3], [2, 3, 1, 4, 0, 0])
    assert shown["ids"][int(shown["question"]["token"])] == 0
    table = np.frombuffer(b64decode(shown["table"]), "<f4").reshape(5, 3)
    assert table[0].tolist() == nn.Embedding(5, 3, padding_idx=0).weight[0].tolist()
    assert table[1:].all()
    assert shown["same"] == [18, 18]
    assert any(f"*{case.title}*" in sentence for case in CASES)


def test_a_gpu_has_a_link_to_the_case_of_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a table of another device has none."""
    usual = story.setting
    for device in ("cpu", "cuda"):
        monkeypatch.setattr(
            story, "setting", lambda name, to=device: to if name == "device" else usual(name)
        )
        links = [one.proto for one in open_page().get("page_link")]
        queries = [one.query_string for one in links if "TF32" in one.label]
        assert queries == (["case=tf32"] if device == "cuda" else [])


def test_weights_panel_tells_the_moments() -> None:
    """Those of the tensor, and of nn.Linear's own start; a few whole numbers have no histogram.

    Its fold also says that a transposed view is no second weight.
    """
    app = open_page(panel="weights", text="a")
    weight = tie(Table(100, 10)).embedding.weight.detach().double()
    frame = app.table[0].value
    wanted = [weight.mean(), weight.std(correction=0), weight.min(), weight.max()]
    found = frame.loc["Embedding.weight"].astype(float).tolist()
    assert found == pytest.approx([*map(float, wanted)], 1e-3)
    origin = "The numbers are random: N(0, 1), nn.Embedding's own start, seed 123. Nothing is"
    assert any(one.value.startswith(origin) for one in app.markdown)
    assert frame.loc["promised by nn.Linear's own: U(-0.1, 0.1)", "std"] == "0.05774"
    small = open_page(panel="weights")
    assert not small.table
    assert [len(one.get("plotly_chart")) for one in (app, small)] == [1, 0]
    app.session_state["fold Storage"] = True
    assert any("with `.detach()` too: training one" in one.value for one in app.run().markdown)


@pytest.mark.parametrize(
    ("query", "origin"),
    [
        (
            {"vocab": "words", "init": "trained"},
            "The numbers were learnt: they are rows of the nn.Embedding of [all-MiniLM-L6-v2](http",
        ),
        ({"init": "own", "input": "ids", "ids": "3"}, "The numbers are yours."),
    ],
    ids=str,
)
def test_weights_panel_says_where_the_numbers_come_from(query: dict[str, str], origin: str) -> None:
    """Learnt, or the user's own; random ones have moments."""
    app = open_page(panel="weights", **{"text": "a", **query})
    assert any(one.value.startswith(origin) for one in app.markdown)


def test_code_panel_shows_what_ran_and_refuses_what_is_too_long() -> None:
    """The shown functions are those that computed the page."""
    assert any("one_hot.scatter_(1, hot, 1.0)" in one.value for one in open_page(panel="code").code)
    assert len(open_page(panel="code", text="a" * 5000).info) == 1


@pytest.mark.parametrize(
    ("page", "text", "some"),
    [
        ("training", "éèêàé", "'é', 'è', 'ê', 1 more: all are `<unk>`, with one row. This is n"),
        ("context", "a\xa0\u3000b", "no-break space (U+00A0), ideographic space (U+3000): all "),
        ("playground", "aéb", "'é': it is `<unk>`. This is no error, but the layer cannot "),
    ],
)
def test_unknown_characters_are_noted_with_one_press_to_bytes(
    page: str, text: str, some: str
) -> None:
    """Three of them are named, also those without ink; a text without any has no note.

    The note stands above the picture, where it is seen.
    """
    app = open_page(page, text=text)
    drawn = [part.proto for part in app.main if hasattr(part, "proto")]
    notes = [unescaped(getattr(one, "body", "")) for one in drawn]
    note = next(k for k, said in enumerate(notes) if f":small[No id for {some}" in said)
    names = [getattr(one, "component_name", "embviz_listener") for one in drawn]
    assert note < next(k for k, name in enumerate(names) if name != "embviz_listener")
    press(app, "Use bytes")
    assert app.query_params == {"text": text, "vocab": "bytes"}
    assert not any("No id for" in one.value for one in app.run().markdown)


def test_learnt_rows_are_left_for_bytes_and_folded_case_is_noted() -> None:
    """Bytes have no learnt rows, so the press takes random ones."""
    app = open_page(text="The xyz", vocab="words", init="trained", panel="all tokens")
    notes = " ".join(unescaped(one.value) for one in app.markdown)
    assert ":small[Capital letters count as small ones.]" in notes
    assert "'xyz': it is `<unk>`. This is no error, but the layer cannot tell it from " in notes
    assert "other unknown words. With `bytes` it can." in notes
    press(app, "Use bytes, with random rows")
    assert app.query_params == {"text": "The xyz", "vocab": "bytes", "panel": "all tokens"}
    app = open_page(text="the king", vocab="words", init="trained", panel="all tokens")
    notes = " ".join(unescaped(one.value) for one in app.markdown)
    assert "The ids hold no blanks and capital letters." in notes
    assert "Capital letters count" not in notes
