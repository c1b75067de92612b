"""The largest requests of strangers without a session: a hosted server's memory must stay.

Without it nobody would know whether a cache, or the allocator, keeps what they made.

    python -m tests.load.strangers --requests 300
    python -m tests.load.strangers --requests 300 --malloc

They ask the route `live` for all that it computes, at the largest size that each may have, with
other seeds and tokens each time. `--malloc` sets variables with which glibc gives large blocks
back at once, and `--app` names the folder of another version. The exit code is 1 if a request had
no answer, or if the memory of the server is then more than `MOST` times what it was when it had
become ready.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import requests

from tests.load.figures import Log, options, show, watch
from tests.load.odd import HOSTED
from tests.load.server import ROOT, start

MOST = 1.25  # times the memory of the warm server
TOGETHER = 4  # requests under way at once; the server computes two of them
REST_S = 25.0  # seconds in which freed memory goes back, at most
MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "1048576"}
LETTERS = "abcdefghij klmnopqrst uvwxyz ABCDEFGHIJ KLMNOPQRST UVWXYZ"


def one_step(chance):
    """Ten steps on a table of nearly half a million numbers, by both routes."""
    rows, dim = chance.choice([(7_500, 64), (1_900, 256), (480, 1_024)])
    return "one_step", {"rows": rows, "dim": dim, "token": chance.randrange(len(LETTERS))}


def one_step_next(chance):
    """As `one_step`, with a head that learns too."""
    part, given = one_step(chance)
    return part, given | {"rows": given["rows"] // 2, "loss": "next"}


def unseen(chance):
    """40 steps of all rows of a table, by three optimizers."""
    ids = [*range(470)]
    chance.shuffle(ids)
    given = {"rows": 480, "dim": 1_024, "input": "ids", "ids": " ".join(map(str, ids))}
    return "unseen", given


def context(chance):
    """A Transformer layer on 64 tokens of 512 numbers."""
    given = {"dim": 512, "places": True, "attention": True}
    return "contextual", given | {"mask": chance.choice(["full", "causal"])}


def static(chance):
    """Letters of 1,024 numbers, and the same letters in another order."""
    return "static", {"dim": 1_024, "shuffle": chance.randrange(10**6)}


def own(chance):
    """Own weights of nearly 100 KB, as each part draws them."""
    row = [f"{chance.uniform(-1, 1):.3f}" for _ in range(64)]
    lines = [" ".join(chance.sample(row, len(row))) for _ in range(230)]
    part = chance.choice(["", "one_step", "unseen", "contextual", "static"])
    given = {"init": "own", "weights": "\n".join(lines), "input": "ids"}
    return part, given | {"ids": " ".join(str(chance.randrange(230)) for _ in range(60))}


def stage(chance):
    """The playground with the largest table, whose rows are multiplied once and kept."""
    rows, dim = chance.choice([(500_000, 8), (4_000, 1_000), (65_000, 60)])
    return "", {"rows": rows, "dim": dim}


def words(chance):
    """A text of 10,000 characters, in a vocabulary with any number of merges."""
    text = "".join(chance.choices(LETTERS, k=10_000))
    return "", {"text": text, "vocab": "bpe", "merges": chance.randrange(2_000), "dim": 100}


KINDS = (one_step, one_step_next, unseen, context, static, own, stage, words)


def content(number):
    """Kind, and body, of a request; by chance, and the same in each run."""
    chance, kind = Random(number), KINDS[number % len(KINDS)]  # noqa: S311 - to repeat
    part, given = kind(chance)
    text = "".join(chance.sample(LETTERS, len(LETTERS)))
    given = {"text": text, "seed": chance.randrange(2**32)} | given
    return kind.__name__, json.dumps({"part": part, "settings": given}).encode()


def ask(server, log, number):
    """Send a request, again while the server is busy, and note what came."""
    kind, body = content(number)
    while True:
        begun = time.perf_counter()
        got = requests.post(f"{server.address}/live", body, timeout=120)
        if got.status_code != 429:
            break
    log.seconds[kind].append(time.perf_counter() - begun)
    if got.status_code != 200:
        log.wrong[f"{kind}: {got.status_code} {got.text[:200]}"] += 1


def measured(server, log, count):
    """Ask so many requests; MB of the server before and after, and the most meanwhile."""
    memory = server.process.memory_info
    warm = most = memory().rss / 1e6
    with ThreadPoolExecutor(TOGETHER) as pool:
        for _ in pool.map(lambda number: ask(server, log, number), range(count)):
            most = max(most, memory().rss / 1e6)
    end = time.monotonic() + REST_S
    while (after := memory().rss / 1e6) > MOST * warm and time.monotonic() < end:
        time.sleep(0.5)
    return {"warm_mb": warm, "most_mb": most, "after_mb": after, "ratio": after / warm}


def main():
    """Measure and print."""
    parser = options("Strangers on a hosted server.", requests=(300, "that are sent"))
    parser.add_argument("--malloc", action="store_true", help="with the variables of glibc")
    parser.add_argument("--app", type=Path, default=ROOT, help="another version, to compare two")
    given, log = parser.parse_args(), Log()
    with start(given.app, **HOSTED, **(MALLOC if given.malloc else {})) as server:
        server.wait_for("ready")
        others = watch()
        found = log.figures() | measured(server, log, given.requests)
        log.wrong.update(f"did not stop in time: {one}" for one in server.stop())
        log.wrong.update(f"console: {one[:200]}" for one in server.printed())
    found = log.figures() | found | {"others_cores": others()}
    found["wrong"] = [f"{count} x {what}" for what, count in log.wrong.items()]
    if found["ratio"] > MOST:
        found["wrong"].append(f"memory grew to {found['ratio']:.2f} times, over {MOST}")
    show(found)
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
