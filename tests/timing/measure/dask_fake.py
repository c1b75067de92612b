"""Preloaded by a Dask worker of the tests: FAKE_ROOT has its measuring process, `fake_worker`.

A file `lossy` there makes it lose messages.
"""

import os
from pathlib import Path
from typing import Any

from distributed import Worker

if "FAKE_ROOT" in os.environ:
    from embviz.system import child

    child.ROOT = Path(os.environ["FAKE_ROOT"])

    def lossy(worker: Any, topic: Any, message: Any, log: Any = Worker.log_event) -> None:
        """Lose the first and the last lines, and others."""
        if message.get("number", 1) % 3 or not Path(child.ROOT, "lossy").exists():
            log(worker, topic, message)

    Worker.log_event = lossy
