"""The table of the context tests."""

import string

import pytest

from embviz.core.config import Config
from embviz.core.layers import TiedLayers, tie


@pytest.fixture(scope="session")
def layers() -> TiedLayers:
    """The playground's default table, which no test may change."""
    return tie(Config(string.printable))
