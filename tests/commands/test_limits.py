import re
from dataclasses import replace

import pytest

from embviz.commands.limits import as_json as rows_of
from embviz.commands.limits import as_markdown
from embviz.limits import isolated
from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove
from tests.commands import as_json, call, refusal
from tests.limits.test_outcome import proofs


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler takes long; a test of `isolated` proves its case."""
    monkeypatch.delitem(isolated._results, "compiler", raising=False)
    monkeypatch.setenv("CXX", "/nowhere/c++")


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
    (compiled,) = (one for one in found if one["name"] == "torch-compile")
    assert (compiled["holds"], compiled["detail"]) == (None, "not run: no C++ compiler")


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


def test_the_fields_of_a_proof() -> None:
    """`as_json` gives verdicts and details, and None for a case that was not run."""
    found = rows_of(proofs())
    assert [case["name"] for case in found] == [proof.case.name for proof in proofs()]
    assert [case["same"] for case in found] == [False, False, True, False, None]
    assert [case["holds"] for case in found] == [True, True, True, True, None]
    assert [case["emulated"] for case in found] == [False, False, False, True, False]
    assert found[1]["detail"] == "1 of 12 values differs in the sign of zero alone"
    assert found[4]["detail"] == "not run: no CUDA device"
    assert set(found[0]) >= {"group", "claim", "verdict", "fix_verdict", "expected", "ms", "source"}


def test_a_bar_in_a_claim_keeps_the_columns() -> None:
    """A bar in a claim is escaped, so each row has the same columns."""
    case = replace(case_named("minus-zero"), claim="a | b")
    table = as_markdown([prove(case), *proofs()])
    rows = table.splitlines()
    assert len(rows) == 2 + 1 + len(proofs())
    assert "| a \\| b |" in rows[2]
    columns = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert len(columns) == 1
    assert "| not run |" in rows[-1]
