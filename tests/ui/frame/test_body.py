"""A setting redraws the body alone, or the whole app where the frame depends on it."""

from collections import Counter
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.parameters import DEFAULTS, MAX_URL_TEXT_BYTES
from embviz.ui.frame import controls
from tests.ui.headless import ROOT, open_page

Change = Callable[[AppTest], object]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the frame and the body were drawn."""
    count: Counter[str] = Counter()

    def counted(name: str, draw: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **more: object) -> object:
            count[name] += 1
            return draw(*args, **more)

        return run

    monkeypatch.setattr(controls, "draw", counted("frame", controls.draw))
    monkeypatch.setattr(controls, "inputs", counted("body", controls.inputs))
    return count


def runs(app: AppTest, drawn: Counter[str], change: Change) -> tuple[int, int]:
    """How often a change draws the frame and the body; it raises nothing.

    A whole run follows: after a run of the body, an AppTest holds the body's elements alone.
    """
    drawn.clear()
    change(app)
    app.run()
    found = drawn["frame"], drawn["body"]
    app.run()
    assert [failure.value for failure in app.exception] == []
    return found


def test_settings_of_the_body_leave_the_frame(drawn: Counter[str]) -> None:
    """Text, sizes, seed, dtype and panel draw the body once and the frame not at all."""
    app = open_page()
    changes: list[Change] = [
        lambda app: app.text_input(key="text").set_value("abc"),
        lambda app: app.number_input(key="dim").set_value(4),
        lambda app: app.number_input(key="rows").set_value(200),
        lambda app: app.number_input(key="seed").set_value(7),
        lambda app: app.selectbox(key="dtype").set_value("float64"),
        lambda app: app.segmented_control(key="panel").set_value("storage"),
    ]
    assert [runs(app, drawn, one) for one in changes] == [(0, 1)] * len(changes)
    assert app.session_state["_embviz"]["inputs"].config.embedding_dim == 4
    assert "view = nn.Parameter" in app.code[0].value
    ids = open_page(input="ids")
    assert runs(ids, drawn, lambda app: app.text_input(key="ids").set_value("1 2")) == (0, 1)


def test_settings_of_the_frame_draw_it_again(drawn: Counter[str]) -> None:
    """The frame is drawn where it depends on the setting, also if another changes with it."""
    app = open_page()

    def both(app: AppTest) -> None:
        app.text_input(key="text").set_value("ab")
        app.selectbox(key="init").set_value("integers")

    changes: list[Change] = [
        both,
        lambda app: app.selectbox(key="vocab").set_value("letters"),
        lambda app: app.segmented_control(key="unknown").set_value("unk"),
        lambda app: app.segmented_control(key="input").set_value("ids"),
        lambda app: app.toggle(key="projector").set_value(True),
    ]
    assert [runs(app, drawn, one) for one in changes] == [(1, 1)] * len(changes)


def test_a_button_in_the_body_changes_the_frame(drawn: Counter[str]) -> None:
    """A button that corrects a setting of the sidebar draws the sidebar with it."""
    app = open_page(text="h\N{LATIN SMALL LETTER E WITH ACUTE}")
    fix = next(button for button in app.main.button if button.label.startswith("Map"))
    assert runs(app, drawn, lambda app: fix.click())[0] == 1
    assert not app.error
    assert app.segmented_control(key="unknown").value == "unk"


def test_a_button_pressed_with_a_key_wins(drawn: Counter[str]) -> None:
    """What the button sets reaches the field and the address."""
    app = open_page(text="abc", escapes="true")
    app.text_input(key="text").set_value("abcd")
    next(one for one in app.button if one.label == "Reset settings").click()
    drawn.clear()
    app.run()
    field, text = app.text_input(key="text"), DEFAULTS["text"]
    assert (drawn["frame"], field.value, field.proto.set_value) == (1, text, True)
    assert app.query_params.get("text", text) == text


def test_another_page_wins_over_a_key(drawn: Counter[str]) -> None:
    """A key in the same message as a switch of pages does not draw the old page's body instead."""
    app = open_page(text="abc")
    app.text_input(key="text").set_value("abcd")
    app.switch_page(str(ROOT / "pages" / "training.py")).run()
    assert app.session_state["_embviz"]["page"] == "training"
    assert app.text_input(key="text").value == "abcd"


def test_notes_vanish_with_the_next_change(drawn: Counter[str]) -> None:
    """A note on a bad link, or on a text too long for one, is right after each change."""
    app = open_page(dim="0")
    assert len(app.warning) == 1
    assert runs(app, drawn, lambda app: app.number_input(key="seed").set_value(1))[0] == 1
    assert not app.warning
    for length, frames in ((MAX_URL_TEXT_BYTES, 0), (MAX_URL_TEXT_BYTES + 1, 1)):

        def type_text(app: AppTest, text: str = "a" * length) -> None:
            app.text_input(key="text").set_value(text)

        assert runs(app, drawn, type_text)[0] == frames
    assert "too long for a link" in app.info[0].value


def test_the_pause_is_no_part_of_the_fields_identity() -> None:
    """Only what the route answers waits for the end of typing; the field is the same."""
    app = open_page(text="abc", lesson="lockstep")
    field = app.text_input(key="text")
    assert field.proto.live_debounce_ms == 250
    before = field.proto.id
    app.switch_page(str(ROOT / "pages" / "training.py")).run()
    field = app.text_input(key="text")
    assert (field.proto.live_debounce_ms, field.proto.id, field.value) == (0, before, "abc")
    own = open_page(init="own", input="ids", ids="1")  # the route does not know these weights
    assert own.text_input(key="ids").proto.live_debounce_ms == 0
