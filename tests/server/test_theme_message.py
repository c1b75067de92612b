"""The theme of a new run's message: the same bytes as Streamlit's own, and built once."""

from collections.abc import Callable

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from embviz.server import theme_message

SECTIONS = [
    "theme",
    *(f"theme.{one.value}" for one in config.CustomThemeCategories),
]


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sections that Streamlit builds, from now on."""
    build: Callable[..., None] = app_session._populate_theme_msg
    asked: list[str] = []

    def watched(msg: CustomThemeConfig, section: str = "theme") -> None:
        asked.append(section)
        build(msg, section)

    monkeypatch.setattr(app_session, "_populate_theme_msg", watched)
    return asked


def messages() -> list[tuple[bytes, bool]]:
    """Each section inside a parent: its bytes, and whether the parent has it."""
    made = []
    for section in SECTIONS:
        parent = CustomThemeConfig()
        app_session._populate_theme_msg(parent.light, section)
        made.append((parent.SerializeToString(), parent.HasField("light")))
    return made


def test_kept_theme_is_streamlits(builds: list[str]) -> None:
    """The copy has Streamlit's bytes, at first and later, and is built once a section."""
    own = messages()
    builds.clear()
    theme_message.keep()
    assert messages() == own
    assert messages() == own
    assert builds == SECTIONS


def test_changed_configuration_is_built_anew(builds: list[str]) -> None:
    """A changed configuration file builds the theme anew."""
    theme_message.keep()
    messages()
    builds.clear()
    config._on_config_parsed.send()
    messages()
    assert builds == SECTIONS


def test_streamlit_without_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version without the function is left as it is."""
    monkeypatch.delattr(app_session, "_populate_theme_msg")
    theme_message.keep()
    assert not hasattr(app_session, "_populate_theme_msg")
