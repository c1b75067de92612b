import numpy as np
import scipy.sparse
import torch

from embviz.bag.memory import COLUMNS, memory_forecast


def test_the_memory_forecast_is_what_arrays_really_take() -> None:
    """The forecast agrees with the bytes of real arrays."""
    rows = 40
    for dtype, kind in [(torch.float32, np.float32), (torch.float64, np.float64)]:
        for columns in (100, 1000):
            dense = np.zeros((rows, columns), dtype=kind)
            dense[:, :7] = 1
            csr = scipy.sparse.csr_array(dense)
            (found,) = memory_forecast(rows, 7, dtype, (columns,))
            assert found.dense_bytes == dense.nbytes
            assert found.csr_bytes == sum(p.nbytes for p in (csr.data, csr.indices, csr.indptr))
    assert [found.columns for found in memory_forecast(10, 3.5)] == list(COLUMNS)
    assert COLUMNS == (100, 1000, 10_000, 100_000, 1_000_000)
    assert memory_forecast(10, 500)[0].csr_bytes == memory_forecast(10, 100)[0].csr_bytes
    assert memory_forecast(10**6, 3000)[-1].csr_bytes == 3 * 10**9 * 12 + (10**6 + 1) * 8
