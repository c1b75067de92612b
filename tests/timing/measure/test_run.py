"""Run files: what is written is read again, and a stranger's file can do no harm."""

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.system.bounds import SWEEP_CASES
from embviz.text.refused import Refused
from embviz.timing.measure.axes import VARY
from embviz.timing.measure.gpu import why_not
from embviz.timing.measure.methods import DEFAULT_METHODS
from embviz.timing.measure.rounds import BLOCK_S, FLUSHED_BLOCKS, ROUND_S
from embviz.timing.measure.run import (
    LINE_BYTES,
    MAX_CASES,
    MAX_LINES,
    Run,
    RunError,
    RunFile,
    check_lines,
    labels,
    read_run,
    to_csv,
)
from embviz.timing.measure.sweep import Sweep
from embviz.timing.measure.timed import KINDS, PLACEMENTS, ROUNDS, SIZES, Timed, plan
from tests.timing.made import CASE

GPU = Timed("matmul", 64, 8, 4, device="cuda", mode="backward")
RATES = {"copy_gb_per_s": {"4096": 2.0, "67108864": 1.0}, "gflop_per_s": 10.0}
CALIBRATION: dict[str, Any] = {"device": "cpu", "dtype": "float32", "threads": 1, **RATES}
ENVIRONMENT: dict[str, Any] = {
    "type": "environment",
    "cpu": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz",
    "gpus": ["NVIDIA H200"],
    "load": 0.25,
    "date": "2026-07-14T12:00:00+00:00",
    "calibrations": [CALIBRATION],
    "floor": {"wait": [6e-6], "gpu": [7e-7]},
    "question": "What does it cost?",
    "cases": [asdict(CASE), asdict(GPU)],
}
TIMES = {"type": "times", "case": 0, "process": 0, "placement": 0, "round": 0, "again": False}
TIMES |= {"wait": [1e-6, 2e-6, 3e-6]}
FAILURE = {"type": "failure", "case": 1, "reason": "needs 9.0 GiB"}
END = {"type": "end", "status": "done", "wall_s": 3.5, "reason": ""}
ON_GPU = {**TIMES, "case": 1, "process": 1, "wait": [0.5], "gpu": [0.25], "peak_bytes": 4096}
LINES = [ENVIRONMENT, TIMES, {**TIMES, "again": True, "wait": [9.0]}, ON_GPU, FAILURE, END]


def file_of(*lines: Any) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def changed(line: Any, **fields: Any) -> bytes:
    """A file whose second line has these fields."""
    return file_of(ENVIRONMENT, line | fields)


def of_cases(*cases: Any) -> bytes:
    """A file whose first line names these cases."""
    return file_of(ENVIRONMENT | {"cases": cases})


def read(*lines: Any) -> Run:
    """The run of these lines."""
    return read_run(file_of(*lines), "r")


def test_a_run_is_read_as_written() -> None:
    """The lines stand; medians, quartiles and rates come from the seconds without the control."""
    run = read(*LINES)
    assert read_run(run.to_bytes(), "r").to_bytes() == run.to_bytes()
    assert [*run.times["seconds"]] == [1e-6, 2e-6, 3e-6, 9.0, 0.5, 0.25]
    assert [*run.times["clock"]] == ["wait"] * 5 + ["gpu"]
    assert [*run.times["process"]] == [0, 0, 0, 0, 1, 1]
    assert run.failures == {GPU: "needs 9.0 GiB"}
    assert run.end == END
    assert run.cases == run.measured == [CASE, GPU]
    assert run.question == "What does it cost?"
    first, second = (row for _, row in read(ENVIRONMENT, *LINES[1:4]).points.iterrows())
    wanted = {"seconds": 2e-6, "low": 1.5e-6, "high": 2.5e-6, "gb_per_s": CASE.bytes / 2e-6 / 1e9}
    assert dict(first[[*wanted]]) == pytest.approx(wanted)
    assert second["gflop_per_s"] == pytest.approx(GPU.flops / 0.25 / 1e9), "of the GPU's work"
    assert (second["peak_bytes"], second["memory_bytes"]) == (4096, GPU.memory_bytes)
    assert Run("r").points.empty


def test_a_torn_last_line_is_left_out() -> None:
    """A last line is left out wherever it is torn; what is whole stands."""
    whole, line = file_of(ENVIRONMENT, TIMES), json.dumps(ON_GPU).encode()
    for cut in range(len(line)):
        assert read_run(whole + line[:cut], "r").measured == [CASE], cut


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    """It is not made anew without its first line."""
    path = tmp_path / "r.jsonl"
    file = RunFile(path)
    file.append(ENVIRONMENT)
    file.append(TIMES)
    assert len(read_run(path.read_bytes(), "r").times) == 3
    path.unlink()
    with pytest.raises(Refused, match="No such file"):
        file.append(TIMES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no complete line"),
        (file_of(TIMES), "line 1: type times"),
        (file_of(ENVIRONMENT) + b"\n" + file_of(ENVIRONMENT), "line 3: type environment"),
        (file_of(ENVIRONMENT, END, TIMES), "line 3: type times"),
        (b"[" * 100_000 + b"\n", "recursion"),
        (
            of_cases(asdict(CASE), asdict(CASE) | {"tokens": 0}),
            "cases.1: tokens='0' is not a whole ",
        ),
        (of_cases(*[asdict(CASE)] * (MAX_CASES + 1)), "line 1: cases: "),
        (changed(TIMES, case=2), "line 2: case: 2 is not one of 2 cases"),
        (changed(TIMES, case=-1), "line 2: case: "),
        (changed(TIMES, placement=None), "line 2: placement: "),
        (changed(TIMES, wait=[1e-6, -1e-6]), "line 2: wait.1: "),
        (changed(TIMES, gpu=[]), "line 2: gpu: "),
        (file_of(ENVIRONMENT | {"floor": {"wait": [1.0]}}), "line 1: floor.gpu: "),
    ],
)
def test_what_is_no_run_file_is_refused(content: bytes, message: str) -> None:
    """A file that is no run is refused in one printable sentence with its line and the field."""
    with pytest.raises(RunError) as caught:
        read_run(content, "r\n.jsonl")
    said = str(caught.value)
    assert message in said
    assert said.startswith(r"r\n.jsonl")
    assert said.isprintable()
    assert len(said) < 400


def test_the_largest_run_that_may_be_written_can_be_read() -> None:
    """No line of times is longer than is reckoned, and a run with more lines does not begin."""
    longest: dict[str, Any] = {name: max(those, key=len) for name, those in KINDS.items()}
    case = longest | {name: high for name, (_, high) in SIZES.items()}
    first = {"cases": [case] * MAX_CASES, "calibrations": [CALIBRATION] * 100}
    assert len(file_of(ENVIRONMENT | first)) <= MAX_CASES * LINE_BYTES
    line = {**TIMES, "case": MAX_CASES - 1, "process": 99, "peak_bytes": 2**60}
    line |= {"placement": PLACEMENTS - 1, "round": ROUNDS - 1}
    line["wait"] = [1.2345678901234567e-05] * max(FLUSHED_BLOCKS, round(ROUND_S / BLOCK_S))
    for more in ({"gpu": line["wait"]}, {"no_gpu": why_not(RuntimeError("e" * 999))}):
        assert len(file_of(line | more)) <= LINE_BYTES

    fixed = {one.field: one.usual for one in VARY.values()} | {"threads": 1}
    usual = plan("vocab", VARY["vocab"].values, DEFAULT_METHODS, ["cpu"], **fixed)
    check_lines(usual, 100)  # The command `time --repeat 100` has so many.
    most = plan("vocab", range(1, SWEEP_CASES.local + 1), ["lookup"], ["cpu"], **fixed)
    check_lines(most, MAX_LINES // (2 * ROUNDS * SWEEP_CASES.local))
    assert len(most) <= MAX_CASES
    read_run(of_cases(*map(asdict, most)), "r")
    with pytest.raises(RunError, match="make 288,000 lines; a run has at most 200,000"):
        Sweep(most, processes=3)
    with pytest.raises(RunError, match="r has more than 8 bytes"):
        read_run(b" " * 9, "r", most_bytes=8)


JSON = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())
FIELDS = [(row, name) for row, line in enumerate(LINES) for name in line]


@given(st.sampled_from(FIELDS), JSON, st.binary(), st.integers(0, 4000), st.integers(0, 30))
@settings(max_examples=100)
def test_anything_gives_a_run_or_one_sentence(
    field: tuple[int, str], value: Any, put: bytes, at: int, cut: int
) -> None:
    """Any value in any field, and any damage, gives a run or a refusal."""
    row, name = field
    content = file_of(*LINES[:row], {**LINES[row], name: value}, *LINES[row + 1 :])
    try:
        run = read_run(content[:at] + put + content[at + cut :], "x")
    except RunError as error:
        assert str(error).isprintable()  # noqa: PT017 - a run is as good
        return
    assert read_run(run.to_bytes(), "x").to_bytes() == run.to_bytes()
    assert to_csv([run])
    assert run.label.isprintable()


def test_labels_name_machine_and_day_and_differ() -> None:
    """A label has the measured processor and the day; equal ones differ by name and number."""
    intel = "Intel Xeon Platinum 8488C"
    both = read(*LINES)
    assert both.label == f"{intel}, H200, 2026-07-14"
    worker = read({**ENVIRONMENT, "worker": "one", "date": ""}, TIMES)
    assert worker.label == f"one, {intel}"
    assert len({*labels([worker, both, both])}) == 3


def test_a_stranger_s_texts_are_harmless() -> None:
    """They are short and printable; the CSV has a row a case, failed ones too, and no formula."""
    evil = "\t=cmd|'/c calc'!A1\u202e\x1b[2J" + "x" * 500
    run = read({**ENVIRONMENT, "cpu": evil, "question": evil}, TIMES, {**FAILURE, "reason": evil})
    texts = [run.environment["cpu"], run.question, *run.failures.values()]
    assert all(text.isprintable() and len(text) <= 200 for text in texts)
    table = pd.read_csv(io.StringIO(to_csv([run])))
    assert [*table["method"]] == ["lookup", "matmul"]
    cells = [cell for cell in table.to_numpy().ravel() if "cmd" in str(cell)]
    assert len(cells) == 3
    assert all(cell[0] not in "=+-@\t" for cell in cells)
