"""The live parts of other pages, set up for a step of a lab.

Each is the page's own, with the lab's settings in place of the user's. Timing
has buttons that act later, so its settings are really set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.ui.inputs import read_inputs
from embviz.ui.parameters import DEFAULTS
from embviz.ui.settings import change, instead, literal, once, settings, state

PAGES = {"playground": "", "bag": "bag_of_words", "training": "training", "timing": "timing"}


def draw(part: str, chosen: Mapping[str, Any], whole: bool) -> None:
    """Draw a part.

    Args:
        part: a key of `PAGES`.
        chosen: URL parameters of that page.
        whole: whether nothing of it is folded away.
    """
    if part == "timing":
        _timing(chosen)
    else:
        with instead({**_first(), **chosen}):
            if part == "playground":
                _playground()
            elif part == "bag":
                _bag(whole)
            else:
                _training()
    page = state()["pages"].get(PAGES[part])
    if page is not None:
        query = {name: _plain(value) for name, value in chosen.items() if value != DEFAULTS[name]}
        st.page_link(page, label="Open it on its own page, to try other settings",
                     icon=":material/open_in_new:", query_params=query)  # fmt: skip


def _first() -> dict[str, Any]:
    """The model's settings as they are at first: the lab's numbers are nobody's else."""
    return {name: value for name, value in DEFAULTS.items() if name != "threads"}


def _plain(value: Any) -> Any:
    return list(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _playground() -> None:
    from embviz.ui import panels
    from embviz.ui.stage import stage
    from embviz.ui.tables import run_both_cached

    given = read_inputs(settings())
    both = run_both_cached(given)
    stage(both, given)
    panels.draw(given.settings["panel"], both, given)


def _bag(whole: bool) -> None:
    from embviz.bag.matrix import parse_matrix
    from embviz.ui import bag, bag_inputs

    chosen = settings()
    matrix = once("lab_matrix", chosen["x"], lambda: parse_matrix(chosen["x"]))
    row = matrix.row(chosen["row"])
    given = bag_inputs.Bag(matrix, row, bag_inputs.layers(matrix), None, None)
    if (name := chosen["bag_panel"]) == "from_pretrained":  # of the layer, whatever the row is
        bag.panel(given, name)
        return
    bag.three_ways(given)
    if name == "matrix":  # one row: there is no more to it
        return
    bag.panel(given, name)
    with st.expander("The same sum by every route", expanded=whole):
        bag.routes(given)


def _training() -> None:
    from embviz.ui import training

    chosen = settings()
    given, lesson = read_inputs(chosen), chosen["lesson"]
    if lesson == "step":
        training.step(given)
    elif lesson == "lockstep":
        training.lockstep(given)
    else:
        training.drifting(given)


def _timing(chosen: Mapping[str, Any]) -> None:
    from embviz.ui import sweeps, timing

    change(chosen)  # each time: the timing page may have changed them since
    try:
        cases = timing.chosen_cases()
        st.caption(literal(f"{len(cases)} points and controls are measured, on this server."))
    except ValueError as error:
        st.error(literal(str(error)), icon=":material/block:")
        cases = []
    before = sweeps.desk().sweep
    if before is not None and {*before.cases} != {*cases}:
        st.info("Below is a sweep with other settings. Press Start for the one of this step.",
                icon=":material/info:")  # fmt: skip
    timing.watch()
