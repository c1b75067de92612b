"""The server's entry, `streamlit run app.py`: what happens once per process.

A rerun that imports PyTorch itself shows a blank page for two seconds. So a thread imports
everything heavy once, while the first browser loads Streamlit and draws the frame of the page.
"""

import asyncio
import importlib
import pkgutil
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, chdir, suppress
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

import embviz
import pages
from embviz.classes import routes as class_routes
from embviz.hosting import capacity, connections, headers, preflight, uploads
from embviz.hosting.gate import Gate
from embviz.live import route as live
from embviz.server import addresses, assets, incoming, log, memory, shutdown, sockets, start
from embviz.server.sessions import sessions
from embviz.system import child
from embviz.system.bounds import classes_on, hosted
from embviz.system.machine import most_threads
from embviz.text.refused import Refused
from embviz.ui.elements.failure import show_failure

# Python's own 5 ms would keep the event loop waiting: with three reruns under way, each of an
# answer's three changes of thread takes up to 15 ms (median 200 to 650 ms instead of 40 to 75).
SWITCH_S = 0.001
# Modules that the shell, the playground's picture and its first key need.
FIRST = (
    "embviz.ui.frame.text_field",
    "embviz.ui.frame.sidebar",
    "pages.playground",
    "embviz.live.answer",
)
HERE = Path(__file__).resolve().parent
# The module that has the sweeps, once it is imported: at the end nothing is imported any more.
MEASURING = "embviz.timing.page.measuring"


def first_page() -> None:
    """Import PyTorch, and all that the first page needs."""
    import torch

    # Each session's thread would start threads of its own, and they would compete for the cores.
    torch.set_num_threads(max(1, most_threads()[0] // 2))
    # A variable of NVIDIA's can allow TF32 for the whole process, in which all sessions compute.
    torch.set_float32_matmul_precision("highest")
    for name in FIRST:
        importlib.import_module(name)


def import_pages() -> None:
    """Import all that pages draw with, each folder `page`, and the parts of the route `live`."""
    importlib.import_module("embviz.live.parts")
    for package in (embviz, pages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if package is pages or ".page." in module.name:
                importlib.import_module(module.name)


def other_pages() -> None:
    """Import all pages and what they load on first use."""
    import torch

    import_pages()
    torch.optim.SGD([torch.zeros(1)])  # the first optimizer imports PyTorch's compiler
    from embviz.fact import tokenizers

    tokenizers.bpe()  # the first imports its library
    from embviz.limits.page.browse import proofs_of_list

    proofs_of_list()  # kept for all sessions: else the first visitors wait a second for them
    from embviz.timing.page import page as timing

    timing.prepare()
    from embviz.classes.here import here

    if classes_on():
        with suppress(Refused):  # no folder: the page of classes says so
            here()  # deletes the classes whose time is over
    if hosted():
        from embviz.limits import cases, own_process

        for case in cases.CASES:
            if case.own_process:
                own_process.begin(case)  # before a sweep: a small host has no memory for both
    memory.watch()
    log.keep_short()


def end_children() -> None:
    """Stop the sweeps; end processes that measure or run cases."""
    page = sys.modules.get(MEASURING)
    if (engine := getattr(page, "ENGINE", None)) is not None:  # the import may be under way
        engine.close()
    child.end_children()


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Prepare the server; end child processes when it stops."""
    log.keep_short()
    preflight.warn()
    capacity.warn()
    shutdown.end_in_time(end_children)
    sockets.send_at_once()
    # A task that nobody names ends.
    watching = asyncio.create_task(connections.watch(connections.guard_all()))
    ending = asyncio.create_task(sessions.watch())
    sys.setswitchinterval(SWITCH_S)
    start.begin(first_page, other_pages)
    if not hosted():
        threading.Thread(target=incoming.learn_names, name="embviz-names", daemon=True).start()
    yield
    ending.cancel()
    watching.cancel()
    start.progress.ends = True
    end_children()


with chdir(HERE):  # `uvicorn --app-dir` starts elsewhere, and Streamlit reads its options once
    st.get_option("server.port")
preflight.refuse_invalid_variables()
app = st.App(
    HERE / "embviz/ui/frame/shell.py",
    lifespan=lifespan,
    on_script_error=show_failure,
    routes=[
        *start.routes(),
        *live.routes(),
        *assets.routes(),
        *class_routes.routes(),
    ],
    middleware=[
        Middleware(headers.Safe),
        Middleware(Gate),
        Middleware(uploads.Bounded),
        Middleware(addresses.Unknown),
    ],
)
