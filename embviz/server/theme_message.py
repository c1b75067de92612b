"""The theme in Streamlit's message about a new run: built once, not for each run.

Streamlit reads all its options six times to send the same theme with every run. That was a fifth of
the processor time of a class's reruns. The theme changes only with the configuration file. A
version of Streamlit without this function sends the message as it did before.
"""

from __future__ import annotations

from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session


def keep() -> None:
    """Let Streamlit copy the theme that it built for the first run."""
    build = getattr(app_session, "_populate_theme_msg", None)
    if build is None:
        return
    kept: dict[str, CustomThemeConfig] = {}

    def populate(msg: CustomThemeConfig, section: str = "theme") -> None:
        if (built := kept.get(section)) is None:
            built = kept[section] = CustomThemeConfig()
            build(built, section)
        if built.ByteSize():  # a merge of nothing would send an empty section
            msg.MergeFrom(built)

    app_session._populate_theme_msg = populate
    config.on_config_parsed(kept.clear, force_connect=True)
