"""Before the server starts: invalid limits are refused, unsafe settings named."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit import config

from embviz.core import bounds
from embviz.server import preflight

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Streamlit's options as the shipped file and Streamlit's own defaults have them; to change."""
    file = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    options = {name: one.default_val for name, one in config._config_options_template.items()}
    for section, values in file.items():
        if section != "theme":
            own = {f"{section}.{name}": value for name, value in values.items()}
            assert own.keys() <= options.keys()
            options |= own
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    monkeypatch.setattr(config, "set_option", options.__setitem__)
    monkeypatch.setattr(config, "get_where_defined", lambda _: "/app/.streamlit/config.toml")
    return options


@pytest.mark.parametrize("bound", bounds.BOUNDS, ids=lambda bound: bound.name)
@pytest.mark.parametrize("where", ["0", "1"])
def test_an_invalid_limit_ends_the_process(
    bound: bounds.Bound, where: str, hosted: pytest.MonkeyPatch
) -> None:
    """Each variable is checked at the start, hosted or not; the sentence quotes what was given."""
    hosted.setenv("EMBVIZ_HOSTED", where)
    preflight.refuse_invalid_limits()
    hosted.setenv(bound.variable, "many")
    with pytest.raises(SystemExit, match=f"^embviz does not start: {bound.variable}='many' is not"):
        preflight.refuse_invalid_limits()


def test_the_shipped_settings_are_safe_but_for_the_host_name(
    hosted: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """A host has to set its name and nothing else."""
    preflight.lower_upload_size()
    assert shipped["server.maxUploadSize"] == 10
    (only,) = preflight.warnings()
    assert only.startswith("server.allowedHosts is []: ")
    shipped["server.allowedHosts"] = ["embviz.example.org"]
    assert preflight.warnings() == []


UNSAFE = {
    "client.showErrorDetails": "full",
    "client.toolbarMode": "developer",
    "server.enableCORS": False,
    "server.enableXsrfProtection": False,
    "server.corsAllowedOrigins": ["*"],
    "server.maxMessageSize": 200,
    "server.maxUploadSize": 11,
    "server.enableStaticServing": True,
    "server.enableAgentApi": True,
    "server.unsafeMetricsUserAttributes": ["email"],
    "global.developmentMode": True,
}


@pytest.mark.parametrize("name", UNSAFE)
def test_each_unsafe_setting_has_a_line(
    name: str,
    hosted: pytest.MonkeyPatch,
    shipped: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A hosted server names each unsafe setting on stderr; one that is not hosted names none."""
    shipped |= {"server.allowedHosts": ["a.org"], "server.maxUploadSize": 10, name: UNSAFE[name]}
    preflight.warn()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"embviz, not safe to host: {name} is {UNSAFE[name]!r}: ")
    hosted.delenv("EMBVIZ_HOSTED")
    preflight.warn()
    assert capsys.readouterr().err == ""


def test_an_explicit_upload_size_is_kept_and_named(
    hosted: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """A host's own option stays as it is, and its danger is named."""
    hosted.setattr(config, "get_where_defined", lambda _: "command-line argument or environment")
    preflight.lower_upload_size()
    assert shipped["server.maxUploadSize"] == 50
    assert any(one.startswith("server.maxUploadSize is 50: ") for one in preflight.warnings())
