"""Garbage collection: off while modules are imported, and never over the imported modules.

A full collection walks every object while it holds the GIL. With PyTorch loaded that takes 70 to
110 ms, during which no session is served. Frozen objects are not walked. `config.toml` turns off
the collection that Streamlit starts after every rerun (`runner.postScriptGC`): Python's own
automatic collection is on and collects what closed sessions leave behind.
"""

from __future__ import annotations

import gc


def postpone() -> None:
    """Collect nothing until `freeze`: collections take a fifth of the time of an import."""
    gc.disable()


def freeze() -> None:
    """Collect once, then leave every object that exists now out of all later collections."""
    gc.collect()
    gc.freeze()
    # Python postpones a full collection until the new objects are a quarter of those that the last
    # one left. The frozen ones count unless another collection follows.
    gc.collect()
    gc.enable()
