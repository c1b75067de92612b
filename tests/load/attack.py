"""Floods of a hosted server, one after the other; a second visitor must hardly notice them.

Without it nobody would know which request of a stranger stops a class.

    python -m tests.load.attack --seconds 20 [--only chunks heads] [--app FOLDER]

A visitor types, changes a setting, asks whether the server is ready, and asks a class for its
version, before and during each attack. The attacker is a process of its own, and stops for a while
between two attacks; `stays_mb` is what the server's memory has grown by then. The exit code is 1
if a 95th percentile was more than `MOST` times that of the quiet server and more than `SOON_MS`, if
the log grew by more than `LOG_KB`, or if the server did not stop in time. Figures of one machine:
attacker, visitor and server share its cores.
"""

import asyncio
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.load.client import ENDED, Tab
from tests.load.figures import Log, options, show, spread, watch
from tests.load.server import HOSTED, ROOT, start
from tests.load.slow_links import PARTS

MOST = 2.0  # times the 95th percentile of the quiet server
SOON_MS = 60.0  # milliseconds that nobody notices; below, an attack may take more times as long
LOG_KB = 20.0  # kB that an attack may add to the log
PACE_S = 0.1  # seconds between two requests of the visitor
REST_S = 12.0  # seconds after an attack, in which what it held is freed
WORD = "a word for all teachers"
CLASSES = {"EMBVIZ_CLASSES": "on", "EMBVIZ_CLASS_WORD": WORD}
RERUN = BackMsg(rerun_script={}).SerializeToString()


class Attacker:
    """What a stranger sends; each method is an attack, again and again until it is stopped."""

    def __init__(self, address, code):
        self.address, self.code = address, code
        self.host, self.port = address.split("//")[1].split(":")
        self.chance = Random(9)  # noqa: S311 - to repeat

    async def _hold(self, count, *parts):
        """Open connections, write these bytes to each, one part a second, and keep them."""
        opened = []
        for _ in range(count):
            with suppress(OSError):
                opened.append(await asyncio.open_connection(self.host, self.port))
        try:
            for part in parts:
                for _, writer in opened:
                    with suppress(OSError):
                        writer.write(part)
                await asyncio.sleep(1)
        finally:
            for _, writer in opened:
                writer.close()

    async def silent(self):
        """Connections that ask nothing."""
        await self._hold(1_500, *[b""] * 15)

    async def heads(self):
        """Heads of requests that never end."""
        await self._hold(500, b"GET / HTTP/1.1\r\nHost: localhost\r\n", *[b"X: 1\r\n"] * 15)

    async def bodies(self):
        """Requests whose content never comes."""
        head = b"POST /live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n"
        await self._hold(300, head, *[b" "] * 8)

    async def live(self):
        """The largest requests of the route."""

        def ask(part, settings):
            settings = settings | {"seed": self.chance.randrange(2**32)}
            with suppress(requests.RequestException):
                body = json.dumps({"part": part, "settings": settings}).encode()
                requests.post(f"{self.address}/live", body, timeout=60)

        await asyncio.gather(*(asyncio.to_thread(ask, *one) for one in PARTS.values()))

    async def tabs(self):
        """Visitors of the page that computes most."""
        letters = "".join(chr(0x4E00 + number) for number in range(3_000))
        query = {"text": [letters[:900]], "dim": ["300"], "panel": ["unseen"]}

        async def one():
            tab = Tab(self.address, **query)
            with suppress(*ENDED, TimeoutError):
                await tab.open("training")
                for number in range(3):
                    await tab.ask(query_string=f"text={letters[:900]}&dim={290 + number}")
            await tab.close()

        await asyncio.gather(*(one() for _ in range(12)))

    async def _ask(self, count, path, **fields):
        """So many requests at once, each on a connection of its own."""

        async def one():
            with suppress(*ENDED, TimeoutError, TypeError):
                tab = Tab(self.address)
                await asyncio.wait_for(
                    tab.fetch(
                        path,
                        b"&".join(f"{name}={value}".encode() for name, value in fields.items()),
                    ),
                    30,
                )

        await asyncio.gather(*(one() for _ in range(count)))

    async def words(self):
        """Wrong words for a new class."""
        await self._ask(100, "/class/start", lab="row", word=self.chance.random())

    async def _frames(self, sockets, *frames):
        """On so many websockets, these bytes again and again, as fast as they are taken."""
        head = (
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Origin: {self.address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: streamlit\r\n"
            "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n"
        )

        async def one():
            reader, writer = await asyncio.open_connection(self.host, self.port)
            try:
                writer.write(head.encode())
                await reader.readuntil(b"\r\n\r\n")
                while True:
                    writer.write(b"".join(frames) * 1_000)
                    await writer.drain()
            finally:
                writer.close()

        with suppress(*ENDED, TimeoutError):
            await asyncio.gather(*(one() for _ in range(sockets)))

    async def reruns(self):
        """Reruns of two bytes on one connection."""
        await self._frames(1, _frame(2, RERUN))

    async def many_reruns(self):
        """The same on a hundred, each with a session of its own."""
        await self._frames(100, _frame(2, RERUN))

    async def empty(self):
        """Parts of one message that are empty."""
        await self._frames(4, _frame(2, b"", ends=False), *[_frame(0, b"", ends=False)] * 9)

    async def pings(self):
        """Pings whose answers nobody reads."""
        await self._frames(4, _frame(9, b"x" * 125))

    async def heartbeats(self):
        """The smallest message that a page sends, and one that no page does."""
        beat, git = BackMsg(app_heartbeat=True), BackMsg(load_git_info=True)
        await self._frames(4, *(_frame(2, one.SerializeToString()) for one in (beat, git)))

    async def chunks(self):
        """Bodies of requests in chunks of one byte."""

        async def one():
            reader, writer = await asyncio.open_connection(self.host, self.port)
            try:
                writer.write(
                    f"POST /live HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n".encode()
                )
                for _ in range(240):
                    writer.write(b"1\r\nx\r\n" * 1_000)
                    await writer.drain()
                await reader.read(100)
            finally:
                writer.close()

        with suppress(*ENDED, TimeoutError):
            await asyncio.gather(*(one() for _ in range(20)))

    async def handshakes(self):
        """Websockets whose request cannot be read."""
        head = "GET /_stcore/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
        head += f"Upgrade: websocket\r\nX: {'x' * 9_000}\r\n\r\n"
        await self._hold(300, head.encode(), *[b""] * 12)


def _frame(kind, content, ends=True):
    """A frame of a websocket, with a mask of zeros (RFC 6455)."""
    return bytes([0x80 * ends | kind, 0x80 | len(content), 0, 0, 0, 0]) + content


ATTACKS = [name for name in vars(Attacker) if name[0] != "_"]


class Visitor:
    """The second visitor: how long each of four kinds of requests takes."""

    def __init__(self, address, code):
        self.address, self.code = address, code
        self.tab = Tab(address, text=["hello"], dim=["8"])
        self.student = Tab(address, **{"class": [code]})

    async def open(self):
        """Open the playground, and join the class: a browser of it asks without a wait."""
        await self.tab.open()
        await self.student.fetch(f"/class/{self.code}")
        await self.student.open("labs")

    async def close(self):
        """Close both tabs."""
        await self.tab.close()
        await self.student.close()

    async def visit(self, log, seconds):
        """Ask for so long."""
        end = time.monotonic() + seconds
        await asyncio.gather(
            self._again(log, "key", end, self.key),
            self._again(log, "ready", end, self.ready),
            self._again(log, "class", end, self.version),
            self._again(log, "rerun", end, self.rerun),
        )

    async def _again(self, log, name, end, ask):
        """Ask again and again; the time of a request that fails counts too."""
        while time.monotonic() < end:
            begun = time.perf_counter()
            try:
                await asyncio.wait_for(ask(), 60)
            except (*ENDED, TimeoutError, TypeError) as error:
                log.wrong[f"{name}: {type(error).__name__}"] += 1
            log.seconds[name].append(time.perf_counter() - begun)
            await asyncio.sleep(PACE_S)

    async def _fetch(self, path, body=b""):
        if not hasattr(self, "_tabs"):
            self._tabs = {}
        tab = self._tabs.setdefault(path, Tab(self.address))
        status, _ = await tab.fetch(path, body)
        if status != 200:
            raise ConnectionError(f"{path} answered {status}")

    async def key(self):
        """A key of somebody who types."""
        body = json.dumps({"settings": {"text": "hello", "dim": 8, "token": 0}}).encode()
        await self._fetch("/live", body)

    async def ready(self):
        """Whether the server is ready."""
        await self._fetch("/ready")

    async def version(self):
        """What the page of a class asks."""
        status, _ = await self.student.fetch(f"/class/{self.code}/version")
        if status != 200:
            raise ConnectionError(f"the version of the class: {status}")

    async def rerun(self):
        """A setting is changed."""
        self.dim = 17 - getattr(self, "dim", 8)
        await self.tab.ask({"dim": self.dim})


def attacked(server, code, name, seconds):
    """Start the process that attacks for so long."""
    command = [sys.executable, "-m", "tests.load.attack", "--attack", name]
    command += ["--address", server.address, "--code", code, "--seconds", str(seconds)]
    return subprocess.Popen(command, cwd=ROOT)


async def attack(given):
    """Repeat one attack; for the process that attacks."""
    attacker = Attacker(given.address, given.code)
    end = time.monotonic() + given.seconds
    while (left := end - time.monotonic()) > 0:
        with suppress(TimeoutError):
            async with asyncio.timeout(left):
                await getattr(attacker, given.attack)()


async def measured(server, code, given):
    """The figures of the quiet server, and during each attack."""
    visitor, found = Visitor(server.address, code), {}
    await visitor.open()
    quiet = Log()
    await visitor.visit(quiet, 5)  # warms up
    quiet = Log()
    await visitor.visit(quiet, given.seconds)
    found["quiet"] = {name: spread(taken) for name, taken in quiet.seconds.items()}
    for name in given.only or ATTACKS:
        log, before, size = Log(), server.process.memory_info().rss, server.log.stat().st_size
        process = attacked(server, code, name, given.seconds)
        await visitor.visit(log, given.seconds)
        await asyncio.to_thread(process.wait)
        entry = {one: spread(taken)["p95"] for one, taken in log.seconds.items()}
        await asyncio.sleep(REST_S)
        entry["stays_mb"] = (server.process.memory_info().rss - before) / 1e6
        entry["log_kb"] = (server.log.stat().st_size - size) / 1e3
        entry["slow"] = [
            f"{one}: {entry[one] / found['quiet'][one]['p95']:.1f} times"
            for one in log.seconds
            if entry[one] > max(SOON_MS, MOST * found["quiet"][one]["p95"])
        ]
        entry["wrong"] = [f"{count} x {what}" for what, count in log.wrong.items()]
        found[name] = entry
        print(name, entry, file=sys.stderr, flush=True)
    await visitor.close()
    return found


def main():
    """Attack, measure and print."""
    parser = options("Attacks on a hosted server.", seconds=(20.0, "of each attack"))
    parser.add_argument("--only", nargs="*", choices=ATTACKS, help="these attacks alone")
    parser.add_argument("--app", type=Path, default=ROOT, help="another version, to compare two")
    for name in ("attack", "address", "code"):
        parser.add_argument(f"--{name}", help="of the process that attacks")
    given = parser.parse_args()
    if given.attack:
        asyncio.run(attack(given))
        return False
    with start(given.app, **HOSTED, **CLASSES, MALLOC_ARENA_MAX="2") as server:
        server.wait_for("ready")
        others = watch()
        form = {"lab": "row", "word": WORD}
        went = requests.post(
            f"{server.address}/class/start", form, allow_redirects=False, timeout=9
        )
        code = went.headers["location"].split("=")[1]
        found = asyncio.run(measured(server, code, given))
        wrong = [f"{name}: {one}" for name in given.only or ATTACKS for one in found[name]["slow"]]
        wrong += [
            f"{name}: {found[name]['log_kb']:.0f} kB in the log"
            for name in given.only or ATTACKS
            if found[name]["log_kb"] > LOG_KB
        ]
        wrong += [f"did not stop in time: {one}" for one in server.stop()]
    show(found | {"others_cores": others(), "wrong": wrong})
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
