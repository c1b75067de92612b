"""A hosted server after attacks: it answers as fast as before and never shows a traceback.

One server takes one attack after the other, over the protocols that a browser speaks. Times and
memory are taken before and after. `browser/test_hostile.py` tests hostile *text* on a page.
"""

import asyncio
import http.client
import io
import json
import pickle
import statistics
import sys
import time
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from embviz.server import guard
from tests.server.alone import run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "load"))

from forger import DEEP, FORGED, Forger, forged  # noqa: E402 - the folder is found just above
from server import Server, start  # noqa: E402
from session import NoAnswerError  # noqa: E402

LIMIT_S = 300.0  # for a run: 5,000 forged rows of an editor take Streamlit 15 s of processor time
GROWN_MB = 100
FLOOR_S = 0.25  # a first run that is shorter counts as fast
AT_REST_S = 120.0  # for sweeps of closed tabs to end (10 s) and for memory to be given back
FIRST = "playground"
# Pages and settings that together draw nearly every widget; these are forged.
PLACES: list[tuple[str, dict[str, list[str]]]] = [
    ("playground", {"init": ["own"], "vocab": ["custom"], "panel": ["tables"]}),
    ("playground", {"input": ["ids"], "panel": ["weights"]}),
    ("bag_of_words", {}),
    ("bag_of_words", {"bag": ["documents"], "start": ["random"]}),
    ("bag_of_words", {"bag": ["file"]}),
    ("training", {"lesson": ["lockstep"]}),
    ("training", {"lesson": ["characters"]}),
    ("limits", {}),
    ("context", {"chapter": ["contextual"]}),
    ("context", {"chapter": ["sentences"]}),
    ("timing", {}),
    ("labs", {}),
]
# Streamlit's own messages about a connection or a message that is wrong.
STREAMLITS_OWN = (
    "Rejecting WebSocket connection",
    "Client WebSocket message size",
    "No handler for",
    "The fragment with id",
    "Ignoring query string",
    "Invalid HTTP request",
    "Backend operation",
)


class Attack:
    """The server, and what the attacks saw.

    Attributes:
        wrong: how often each thing was seen that no page may show.
        seen: other counts, for the report.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.wrong: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()

    async def visit(self, page: str, query: dict[str, list[str]] | None = None) -> Forger:
        """A new visitor who has opened a page."""
        visitor = Forger(self.server.address, lambda _: None, LIMIT_S)
        visitor.screen.query = dict(query or {})
        await visitor.open("" if page == FIRST else page)
        self.look(visitor, f"opening {page}")
        return visitor

    def look(self, visitor: Forger, where: str) -> None:
        """Count what no page may show."""
        self.wrong.update(f"{where}: {one[:300]}" for one in visitor.wrong())

    async def leave(self, visitor: Forger, where: str) -> None:
        """Check what a session shows, and close it."""
        self.look(visitor, where)
        await visitor.close()

    async def opens(self, times: int = 9) -> float:
        """Median seconds that a new visitor waits for the first run."""
        took = []
        for _ in range(times):
            visitor = Forger(self.server.address, lambda _: None, LIMIT_S)
            took.append(await visitor.open())
            await self.leave(visitor, "a new session")
        return statistics.median(took)


def text(value: str) -> WidgetState:
    """The state of a field of text."""
    return WidgetState(string_value=value)


async def wrong_types(attack: Attack) -> None:
    """Send each widget of each page a value of a kind that it never holds."""
    kinds, place, done = list(FORGED), 0, set[str]()
    for page, query in PLACES:
        if not (ROOT / "pages" / f"{page}.py").is_file():
            continue
        visitor = await attack.visit(page, query)
        names = [one for one in visitor.screen.widgets if one not in done]
        done.update(names)
        for name in names:
            place += 5  # coprime to the number of kinds, so that every kind is used
            kind = kinds[place % len(kinds)]
            if name not in visitor.screen.widgets:  # an earlier forged value has removed it
                await visitor.close()
                visitor = await attack.visit(page, query)
            if name not in visitor.screen.widgets or "Load it" in name:
                continue
            await visitor.forge({name: FORGED[kind]}, visitor.screen.widgets[name].fragment)
            attack.seen[kind] += 1
            attack.look(visitor, f"{page}, {name}, {kind}")
        await attack.leave(visitor, page)
    assert set(kinds) == {kind for kind in kinds if attack.seen[kind]}
    for kind in [*kinds[::3], "inf", "least"]:  # all widgets of a page at once
        visitor = await attack.visit(FIRST, PLACES[0][1])
        await visitor.forge(dict.fromkeys(visitor.screen.widgets, FORGED[kind]))
        await attack.leave(visitor, f"all widgets, {kind}")


async def a_class(attack: Attack) -> None:
    """Forge each widget of a class for a member, and for a visitor of its board without the cookie.

    Other codes and tokens, HTML, formulas and 10 kB are among the values.
    """
    lab, here = json.dumps({"lab": "row"}).encode(), attack.server.address
    status, body = await asyncio.to_thread(
        ask,
        attack.server,
        "POST",
        "/class/start",
        lab,
        Content_Type="application/json",
        Origin=here,
    )
    assert status == 200, body
    code = json.loads(body)["code"]
    odd = ("<img src=x onerror=alert(1)>", "=1+1", "x" * 10_000, "\x00", "tidy-otter-10", "A" * 12)
    kinds = [*[*FORGED.values()][::2], *map(text, odd)]
    for query in ({"class": [code]}, {"board": [code]}):
        visitor = await attack.visit("labs", query)
        names = [
            one for one in visitor.screen.widgets if one.startswith(("class", "member", "board"))
        ]
        assert names, query
        for name in names:
            for kind in kinds:
                if name not in visitor.screen.widgets:  # the forged value before has left the class
                    await attack.leave(visitor, f"{query}, {name}")
                    visitor = await attack.visit("labs", query)
                await visitor.forge({name: kind}, visitor.screen.widgets[name].fragment)
                attack.look(visitor, f"{query}, {name}, {str(kind)[:40]}")
        await attack.leave(visitor, f"{query}")


async def wrong_names(attack: Attack) -> None:
    """Name widgets, pages, fragments and files that do not exist, and cells a table lacks."""
    visitor = await attack.visit(FIRST)
    unknown = {f"$$ID-{k:032x}-{name}": text("x") for k, name in enumerate(["text", "None", "é"])}
    many = {f"{k}": WidgetState(int_value=k) for k in range(300)}
    await visitor.forge(unknown | many | {"": text("x"), "stage": FORGED["json"]})
    for wrong in ("f" * 32, "../../etc/passwd", "\x00", "x" * 100_000):
        with suppress(NoAnswerError):
            await visitor.forge({}, page_script_hash=wrong)
        await visitor.throw(forged(visitor.screen, {}, fragment=wrong).SerializeToString())
        await visitor.throw(forged(visitor.screen, {}, page_name=wrong).SerializeToString())
    attack.wrong.update(one for one in visitor.wrong() if "page not found" not in one)
    await visitor.close()
    visitor = await attack.visit("bag_of_words")
    for edits in (
        {"edited_rows": {"99": {"zzz": "x"}}},
        {"edited_rows": {"0": {"0": "<b>"}}},
        {"added_rows": [{"0": 1e308}] * 5000},
        {"deleted_rows": [0, 0, 99, -1, "x"]},
        {"edited_rows": [], "added_rows": {}, "deleted_rows": 7},
        {"added_rows": [[1], None]},
    ):
        name = next((one for one in visitor.screen.widgets if one.startswith("x_")), "")
        if name:
            state = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | edits
            await visitor.forge({name: text(json.dumps(state))})
            attack.look(visitor, f"the editor, {str(edits)[:60]}")
    await visitor.close()


async def wrong_messages(attack: Attack) -> None:
    """Send bytes that are no message, half messages, large ones and those of developers."""
    chance = Random(9)  # noqa: S311 - to repeat, not to hide
    visitor = await attack.visit(FIRST)
    good = visitor.screen.rerun().SerializeToString()
    await visitor.close()
    throws: list[bytes | str] = [b"", b"\x00", "text", "{}", good[:-1], good[: len(good) // 2]]
    throws += [chance.randbytes(size) for size in (1, 40, 4_000, 400_000)]
    throws += [bytes(one ^ (chance.random() < 0.02) for one in good), b"\xff" * (6 * guard.MB)]
    for thrown in throws:
        visitor = await attack.visit(FIRST)
        with suppress(Exception):  # the server may close at once
            await visitor.throw(thrown)
            await visitor.forge({"dim": WidgetState(double_value=3)})
        attack.look(visitor, f"{thrown[:20]!r}")
        await visitor.close()
    visitor = await attack.visit("training", {"lesson": ["lockstep"]})
    for reserved in (
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(set_run_on_save=True),
        BackMsg(debug_disconnect_websocket=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(stop_script=True),
        BackMsg(app_heartbeat=True),
    ):
        await visitor.throw(reserved.SerializeToString())
    asks = BackMsg()
    asks.file_urls_request.request_id = "../x"
    asks.file_urls_request.file_names.extend(["../../x"] * 1000)
    asks.file_urls_request.session_id = "somebody else's"
    await visitor.throw(asks.SerializeToString())
    asks = BackMsg()
    asks.backend_operation_request.request_id = "x" * 1000
    asks.backend_operation_request.session_id = visitor.id
    await visitor.throw(asks.SerializeToString())
    await visitor.press("train_step")  # the session is still served
    await attack.leave(visitor, "messages for developers")


async def giants(attack: Attack) -> None:
    """Send 4 MB of text, a million ids and lists 5,000 deep to the fields; long addresses too."""
    million = " ".join(["7"] * 1_000_000)
    for page, query, fields in (
        ("playground", {"escapes": ["true"]}, {"text": "\\n" * 2_000_000}),
        ("playground", {"vocab": ["custom"]}, {"chars": "ab" * 2_000_000}),
        ("playground", {"input": ["ids"]}, {"ids": million}),
        ("playground", {"input": ["ids"]}, {"ids": DEEP}),
        ("playground", {"init": ["own"]}, {"weights": "[[" * 500_000}),
        ("playground", {"init": ["own"]}, {"weights": DEEP}),
        ("bag_of_words", {"bag": ["matrix"]}, {"x": "1 " * 2_000_000}),
        ("bag_of_words", {"bag": ["matrix"]}, {"x": DEEP, "linear": DEEP}),
        ("bag_of_words", {"bag": ["documents"]}, {"docs": "word " * 800_000}),
        ("training", {}, {"target": "1 " * 500_000}),
        ("limits", {}, {"find": "nan " * 250_000, "given": "row:1," * 150_000}),
        ("context", {"then": ["edit"]}, {"edit": "x" * 4_000_000}),
    ):
        visitor = await attack.visit(page, query)
        states = {name: text(value) for name, value in fields.items()}
        assert set(states) <= set(visitor.screen.widgets), (page, [*visitor.screen.widgets])
        await visitor.forge(states)
        await attack.leave(visitor, f"{page}, much in {', '.join(fields)}")
    visitor = await attack.visit(FIRST)
    for query_string in (
        "text=" + "x" * 100_000,
        "dim=inf&rows=nan&" + "a=b&" * 25_000,
        "%" * 100_000,
        "&".join(f"p{k}={k}" for k in range(9_000)),
        "text=%00%FF%ED%A0%80",
        "devices=" * 5_000,
    ):
        await visitor.forge({}, query_string=query_string)
        attack.look(visitor, f"address {query_string[:20]}")
    await visitor.close()
    for length in (60_000, 100_000, 1_000_000):
        status, _ = ask(attack.server, "GET", "/?text=" + "x" * length)
        attack.seen[f"GET of a long address: {status}"] += 1


async def largest(attack: Attack) -> None:
    """Ask each page for the largest sizes that it offers."""
    rows = "\n".join([" ".join(["1"] * 500)] * 500)
    most = "abcdefghij" * 1000
    for page, query, fields, press in (
        ("playground", "rows=1000000&dim=1024", {}, ""),
        ("playground", "rows=8000&dim=512&panel=weights", {}, ""),
        ("playground", "rows=8000&dim=128&panel=one_hot", {"text": most}, ""),
        ("bag_of_words", "bag=matrix&start=random&outputs=64&bag_panel=batch", {"x": rows}, ""),
        (
            "bag_of_words",
            "bag=documents&start=random&outputs=64&counts=tfidf&bag_panel=matrix",
            {"docs": "\n".join(f"w{k} w{k * 7 % 9973}" for k in range(20_000))},
            "",
        ),
        ("training", "rows=1000&dim=100&loss=next", {"text": most}, ""),
        ("training", "rows=8000&dim=512&lesson=tying", {}, ""),
        ("training", "rows=100&dim=1000&lesson=drift", {}, ""),
        ("training", "rows=4000&dim=256&lesson=lockstep&optimizer=adam", {}, ""),
        ("training", "lesson=characters&char_dim=64", {}, ""),
        ("context", "rows=1000&dim=1024&chapter=contextual&heads=1024", {}, ""),
        ("context", "chapter=trained", {}, "tiny_play"),
        ("context", "chapter=sentences&sentences=" + quote("a bank\n" * 12), {}, ""),
    ):
        asked = {
            name: [value] for name, _, value in (one.partition("=") for one in query.split("&"))
        }
        visitor = await attack.visit(page, asked)
        if fields:
            await visitor.forge({name: text(value) for name, value in fields.items()})
        if press:
            await visitor.press(press)
        await attack.leave(visitor, f"{page}, {query[:60]}")


async def sweeps(attack: Attack) -> None:
    """Start more sweeps than the queue takes: each page shows its place, or the reason why not."""
    query = {"span": ["1", "1048576"], "time_dim": ["4096"], "time_tokens": ["16384"]}
    visitors = [await attack.visit("timing", query) for _ in range(6)]
    await asyncio.gather(*(visitor.press("timing_start_button") for visitor in visitors))
    places = [text for one in visitors for text in one.screen.captions if "position" in text]
    full = [text for one in visitors for text in one.screen.wrong if "in the queue" in text]
    assert places, "no page showed a position"
    assert full, "the queue took more than the 4 of EMBVIZ_SWEEPS_IN_LINE"
    for number, visitor in enumerate(visitors):
        if number % 2 and "timing_stop_button" in visitor.screen.widgets:
            await visitor.press("timing_stop_button")
        await attack.leave(visitor, "a sweep")  # the others only close their tabs


async def reruns(attack: Attack) -> None:
    """Ask for 200 reruns a second over one connection, each with another text."""
    visitor = await attack.visit(FIRST)
    end, number = time.monotonic() + 3, 0
    while time.monotonic() < end:
        number += 1
        state = {"text": text(f"text {number}")}
        await visitor.throw(forged(visitor.screen, state).SerializeToString())
        await asyncio.sleep(0.005)
    attack.seen["reruns in 3 s"] = number
    await visitor.forge({"text": text("at last")})
    await attack.leave(visitor, "200 reruns a second")


async def connections(attack: Attack) -> None:
    """Open 200 connections; drop them before, during and after handshake and first run."""
    place = urlsplit(attack.server.address)
    request = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()

    async def half(size: int) -> None:
        _, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(request[:size])
        with suppress(OSError):
            await writer.drain()
        writer.transport.abort()

    async def shake() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(request)
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async def run(whole: bool) -> None:
        visitor = Forger(attack.server.address, lambda _: None, LIMIT_S)
        if whole:
            await visitor.open()
        else:
            opening = asyncio.create_task(visitor.open())
            await asyncio.sleep(0.05)
            opening.cancel()
            with suppress(asyncio.CancelledError, NoAnswerError):
                await opening
        attack.look(visitor, "a dropped connection")
        if visitor._socket is not None:
            visitor._socket.transport.abort()
        await visitor.close()

    for _ in range(4):
        work = [half(k * 7) for k in range(22)] + [shake() for _ in range(22)]
        work += [run(False) for _ in range(3)] + [run(True) for _ in range(3)]
        await asyncio.gather(*work)
        attack.seen["connections dropped"] += len(work)


def ask(
    server: Server, method: str, path: str, body: bytes = b"", xsrf: bool = True, **more: str
) -> tuple[int, str]:
    """Status and body of a request; status 0 if the server closed the connection."""
    place = urlsplit(server.address)
    made = http.client.HTTPConnection(str(place.hostname), place.port, timeout=LIMIT_S)
    token = "2|00000000|61626364|1700000000"
    headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token} if xsrf else {}
    try:
        made.request(
            method, path, body or None, headers | {k.replace("_", "-"): v for k, v in more.items()}
        )
        answer = made.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except OSError:
        return 0, ""
    finally:
        made.close()


def put(
    server: Server, session: str, name: str, content: bytes, file: str = "f", xsrf: bool = True
) -> int:
    """The status of an upload, sent as a browser sends it."""
    body = (
        (
            f'--b\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n'
            "Content-Type: text/html\r\n\r\n"
        ).encode()
        + content
        + b"\r\n--b--\r\n"
    )
    path = f"/_stcore/upload_file/{quote(session, safe='')}/{quote(file, safe='')}"
    return ask(server, "PUT", path, body, xsrf, Content_Type="multipart/form-data; boundary=b")[0]


class Trap:
    """An object whose pickle creates a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return (open, (str(self.file), "w"))


def files(trap: Path) -> dict[str, bytes]:
    """Hostile files by their names."""
    bomb = io.BytesIO()
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (1000, 1000)}
    )
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("data", "indices", "indptr", "shape", "format"):
            archive.writestr(f"{name}.npy", head.getvalue() + bytes(16_000_000))
    pickled = io.BytesIO()
    np.savez(pickled, allow_pickle=True, data=np.array([Trap(trap)], dtype=object))
    false_header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        false_header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    return {
        "bomb.npz": bomb.getvalue(),
        "pickle.npz": pickled.getvalue(),
        "pickle.npy": pickle.dumps(Trap(trap)),
        "lie.npy": false_header.getvalue(),
        "program.exe": b"MZ" + bytes(1000),
        "../../../../tmp/escaped.npz": b"PK\x03\x04" + bytes(100),
        "<img src=x onerror=alert(1)>.txt": b"\xff\xfe\x00",
        "deep.txt": DEEP.encode(),
        "run.jsonl": b'{"type": "environment"}\n' + DEEP.encode(),
        "": b"",
    }


async def uploads(attack: Attack, trap: Path) -> None:
    """Upload files of wrong kinds and sizes, too many, without a cookie, with paths as names."""
    server = attack.server
    hostile = files(trap)
    for page, query, widget in (
        ("bag_of_words", {"bag": ["file"]}, "bag_file"),
        ("bag_of_words", {}, "linear_file"),
        ("playground", {"init": ["own"]}, "weights_file"),
        ("training", {"lesson": ["characters"], "corpus": ["file"]}, "corpus_file"),
        ("timing", {}, "run_files"),
    ):
        visitor = await attack.visit(page, query)
        for number, (name, content) in enumerate(hostile.items()):
            status = await asyncio.to_thread(put, server, visitor.id, name, content, f"f{number}")
            assert status == 204, (name, status)
            state = WidgetState()
            file = state.file_uploader_state_value.uploaded_file_info.add()
            file.name, file.file_id, file.size = name, f"f{number}", len(content)
            await visitor.forge({widget: state})
            attack.look(visitor, f"{widget}, {name}")
        await visitor.close()
    visitor = await attack.visit("limits")  # which has no uploader
    block = bytes(9_500_000)
    statuses = [
        await asyncio.to_thread(put, server, visitor.id, "x.npz", block, f"b{k}") for k in range(3)
    ]
    assert statuses == [204, 204, 413], statuses  # a session may hold two of them
    for k in range(5):
        path = f"/_stcore/upload_file/{visitor.id}/large{k}"
        assert ask(server, "PUT", path, Content_Length=str(50 * guard.MB))[0] == 413
        assert ask(server, "PUT", path, Transfer_Encoding="chunked")[0] == 411
    assert put(server, visitor.id, "x.npz", b"x", xsrf=False) == 403
    assert put(server, "nobody", "x.npz", b"x") == 400
    for path in ("../../x", "..", "\x00", "x" * 5_000):
        assert put(server, visitor.id, "x.npz", b"x", path) in (204, 400, 404, 405, 413), path
        assert put(server, path, "x.npz", b"x") in (400, 404, 405), path
    _, body = ask(server, "GET", f"/_stcore/upload_file/{visitor.id}/b0")
    assert "\0" not in body, "an upload can be fetched"
    await attack.leave(visitor, "uploads to no page")
    for path in (
        "/app/static/../app.py",
        "/static/..%2f..%2fapp.py",
        "/media/../../etc/passwd",
        "/_stcore/metrics",
        "/component/embviz_stage/../../../../etc/passwd",
    ):
        status, body = ask(server, "GET", path)
        assert "root:" not in body, path
        assert "lifespan" not in body, path
        attack.seen[f"GET {path}: {status}"] += 1


def until(true: Callable[[], Any], limit_s: float) -> None:
    """Wait until it is true, at most `limit_s` seconds."""
    end = time.monotonic() + limit_s
    while not true() and time.monotonic() < end:
        time.sleep(0.2)


def ready(server: Server) -> bool:
    """Whether `/ready` answers 200."""
    with suppress(OSError), urllib.request.urlopen(f"{server.address}/ready", timeout=5):
        return True
    return False


def unexpected(server: Server) -> list[str]:
    """Lines on the console beyond embviz's own events and Streamlit's own warnings."""
    found = []
    for line in filter(None, server.printed()):
        record = json.loads(line) if line.startswith("{") else {"event": "log", "message": line}
        known = any(one in record.get("message", "") for one in STREAMLITS_OWN)
        if "traceback" in record or (
            record["event"] == "log" and record.get("level") != "INFO" and not known
        ):
            found.append(line)
    return found


async def all_pages(attack: Attack) -> None:
    """Open each page once, so that no import counts as memory of an attack."""
    for page, query in PLACES:
        if (ROOT / "pages" / f"{page}.py").is_file():
            await attack.leave(await attack.visit(page, query), page)


async def all_attacks(attack: Attack, trap: Path) -> None:
    """One attack after the other."""

    async def hostile_uploads(attack: Attack) -> None:
        await uploads(attack, trap)

    each: list[Callable[[Attack], Awaitable[None]]] = [
        sweeps,
        wrong_types,
        a_class,
        wrong_names,
        wrong_messages,
        giants,
        largest,
        hostile_uploads,
        reruns,
        connections,
    ]
    for one in each:
        began = time.monotonic()
        await one(attack)
        attack.seen[f"{one.__name__} ms"] = int(1000 * (time.monotonic() - began))
        attack.seen[f"rss after {one.__name__}"] = int(attack.server.rss_mb())


@pytest.mark.skipif(sys.platform == "win32", reason="reads memory and ends processes")
def test_an_attacked_server_serves_on(tmp_path: Path) -> None:
    """After every attack a first run takes as long as before, memory and processes are given back.

    No page and no log shows a traceback, and no file is read, run or written for a visitor.
    """
    limits = {
        "EMBVIZ_CLASSES": "on",
        "EMBVIZ_DATA_FOLDER": str(tmp_path / "data"),
        "EMBVIZ_WORKER_IDLE_S": "1",
        "EMBVIZ_SWEEP_SECONDS": "2",
        "EMBVIZ_SWEEPS_IN_LINE": "4",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost",
        "TMPDIR": str(tmp_path),
        "MALLOC_ARENA_MAX": "2",  # as embviz/server/README.md starts a hosted server
        "MALLOC_MMAP_THRESHOLD_": "1048576",
    }
    trap = tmp_path / "trapped"
    (tmp_path / "server").mkdir()
    with start(tmp_path / "server", True, limits) as server:
        until(lambda: ready(server), 300)
        attack = Attack(server)
        run(all_pages(attack))
        until(lambda: not server.children(), AT_REST_S)
        before, rss_before = run(attack.opens()), server.rss_mb()
        run(all_attacks(attack, trap))
        until(lambda: not server.children(), AT_REST_S)
        # Streamlit drops an expired session when the next visitor comes.
        until(lambda: run(attack.opens(1)) and server.rss_mb() <= rss_before + GROWN_MB, AT_REST_S)
        rss_after, children = server.rss_mb(), [one.cmdline() for one in server.children()]
        after = run(attack.opens())
        for _ in range(8):  # this machine may have been busy just now
            if after <= max(2 * before, FLOOR_S):
                break
            time.sleep(5)
            after = run(attack.opens())
        cpu = server.cpu_s()
        stop_s, stayed = server.stop()
        printed = unexpected(server)
    summary = (
        f"first run {before * 1000:.0f} ms before, {after * 1000:.0f} after; memory "
        f"{rss_before:.0f} MB before, {rss_after:.0f} after; CPU {cpu:.1f} s; "
        f"{dict(attack.seen)}"
    )
    print(summary)
    assert attack.wrong == Counter(), summary
    assert after <= max(2 * before, FLOOR_S), summary
    assert rss_after <= rss_before + GROWN_MB, summary
    assert children == [], summary
    assert (stop_s is not None, stayed) == (True, []), summary
    assert printed == [], "\n".join(printed[:40])
    assert not trap.exists(), "a pickle was run"
    assert not list(Path("/tmp").glob("escaped*")), "an upload left its folder"  # noqa: S108
