"""The route that says whether visitors may come."""

import pytest

from embviz.server import health
from tests.server.alone import run


def test_ready_follows_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """`/ready` answers 503 before the imports are done and 200 after, and is never cached."""
    monkeypatch.setattr(health, "warm", type(health.warm)())
    before = run(health.ready(None))  # type: ignore[arg-type]
    health.warm.set()
    after = run(health.ready(None))  # type: ignore[arg-type]
    assert (before.status_code, before.body) == (503, b'{"ready":false}')
    assert (after.status_code, after.body) == (200, b'{"ready":true}')
    assert after.headers["cache-control"] == "no-store"
