"""The panels *nearest* and *in a model*: they draw what the rooms compute."""

from collections import Counter
from dataclasses import astuple
from itertools import pairwise

import pytest
import torch

from embviz.fact import characters, letters
from embviz.fact.layers import tie
from embviz.fact.nearest import nearest
from embviz.fact.next_token import Learnt
from embviz.fact.table import Table
from tests.ui.headless import open_page, unescaped


def words(app: object) -> str:
    """All sentences of the page."""
    return unescaped("\n".join(one.value for one in app.markdown))  # type: ignore[attr-defined]


def test_the_nearest_rows_are_those_of_the_room() -> None:
    """With their cosines; the sentence says whether they mean anything. A row of zeros has none."""
    app = open_page("playground", text="abca", panel="nearest", token="1")
    (near,) = (one.value for one in app.dataframe)
    (wanted,) = nearest(tie(Table(100, 10)).embedding.weight, [11])
    assert wanted is not None
    assert [*zip(near["row"], near["cosine"], strict=True)] == [*map(astuple, wanted)]
    assert "these neighbours mean nothing" in words(app)
    app = open_page("playground", text="king", vocab="words", init="trained", panel="nearest")
    assert app.dataframe[0].value["token"][0] == "queen"
    assert "Training has put words that are used alike near each other." in words(app)
    own = {"init": "own", "weights": "0 0\n1 2\n3 4", "vocab": "custom", "chars": "abc"}
    app = open_page("playground", text="abc", panel="nearest", **own)
    assert "has no direction" in unescaped(app.info[0].value)


def in_a_model(**query: str) -> tuple[str, str]:
    """What the panel draws, and its sentences."""
    app = open_page("playground", **{"panel": "in a model", **query})
    drawn = [one.proto.body for one in app.get("html")]
    picture = [body for body in drawn if "in-a-model" in body or "next-token" in body]
    return unescaped("".join(picture)), words(app)


def test_a_model_has_the_shape_at_each_arrow() -> None:
    """The shapes are those that PyTorch gives for the text and the table."""
    drawn, said = in_a_model(text="hello", world="words")
    shapes = {"ids": (1, 1), "rows": (1, 1, 384), "scores": (1, 1, 2_801)}
    places = [drawn.index(f"{name} <span>{shape}</span>") for name, shape in shapes.items()]
    assert places == sorted(places)
    model = torch.nn.Sequential(torch.nn.Embedding(2_801, 384), torch.nn.Linear(384, 2_801))
    assert model(torch.tensor([[7]])).shape == shapes["scores"]
    assert "nn.Embedding(2,801, 384)" in drawn
    assert "With *six letters* or *characters* this model has numbers" in said


@pytest.mark.parametrize(
    ("query", "learnt", "token"),
    [
        ({"text": "cab", "world": "letters", "token": "1"}, letters.learn(123), 0),
        ({"text": "the", "seed": "7", "token": "1"}, characters.learn(7), 17),
    ],
    ids=["letters", "characters"],
)
def test_a_small_model_shows_its_own_numbers(
    query: dict[str, str], learnt: Learnt, token: int
) -> None:
    """The row, the scores and the shares before and after training, and what the text has."""
    drawn, said = in_a_model(**query)
    for state in (0, -1):
        assert all(f"{number:.2f}" in drawn for number in learnt.rows[state, token].tolist())
        scores = learnt.scores(torch.tensor(token), state)
        for place in scores.topk(6).indices.tolist():
            share = float(scores.softmax(0)[place])
            assert f"{share:.0%}<br>score {float(scores[place]):.2f}" in drawn
    assert ("those of the picture above" in said) == ("world" not in query)
    if "world" in query:  # after `a` comes what follows it most often in the words
        pairs = ["".join(pair) for word in letters.WORDS for pair in pairwise(word)]
        follow = Counter(pair[1] for pair in pairs if pair[0] == "a")
        (after, count), *_ = follow.most_common()
        assert f"*{after}* follows {count} of {follow.total()} times" in said


@pytest.mark.parametrize("text", ["<b>&", "\x07", "🙂"])
def test_a_model_says_what_it_has_no_row_for(text: str) -> None:
    """Markup stays text; a character without an id is no row of the model."""
    drawn, said = in_a_model(text=text)
    assert ("no row for it" in said) == (text in "\x07🙂")
    assert "<b>&" not in drawn
