"""How many visitors fit the open files that the system allows.

Each session holds three descriptors, each connection one. At the limit a server could accept
nobody, open no file, and would write of it in its log without end. So the limit is raised as far as
the system lets it, and the sessions are as many as fit it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache

from embviz.system.bounds import SESSIONS, hosted

MOST_FILES = 65_536  # descriptors that the limit is raised to, at most
OF_SESSION = 3  # descriptors of a session: Streamlit makes an event loop for each
OF_VISITOR = 3  # connections of a browser at one time: a websocket, and files of the page
CLOSED_SESSIONS = 128  # sessions of lost connections that Streamlit keeps
RESERVED = 150  # descriptors of files, children and databases


@cache
def open_files() -> int:
    """Descriptors that this process may have, after its limit was raised as far as possible."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_FILES
    kind = resource.RLIMIT_NOFILE
    soft, hard = resource.getrlimit(kind)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    for limit in (most, 10_240):  # macOS takes no more than the second
        if soft != resource.RLIM_INFINITY and soft < limit:
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (limit, hard))
                break
    soft, _ = resource.getrlimit(kind)
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def fitting(files: int) -> int:
    """The visitors for whom so many descriptors are enough; at least one."""
    return max(1, (files - RESERVED - CLOSED_SESSIONS * OF_SESSION) // (OF_SESSION + OF_VISITOR))


def most_sessions() -> int:
    """Visitors that are connected at once: `EMBVIZ_MAX_SESSIONS`, or fewer for want of files."""
    return min(SESSIONS.value(), fitting(open_files()))


def most_connections() -> int:
    """Connections that may be open at once; what asks nothing is ended above it."""
    return open_files() - RESERVED - (CLOSED_SESSIONS + most_sessions()) * OF_SESSION


def warn() -> None:
    """Say on stderr where open files allow fewer visitors than were asked for."""
    asked, files = SESSIONS.value() if hosted() else SESSIONS.hosted, open_files()
    if fitting(files) < asked:
        print(
            f"embviz: {files:,} files may be open, enough for {fitting(files):,} visitors at once, "
            f"not {asked:,}. Raise it: `ulimit -Hn`, or LimitNOFILE in a unit of systemd.",
            file=sys.stderr,
        )
