"""A TCP proxy in front of a server, whose connections can be cut: a browser without Wi-Fi.

Chromium's own `set_offline` leaves an open websocket as it is.
"""

from __future__ import annotations

import asyncio
from threading import Event, Thread


class Cable:
    """The proxy, in a thread of its own.

    Attributes:
        address: where a browser asks.
    """

    def __init__(self, port: int) -> None:
        self._port, self._is_cut = port, False
        self._ends = set[asyncio.StreamWriter]()
        self._joined = set[asyncio.Task[None]]()
        listens = Event()

        async def serve() -> None:
            self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
            server = await asyncio.start_server(self._join, "127.0.0.1", 0)
            self.address = f"http://localhost:{server.sockets[0].getsockname()[1]}"
            listens.set()
            async with server:
                await self._ended.wait()
                self._abort()
                await asyncio.gather(*self._joined, return_exceptions=True)

        self._thread = Thread(target=lambda: asyncio.run(serve()), daemon=True)
        self._thread.start()
        listens.wait()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        there, to_there = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends |= {writer, to_there}
        task = asyncio.current_task()
        assert task
        self._joined.add(task)
        await asyncio.gather(_copy(reader, to_there), _copy(there, writer))
        self._joined.discard(task)
        self._ends -= {writer, to_there}

    def _abort(self) -> None:
        for end in self._ends:
            end.transport.abort()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        self._is_cut = True
        self._loop.call_soon_threadsafe(self._abort)

    def mend(self) -> None:
        """Take new connections."""
        self._is_cut = False

    def close(self) -> None:
        """End the proxy."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass  # it was cut
    writer.close()
