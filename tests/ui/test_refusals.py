"""No refusal is a dead end: on every page, for every setting, the widget stays with what was typed.

Each fix leads to a page without that refusal, and a setting without a widget has a fix.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.settings.given import fits_link
from embviz.settings.kinds import Number, Text
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.text.refused import Refused
from embviz.timing.page import measuring
from embviz.ui.elements import refusal
from tests.ui.headless import open_page, take_fix

# Every page, in each state that has other widgets.
PLACES: list[tuple[str, dict[str, str]]] = [
    ("playground", {"text": "abca", "panel": "tokenizers"}),
    ("playground", {"text": "cab", "vocab": "custom", "chars": "abc"}),
    ("playground", {"text": "abca", "vocab": "bpe"}),
    ("playground", {"input": "ids", "init": "own"}),
    ("playground", {"text": "hello", "init": "own", "weights": "1 2\n3 4", "panel": "weights"}),
    ("bag_of_words", {}),
    ("bag_of_words", {"bag": "matrix"}),
    ("bag_of_words", {"bag": "file"}),
    ("training", {"text": "abca", "steps": "0"}),
    ("training", {"input": "ids", "init": "own", "steps": "0"}),
    ("training", {"lesson": "unseen", "text": "abca"}),
    ("training", {"lesson": "write", "corpus": "own", "text": "abcab", "learn_steps": "10"}),
    ("training", {"lesson": "write", "corpus": "own", "input": "ids", "learn_steps": "10"}),
    ("training", {"lesson": "size", "corpus": "own", "text": "abcab", "size_steps": "10"}),
    ("context", {"text": "bank", "edit": "bark"}),
    ("context", {"text": "bank", "chapter": "contextual"}),
    ("context", {"input": "ids", "ids": "1 2 3", "edit": "3 2 1"}),
    ("timing", {}),
    ("timing", {"vary": "threads", "methods": "lookup"}),
    ("timing", {"my_model": "true"}),
    ("limits", {}),
    ("labs", {"lab": "row", "numbers": "7"}),
]
# Folds whose widgets a refusal may be about.
OPEN = [
    *("And after 100 steps?", "How is a vector computed?"),
    "More routes: lines that ran",
]
WIDGETS = (
    *("text_input", "text_area", "number_input", "selectbox", "multiselect", "slider", "toggle"),
    *("segmented_control", "pills", "radio"),
)
# Settings that are pressed in a picture, or that a link alone names.
WITHOUT = {
    "find",  # *Ask* is a form, and no widget of Streamlit
    *("token", "column", "view", "shuffle", "bag_edit", "one_hot", "forget", "case", "lab", "step"),
    *("header", "x_header", "linear_header", "tour", "numbers", "done", "class", "board"),
    "my_model",
}
# Not in the address: a wrong type, out of range, not finite, unknown, empty, far too long.
UNREADABLE = ["abc", "-1", "1e999", "nan", "", "9" * 400, "\u202e", "1.5"]
TYPED = [
    *("", "\xa0", "bänk", "aaaa", "nan", "1e999", "-1", "1 2"),
    *("[[1,[2]]]", "9" * 400, "x" * 120_000, "\\q", "99:1", "1 nan\n2 3"),
]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Refused]:
    """All refusals that pages show, in the order in which they are drawn."""
    found: list[Refused] = []

    def note(real: Any) -> Any:
        def noted(reason: Refused | str, *place: str) -> Any:
            if isinstance(reason, Refused):
                found.append(reason)
            return real(reason, *place)

        return noted

    real = refusal.refuse
    for module in [*sys.modules.values()]:
        if getattr(module, real.__name__, None) is real:
            monkeypatch.setattr(module, real.__name__, note(real))
    monkeypatch.setattr(Refused, "to_json", note(Refused.to_json))
    monkeypatch.setattr(measuring.ENGINE, "start", lambda *_: pytest.fail("nothing is measured"))
    return found


class Visit:
    """One session on a page, which goes from address to address."""

    def __init__(self, place: tuple[str, dict[str, str]], said: list[Refused]) -> None:
        self.page, self.query, self.said = *place, said
        self.app = open_page(self.page, **self.query)
        for fold in OPEN:
            self.app.session_state[f"fold {fold}"] = True
        self.app.session_state["own_settings"] = True
        self.usual = self.widgets(self.app.run())
        self.lines = {one.key for one in self.app.text_input}  # fields of one line

    def widgets(self, app: AppTest) -> dict[str, Any]:
        """The widgets of settings by name, with their values."""
        every = (one for kind in WIDGETS for one in getattr(app, kind))
        return {one.key: one.value for one in every if one.key in SETTINGS}

    def go(self, changes: Mapping[str, Any]) -> None:
        """Run the page for its address with these changes; nothing fails."""
        self.app.query_params.clear()
        for name, value in {**self.query, **changes}.items():
            self.app.query_params[name] = value
        self.run()

    def type(self, name: str, value: str) -> None:
        """Type this into the widget of a setting, from the address of the place."""
        if fits_link(value):
            self.go({name: value})
            return
        self.go({})
        every = [one for kind in ("text_input", "text_area") for one in getattr(self.app, kind)]
        next(one for one in every if one.key == name).set_value(value)
        self.app.run()  # may draw a fragment alone
        self.run()

    def run(self) -> None:
        """Run the page; nothing fails."""
        self.said.clear()
        self.app.run()
        assert [one.value for one in self.app.exception] == []
        assert "server's log" not in " ".join(one.value for one in self.app.error)

    def mend(self, refused: Refused, changes: Mapping[str, Any]) -> None:
        """Press a fix; for one in a component, the address stands in."""
        take_fix(self.app, next(name for name, fix in refused.fixes.items() if fix == changes))
        self.run()

    def check(self, again: Any) -> None:
        """Each refusal has a widget or a fix; each fix, pressed after `again()`, ends it."""
        for refused in [*self.said]:
            what = f"{refused} (about {refused.about!r})"
            has = refused.about in self.widgets(self.app)
            assert has or (refused.about in WITHOUT and refused.fixes), what
            for changes in refused.fixes.values():
                again()
                assert str(refused) in map(str, self.said), what
                self.mend(refused, changes)
                assert str(refused) not in map(str, self.said), (what, changes)


def name_of(place: tuple[str, dict[str, str]]) -> str:
    """A place as a test's name."""
    return f"{place[0]}-{'-'.join(place[1].values())}"[:60]


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_a_refusal_keeps_its_widget_and_what_was_typed(
    place: tuple[str, dict[str, str]], said: list[Refused]
) -> None:
    """Whatever an address has or a person types, every widget of the page stays."""
    visit = Visit(place, said)
    for bad in UNREADABLE:
        names = [name for name in read_by(visit) if is_refused(name, bad)]
        visit.go(dict.fromkeys(names, bad))
        told = " ".join(one.value.replace("\\", "") for one in visit.app.warning)
        assert [name for name in names if f"{name}=" not in told] == []
        assert visit.widgets(visit.app) == visit.usual
        visit.check(lambda: None)
    tried = tried_in(visit)
    for name, value in extremes(visit, tried):
        visit.go({name: value})
        assert name in visit.widgets(visit.app), (name, value)
        visit.check(lambda name=name, value=value: visit.go({name: value}))
    for name in [one for one in tried if isinstance(SETTINGS[one], Text)]:
        for typed in [one for one in TYPED if "\n" not in one or name not in visit.lines]:
            visit.type(name, typed)
            found = visit.widgets(visit.app)
            assert (found.keys(), found[name]) == (visit.usual.keys(), typed), (name, typed)
            visit.check(lambda name=name, typed=typed: visit.type(name, typed))


def read_by(visit: Visit) -> list[str]:
    """The settings of the page that do not choose the place."""
    chosen = {*visit.query, "lesson", "chapter", "bag", "vary", "lab"}
    return [name for name in PAGES[visit.page].reads if name not in chosen]


def is_refused(name: str, raw: str) -> bool:
    """Whether an address cannot have this value."""
    try:
        SETTINGS[name].read(raw)
    except Refused:
        return True
    return False


def tried_in(visit: Visit) -> list[str]:
    """The widgets that are tried in this place: in the first of a page all.

    In another one those that the first lacks, those of the place, and fields of text.
    """
    first = next(one for one in PLACES if one[0] == visit.page)
    if first[1] == visit.query:
        return [*visit.usual]
    tried_before = {*MODEL}
    for name in Visit(first, visit.said).usual:
        if not isinstance(SETTINGS[name], Text):
            tried_before.add(name)
    tried_before -= {*visit.query, "text", "ids"}
    return [name for name in visit.usual if name not in tried_before]


def extremes(visit: Visit, tried: list[str]) -> Iterator[tuple[str, str]]:
    """Values that are allowed and may not fit the others: ends of ranges, and every choice."""
    for name in [one for one in tried if one in read_by(visit)]:
        one = SETTINGS[name]
        values = [one.low, one.high] if isinstance(one, Number) else one.options()
        yield from ((name, str(value)) for value in values)
