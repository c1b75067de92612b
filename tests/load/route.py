"""A kept-alive HTTP connection to a route of the app, with the headers that a browser sends."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import h11
from session import EndedError

READ = 65_536  # bytes
Headers = list[tuple[str, str]]


@dataclass
class Answer:
    """An answer of the route.

    Attributes:
        status: of HTTP.
        content: the body, as it came.
        cookie: what it sets, as a browser sends it back; or `""`.
        is_packed: whether the body is compressed by gzip.
    """

    status: int = 0
    content: bytes = b""
    cookie: str = ""
    is_packed: bool = False

    def json(self) -> Any:
        """What the body says."""
        return json.loads(gzip.decompress(self.content) if self.is_packed else self.content)

    @property
    def received(self) -> int:
        """Bytes of the body."""
        return len(self.content)


class Route:
    """One browser's connection to a server such as `http://localhost:8501`."""

    def __init__(self, address: str, cookie: str = "") -> None:
        self._address, self._url, self._cookie = address, urlsplit(address), cookie
        self._http: h11.Connection | None = None
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def post(self, path: str, content: bytes) -> Answer:
        """Send a JSON body and wait for the whole answer.

        Raises:
            EndedError: the connection could not be made, or ended before the answer.
        """
        return await self._ask(
            "POST",
            path,
            content,
            [
                ("Origin", self._address),
                ("Content-Type", "application/json"),
                ("Content-Length", str(len(content))),
                ("Accept-Encoding", "gzip, deflate, br, zstd"),
            ],
        )

    async def get(self, path: str) -> Answer:
        """Ask, and wait for the whole answer.

        Raises:
            EndedError: the connection could not be made, or ended before the answer.
        """
        cookie = [("Cookie", self._cookie)] if self._cookie else []
        return await self._ask("GET", path, b"", [("Accept-Encoding", "gzip"), *cookie])

    async def _ask(self, method: str, path: str, content: bytes, headers: Headers) -> Answer:
        request = h11.Request(
            method=method, target=path, headers=[("Host", self._url.netloc), *headers]
        )
        try:
            if self._http is not None and not self._reader.at_eof():
                # The server closes a connection that rests for some seconds.
                with contextlib.suppress(h11.ProtocolError, ConnectionError):
                    return await self._exchange(request, content)
            await self._connect()
            return await self._exchange(request, content)
        except (h11.ProtocolError, OSError) as error:
            raise EndedError(f"the route: {type(error).__name__}") from error

    async def close(self) -> None:
        """Close the connection."""
        if self._http is not None:
            self._http = None
            self._writer.close()

    async def _connect(self) -> None:
        await self.close()
        self._reader, self._writer = await asyncio.open_connection(
            self._url.hostname, self._url.port
        )
        self._http = h11.Connection(h11.CLIENT)

    async def _exchange(self, request: h11.Request, content: bytes) -> Answer:
        http, answer = self._http, Answer()
        assert http is not None
        for event in (request, h11.Data(data=content), h11.EndOfMessage()):
            self._writer.write(http.send(event) or b"")
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await self._reader.read(READ))
            elif isinstance(event, h11.Response):
                answer.status = event.status_code
                cookies = [value for name, value in event.headers if name == b"set-cookie"]
                answer.is_packed = (b"content-encoding", b"gzip") in list(event.headers)
                answer.cookie = "; ".join(one.decode().partition(";")[0] for one in cookies)
            elif isinstance(event, h11.Data):
                answer.content += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                raise ConnectionError(event)
        if http.our_state is h11.DONE and http.their_state is h11.DONE:
            http.start_next_cycle()
        else:
            await self.close()
        return answer
