"""Preloaded by a Dask worker of the tests: its measuring process is `fake_worker`.

FAKE_ROOT names the folder of that process; without it nothing changes.
"""

import os
import sys
from pathlib import Path

if "FAKE_ROOT" in os.environ:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from embviz.core import child

    child.ROOT = Path(os.environ["FAKE_ROOT"])
