"""Hostile addresses on every page: refused in a note, never an exception."""

import random
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.markdown import literal
from embviz.request.pages import PAGES
from embviz.request.parameter_kinds import Choices
from embviz.request.parameters import PARAMETERS, check, fits_link
from tests.ui.headless import open_page

ADDRESSES_A_PAGE = 6
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
    "é" * 7000,
]


def hostile_addresses(page: str) -> Iterator[dict[str, str | list[str]]]:
    """Seeded queries: mostly bad values, and good ones that open the page's other parts."""
    chance = random.Random(page)  # noqa: S311 - to repeat, not to hide
    own = [one.name for one in PARAMETERS.values() if page in one.pages]
    for _ in range(ADDRESSES_A_PAGE):
        query: dict[str, str | list[str]] = {}
        for name in [*chance.sample(own, min(4, len(own))), *chance.sample([*PARAMETERS], 4)]:
            good = PARAMETERS[name].options()
            if good and chance.random() < 0.5:
                query[name] = chance.choice(good)
            else:
                several = isinstance(PARAMETERS[name], Choices)
                query[name] = chance.choice([*HOSTILE, *(SEVERAL if several else [])])
        yield query


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
def test_a_hostile_address_is_refused_in_notes(page: str) -> None:
    """No address raises, each bad value is quoted, and no key of a widget is taken."""
    for query in hostile_addresses(page):
        app = open_page(page, **query)
        assert [failure.value for failure in app.exception] == [], query
        notes = " ".join(warning.value for warning in app.warning)
        assert [one for one in check(query).values() if literal(one) not in notes] == [], query
        assert unbound_parameter_keys(app) == [], query


def test_a_button_with_a_parameters_name_is_found() -> None:
    """A button and the bag's parameter `start` cannot share a key: `?start=foo` failed."""
    app = AppTest.from_string('import streamlit as st\nst.button("Start", key="start")').run()
    assert unbound_parameter_keys(app) == ["start"]
