"""The panel *Tokenizers*, headless: what it draws of hostile texts, refusals and typed ids."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from embviz.core.tokenizers import VOCABULARIES
from embviz.ui.pages import tokenizers
from tests.ui.headless import open_page


def drawn(app: AppTest) -> list[str]:
    """The HTML of the panel, if it is there."""
    found = [one.proto for one in app.get("bidi_component")]
    return [
        json.loads(one.json)["html"] for one in found if one.component_name == "embviz_tokenizers"
    ]


def test_each_vocabulary_has_a_line_and_a_button() -> None:
    """Each has one button, the chosen one is marked, and texts are escaped."""
    (html,) = drawn(open_page(panel="tokenizers", vocab="bytes", text="<script>&", rows="300"))
    assert re.findall(r'<button value="(\w+)"', html) == list(VOCABULARIES)
    assert re.findall(r'value="(\w+)" aria-pressed="true"', html) == ["bytes"]
    assert "<script" not in html
    assert "<i>&lt;</i><i>s</i>" in html
    assert '<td data-head="rows">300</td>' in html


def test_it_stays_where_the_chosen_one_refuses_the_text() -> None:
    """A refused text can be taken by another vocabulary, so the panel stays."""
    app = open_page(panel="tokenizers", vocab="digits", text="a1")
    assert len(app.error) == 1
    (html,) = drawn(app)
    assert "&#x27;a&#x27; (U+0061) at position 0 is not among the 10 characters" in html


def test_it_needs_a_text_that_can_be_read() -> None:
    """Typed ids have no vocabulary, and a text that no vocabulary can take has no table."""
    app = open_page(panel="tokenizers", input="ids")
    assert "ids are typed" in app.info[0].value
    assert not drawn(app)
    assert not drawn(open_page(panel="tokenizers", text="\\d", escapes="true"))


@pytest.mark.parametrize("forged", [["bpe"], {"bpe": 1}, 3, None, "no such name"])
def test_a_forged_choice_changes_nothing(forged: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message may hold any JSON; only a vocabulary's name chooses one."""
    changes: list[object] = []
    monkeypatch.setattr(tokenizers, "widget_value", lambda *_: {"choose": forged})
    monkeypatch.setattr(tokenizers, "change_all", changes.append)
    tokenizers._choose()
    assert not changes
