"""The table of the context tests."""

import string

import pytest

from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Config


@pytest.fixture(scope="session")
def layers() -> TiedLayers:
    """The playground's default table, which no test may change."""
    return tie(Config(string.printable))
