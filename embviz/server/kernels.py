"""oneDNN keeps few of the kernels that it compiles.

On processors that multiply bfloat16 themselves it compiles a kernel for each shape of a product
and keeps 1,024 of them in each of two caches: half a gigabyte, once a class has changed its texts
and sizes often enough. How many it keeps is read from the environment at the first such product.
"""

from __future__ import annotations

import os

# PyTorch's own cache of oneDNN's objects, and oneDNN's.
VARIABLES = ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY")
KEPT = 16
SIDE = 64  # of a product large enough for PyTorch to give it to oneDNN


def keep_few() -> None:
    """Import PyTorch with small caches; to be called before anything else imports it.

    The environment is left as it was, for the measuring process measures PyTorch as it comes.
    """
    own = {name: str(KEPT) for name in VARIABLES if name not in os.environ}
    os.environ.update(own)
    try:
        import torch

        square = torch.ones(SIDE, SIDE, dtype=torch.bfloat16)
        torch.nn.functional.linear(square, square)
    finally:
        for name in own:
            del os.environ[name]
