"""The panels *nearest* and *in a model*: numbers and shapes that are PyTorch's own."""

import pytest
import torch

from tests.ui.headless import open_page, unescaped

WORDS = {"vocab": "words", "init": "trained", "panel": "nearest"}


def words(app: object) -> str:
    """All sentences of the page."""
    return unescaped("\n".join(one.value for one in app.markdown))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("word", "first"),
    [("king", "queen"), ("red", "blue"), ("three", "four"), ("paris", "france"), ("car", "cars")],
)
def test_the_nearest_of_a_trained_word(word: str, first: str) -> None:
    """The word that is used alike, and the sentence says that the rows were trained."""
    app = open_page("playground", text=word, **WORDS)
    frame = app.dataframe[0].value
    assert frame["token"][0] == first
    assert frame["cosine"].is_monotonic_decreasing
    assert "Training has put words that are used alike near each other." in words(app)


def test_neighbours_of_random_rows_mean_nothing() -> None:
    """Cosines are those of PyTorch; the other tokens of the text are told too."""
    app = open_page("playground", text="abca", panel="nearest", token="1")
    near, others = (one.value for one in app.dataframe)
    torch.manual_seed(123)
    weight = torch.nn.Embedding(100, 10).weight.detach().double()
    cosines = torch.cosine_similarity(weight[11], weight, dim=1)
    cosines[11] = -2
    assert near["row"].tolist() == cosines.topk(5).indices.tolist()
    assert near["cosine"].tolist() == pytest.approx(cosines.topk(5).values.tolist())
    assert others["tokens"].tolist() == ["b and a", "b and c"]
    assert others["cosine"].tolist() == pytest.approx(cosines[[10, 12]].tolist())
    assert "these neighbours mean nothing" in words(app)
    text = "ab" * 5 + "cdefghijklmnopqrstuvwxyz"
    app = open_page("playground", text=text, panel="nearest")
    assert "Row 10 and the first 20 of 25 other rows of the text:" in words(app)
    assert app.dataframe[1].value["row"].tolist() == list(range(11, 31))
    own = {"init": "own", "weights": "0 0\n1 2\n3 4", "vocab": "custom", "chars": "abc"}
    app = open_page("playground", text="abc", panel="nearest", **own)
    assert "has no direction" in unescaped(app.info[0].value)
    app = open_page("playground", text="bca", panel="nearest", **own)
    assert app.dataframe[1].value["cosine"].isna().tolist() == [False, True]
    assert "all numbers of that row are 0" in app.caption[-1].value


def test_the_picture_of_a_model_has_the_shape_at_each_arrow() -> None:
    """The shapes are those of the text and table; tied layers have one weight, half the bytes."""
    app = open_page("playground", **{"text": "hello", "panel": "in a model"})
    (drawn,) = [one.proto.body for one in app.get("html") if "in-a-model" in one.proto.body]
    shapes = {"ids": (1, 5), "rows": (1, 5, 10), "vectors": (1, 5, 10), "scores": (1, 5, 100)}
    places = [drawn.index(f"{name} <span>{shape}</span>") for name, shape in shapes.items()]
    assert places == sorted(places)
    assert "nn.Linear(10, 100, bias=False)" in drawn
    assert "Two weights of 100 x 10: 7.8 KiB." in words(app)
    app.toggle(key="tied").set_value(True).run()
    assert app.query_params["tied"] == "true"
    assert "one weight of 100 x 10, 3.9 KiB" in words(app)
    embedding = torch.nn.Embedding(100, 10)
    linear = torch.nn.Linear(10, 100, bias=False)
    linear.weight = embedding.weight  # as the panel says: no transpose is needed
    assert linear(embedding(torch.tensor([[1, 2]]))).shape == (1, 2, 100)
