"""What `torch.compile` needs here, and what a machine without it is told."""

from pathlib import Path

import pytest

from embviz.limits.cases import case_named
from embviz.limits.cases.compiled import no_compiler
from embviz.limits.own_process import prove_in_own_process


def test_a_machine_without_a_compiler_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The case names a missing C++ compiler or missing headers of Python, and does not run."""
    here = tmp_path / "compiler"
    monkeypatch.setenv("CXX", str(here))
    proof = prove_in_own_process(case_named("compile-negative-ids"))
    assert (proof.holds, proof.problem) == (None, None)
    assert proof.told == (
        f"Cannot run here: torch.compile needs the C++ compiler {here}, which is not here."
    )
    here.touch(0o700)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / name))
    assert no_compiler() == "torch.compile needs Python's header files, which are not here"
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "Python.h").touch()
    assert no_compiler() == ""
