"""The cost of the route `live` for the server: a request of the page is sent again, many times.

Each time its text ends in other letters, so that no cache of results answers. Without a request of
the page there is nothing to send.
"""

from __future__ import annotations

import http.client
import itertools
import json
import statistics
import time
from urllib.parse import urlsplit

from playwright.sync_api import Request

from keys.pages import LETTERS
from keys.servers import TEXT
from tests.load.server import Server

DROPPED = {"content-length", "accept-encoding", "connection", "host"}


def replay(server: Server, request: Request, times: int) -> dict[str, float]:
    """Server's milliseconds of processor time for a request, and the client's wait (median).

    Raises:
        RuntimeError: an answer is no result.
    """
    headers = {k: v for k, v in request.all_headers().items() if k.lower() not in DROPPED}
    headers = {name: value for name, value in headers.items() if not name.startswith(":")}
    asked = json.loads(request.post_data or "{}")
    url = urlsplit(request.url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=30)
    waits = []
    endings = itertools.islice(itertools.product(LETTERS, repeat=5), times)
    settings = asked.setdefault("settings", {})
    text = settings.get("text", TEXT)[:-5]  # a request may leave out what is as by default
    cpu = server.cpu_s()
    for ending in endings:
        settings["text"] = text + "".join(ending)
        begun = time.monotonic()
        connection.request("POST", url.path, json.dumps(asked).encode(), headers)
        answer = connection.getresponse()
        answer.read()
        waits.append(time.monotonic() - begun)
        if answer.status != 200:
            raise RuntimeError(f"the route answers {answer.status}")
    cpu = server.cpu_s() - cpu
    connection.close()
    return {"cpu_ms": 1000 * cpu / len(waits), "wait_ms": 1000 * statistics.median(waits)}


def sizes(requests: list[Request]) -> tuple[float, float]:
    """Medians of the bytes on the network: answers, then requests, with their headers."""
    each = [request.sizes() for request in requests]
    answers = [one["responseHeadersSize"] + one["responseBodySize"] for one in each]
    asked = [one["requestHeadersSize"] + one["requestBodySize"] for one in each]
    return statistics.median(answers), statistics.median(asked)
