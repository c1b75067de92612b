import numpy as np
import pytest

from embviz.bag.checks import MatrixError, check_size, max_unpacked_bytes


def test_hosting_bounds_the_stored_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells over a hosted limit are refused."""
    cells = np.broadcast_to(np.ones(1), 1_000_001)
    check_size(cells)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert max_unpacked_bytes() == 24_000_008
    with pytest.raises(MatrixError, match="1,000,001 stored values are more than the 1,000,000"):
        check_size(cells)
