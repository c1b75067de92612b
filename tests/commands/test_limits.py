import re
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from embviz.commands.limits import as_json as rows_of
from embviz.commands.limits import as_markdown
from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove
from tests.commands import as_json, call
from tests.limits.test_outcome import proofs


def test_limits_proves_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    """One command checks every claim on the installed PyTorch."""
    found = as_json(capsys, "limits")
    assert [one["name"] for one in found] == [one.name for one in CASES]
    assert [one["name"] for one in found if one["holds"] is False] == []


def test_limits_exits_with_1_if_a_claim_is_refuted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refuted claim is marked on stdout, named on stderr and gives exit code 1."""

    def changed(one: Case) -> Proof:
        return prove(replace(one, expected="same") if one.name == "minus-zero" else one)

    monkeypatch.setattr("embviz.limits.prove.prove", changed)
    code, out, err = call(capsys, "limits")
    assert code == 1
    assert "NO      Weights    minus-zero" in out
    assert err == "embviz: no longer so on this PyTorch: minus-zero.\n"


def test_limits_exits_with_1_if_its_child_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A child process that fails proves nothing, and the command says so."""
    program = tmp_path / "child"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    code, out, err = call(capsys, "limits")
    assert (code, out) == (1, "")
    assert err == "embviz: its own process ended with exit code 3: no message.\n"


def test_the_fields_of_a_proof() -> None:
    """`as_json` gives verdicts and details, and None for a case that was not run."""
    found = rows_of(proofs())
    assert [case["name"] for case in found] == [proof.case.name for proof in proofs()]
    assert [case["same"] for case in found] == [False, False, True, None]
    assert [case["holds"] for case in found] == [True, True, True, None]
    assert found[1]["detail"] == "1 of 12 values differs in the sign of zero alone"
    assert found[3]["detail"] == "not run: no AMX"
    assert set(found[0]) >= {"group", "claim", "verdict", "fix_verdict", "expected", "ms", "source"}


def test_a_bar_in_a_claim_keeps_the_columns() -> None:
    """The Markdown table has a row for each case; a bar in a claim is escaped."""
    case = replace(case_named("minus-zero"), claim="a | b")
    table = as_markdown([prove(case), *proofs()])
    rows = table.splitlines()
    assert len(rows) == 2 + 1 + len(proofs())
    assert "| a \\| b |" in rows[2]
    columns = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert len(columns) == 1
    assert "| not run |" in rows[-1]
