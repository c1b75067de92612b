"""The table of the context tests."""

import pytest

from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Table


@pytest.fixture(scope="session")
def layers() -> TiedLayers:
    """The playground's default table, which no test may change."""
    return tie(Table())
