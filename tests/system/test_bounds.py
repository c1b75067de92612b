"""Limits: the default, or the variable; and what a public server changes."""

import re
from pathlib import Path

import pytest

from embviz.system import bounds
from embviz.system.bounds import BOUNDS, Bound, Fixed, classes_on
from embviz.text.refused import Refused

HOSTING = Path(__file__).parents[2] / "embviz" / "hosting" / "README.md"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits."""
    for name in ("EMBVIZ_HOSTED", "EMBVIZ_CLASSES", *(bound.variable for bound in BOUNDS)):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.variable)
def test_a_limit_is_its_default_or_its_variable(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit is the one in the hosting document, unless its variable is set."""
    local, hosted = (f"{value:,} {bound.unit}".strip() for value in (bound.local, bound.hosted))
    assert f"| {local} | {hosted} | `{bound.variable}` |" in HOSTING.read_text("utf-8")
    assert bound.value() == bound.local
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert bound.value() == bound.hosted <= bound.local
    monkeypatch.setenv(bound.variable, "999999999")
    assert bound.value() == 999_999_999
    for raw in ("", "0", "-5", "1.5", "٣", "9" * 10):
        monkeypatch.setenv(bound.variable, raw)
        with pytest.raises(Refused, match=re.escape(f"{bound.variable}={raw!r}")):
            bound.value()


def test_what_a_public_server_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody starts a class there, unless its variable says so; limits are smaller."""
    for hosted, classes, on in [("0", None, 1), ("0", "off", 0), ("1", "on", 1), ("1", None, 0)]:
        monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
        monkeypatch.delenv("EMBVIZ_CLASSES", raising=False)
        if classes:
            monkeypatch.setenv("EMBVIZ_CLASSES", classes)
        assert (bounds.hosted(), classes_on()) == (hosted == "1", bool(on))
    monkeypatch.setenv("EMBVIZ_HOSTED", "0")
    assert Fixed(2, 1).value() == 2
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert Fixed(2, 1).value() == 1
