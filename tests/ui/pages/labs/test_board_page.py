"""The board of a class in AppTest, and what it sends to the browser."""

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.classes.codes import new_token
from embviz.classes.here import Here
from embviz.classes.record import Answer, Classroom, StoreError
from embviz.labs.answers import written
from embviz.labs.exercises.row import LAB
from embviz.labs.student import Student
from embviz.ui.pages.labs import board_page, class_board, start_class
from embviz.ui.pages.labs.class_link import class_link
from tests.ui.headless import open_page, sent, unescaped

SECRET = "a" * 43
SHAPE, IDS = LAB.steps[:2]


@pytest.fixture(autouse=True)
def cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser has a teacher's cookie."""
    monkeypatch.setattr(start_class, "secret", lambda: SECRET)


def test_what_to_try_stands_below_the_cards_alone() -> None:
    """Not below a board."""
    for query, shown in (({}, True), ({"board": "ABCD"}, False), ({"lab": "row"}, False)):
        labels = [one.label for one in open_page("labs", **query).expander]
        assert ("Try this" in labels) == shown


def begin(here: Here, *right: bool) -> Classroom:
    """A class whose members answered the first two steps, rightly or with a typical mistake."""
    begun = here.store.start("row", SECRET)
    for is_right in right:
        token = new_token()
        values = LAB.values(Student(here.store.join(begun.code, token).result().guest))
        for step in (SHAPE, IDS):
            value = step.solution(values) if is_right else step.mistakes[0].answer(values)
            assert value is not None
            here.store.post(begun.code, token, [Answer(step.name, 1, written(value), 9)]).result()
    return begun


def shown(app: AppTest) -> dict[str, Any]:
    """What the board's component got."""
    (one,) = sent(app, "embviz_class_board")
    found: dict[str, Any] = json.loads(one["text"])
    return found


def press(app: AppTest, monkeypatch: pytest.MonkeyPatch, **what: Any) -> dict[str, Any]:
    """What the board shows after a press in the component."""
    with monkeypatch.context() as patch:
        patch.setattr(board_page, "widget_value", lambda key, default: {"press": what})
        patch.setattr(board_page, "draw", pressed(board_page.draw))
        app.run()
    app.run()
    assert not app.exception
    return shown(app)


def pressed(draw: Any) -> Any:
    """A page whose run begins with the callback of a press."""

    def run() -> None:
        board_page._press()
        draw()

    return run


def said(app: AppTest) -> str:
    """The words and refusals of the page."""
    return unescaped("\n".join(one.value for one in [*app.main.markdown, *app.error, *app.success]))


def test_a_board_from_the_first_answer_to_the_end(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows each student; a press reveals, pauses, goes on and ends; the last one deletes."""
    begun = begin(here, True, False, True)
    app = open_page("labs", board=begun.code)
    first = shown(app)
    assert first["code"] == begun.code
    assert first["link"].endswith(f"/labs?class={begun.code}")
    names = [first["states"][line["cells"][1][0]]["name"] for line in first["lines"]]
    assert names == ["right", "wrong", "right"]
    assert first["steps"][1]["counts"] == [[2, 2], [4, 1]]
    assert [line["wrong"] for line in first["lines"]] == [0, 1, 0]
    assert len({line["who"] for line in first["lines"]}) == 3

    asked = press(app, monkeypatch, question=2)
    assert asked["question"] == 2
    bars = asked["spread"]["bars"]
    assert sorted(bar["count"] for bar in bars)[-2:] == [1, 2]
    assert {bar["kind"] for bar in bars} == {""}
    told = [bar["label"] + bar["mean"] for bar in bars]
    assert not any(word in one for one in told for word in ("right", IDS.mistakes[0].feedback))

    (question,) = (one for one in app.main.expander if one.label.startswith("The question"))
    assert "Which ids does" in question.markdown[0].value
    assert not any("Why." in one.value for one in app.markdown)

    bars = press(app, monkeypatch, reveal=2)["spread"]["bars"]
    assert any("Why." in one.value for one in app.markdown)
    kinds = {bar["kind"]: bar for bar in bars if bar["count"]}
    assert kinds["right"]["count"] == 2
    assert kinds["mistake"]["mean"] == f"The lab replies: {IDS.mistakes[0].feedback}"
    hidden = press(app, monkeypatch, hide=2)["spread"]
    assert not hidden["revealed"]
    assert {bar["kind"] for bar in hidden["bars"]} == {""}
    assert not any("Why." in one.value for one in app.markdown)
    assert press(app, monkeypatch, reveal=2)["spread"]["bars"] == bars
    assert press(app, monkeypatch, pause=2)["paused"] == 2
    assert press(app, monkeypatch, pause=0)["paused"] is None

    app.button(key="board_end_now").click().run()
    app.run()
    assert shown(app)["ended"]
    app.button(key="board_delete_now").click().run()
    assert not app.exception
    assert f"The class {begun.code} and all its answers are deleted." in said(app)
    assert not here.store.is_teacher(begun.code, SECRET)


@pytest.mark.parametrize(
    "what",
    [
        {"reveal": 15},
        {"hide": 15},
        {"pause": 15},
        {"pause": "2"},
        {"question": 1.0},
        {"pause": -1},
    ],
)
def test_a_forged_press_changes_nothing(
    here: Here, monkeypatch: pytest.MonkeyPatch, what: dict[str, Any]
) -> None:
    """A message with an odd number or type changes neither the class nor the page."""
    begun = begin(here)
    app = open_page("labs", board=begun.code)
    assert press(app, monkeypatch, **what)["question"] == 0
    assert here.store.classes_of(SECRET) == (begun,)


def test_another_browser_sees_no_board(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the cookie there is a sentence and a way to join; a press changes nothing."""
    begun = begin(here, True)
    app = open_page("labs", board=begun.code)
    monkeypatch.setattr(start_class, "secret", lambda: "b" * 43)
    with pytest.raises(ValueError, match="unpack"):
        press(app, monkeypatch, reveal=1)
    assert here.store.classes_of(SECRET) == (begun,)
    assert "belongs to the browser that started the class" in said(app)
    assert app.button(key="board_join").label == f"Join {begun.code} as a student"
    assert "There is no class" in said(open_page("labs", board="tidy-otter-42"))


def test_a_silent_database_leaves_the_board(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """The board stays, and says since when the database is silent and why."""
    begun = begin(here, True)
    app = open_page("labs", board=begun.code)

    def fail(*_: object) -> None:
        raise StoreError("The disk is full.")

    for name in ("news", "is_teacher"):
        monkeypatch.setattr(here.store, name, fail)
    app.run()
    app.run()
    silent = shown(app)["silent"]
    assert silent["why"] == "The disk is full."
    assert abs(silent["since"] - time.time()) < 60
    assert len(shown(app)["lines"]) == 1


def test_the_fold_lists_the_classes_of_the_browser(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the cards a teacher starts a class, or opens one again; not where classes are off."""
    begun = begin(here)

    def content(app: AppTest) -> list[Any]:
        return [json.loads(one["text"]) for one in sent(app, "embviz_start_class")]

    (one,) = content(open_page("labs"))
    assert list(one["labs"]) == ["row", "bag", "learns", "cost"]
    assert [known["code"] for known in one["classes"]] == [begun.code]
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert content(open_page("labs")) == []


@pytest.mark.parametrize(
    ("address", "url", "remark"),
    [
        ("https://embviz.example/lab/labs", "https://embviz.example/lab/labs?class=a-b-12", ""),
        ("http://localhost:8501/labs", "http://10.0.0.7:8501/labs?class=a-b-12", "localhost"),
        ("http://[::1]:8501/labs", "http://10.0.0.7:8501/labs?class=a-b-12", "::1"),
    ],
)
def test_the_link_works_on_other_machines(
    monkeypatch: pytest.MonkeyPatch, address: str, url: str, remark: str
) -> None:
    """The link of a page on localhost has the address in the network, and says so."""
    monkeypatch.setattr("embviz.ui.pages.labs.class_link._network_address", lambda: "10.0.0.7")
    link = class_link("a-b-12", address)
    assert link.url == url
    assert bool(link.remark) == bool(remark)
    assert remark in link.remark
    assert link.qr().startswith("data:image/svg+xml")


def test_a_large_class_is_a_small_message(here: Here) -> None:
    """The board's message grows by at most 160 bytes with each student."""
    few = here.rooms.get(begin(here, *[False] * 3).code)
    three = len(class_board.packed(few, class_link("a-b-12", None), 0))
    more = here.rooms.get(begin(here, *[False] * 9).code)
    nine = len(class_board.packed(more, class_link("a-b-12", None), 0))
    assert nine - three < 6 * 160
