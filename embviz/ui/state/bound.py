"""The values of a session's widgets, bounded in bytes: a forged message may hold anything.

Streamlit keeps what a browser sends for each widget as long as the page has the widget. A message
is bounded, but many messages can fill one widget after another.
"""

from __future__ import annotations

import sys
from typing import Any

import streamlit as st

from embviz.system.bounds import WIDGETS
from embviz.ui.state.session import KEY, session

SMALL = 10_000  # bytes of a value that is never forgotten


def bound_widgets() -> None:
    """Forget the largest values of widgets while all together are over the limit.

    A forgotten widget is drawn as one that nobody has used. Its field in the browser keeps what is
    typed, because Streamlit writes a value into a field only if Python has set one.
    """
    most = WIDGETS.value()
    try:
        values = st.session_state.to_dict()
    except Exception:  # a forged value that its widget cannot have; the widget says so where it is
        return
    values.pop(KEY, None)  # It has limits of its own.
    session().forgotten = forgotten = set[str]()
    sizes = {name: size(value, most) for name, value in values.items()}
    sizes = {name: count for name, count in sizes.items() if count > SMALL}
    total = sum(sizes.values())
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if total <= most:
            return
        total -= sizes[name]
        forgotten.add(name)
        del st.session_state[name]


def size(value: Any, most: int) -> int:
    """Bytes of a text, of a number, or of JSON; over `most` it counts no further."""
    total, rest = 0, [value]
    while rest and total <= most:
        part = rest.pop()
        total += sys.getsizeof(part)
        if isinstance(part, dict):
            rest += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple | set):
            rest += part
    return total
