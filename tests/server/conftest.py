"""Fixtures of the server's tests."""

import pytest

from embviz.system import bounds


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As for strangers, with every limit at its default."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    for bound in bounds.BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)
    return monkeypatch
