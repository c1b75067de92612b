"""The students whose page of a class is open: where they are, and what was refused.

Visits are kept in memory alone, by the code of the class and the digest of the browser's cookie. A
browser counts once its page was drawn. So a program that would count as several students needs a
session of Streamlit for each of them.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from cachetools import TTLCache

from embviz.classes.room import Room
from embviz.classes.snapshot import student_digest
from embviz.classes.visit import Visit

LESSON_S = 7_200.0  # Seconds after its last question until a browser is forgotten; phones sleep.
REFUSED = 3  # Refused texts of a browser that are kept.
CHARACTERS = 100  # Characters of each that are kept.
OURS = re.compile(r"[\w-]{43}", re.ASCII)  # A cookie as this server gives it.
visitors: TTLCache[tuple[str, bytes], Visit] = TTLCache(2_000, LESSON_S)
lock = threading.Lock()  # Threads of pages and the event loop use it.


def visits(code: str, cookie: str, lab: str, step: int) -> None:
    """Note that the browser with this cookie has the page of a class open, at a step of a lab."""
    if not OURS.fullmatch(cookie):
        return
    key, now = (code, student_digest(code, cookie)), time.monotonic()
    with lock:
        before = visitors.get(key)
        if before and (before.lab, before.step) == (lab, step):
            visitors[key] = replace(before, seen=now)
        else:
            visitors[key] = Visit(now, lab, step, before.kept if before else 0)


def _change(code: str, cookie: str, change: Callable[[Visit], Visit]) -> Visit | None:
    """Change the visit of a browser that is known; return it as it is then."""
    key = code, student_digest(code, cookie)
    with lock:
        if before := visitors.get(key):
            visitors[key] = change(before)
        return visitors.get(key)


def refused(code: str, cookie: str, typed: str) -> None:
    """Note a text that could not be read as an answer to the step where the browser is."""

    def add(visit: Visit) -> Visit:
        return replace(visit, refused=(*visit.refused, typed[:CHARACTERS])[-REFUSED:])

    _change(code, cookie, add)


def kept(code: str, cookie: str) -> None:
    """Count an answer that was kept: the browser's other tabs follow, and nothing is refused."""
    _change(code, cookie, lambda visit: replace(visit, kept=visit.kept + 1, refused=()))


def is_visitor(code: str, cookie: str) -> bool:
    """Whether this browser has had the page of a class open, which may be deleted by now."""
    with lock:
        return (code, student_digest(code, cookie)) in visitors


def visits_of(code: str) -> dict[bytes, Visit]:
    """The visits of a class, by the digest that `Member.browser` has."""
    with lock:
        return {browser: visit for (of_code, browser), visit in visitors.items() if of_code == code}


def version_of(room: Room, cookie: str) -> str:
    """The version of a class for one browser: `12.3`, where 3 of its answers were kept.

    A press of the teacher changes it, and so does an answer from another tab.
    """
    return _text(room.version, _change(room.code, cookie, lambda visit: visit))


def version_asked(code: str, version: int, cookie: str) -> str:
    """The version that `version_of` gives, noted as asked for by the browser's open page."""
    now = time.monotonic()
    return _text(version, _change(code, cookie, lambda visit: replace(visit, seen=now)))


def _text(version: int, visit: Visit | None) -> str:
    return f"{version}.{visit.kept if visit else 0}"
