"""Hostile addresses on every page: refused in a note, never an exception."""

import random

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.live import PARTS
from embviz.request.markdown import literal
from embviz.request.pages import PAGES
from embviz.request.parameter_kinds import Choices
from embviz.request.parameters import PARAMETERS, check, fits_link
from tests.ui.headless import open_page

SEVERAL = [["foo", "64"], ["64", "1"], ["64"], ["lookup"]]
HOSTILE = [
    "",
    "foo",
    "nan",
    "inf",
    "-1",
    "1e3",
    "9" * 30,
    "٣",
    "<b>x</b>",
    "[[[[",
    "$x$ :red[y] `z`",
    "a\x00b\u202ec",
    "é" * 2000,  # too long for a link; a whole address has 524,288 characters at most
]


def hostile_address(page: str, good_share: float) -> dict[str, str | list[str]]:
    """A seeded query with every parameter: bad values, and good ones that open other parts."""
    chance = random.Random(f"{page} {good_share}")  # noqa: S311 - to repeat, not to hide
    query: dict[str, str | list[str]] = {}
    for name, one in PARAMETERS.items():
        bad = [*HOSTILE, *(SEVERAL if isinstance(one, Choices) else [])]
        good = one.options()
        query[name] = chance.choice(good if good and chance.random() < good_share else bad)
    return query


def unbound_parameter_keys(app: AppTest) -> list[str]:
    """Keys of widgets that have a parameter's name and are not bound to it.

    A text that is too long for the link is not bound.
    """
    found, blocks = [], [*app._tree.children.values()]
    while blocks:
        one = blocks.pop()
        blocks += getattr(one, "children", {}).values()
        key = getattr(one, "key", None)
        bound = getattr(one.proto, "query_param_key", "") == key
        if key in PARAMETERS and not bound and fits_link(str(app.session_state[key])):
            found.append(key)
    return found


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("good_share", [0, 0.7])
def test_a_hostile_address_is_refused_in_notes(page: str, good_share: float) -> None:
    """No address raises, each bad value is quoted, and no key of a widget is taken."""
    query = hostile_address(page, good_share)
    app = open_page(page, **query)
    notes = " ".join(warning.value for warning in app.warning)
    assert [one for one in check(query).values() if literal(one) not in notes] == []
    assert unbound_parameter_keys(app) == []


def test_a_button_with_a_parameters_name_is_found() -> None:
    """A button and the bag's parameter `start` cannot share a key: `?start=foo` failed."""
    app = AppTest.from_string('import streamlit as st\nst.button("Start", key="start")').run()
    assert unbound_parameter_keys(app) == ["start"]


def test_no_part_has_a_parameters_name() -> None:
    """A part's name is its component's key: `letter` failed once the session had that setting."""
    open_page("training")
    open_page("context")
    assert "gradients" in PARTS
    assert not set(PARTS) & set(PARAMETERS)
