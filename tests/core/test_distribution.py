"""Moments, histogram and promised densities, against torch and against their integrals."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import Config
from embviz.core.distribution import SLICE, measure
from embviz.core.inits import INITS
from embviz.core.layers import tie


@pytest.mark.parametrize("init", [name for name, one in INITS.items() if one.draw])
def test_each_start_keeps_its_promise(init: str) -> None:
    """Each init has the promised moments, and its density has an area of 1."""
    config = Config("", 400, 300, init=init)
    found, promise = tie(config).distribution, INITS[init].promise
    assert promise is not None
    promised = promise(400, 300)
    assert found.mean == pytest.approx(promised.mean, abs=4 * promised.std / 300)
    assert found.std == pytest.approx(promised.std, rel=0.02)
    assert (promised.density is None) is (init == "integers")
    if promised.density is not None:
        x = np.linspace(-8 * promised.std, 8 * promised.std + 1, 400_001)
        assert np.trapezoid(promised.density(x), x) == pytest.approx(1, abs=1e-3)


@given(st.lists(st.floats(-(2.0**99), 2.0**99, width=32), min_size=1, max_size=40))
@settings(deadline=None)
def test_every_number_is_counted(values: list[float]) -> None:
    """The histogram counts every number, also the smallest and the largest."""
    found = measure(torch.tensor(values, dtype=torch.float32))
    assert found.counts.sum() == len(values)
    assert (found.low, found.high) == (min(values), max(values))
    assert found.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-9)
    assert found.std == pytest.approx(np.std(values), rel=1e-9, abs=1e-9)


def test_slices_are_added_up() -> None:
    """A tensor larger than one slice is counted whole."""
    values = torch.arange(SLICE + 10, dtype=torch.float32)
    found = measure(values)
    assert found.counts.sum() == SLICE + 10
    assert found.mean == pytest.approx(float(values.double().mean()))


def test_constant_table() -> None:
    """A constant table has a std of 0 and a finite density."""
    found = measure(torch.full((3, 3), 2.5))
    assert (found.mean, found.std) == (2.5, 0.0)
    assert np.isfinite(found.density).all()
