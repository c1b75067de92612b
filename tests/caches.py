"""How many bytes an object holds, with all that it refers to."""

import gc
import sys
import types
from typing import Any

import numpy as np
import torch

TENSOR_BYTES = 500  # bytes of a tensor beside its numbers and its Python object
# What all objects share, or what the program itself is.
PROGRAM = (
    *(type, types.ModuleType, types.BuiltinFunctionType, types.CodeType, types.FrameType),
    *(torch.dtype, torch.device, torch.Generator),
)


def held(*roots: Any) -> int:
    """Bytes of all objects that these hold, and of their numbers; what is shared counts once."""
    seen, stack, total = dict[int, Any](), [*roots], 0
    while stack:
        thing = stack.pop()
        if isinstance(thing, PROGRAM) or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if isinstance(thing, types.FunctionType):
            stack += thing.__closure__ or ()
            continue
        total += sys.getsizeof(thing)
        if isinstance(thing, torch.Tensor):
            storage = thing.untyped_storage()
            total += TENSOR_BYTES
            if storage.data_ptr() not in seen:
                seen[storage.data_ptr()] = storage
                total += storage.nbytes()
        elif isinstance(thing, np.ndarray):
            stack.append(thing.base)
        stack += gc.get_referents(thing)
    return total
