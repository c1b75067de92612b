"""The store of this server, and the hourly look for classes that are too old."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from embviz.classes.room import ClassError, StoreError
from embviz.classes.store import Store
from embviz.system.bounds import classes_on
from embviz.system.data_folder import data_folder

FILE = "votes.sqlite3"
HOUR_S = 3600.0


def here() -> Store:
    """The store of this server.

    Raises:
        ClassError: classes are off.
    """
    if not classes_on():
        raise ClassError("This server has no classes. You can work alone.")
    return _store(data_folder())


@cache
def _store(folder: Path) -> Store:
    store = Store(folder / FILE)
    threading.Thread(target=_forget, args=(store,), name="embviz-classes", daemon=True).start()
    return store


def _forget(store: Store) -> None:
    while True:
        with suppress(StoreError):  # it is tried again in an hour
            store.forget_old()
        time.sleep(HOUR_S)
