"""The server's entry: `streamlit run app.py`. What happens once per process.

Streamlit collects garbage after every rerun; with PyTorch loaded that takes
70 to 110 ms during which no session is served. So everything heavy is
imported here, once, and then frozen out of the collector's sight. That happens
in a thread, while the first visitor's browser is still loading Streamlit; a
script that comes sooner waits for the import it needs.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from embviz.core.bounds import hosted
from embviz.server import eager, health, kernels, memory, preflight, shutdown
from embviz.server.admission import Crowd
from embviz.server.guard import Guard, keep_few_sessions
from embviz.ui.frame.failure import show_failure

# pandas and plotly can wait until the first visitor has seen the first screen.
PANELS_AFTER_S = 4


def warm_up() -> None:
    """Import what the first screen needs, then what the panels need; freeze both."""
    gc.disable()  # collecting between imports would only delay the first screen
    kernels.keep_few()
    import torch

    # Each session's thread would start a team of its own, and they would fight for the cores.
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
    eager.leave_compiler_out()

    gc.freeze()
    gc.enable()
    time.sleep(PANELS_AFTER_S)

    torch.optim.SGD([torch.zeros(1)])  # the first one in a process takes longer

    if hosted():
        from embviz.server import log

        log.start()
        keep_few_sessions()
    memory.thaw()  # one thorough collection, now that nobody waits for it
    health.warm.set()
    if hosted():
        from embviz.limits import isolated

        isolated.begin()  # the small host has no room for it beside a sweep
    from embviz.training.text import library_text

    library_text()  # kept: whoever learns from it first would wait for a second in a full class
    memory.keep_freezing()


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Warm up beside the server's own start; at the end, let no process stay behind."""
    memory.waste_less()
    preflight.lower()
    preflight.check()
    shutdown.bound_goodbyes()
    threading.Thread(target=warm_up, name="embviz-warm-up", daemon=True).start()
    yield
    shutdown.leave_for_good()
    if (sweeps := sys.modules.get("embviz.ui.pages.timing.sweeps")) is not None:
        sweeps.engine().close()
    if (child := sys.modules.get("embviz.core.child")) is not None:
        child.end_children()


app = st.App(
    "embviz/ui/frame/shell.py",
    lifespan=lifespan,
    on_script_error=show_failure,
    routes=health.ROUTES,
    middleware=[Middleware(Crowd), Middleware(Guard)],
)
