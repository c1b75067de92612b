"""Values on their way from the child: as JSON, and back with the very same bits.

A tensor travels as its bytes, for a decimal number could lose the sign of a zero, a NaN's bits or
a subnormal. An error travels as its class and text; a class that is not built in comes back as
`RuntimeError`. Nothing that arrives is executed.
"""

from __future__ import annotations

import base64
import builtins
from typing import Any

import torch

from embviz.limits.case import Value


def pack(value: Value) -> dict[str, Any]:
    """A value as something that JSON can hold.

    >>> pack(True)
    {'plain': True}
    """
    if isinstance(value, Exception):
        return {"error": type(value).__name__, "text": str(value)}
    if not isinstance(value, torch.Tensor):
        return {"plain": value}
    flat = value.detach().cpu().contiguous().flatten()
    data = bytes(flat.view(torch.uint8).tolist())
    dtype = str(value.dtype).removeprefix("torch.")
    return {"dtype": dtype, "shape": list(value.shape), "bytes": base64.b64encode(data).decode()}


def unpack(packed: dict[str, Any]) -> Value:
    """The value that `pack` was given.

    >>> unpack(pack(torch.tensor([-0.0])))
    tensor([-0.])
    """
    if "error" in packed:
        kind = getattr(builtins, packed["error"], None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind(packed["text"])
        return RuntimeError(packed["text"])
    if "dtype" not in packed:
        plain: str | bool | int | float = packed["plain"]
        return plain
    dtype = getattr(torch, packed["dtype"])
    assert isinstance(dtype, torch.dtype)
    data = list(base64.b64decode(packed["bytes"]))
    return torch.tensor(data, dtype=torch.uint8).view(dtype).reshape(packed["shape"])
