import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.commands import as_json, call


def test_what_fails_what_is_refuted_and_what_cannot_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A failed process and a refuted claim give exit code 1 and their reasons, and no other do."""
    program = tmp_path / "child"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    failing = replace(case_named("medium-precision-on-a-cpu"), lacks=lambda: "")
    refuted = replace(case_named("minus-zero"), differ=2)
    unfixed = replace(
        case_named("rank-of-the-input"), typed="raise ValueError('x')\nassert embedding"
    )
    lacking = replace(case_named("bias"), lacks=lambda: "no GPU")
    proved = case_named("shared-storage")
    for cases, code, words in (
        ((proved, lacking), 0, r"^$"),
        ((proved, refuted), 1, r"^embviz: minus-zero is no longer so on this PyTorch\.$"),
        (
            (unfixed,),
            1,
            r"^embviz: rank-of-the-input is so, but its fix on a layer raises ValueError: x\.$",
        ),
        ((failing,), 1, r"^embviz: medium-precision-on-a-cpu failed: .*exit code 3.*\.$"),
    ):
        monkeypatch.setattr("embviz.limits.cases.CASES", cases)
        found, out, err = call(capsys, "limits")
        assert (found, bool(re.search(words, err.rstrip()))) == (code, True)
        for name, mark in ("minus-zero", "NO"), ("bias", "not run"), ("shared-storage", "yes"):
            assert bool(re.search(f"^{mark} +{name} ", out, re.M)) == (name in out)
    monkeypatch.setattr("embviz.limits.cases.CASES", (proved, lacking))
    holds, lacks = as_json(capsys, "limits")
    assert [holds[one] for one in ("name", "claim", "holds")] == [proved.name, proved.claim, True]
    assert (lacks["holds"], lacks["told"]) == (None, "Cannot run here: no GPU.")


def test_a_search_proves_what_it_finds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The case that is meant comes first, with its reason and its fix; none is exit code 1."""
    case, asked = case_named("out-of-range"), "IndexError: index out of range in self"
    proof = prove(case)
    # A process of its own takes seconds; `test_what_fails` starts one.
    monkeypatch.setattr("embviz.limits.own_process.prove_in_own_process", lambda _: proof)
    code, out, err = call(capsys, "limits", "--find", asked)
    assert (code, err) == (0, "")
    assert out.startswith(f"{case.title} (out-of-range; proved here: yes)")
    for words in (f"Why: {case.why}", f"Fix: {case.fix}", "Each fix is typed after these lines:"):
        assert words in out
    monkeypatch.setattr("embviz.limits.prove.prove", lambda _: proof)
    found = as_json(capsys, "limits", "--find", asked)[0]
    assert found["messages"][0] == case.raises[0]
    assert [found[one] for one in ("title", "why", "fix")] == [case.title, case.why, case.fix]
    exec(found["typed"], {})  # noqa: S102 - it runs as it stands
    out = call(capsys, "limits", "--find", "how large should embedding_dim be")[1]
    assert out.startswith("The nearest in words:\n")
    assert "How large is D?: the page Training\n  No formula tells you" in out
    out = call(capsys, "limits", "--find", "shapes cannot be multiplied (3x3 and 6x3)")[1]
    assert out.startswith("This text has several causes. Cases that list it:\n")
    code, _, err = call(capsys, "limits", "--find", "?!")
    assert (code, err) == (1, "embviz: no case has words like these.\n")
