"""Caches that all sessions share: bounded in bytes, because strangers choose what they hold.

Each entry counts its value's bytes and `ENTRY_BYTES`. A key should be short: it is kept too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

from cachetools import LRUCache, cached

P = ParamSpec("P")
R = TypeVar("R")
ENTRY_BYTES = 4_000  # bytes of a short key, and of what Python keeps beside a value


def shared_cache(
    most_bytes: int, size: Callable[[Any], int], key: Callable[..., Hashable]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that keeps a function's results, those used last, up to `most_bytes`.

    One thread makes the result of a key; others that ask for it meanwhile wait. A result that is
    larger than all of the cache is given, and not kept.

    Args:
        most_bytes: of all entries together.
        size: bytes of a result.
        key: as the function's arguments; equal keys have equal results.
    """
    kept = LRUCache[Hashable, Any](most_bytes, lambda result: ENTRY_BYTES + size(result))

    def decorated(make: Callable[P, R]) -> Callable[P, R]:
        return cached(kept, key, condition=threading.Condition())(make)

    return decorated


def digest(*values: object) -> bytes:
    """A short key made of long values, such as texts and settings.

    >>> digest("a", 1) == digest("a", 1) != digest("a1")
    True
    """
    return blake2b(repr(values).encode(), digest_size=16).digest()
