"""The limits that hosting changes: in the table, in force, in the sentences, in the README."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from embviz.core import bounds
from embviz.core.bounds import BOUNDS, Bound, BoundError
from embviz.core.config import Config, check_work_bytes
from embviz.core.ids import parse_ids

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits."""
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    for bound in BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.variable)
def test_a_limit_is_its_default_or_its_variable(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit is its local or hosted default, unless its variable is set."""
    assert bound.value() == bound.local
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert bound.value() == bound.hosted <= bound.local
    monkeypatch.setenv(bound.variable, "7")
    assert bound.value() == 7


@pytest.mark.parametrize("raw", ["", "0", "-5", "1e3", "٣", "9" * 10])
def test_a_variable_that_is_no_limit_is_quoted(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is not a whole number is refused with its name and value."""
    monkeypatch.setenv(bounds.STEPS.variable, raw)
    with pytest.raises(BoundError) as refused:
        bounds.STEPS.value()
    assert str(refused.value) == (
        f"EMBVIZ_MAX_STEPS={raw!r} is not a whole number, such as 100000."
    )


def test_the_hosting_document_has_every_limit_as_it_is() -> None:
    """The table for hosts states the limits in force."""
    lines = (ROOT / "embviz" / "server" / "README.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "`EMBVIZ_" in line]
    rows = [line for line in rows if line.count(" | ") == 3]

    def shown(bound: Bound, value: int) -> str:
        return f"{value:,} {bound.unit}".strip()

    assert rows == [
        f"| {one.words} | {shown(one, one.local)} | {shown(one, one.hosted)} | `{one.variable}` |"
        for one in BOUNDS
    ]
    elsewhere = (ROOT / "README.md").read_text("utf-8")
    assert [one.variable for one in BOUNDS if one.variable in elsewhere] == []


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: check_work_bytes(Config(""), 10_001), "10,001 tokens"),
        (lambda: parse_ids("0 " * 10_001, 1), "10,001 ids"),
        (lambda: Config("", 10_000, 900), "EMBVIZ_TABLE_BUDGET_MIB"),
        (lambda: check_work_bytes(Config("", 100, 1000), 9_000), "budget of 64.0"),
    ],
)
def test_a_request_over_a_hosted_limit_is_refused(
    ask: Callable[[], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request over a hosted limit is refused, and allowed on one's own machine."""
    ask()
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    with pytest.raises(ValueError, match=words):
        ask()
