"""Parts of other pages inside a lab, with the settings of the step.

Each part is drawn by its own page's code, with the lab's settings in place of the user's. The
buttons of the timing page act in a later run, so its settings are changed for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from embviz.request.inputs import read_inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import change, settings, state, temporary_settings

PAGES = {
    "playground": "playground",
    "bag": "bag_of_words",
    "training": "training",
    "timing": "timing",
}
NARROW = ("playground",)  # fits beside the question; charts and tables need the width below it


def draw(part: str, chosen: Mapping[str, Any]) -> None:
    """Draw a part.

    Args:
        part: a key of `PAGES`.
        chosen: URL parameters of that page.
    """
    if part == "timing":
        _timing(chosen)
    else:
        # The lab's numbers must not depend on the settings of the user's other pages.
        defaults = {name: value for name, value in DEFAULTS.items() if name != "threads"}
        with temporary_settings(defaults | dict(chosen)):
            {"playground": _playground, "bag": _bag, "training": _training}[part]()
    link(part, chosen)


def link(
    part: str, chosen: Mapping[str, Any], label: str = "Open it on its own page, to try more"
) -> None:
    """A link to the part on its own page, in a new tab, so that the lab stays open."""
    page = state()["pages"].get(PAGES[part])
    if page is None:  # a copy may lack a page
        return
    query = {name: _plain(value) for name, value in chosen.items() if value != DEFAULTS[name]}
    st.link_button(
        label,
        f"./{page.url_path}?{urlencode(query, doseq=True)}",
        type="tertiary",
        icon=":material/open_in_new:",
    )


def _plain(value: Any) -> Any:
    return list(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _playground() -> None:
    from embviz.server.tables import run_both_cached
    from embviz.ui.stage import stage

    given = read_inputs(settings())
    stage(run_both_cached(given), given)


def _bag() -> None:
    from embviz.bag import pretrained
    from embviz.core.weights import parse_weights
    from embviz.ui.parts.facts import show_facts

    facts = pretrained.facts(parse_weights(settings()["linear"]).float())
    show_facts(one for one in facts if "freeze" in one.title)


def _training() -> None:
    from embviz.ui.pages.training.lessons import LESSONS

    chosen = settings()
    LESSONS[chosen["lesson"]].draw(read_inputs(chosen))


def _timing(chosen: Mapping[str, Any]) -> None:
    from embviz.ui.pages.timing import machines, measuring, sweeps

    change(chosen)  # in each run, because the timing page may have changed them
    try:
        cases = measuring.chosen_cases()
        st.caption(
            literal(f"{len(cases)} points and controls are measured, on {machines.where()}.")
        )
    except ValueError as error:
        refuse(error)
        cases = []
    before = sweeps.session_sweep().cases
    if before and {*before} != {*cases}:
        st.info(
            "Below is a sweep with other settings. Press Start for the sweep of this step.",
            icon=":material/info:",
        )
    measuring.watch(recorded=False)
