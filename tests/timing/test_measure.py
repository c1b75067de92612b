import json
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils import benchmark

from embviz.core.bounds import TIMING
from embviz.core.child import Child
from embviz.timing import rounds
from embviz.timing.case import PLACEMENTS, ROUNDS, Case
from embviz.timing.rounds import IN_PLACEMENT, Series, points_of, too_large
from embviz.timing.run import Run, read_line
from embviz.timing.tensors import Ready

Line = dict[str, Any]
ALL = list(range(ROUNDS))
HALF = IN_PLACEMENT // 2


def first(count: int) -> list[int]:
    """The first rounds of each placement."""
    return [number for number in ALL if number % IN_PLACEMENT < count]


class Called:
    """Replaces the tensors: each statement records its call and moves a clock of its own."""

    def __init__(self, patch: pytest.MonkeyPatch, seconds: float = 0.001, **others: float) -> None:
        self.count, self.made = Counter[str](), Counter[int]()
        self.seconds, self.others = seconds, others
        self.now, self.threads = 0.0, set[bool]()
        self.fails_after: dict[str, int] = {}
        patch.setattr(rounds, "Ready", self.ready)
        patch.setattr(rounds, "statement", lambda case: "called(case)")
        patch.setattr(benchmark, "timer", lambda: self.now)

    def ready(self, point: Case) -> Any:
        """Tensors of a point."""
        self.made[point.num_embeddings] += 1
        return SimpleNamespace(names=lambda case: {"called": self.called, "case": case})

    def called(self, case: Case) -> None:
        """One call of a statement."""
        self.count[case.method] += 1
        self.threads.add(torch.get_num_threads() == case.threads)
        if self.count[case.method] > self.fails_after.get(case.method, 10**9):
            raise RuntimeError("/home/ada/cpu.cpp: cannot allocate memory\nand more lines")
        self.now += self.others.get(case.method, self.seconds)


def cases_of(*methods: str, rows: tuple[int, ...] = (9,), **others: Any) -> list[Case]:
    """Cases of some points."""
    return [Case(method, size, 2, 3, **others) for size in rows for method in methods]


def measured(cases: list[Case], begin: int = 0) -> list[Line]:
    """All lines of a request."""
    return list(rounds.rounds(points_of(cases), 3, begin))


def rounds_of(lines: list[Line], method: str, again: bool = False) -> list[int]:
    """The rounds in which a method was measured."""
    times = [line for line in lines if line["type"] == "times" and line["again"] == again]
    return [line["round"] for line in times if line["case"]["method"] == method]


def test_every_case_is_measured_once_in_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round has every case and the controls, in an order of its own, as a run reads them."""
    called = Called(monkeypatch)
    cases = cases_of("lookup", "matmul", rows=(9, 16)) + cases_of("lookup", "matmul", threads=2)
    lines = [line for line in measured(cases) if line["type"] != "now"]
    orders = set()
    for number in range(ROUNDS):
        end = lines.index({"type": "round", "round": number})
        those, lines = [read_line(json.dumps(line)) for line in lines[:end]], lines[end + 1 :]
        keys = [(Case(**line["case"]), line["again"]) for line in those]
        controls = [(case, True) for case in cases if case.method == "lookup"]
        assert Counter(keys) == Counter([*[(case, False) for case in cases], *controls])
        assert all(keys.index((case, False)) < keys.index((case, True)) for case, _ in controls)
        assert {(line["round"], line["process"]) for line in those} == {(number, 3)}
        assert [line["seconds"] for line in those] == [pytest.approx([0.001] * 2)] * len(those)
        orders.add(tuple(keys))
    assert len(orders) > ROUNDS / 2
    assert called.made == {16: PLACEMENTS, 9: 2 * PLACEMENTS}
    assert called.threads == {True}


def test_quick_calls_are_timed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick calls are timed in blocks of many calls, after a short warm-up."""
    called = Called(monkeypatch, seconds=1e-6)
    lines = measured(cases_of("lookup"))
    in_a_round = round(rounds.ROUND_S / rounds.BLOCK_S)
    assert {len(line["seconds"]) for line in lines if "seconds" in line} == {in_a_round}
    calls = 2 * ROUNDS * in_a_round * round(rounds.BLOCK_S / 1e-6)
    assert calls < called.count["lookup"] < 1.1 * calls


def test_a_slow_method_has_fewer_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has equally many in each placement; what can hang is announced, and its end too."""
    Called(monkeypatch, matmul=rounds.SLOW_S / PLACEMENTS / 2.5, module=20.0, indexing=0.009)
    lines = measured(cases_of("lookup", "matmul", "module", "indexing"))
    assert rounds_of(lines, "lookup") == rounds_of(lines, "lookup", again=True) == ALL
    assert rounds_of(lines, "matmul") == first(2)
    assert rounds_of(lines, "module") == first(1)
    assert rounds_of(lines, "indexing") == first(HALF)
    told = [line["case"] and line["case"]["method"] for line in lines if line["type"] == "now"]
    once = PLACEMENTS
    assert Counter(told) == {
        "lookup": once, "matmul": 3 * once, "module": 2 * once, "indexing": once, None: 4 * once,
    }  # fmt: skip
    assert told[-1] is None


@pytest.mark.parametrize(("calls", "kept"), [(1, {0}), (8, {1}), (12, {1, 2}), (24, {3, 4})])
def test_what_fails_halfway_keeps_its_rounds(
    monkeypatch: pytest.MonkeyPatch, calls: int, kept: set[int]
) -> None:
    """One line says why, without a path; all else goes on, and no control lacks its method."""
    Called(monkeypatch).fails_after = {"lookup": calls}
    lines = measured(cases_of("lookup", "matmul"))
    (failure,) = (line for line in lines if line["type"] == "failure")
    assert failure["case"]["method"] == "lookup"
    assert failure["reason"] == "RuntimeError: …: cannot allocate memory"
    assert rounds_of(lines, "matmul") == ALL
    before = rounds_of(lines, "lookup")
    assert before == ALL[: len(before)]
    assert len(before) in kept
    assert set(rounds_of(lines, "lookup", again=True)) <= set(before)


def test_after_a_crash_the_rounds_before_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with the round that was under way, in tensors of its own."""
    called, begin = Called(monkeypatch), IN_PLACEMENT + 2
    assert rounds_of(measured(cases_of("lookup"), begin), "lookup") == ALL[begin:]
    assert called.made[9] == PLACEMENTS - 1


class Watched(Ready):
    """Remembers each table, and whether the one before was alive when it was made."""

    alive: dict[int, list[bool]]
    last: dict[int, Callable[[], object]]

    def names(self, case: Case) -> dict[str, Any]:
        """The globals of a statement."""
        names, rows = super().names(case), case.num_embeddings
        before = self.last.get(rows, lambda: None)() is not None
        self.alive.setdefault(rows, []).append(before)
        self.last[rows] = weakref.ref(names["table"])
        return names


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    """The tables that are made."""
    monkeypatch.setattr(rounds, "Ready", Watched)
    Watched.alive, Watched.last = {}, {}
    return Watched


def test_each_placement_has_other_memory(watched: type[Watched]) -> None:
    """Tensors are made anew before the old ones are freed, and then these are freed."""
    points = points_of([Case("lookup", rows, 64, 8) for rows in (64, 4096)])
    assert not too_large(points)
    for _ in rounds.rounds(points, 0):
        assert sum(last() is not None for last in watched.last.values()) <= 2
    assert watched.alive == {64: [False, True, True], 4096: [False, True, True]}


@pytest.mark.parametrize("slow", [False, True])
def test_tables_that_do_not_fit_together_are_made_in_each_round(
    monkeypatch: pytest.MonkeyPatch, watched: type[Watched], slow: bool
) -> None:
    """One point at a time is held; what takes long to make has one round in each placement."""
    monkeypatch.setenv(TIMING.variable, "1")
    monkeypatch.setattr(rounds, "MAKE_S", -1.0 if slow else 100.0)
    cases = [Case("lookup", rows, 64, 8) for rows in (2000, 2001, 2**20)]  # 0.5 MiB each, 256 MiB
    assert too_large(points_of(cases[:2]))
    assert not too_large(points_of(cases[1:])), "what is refused takes no memory"
    lines = measured(cases)
    (failure,) = (line for line in lines if line["type"] == "failure")
    assert failure["case"]["num_embeddings"] == 2**20
    assert "256.0 MiB" in failure["reason"]
    assert TIMING.variable in failure["reason"]
    wanted = first(1 if slow else HALF)
    assert rounds_of(lines, "lookup") == [number for number in wanted for _ in range(2)]
    assert watched.alive == dict.fromkeys((2000, 2001), [False] * len(wanted))


def test_what_does_not_fit_beside_the_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods that learn hold tensors of their own."""
    monkeypatch.setenv(TIMING.variable, "1")
    cases = [Case(name, 800, 64, 8, mode="backward") for name in ("lookup", "indexing", "module")]
    assert 2 * cases[0].memory_bytes < 2**20 < 3 * cases[0].memory_bytes
    failures = [line["case"] for line in measured(cases) if line["type"] == "failure"]
    assert failures == [asdict(cases[2])]


def series(statement: str, cache: str, patch: pytest.MonkeyPatch, **names: Any) -> Series:
    """A case whose statement is this one."""
    patch.setattr(rounds, "statement", lambda case: statement)
    one = Series(Case("lookup", 50, 2, 3, cache=cache))
    one.number = 2
    one.place(names)
    return one


def test_new_ids_are_drawn_outside_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of a block has ids of its own, within the table; drawing them takes no time."""
    called, seen = Called(monkeypatch), list[torch.Tensor]()
    one = series("for ids in batches: called(ids)", "new", monkeypatch, called=seen.append)
    draw = one.draw
    monkeypatch.setattr(one, "draw", lambda calls: (called.called(one.case), draw(calls))[1])
    one.seconds(4)
    assert one.seconds(3) < 1e-6
    assert len(seen) == 4 + 3
    assert all(ids.shape == (3,) and 0 <= ids.min() <= ids.max() < 50 for ids in seen)
    assert len({tuple(ids.tolist()) for ids in seen}) == len(seen)


def test_caches_are_flushed_before_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches are flushed before each single call, outside the clock."""
    called, order = Called(monkeypatch), list[str]()

    def took(name: str, seconds: float) -> None:
        order.append(name)
        called.now += seconds

    buffer = SimpleNamespace(zero_=lambda: took("flush", 100.0))
    monkeypatch.setattr(rounds, "flush_buffer", lambda device: buffer)
    one = series("took('call', 0.5)", "cold", monkeypatch, took=took)
    assert one.seconds(3) == 0.5
    assert order == ["flush", "call"] * 3


def test_the_peak_of_a_gpu_is_the_cases_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other cases hold does not count; what the statement reads does."""
    held = iter([10**9, 10**9 + 5000])
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda: None)
    for name in ("memory_allocated", "max_memory_allocated"):
        monkeypatch.setattr(torch.cuda, name, lambda: next(held))
    one = Series(Case("lookup", 50, 2, 3, device="cuda"))
    one.place(Ready(Case("lookup", 50, 2, 3)).names(one.case))
    assert one.peak == 5000 + 50 * 2 * 4 + 3 * 8


# --- the process

NOISE = """
import os, sys, threading, time
from embviz.timing import measure
from embviz.timing.case import Case

def chatter():
    while True:
        print('{"type": "noise"}'); os.write(1, b'{"type": "noise"}\\n'); time.sleep(0.01)

heavy = "pandas scipy pydantic streamlit plotly filelock".split()
write, made = measure.Output.write, measure.Output.__init__

def begin(self):
    made(self)
    threading.Thread(target=chatter, daemon=True).start()

measure.Output.__init__ = begin
measure.Output.write = lambda self, line: write(
    self, line | {"heavy": [one for one in heavy if one in sys.modules]}
)
Case.memory = lambda case: {}  # as if every case were free
print("half a line", end="")
measure.main()
"""


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    """A measuring process in which libraries print, and whose memory nobody predicts."""
    (tmp_path / "noisy.py").write_text(NOISE)
    variables = {TIMING.variable: "64", "PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "error"}
    made = Child("it", "noisy", environment=variables)
    yield made
    made.end()


def test_a_process_answers_requests_and_imports_little(child: Child) -> None:
    """Its lines are a run's; prints and an allocation that nobody foresaw do no harm."""
    assert child.receive(60) == {"type": "ready", "heavy": []}
    for dtype in ("float64", "float32"):
        good, large = (Case("lookup", rows, 64, 3, dtype=dtype) for rows in (9, 2**23))
        child.send({"cases": [asdict(large), asdict(good)], "process": 0, "first": 1})
        run = Run("r")
        while (line := child.receive(60) or {})["type"] != "done":
            assert line.pop("heavy") == []
            if line["type"] not in ("now", "round"):
                run.add(read_line(json.dumps(line)))
        assert (run.environment["remade"], run.label[-10:-8]) == (False, "20")
        assert [one["dtype"] for one in run.environment["calibrations"]] == [dtype]
        assert run.cases == [good]
        assert "allocate" in run.failures[large]
        assert list(run.times["round"].unique()) == ALL[1:]
