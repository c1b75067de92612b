"""The lesson of six letters without a browser: what it sends, where it leads, and the way back."""

import json
from base64 import b64decode
from typing import Any

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from embviz.fact.letters import STEPS, learn
from embviz.training.page.letters.drawing import picture_of
from tests.ui.headless import answer, open_page, press, sent

LINK = "Look at these rows in the playground"


def shown(app: AppTest) -> Any:
    """What the picture of the lesson gets."""
    (data,) = sent(app, "embviz_letters")
    return json.loads(data["answer"])


def numbers(record: Any, name: str, *shape: int) -> torch.Tensor:
    """Numbers of the record, for each state."""
    flat = np.frombuffer(b64decode(record[name]), "<f4")
    return torch.from_numpy(flat.reshape(STEPS + 1, 6, *shape).copy())


def query_of(app: AppTest, label: str) -> dict[str, str]:
    """The query of the link with this label."""
    (found,) = [one.proto for one in app.get("page_link") if one.proto.label == label]
    return dict(pair.split("=") for pair in found.query_string.split("&") if pair)


def test_the_lesson_sends_the_whole_training_once() -> None:
    """Rows, guesses and nearest rows of each state are those of the model; in 100 KB."""
    learnt, record = learn(7), json.loads(picture_of(7))
    assert numbers(record, "rows", 3).equal(learnt.rows)
    expected = numbers(record, "expected", 6)
    torch.testing.assert_close(expected, learnt.expected())
    assert [*map(tuple, record["nearest"])] == learnt.nearest()
    assert record["sentence"].startswith(record["begun"])
    assert record["selected"] in record["nearest"][-1]
    assert len(picture_of(7)) < 100_000


def test_the_bare_page_is_this_lesson_and_a_text_begins_with_one_step() -> None:
    """So a link that names a text shows what it showed before there were six letters."""
    assert shown(open_page("training"))["nearest"] == json.loads(picture_of(123))["nearest"]
    for query in ({"text": "abca"}, {"world": "characters"}, {"lesson": "step"}):
        app = open_page("training", **query)
        assert sent(app, "embviz_letters") == []
        (film,) = sent(app, "embviz_film")
    film = json.loads(film["answer"])
    assert film["target"] == ["2", "-1", "-1"]
    assert film["task"].startswith("Task: turn the row of 'c' into the target.")


def test_its_rows_go_to_the_playground_and_back() -> None:
    """With the seed of the page, and the text where it fits."""
    app = open_page("training", seed="7", text="bad", world="letters")
    wanted = query_of(app, LINK)
    assert wanted == {"seed": "7", "text": "bad", "world": "letters", "init": "learnt"}
    assert query_of(open_page("training", lesson="letters", text="hi"), LINK)["text"] == "cab"
    app = open_page(**wanted)
    for state in (-1, 0):
        rows = np.frombuffer(b64decode(answer(app)["table"]), "<f4").reshape(6, 3)
        assert torch.from_numpy(rows.copy()).equal(learn(7).rows[state])
        if state:
            press(app, "Back to random")
    assert query_of(app, "See rows learn") == wanted | {"init": "normal"}
    # Only the six letters with three numbers each learn there.
    for query in ({"text": "abc"}, {"dim": "4"}):
        links = [one.proto.label for one in open_page(**query).get("page_link")]
        assert "See rows learn" not in links, query
