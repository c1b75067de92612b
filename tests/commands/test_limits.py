import re
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from embviz.commands.limits import as_markdown, as_rows
from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.prove import Proof, prove
from tests.commands import as_json, call


def test_limits_proves_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    """One command checks every claim on the installed PyTorch."""
    found = as_json(capsys, "limits")
    assert [one["name"] for one in found] == [one.name for one in CASES]
    assert [one["name"] for one in found if one["holds"] is False] == []
    assert sum(one["holds"] is True for one in found) > 40
    assert set(found[0]) >= {"group", "title", "claim", "told", "fixed", "ms", "source"}


def test_limits_exits_with_1_if_a_claim_is_refuted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refuted claim is marked on stdout, named on stderr and gives exit code 1."""

    def changed(one: Case) -> Proof:
        return prove(replace(one, differ=2) if one.name == "minus-zero" else one)

    monkeypatch.setattr("embviz.limits.prove.prove", changed)
    code, out, err = call(capsys, "limits")
    assert code == 1
    assert re.search(r"^NO +Weights +minus-zero +1 of 12 values differs", out, re.M)
    assert err == "embviz: no longer so on this PyTorch: minus-zero.\n"


def test_limits_exits_with_1_if_a_process_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A case whose own process failed is named with the reason; the others are printed."""
    program = tmp_path / "child"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    failing = replace(case_named("medium-precision-on-a-cpu"), lacks=lambda: "")
    monkeypatch.setattr("embviz.limits.cases.CASES", (case_named("bias"), failing))
    code, out, err = call(capsys, "limits")
    assert code == 1
    assert out.startswith("yes ")
    assert "ended with exit code 3" in err
    assert err.startswith("embviz: failed: medium-precision-on-a-cpu (")


def test_a_case_that_cannot_run_here_is_no_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told as not run, with the reason, and the exit code is 0."""
    lacking = replace(case_named("bias"), lacks=lambda: "no GPU")
    monkeypatch.setattr("embviz.limits.cases.CASES", (case_named("minus-zero"), lacking))
    code, out, err = call(capsys, "limits")
    assert (code, err) == (0, "")
    assert re.search(r"^not run +Weights +bias +Cannot run here: no GPU\.", out, re.M)


def test_a_bar_in_a_claim_keeps_the_columns() -> None:
    """The Markdown table has a row for each case; a bar in a claim is escaped."""
    proof = prove(case_named("minus-zero"))
    row = as_rows([proof])[0]
    assert row["ms"] == pytest.approx(proof.seconds * 1000, abs=0.001)
    rows = as_markdown([{**row, "claim": "a | b"}]).splitlines()
    assert len(rows) == 3
    assert "| a \\| b |" in rows[2]
    assert len({len(re.findall(r"(?<!\\)\|", one)) for one in rows}) == 1
