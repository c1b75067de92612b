"""Rounds in the measuring process: what is timed, in which order, and what a failure costs."""

import json
import weakref
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from embviz.system.bounds import TIMING
from embviz.system.child import Child
from embviz.timing.measure import rounds
from embviz.timing.measure.budget import too_large
from embviz.timing.measure.rounds import IN_PLACEMENT, Series, points_of
from embviz.timing.measure.run import Run, read_line
from embviz.timing.measure.tensors import Ready
from embviz.timing.measure.timed import PLACEMENTS, ROUNDS, Timed
from tests.timing.measure.calls import Calls, cases_of, failures, measured, rounds_of

Patch = pytest.MonkeyPatch
ALL = [*range(ROUNDS)]
FIRST = ALL[::IN_PLACEMENT]  # The first round of each placement.


def test_every_case_is_measured_once_in_each_round(monkeypatch: Patch) -> None:
    """Each round has every case and the controls, in an order of its own, in blocks of calls."""
    Calls(monkeypatch, seconds=1e-5)
    cases = cases_of("lookup", "matmul", rows=(9, 16)) + cases_of("lookup", "matmul", threads=2)
    lines = [line for line in measured(cases) if line["type"] != "now"]
    wanted = Counter([*((case, False) for case in cases), *((case, True) for case in cases[::2])])
    orders = set()
    for number in ALL:
        *those, end = lines[10 * number :][:10]
        assert end == {"type": "round", "round": number}
        keys = [(line["case"], line["again"]) for line in those]
        assert Counter(keys) == wanted
        same = {"placement": number // IN_PLACEMENT, "round": number, "process": 3}
        same |= {"wait": pytest.approx([1e-5] * 2)}
        assert all({**line, **same} == line for line in those)
        orders.add((*keys,))
    assert len(orders) > ROUNDS / 2


def test_a_slow_method_has_fewer_rounds(monkeypatch: Patch) -> None:
    """It has one in each placement; what can hang is announced, and its end too."""
    Calls(monkeypatch, matmul=0.003, module=20.0, indexing=0.009)
    lines = measured(cases_of("lookup", "matmul", "module", "indexing"))
    assert rounds_of(lines, "lookup") == rounds_of(lines, "lookup", again=True) == ALL
    assert rounds_of(lines, "matmul") == ALL
    assert rounds_of(lines, "module") == rounds_of(lines, "indexing") == FIRST
    told = [line["case"] and line["case"].method for line in lines if line["type"] == "now"]
    each = dict.fromkeys(["lookup", "matmul", "indexing"], PLACEMENTS)
    each |= {"module": 2 * PLACEMENTS, None: 2 * PLACEMENTS}
    assert Counter(told) == each
    assert told[-1] is None


@pytest.mark.parametrize(("mode", "more"), [("backward", 0), ("sgd", 0), ("adam", PLACEMENTS - 1)])
def test_only_a_new_optimizer_warms_up(monkeypatch: Patch, mode: str, more: int) -> None:
    """In a placement after the first; a slow case would take twice as long else."""
    calls = Calls(monkeypatch, seconds=0.1)
    lines = measured(cases_of("lookup", mode=mode))
    assert rounds_of(lines, "lookup") == rounds_of(lines, "lookup", again=True) == FIRST
    assert calls.calls == 2 + 2 * PLACEMENTS + more


def test_what_fails_halfway_keeps_its_rounds(monkeypatch: Patch) -> None:
    """One line says why, without a path; all else goes on, and no control lacks its method."""
    Calls(monkeypatch, fails=24)
    lines = measured(cases_of("lookup", "matmul"))
    (failure,) = failures(lines)
    assert failure["case"].method == "lookup"
    assert failure["reason"] == "RuntimeError: …: cannot allocate memory"
    assert rounds_of(lines, "matmul") == ALL
    before = rounds_of(lines, "lookup")
    assert before in (ALL[:4], ALL[:3])
    assert {*rounds_of(lines, "lookup", again=True)} <= {*before}


class Watched(Ready):
    """Remembers each table, and whether the one before was alive when it was made."""

    alive: dict[int, list[bool]]
    last: dict[int, Any]

    def names(self, case: Timed) -> dict[str, Any]:
        """The globals of a statement."""
        names, rows = super().names(case), case.num_embeddings
        before = rows in self.last and self.last[rows]() is not None
        self.alive.setdefault(rows, []).append(before)
        self.last[rows] = weakref.ref(names["table"])
        return names


@pytest.fixture
def watched(monkeypatch: Patch) -> type[Watched]:
    """The tables that are made; memory holds 1 MiB of them."""
    monkeypatch.setenv(TIMING.variable, "1")
    monkeypatch.setattr(rounds, "Ready", Watched)
    Watched.alive, Watched.last = {}, {}
    return Watched


@pytest.mark.parametrize(("first", "alive"), [(0, [False] + [True] * 7), (16, [False, True, True])])
def test_each_placement_has_other_memory(
    watched: type[Watched], first: int, alive: list[bool]
) -> None:
    """Tensors are made anew before the old ones are freed, and then these are freed.

    After a crash the round that was under way comes first.
    """
    cases = [Timed("lookup", rows, 64, 8) for rows in (64, 128)]
    assert not too_large(cases)
    controls = list[int]()
    for line in rounds.rounds(points_of(cases), 0, first):
        if line["type"] == "times" and line["again"]:
            controls.append(line["round"])
        assert sum(last() is not None for last in watched.last.values()) <= 2
    assert controls[::2] == ALL[first:]
    assert watched.alive == {64: alive, 128: alive}


def test_no_method_always_gets_its_tensors_last(monkeypatch: Patch) -> None:
    """What is allocated last was quicker to read in 90 of 120 comparisons of one lookup."""
    calls, methods = Calls(monkeypatch), ("lookup", "index_select", "matmul")
    rounds.random.seed(0)
    measured(cases_of(*methods))
    first, *later = zip(*[iter(calls.placed)] * 3, strict=True)
    assert first == methods, "the first time decides what fits, by the order of the list"
    assert {order[-1] for order in later} == {*methods}


def test_tables_that_do_not_fit_together_are_made_for_one_round(watched: type[Watched]) -> None:
    """One point at a time is held, and has one round in each placement."""
    # Two tables of 0.5 MiB, and one of 256 MiB.
    cases = [Timed("lookup", rows, 64, 8) for rows in (2000, 2001, 2**20)]
    assert too_large(cases[:2])
    assert not too_large(cases[1:]), "what is refused takes no memory"
    lines = measured(cases)
    (failure,) = failures(lines)
    assert all(part in failure["reason"] for part in ("256.0 MiB", TIMING.variable))
    assert rounds_of(lines, "lookup")[::2] == FIRST
    assert watched.alive == dict.fromkeys((2000, 2001), [False] * PLACEMENTS)


def test_what_does_not_fit_beside_the_others_is_refused(watched: type[Watched]) -> None:
    """Methods that learn hold tensors of their own."""
    cases = [Timed(name, 800, 64, 8, mode="backward") for name in ("lookup", "indexing", "module")]
    assert 2 * cases[0].memory_bytes < 2**20 < 3 * cases[0].memory_bytes
    assert [line["case"] for line in failures(measured(cases))] == [cases[2]]


@pytest.mark.parametrize(("cache", "order"), [("new", [1, 0, 0, 0]), ("cold", [1, 0] * 3)])
def test_what_comes_before_a_call_takes_no_time(
    monkeypatch: Patch, cache: str, order: list[int]
) -> None:
    """New ids for each call of a block; caches flushed before each call."""
    calls, told, seen = Calls(monkeypatch), list[int](), set[tuple[int, ...]]()

    def spend(made: Any = None) -> Any:
        calls.now += 100
        told.append(1)
        return made

    def call(ids: Any) -> None:
        calls.now += 0.5
        told.append(0)
        seen.add((*ids.tolist(),))

    monkeypatch.setattr(rounds, "flush_buffer", lambda _: SimpleNamespace(zero_=spend))
    source = {"new": "for ids in batches: call(ids)", "cold": "call(ids)"}[cache]
    monkeypatch.setattr(rounds, "statement", lambda case: source)
    series = Series(Timed("lookup", 50, 2, 3, cache=cache))
    draw, series.number = series.draw, 2
    monkeypatch.setattr(series, "draw", lambda calls: spend(draw(calls)))
    series.place({"call": call, "ids": torch.arange(3)})
    assert series.seconds(3) == 0.5
    assert told == order
    assert len(seen) == (3 if cache == "new" else 1)


NOISE = """
import os, sys, threading, time
from embviz.timing.measure import process as measure
from embviz.timing.measure.timed import Timed

def chatter():
    while True:
        if "torch" in sys.modules:
            print('{"type": "noise"}'); os.write(1, b'{"type": "noise"}\\n')
        time.sleep(0.01)

sys.modules.update(dict.fromkeys("pandas scipy pydantic streamlit plotly filelock".split()))
threading.Thread(target=chatter, daemon=True).start()
Timed.memory = lambda case: {}  # as if every case were free
print("half a line", end="")
measure.main()
"""


def test_a_process_answers_requests_and_imports_little(tmp_path: Path) -> None:
    """Its lines are a run's; prints and an allocation that nobody foresaw do no harm."""
    (tmp_path / "noisy.py").write_text(NOISE)
    variables = {TIMING.variable: "64", "PYTHONPATH": str(tmp_path)}
    variables["CUDA_VISIBLE_DEVICES"] = ""  # With a GPU no allocation is limited.
    child = Child("it", "noisy", environment=variables)
    assert child.receive(60) == {"type": "ready"}
    for dtype in ("float64", "float32"):
        good, large = (Timed("lookup", rows, 64, 3, dtype=dtype) for rows in (9, 2**23))
        cases = [asdict(one) for one in (replace(good, threads=2), large, good)]
        child.send({"cases": cases, "skip": [0], "process": 0, "first": 1})
        run = Run("r")
        while (line := child.receive(60) or {})["type"] != "done":
            if line["type"] == "environment":
                line["cases"] = cases
            if line["type"] not in ("now", "round"):
                run.add(read_line(json.dumps(line)))
        assert [one["dtype"] for one in run.environment["calibrations"]] == [dtype]
        assert run.environment["remade"] is False
        assert run.measured == [good]
        assert "allocate" in run.failures[large]
        assert [*run.times["round"].unique()] == ALL[1:]
    child.end()
