import pytest
import torch
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.cost import Cost
from embviz.core.dtypes import DTYPES
from embviz.core.routes import run_both


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "rows", "dim"), [((1, 25), 100, 10), ((2, 2), 1, 3), ((0,), 7, 2)]
)
def test_the_counts_are_those_of_the_real_tensors(
    shape: tuple[int, ...], rows: int, dim: int, dtype: str
) -> None:
    """Cost agrees with the sizes of the real tensors."""
    ids = torch.zeros(shape, dtype=torch.int64)
    one_hot = F.one_hot(ids, rows).to(DTYPES[dtype].torch)
    cost = run_both(Config("", rows, dim, dtype=dtype), ids).cost
    assert cost == Cost(ids.numel(), rows, dim, DTYPES[dtype].itemsize)
    assert cost.ids_bytes == ids.nbytes
    assert cost.one_hot_bytes == one_hot.nbytes
    assert cost.table_bytes == torch.empty(rows, dim, dtype=one_hot.dtype).nbytes
    assert cost.numbers_read == F.embedding(ids, torch.zeros(rows, dim)).numel()
    assert cost.multiplications == one_hot.numel() * dim
    assert cost.multiplications_by_zero == int((one_hot == 0).sum()) * dim
