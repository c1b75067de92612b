"""What a connection costs waits behind itself; what asks nothing, or takes nothing, ends."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from embviz.hosting import connections
from embviz.hosting.connections import Guard, Line, asking, over

WORK_S = 1e-5  # seconds that a tiny unit costs, as in a real server


class Reader(asyncio.Protocol):
    """Works for each byte, and answers as many bytes as it has read."""

    every: list["Reader"]

    def __init__(self) -> None:
        self.config, self.read, self.begun = SimpleNamespace(), 0, list[asyncio.Task[None]]()

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        self.every.append(self)

    def data_received(self, data: bytes) -> None:
        """Read; `!` is a request that lasts for ever, `u` begins a websocket, `p` pauses."""
        end = time.thread_time() + WORK_S * len(data)
        while time.thread_time() < end:
            pass
        self.read += len(data)
        if data in (b"!", b"u"):
            self.begun.append(asyncio.ensure_future(self._work(data == b"u")))
        if data == b"p":
            self.transport.pause_reading()
        self.transport.write(b"." * len(data))

    async def _work(self, is_websocket: bool) -> None:
        with asking(is_websocket):
            await asyncio.sleep(99)


Test = Callable[[int, set[Guard]], Awaitable[None]]


def served(test: Test) -> None:
    """Run a test with a guarded server: its port, and its connections."""

    async def run() -> None:
        Reader.every = []
        every = connections.guard_all()
        server = await asyncio.get_running_loop().create_server(Reader, "127.0.0.1", 0)
        async with server:
            await test(server.sockets[0].getsockname()[1], every)
            for one in Reader.every:
                for task in one.begun:
                    task.cancel()

    asyncio.run(run())


async def soon(is_so: Callable[[], bool]) -> None:
    """Wait until it is so."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def test_a_flood_waits_behind_itself_and_loses_nothing() -> None:
    """Another connection is answered before a second's work of tiny units is done."""

    async def test(port: int, _every: set[Guard]) -> None:
        _, flood = await asyncio.open_connection("127.0.0.1", port)
        flood.write(b"x" * 100_000)
        await soon(lambda: bool(Reader.every) and Reader.every[0].read > 0)
        reader, other = await asyncio.open_connection("127.0.0.1", port)
        other.write(b"hello")
        assert await reader.readexactly(5)
        assert Reader.every[0].read < 100_000
        await soon(lambda: Reader.every[0].read == 100_000)
        flood.close()
        other.close()

    served(test)


def test_who_does_not_read_is_not_read() -> None:
    """Else each ping would leave its answer in the memory; what was sent arrives in the end."""

    async def test(port: int, every: set[Guard]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        sent = 12_000_000
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tests.hosting.test_connections.WORK_S", 0.0)
            patch.setattr(connections, "PIECE", 1 << 16)
            writer.write(b"x" * sent)
            await soon(lambda: bool(every))
            guard = next(iter(every))
            await soon(lambda: guard.transport.get_write_buffer_size() > connections.MOST_UNREAD)
            await asyncio.sleep(0.2)
            most = connections.MOST_UNREAD + connections.PIECE
            assert guard.transport.get_write_buffer_size() <= most
            assert len(await reader.readexactly(sent)) == sent
        writer.close()

    served(test)


def test_a_protocol_pauses_and_another_one_takes_its_place() -> None:
    """As a server does that has a message to work at, and as one does for a websocket."""

    async def test(port: int, every: set[Guard]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"p")
        assert await reader.readexactly(1)
        first = Reader.every[0]
        writer.write(b"abc")
        await asyncio.sleep(0.1)
        assert first.read == 1
        first.transport.resume_reading()
        assert await reader.readexactly(3)
        second = Reader()
        second.connection_made(first.transport)
        first.transport.set_protocol(second)
        writer.write(b"abc")
        assert await reader.readexactly(3)
        assert (first.read, second.read, len(every)) == (4, 3, 1)
        writer.close()
        await soon(lambda: not every)

    served(test)


def test_what_works_is_known_by_its_connection() -> None:
    """A task that a protocol begins belongs to it, without a name of the server's."""

    async def test(port: int, every: set[Guard]) -> None:
        _, asks = await asyncio.open_connection("127.0.0.1", port)
        asks.write(b"!")
        _, opens = await asyncio.open_connection("127.0.0.1", port)
        opens.write(b"u")
        _, silent = await asyncio.open_connection("127.0.0.1", port)
        await soon(lambda: sum(guard.requests for guard in every) == 2)
        assert sorted((one.requests, one.is_websocket) for one in every) == [
            (0, False), (1, False), (1, True),
        ]  # fmt: skip
        now = max(one.since for one in every)
        assert over(every, now, 99) == []
        ended = over(every, now + connections.SILENT_S + 1, 99)
        assert [one.requests for one in ended] == [0]
        ended = over(every, now + connections.ANSWER_S + 1, 99)
        assert not any(one.is_websocket for one in ended)
        assert len(ended) == 2
        for writer in (asks, opens, silent):
            writer.close()
        await soon(lambda: not every)

    served(test)


def guard(since: float, requests: int = 0) -> Any:
    """A connection that asks nothing since then, or works."""
    made = Guard(None, set(), Line())
    made.since, made.requests, made.unsent = since, requests, 0  # type: ignore[attr-defined]
    made.transport = SimpleNamespace(  # type: ignore[assignment]
        get_write_buffer_size=lambda: made.unsent  # type: ignore[attr-defined]
    )
    return made


def test_a_burst_is_ended_at_once() -> None:
    """Of silent ones as many as are too many, the latest first; whoever asks stays."""
    asks, first, second, late = guard(0, 1), guard(0), guard(1), guard(2)
    assert over({asks, first, second, late}, 3, 4) == []
    assert over({asks, first, second, late}, 3, 2) == [late, second]
    assert over({asks, first, second, late}, 3, 0) == [late, second, first]


def test_who_takes_nothing_of_an_answer_is_ended() -> None:
    """However slow it is, whoever takes some stays; a websocket too."""
    stuck, slow = guard(0, 1), guard(0, 1)
    stuck.is_websocket = slow.is_websocket = True
    for second in range(100):
        stuck.unsent, slow.unsent = 9_000, 9_000 - second
        ended = over({stuck, slow}, second, 99)
        assert ended == ([stuck] if second > connections.STUCK_S else []), second
    assert math.isfinite(connections.STUCK_S)
