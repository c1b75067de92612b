"""Parts of other pages inside a lab, with the settings of the step.

Each part is drawn by its own page's code, with the lab's settings in place of the user's. The
buttons of the timing page act in a later run, so its settings are changed for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.request.inputs import read_inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import cached, change, settings, state, temporary_settings

PAGES = {
    "playground": "playground",
    "bag": "bag_of_words",
    "training": "training",
    "timing": "timing",
}


def draw(part: str, chosen: Mapping[str, Any], unfolded: bool) -> None:
    """Draw a part.

    Args:
        part: a key of `PAGES`.
        chosen: URL parameters of that page.
        unfolded: whether its expanders are open at first.
    """
    if part == "timing":
        _timing(chosen)
    else:
        # The lab's numbers must not depend on the settings of the user's other pages.
        defaults = {name: value for name, value in DEFAULTS.items() if name != "threads"}
        with temporary_settings(defaults | dict(chosen)):
            if part == "playground":
                _playground()
            elif part == "bag":
                _bag(unfolded)
            else:
                _training()
    page = state()["pages"].get(PAGES[part])
    if page is not None:
        query = {name: _plain(value) for name, value in chosen.items() if value != DEFAULTS[name]}
        st.page_link(
            page,
            label="Open it on its own page, to try other settings",
            icon=":material/open_in_new:",
            query_params=query,
        )


def _plain(value: Any) -> Any:
    return list(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _playground() -> None:
    from embviz.server.tables import run_both_cached
    from embviz.ui.pages import playground
    from embviz.ui.stage import stage

    given = read_inputs(settings())
    both = run_both_cached(given)
    stage(both, given)
    playground.draw(given.settings["panel"], both, given)


def _bag(unfolded: bool) -> None:
    from embviz.bag.matrix import parse_matrix
    from embviz.ui.pages.bag import inputs, sections

    chosen = settings()
    matrix = cached("lab_matrix", chosen["x"], lambda: parse_matrix(chosen["x"]))
    row = matrix.row(chosen["row"])
    given = inputs.Bag(matrix, row, inputs.layers(matrix), None, None)
    if (name := chosen["bag_panel"]) == "from_pretrained":  # about the layer, not about the row
        sections.panel(given, name)
        return
    sections.three_ways(given)
    if name == "matrix":  # with one row there is no more to see
        return
    sections.panel(given, name)
    with st.expander("The same sum by every route", expanded=unfolded):
        sections.routes(given)


def _training() -> None:
    from embviz.ui.pages.training.lessons import LESSONS

    chosen = settings()
    LESSONS[chosen["lesson"]].draw(read_inputs(chosen))


def _timing(chosen: Mapping[str, Any]) -> None:
    from embviz.ui.pages.timing import measuring, sweeps

    change(chosen)  # in each run, because the timing page may have changed them
    try:
        cases = measuring.chosen_cases()
        st.caption(literal(f"{len(cases)} points and controls are measured, on this server."))
    except ValueError as error:
        refuse(error)
        cases = []
    before = sweeps.session_sweep().sweep
    if before is not None and {*before.cases} != {*cases}:
        st.info(
            "Below is a sweep with other settings. Press Start for the sweep of this step.",
            icon=":material/info:",
        )
    measuring.watch()
