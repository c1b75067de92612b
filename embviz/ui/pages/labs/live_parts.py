"""Parts of other pages inside a lab, with the settings of the step.

Each part is drawn by its own page's code, with the lab's settings in place of the user's. The
buttons of the timing page act in a later run, so its settings are changed for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from embviz.core.refused import Refused
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults, named
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import assign, settings, state, temporary_settings

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
        usual = defaults(name for name in SETTINGS if name != "threads")
        with temporary_settings(usual | dict(chosen)):
            {"playground": _playground, "bag": _bag, "training": _training}[part]()
    link(part, chosen)


def link(
    part: str, chosen: Mapping[str, Any], label: str = "Open it on its own page, to try more"
) -> None:
    """A link to the part on its own page, in a new tab, so that the lab stays open."""
    page = state()["pages"].get(PAGES[part])
    if page is None:  # a copy may lack a page
        return
    parameters = named(chosen, example=False)
    query = {name: SETTINGS[name].written(value) for name, value in parameters.items()}
    st.link_button(
        label,
        f"./{page.url_path}?{urlencode(query, doseq=True)}",
        type="tertiary",
        icon=":material/open_in_new:",
    )


def _playground() -> None:
    from embviz.ui.stage import stage

    stage(settings(), read_inputs(settings()))


def _bag() -> None:
    from embviz.bag import pretrained
    from embviz.ui.parts.facts import show_facts

    show_facts(one for one in pretrained.facts() if "freeze" in one.title)


def _training() -> None:
    from embviz.ui.pages.training.lessons import LESSONS

    chosen = settings()
    lesson = LESSONS[chosen["lesson"]]
    lesson.draw(*([read_inputs(chosen)] if lesson.needs_ids else []))


def _timing(chosen: Mapping[str, Any]) -> None:
    from embviz.ui.pages.timing import page, session

    assign(chosen)  # in each run, because the timing page may have changed them
    try:
        cases, _ = page.chosen_cases()
        st.caption(f"{len(cases)} points are measured.")
    except Refused as error:
        refuse(error)
        cases = []
    before = session.session().cases
    if before and {*before} != {*cases}:
        st.info(
            "Below is a sweep with other settings. Press Start for the sweep of this step.",
            icon=":material/info:",
        )
    page.watch(recorded=False)
