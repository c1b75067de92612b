"""Numbers on their way to a browser."""

from base64 import b64encode
from typing import Any

import torch
from numpy.typing import NDArray


def packed(values: torch.Tensor) -> str:
    """The numbers for a browser, `unpacked` there: float64 or float32 in base64."""
    return b64encode(widened(values).tobytes()).decode()


def widened(values: torch.Tensor) -> NDArray[Any]:
    """The values as a numpy array, float64 or exactly widened to float32; numpy has no bfloat16."""
    wide = values if values.dtype == torch.float64 else values.float()
    return wide.cpu().numpy()
