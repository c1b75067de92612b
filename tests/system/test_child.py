"""The child process that speaks JSON lines: what arrives, how it ends, what its errors say."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from embviz.system.child import Child, ChildError, end_children

Script = Callable[..., Child]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Starts a child that runs a shell script instead of our module, from another folder."""
    monkeypatch.chdir(tmp_path)

    def child(script: str, **variables: str | None) -> Child:
        program = tmp_path / f"child{len([*tmp_path.iterdir()])}"  # one may still be read
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(program))
        return Child("the test's process", "some.module", "command", environment=variables)

    return child


def test_lines_go_both_ways(start: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs where the package is, with its arguments and variables; only objects arrive."""
    monkeypatch.setenv("OTHER", "here")
    child = start(
        'read line; echo nonsense; echo null; echo 3; echo []; echo "\\"a\\"";\n'
        'printf \'\\377\\n\'; echo "{\\"got\\": $line}"; '
        '[ -d embviz ] && echo "{\\"got\\": \\"$* $ONE$OTHER\\"}"; cat',
        ONE="1",
        OTHER=None,
    )
    child.send({"a": [1]})
    assert child.receive(10) == {"got": {"a": [1]}}
    assert child.receive(10) == {"got": "-m some.module command 1"}
    assert child.receive(0) is child.receive(-1) is None
    assert os.getpgid(child.pid) != os.getpgid(0)  # Ctrl+C reaches the parent alone
    child.end()
    assert not psutil.pid_exists(child.pid)


def test_an_end_is_a_sentence(start: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ended child raises the reason on every call, and leaves no process behind."""
    for script, words in [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two. >&2; exit 3", "ended with exit code 3: two"),
        ("printf 'a\\033b' >&2; exit 1", "ended with exit code 1: a\\x1bb"),
        ("exit 0", "ended with exit code 0: no message"),
    ]:
        child = start(script)
        for call, given in [(child.receive, 10), (child.receive, 10), (child.send, 1)]:
            with pytest.raises(ChildError) as raised:
                call(given)
            assert str(raised.value) == f"the test's process {words}"
        child.end()
        child.end()
        assert not psutil.pid_exists(child.pid)  # nor a zombie
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ChildError, match=r"^the child did not start \(.*/nowhere/python"):
        Child("the child", "module")


def test_all_children_end_with_this_process(start: Script) -> None:
    """`end_children` ends every child at once, also one whose answer a thread waits for."""
    children = [start("exec sleep 60") for _ in range(2)]
    threading.Timer(0.2, end_children).start()
    began = time.monotonic()
    for child in children:
        with pytest.raises(ChildError, match="was killed"):
            child.receive(50)
    assert time.monotonic() - began < 30  # half of what the children sleep
    assert not any(psutil.pid_exists(child.pid) for child in children)
