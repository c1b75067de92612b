from dataclasses import replace

import pytest

from embviz.limits.case import Case
from embviz.limits.cases import CASES
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove
from tests.commands import as_json, call, refusal

FIELDS = {"name", "group", "claim", "same", "detail", "holds"}


def test_limits_proves_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    """One command checks every claim on the installed PyTorch."""
    found = as_json(capsys, "limits")
    assert [one["name"] for one in found] == [one.name for one in CASES]
    assert all(set(one) >= FIELDS for one in found)
    assert [one["name"] for one in found if one["holds"] is False] == []
    (gpu,) = (one for one in found if one["name"] == "tf32-on-a-gpu")
    if gpu["holds"] is None:
        assert (gpu["same"], gpu["detail"]) == (None, "not run: no CUDA device")


def test_limits_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The Markdown table has a row for each case and the same columns in each row."""
    code, out, err = call(capsys, "limits", "--markdown")
    assert (code, err) == (0, "")
    head, rule, *rows = out.splitlines()
    assert len(rows) == len(CASES)
    bars = {line.replace("\\|", "").count("|") for line in (head, rule, *rows)}
    assert len(bars) == 1


def test_limits_exits_with_1_if_a_claim_is_refuted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refuted claim is marked on stdout, named on stderr and gives exit code 1."""

    def changed(one: Case, **given: object) -> Proof:
        wanted = replace(one, expected="same") if one.name == "minus-zero" else one
        return prove(wanted, **given)

    monkeypatch.setattr("embviz.limits.prove.prove", changed)
    code, out, err = call(capsys, "limits")
    assert code == 1
    assert "REFUTED Weights    minus-zero" in out
    assert err == "embviz: no longer so on this PyTorch: minus-zero.\n"


def test_another_dtype_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A dtype outside the list is refused in one sentence."""
    words = "dtype 'float16' is not one of: float32, float64."
    assert words in refusal(capsys, "limits", "--dtype", "float16")
