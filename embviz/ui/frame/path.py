"""The link at the end of each page, chapter and lesson to the one that comes next."""

from __future__ import annotations

import streamlit as st

from embviz.request.path import next_stop
from embviz.ui.frame.body import change_all
from embviz.ui.state.session import setting, state


def draw(page: str) -> None:
    """Draw the link after this page; where no next one is on the path, nothing."""
    after = next_stop(page, setting)
    if after is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="next_stop"):
        st.markdown(f"{after.why}:", width="content")
        icon = ":material/play_arrow:"
        if after.page != page:
            link = state()["pages"].get(after.page)
            if link is not None:  # a copy may lack a page
                query = dict(after.settings)
                st.page_link(
                    link, label=after.label, icon=icon, icon_position="right", query_params=query
                )
            return
        st.button(
            after.label,
            key="next_stop_button",
            type="tertiary",
            icon=icon,
            icon_position="right",
            on_click=change_all,
            args=(dict(after.settings),),
        )
