"""Whether `torch.compile` can work here: it needs a C++ compiler, Python.h and 0.8 GB of memory.

Nothing is compiled here.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from embviz.core.bounds import hosted

NO_COMPILER = "no C++ compiler"
NO_HEADERS = "no Python.h, which the compiled code includes"
NO_MEMORY = (
    "the compiler takes 0.8 GB of memory, which a hosted server keeps for its sessions; run "
    "embviz on your own machine"
)
# Without them, the compiler starts processes and prepares a header for many later calls.
ENVIRONMENT = {
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
}


def why_none() -> str:
    """Why nothing can be compiled here, without a full stop; empty if it can."""
    if hosted():
        return NO_MEMORY
    default = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    if not shutil.which(os.environ.get("CXX", default)):
        return NO_COMPILER
    return "" if Path(sysconfig.get_path("include"), "Python.h").exists() else NO_HEADERS
