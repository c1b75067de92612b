"""Tests that need a CUDA GPU: skipped without one, and one at a time with one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from filelock import FileLock

from embviz.system.child import Child


@pytest.fixture(scope="session", autouse=True)
def gpu() -> str:
    """The GPU's name."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU found: tests/gpu runs where PyTorch sees one.")
    return torch.cuda.get_device_name()


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Two measurements at once would time each other; pytest runs two tests at a time."""
    with FileLock(Path(tempfile.gettempdir()) / "embviz-tests-gpu.lock"):
        yield
        torch.cuda.empty_cache()


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    """A measuring process that is ready."""
    made = Child("the measuring process", "embviz.timing.measure.process")
    assert made.receive(120.0) == {"type": "ready"}
    yield made
    made.end()
