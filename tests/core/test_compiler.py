import sys

import pytest

from embviz.core import compiler


def test_what_the_compiler_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host, a missing compiler and a missing header are each a reason; else there is none."""
    monkeypatch.setenv("CXX", sys.executable)
    monkeypatch.setattr("sysconfig.get_path", lambda _: "/nowhere")
    assert compiler.why_none() == compiler.NO_HEADERS
    monkeypatch.setattr("pathlib.Path.exists", lambda _: True)
    assert compiler.why_none() == ""
    monkeypatch.setenv("CXX", "/nowhere/c++")
    assert compiler.why_none() == compiler.NO_COMPILER
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert compiler.why_none() == compiler.NO_MEMORY
