"""The server's entry: `streamlit run app.py`. What happens once per process.

Streamlit collects garbage after every rerun; with PyTorch loaded that takes
70 to 110 ms during which no session is served. So everything heavy is
imported here, once, and then frozen out of the collector's sight.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from embviz.ui.failure import show_failure


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Import what the pages import, before the first visitor waits for it."""
    import embviz.routes
    import embviz.ui.controls
    import embviz.ui.panels
    import embviz.ui.stage  # noqa: F401

    gc.collect()
    gc.freeze()
    yield


app = st.App("embviz/ui/shell.py", lifespan=lifespan, on_script_error=show_failure)
