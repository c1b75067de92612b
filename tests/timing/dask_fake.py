"""Preloaded by a Dask worker of the tests: FAKE_ROOT has its measuring process, `fake_worker`."""

import os
from pathlib import Path

if "FAKE_ROOT" in os.environ:
    from embviz.core import child

    child.ROOT = Path(os.environ["FAKE_ROOT"])
