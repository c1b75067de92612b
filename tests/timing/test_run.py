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

from embviz.timing.case import Case
from embviz.timing.run import MAX_RUN_BYTES, Run, RunError, RunFile, labels, read_run, to_csv
from tests.timing.made import CASE

GPU = Case("matmul", 64, 8, 4, device="cuda", mode="backward")
CALIBRATION = {"device": "cpu", "dtype": "float32", "threads": 1}
CALIBRATION |= {"copy_gb_per_s": {"4096": 2.0, "67108864": 1.0}, "gflop_per_s": 10.0}
ENVIRONMENT: dict[str, Any] = {
    "type": "environment",
    "cpu": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz",
    "gpus": ["NVIDIA H200"],
    "cuda": None,
    "load": 0.25,
    "date": "2026-07-14T12:00:00+00:00",
    "calibrations": [CALIBRATION],
}
TIMES = {"type": "times", "case": asdict(CASE), "process": 0, "round": 0, "again": False}
TIMES |= {"seconds": [1e-6, 2e-6, 3e-6]}
FAILURE = {"type": "failure", "case": asdict(GPU), "reason": "needs 9.0 GiB"}
END = {"type": "end", "status": "done", "wall_s": 3.5, "reason": ""}
ON_GPU = {**TIMES, "case": asdict(GPU), "process": 1, "seconds": [0.5], "peak_bytes": 4096}
LINES = [ENVIRONMENT, TIMES, {**TIMES, "again": True, "seconds": [9.0]}, ON_GPU, FAILURE, END]


def file_of(*lines: object) -> bytes:
    """JSON lines; a text stands for itself."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "".join(f"{text}\n" for text in texts).encode()


def test_a_run_is_read_as_written() -> None:
    """Facts, times, failures and end are the same after writing and reading; so are the bytes."""
    run = read_run(file_of(*LINES), "r")
    assert read_run(run.to_bytes(), "r").to_bytes() == run.to_bytes()
    (own := Run("r")).add(dict(TIMES))
    assert json.loads(own.to_bytes()) == TIMES, "a line is never changed"
    assert list(run.times["seconds"]) == [1e-6, 2e-6, 3e-6, 9.0, 0.5]
    assert list(run.times["process"]) == [0, 0, 0, 0, 1]
    assert (run.failures, run.end) == ({GPU: "needs 9.0 GiB"}, END)
    assert (run.environment["load"], run.cases) == (0.25, [CASE, GPU])


def test_points_come_from_the_seconds_alone() -> None:
    """Median, quartiles and rates are computed; the control and forged statistics do not count."""
    forged = {**TIMES, "median_s": 1e-9, "bytes": 1}
    run = read_run(file_of(ENVIRONMENT, forged, LINES[2], ON_GPU), "r")
    first, second = (row for _, row in run.points.iterrows())
    assert (first["case"], first["seconds"], first["low"], first["high"]) == pytest.approx(
        (CASE, 2e-6, 1.5e-6, 2.5e-6)
    )
    assert first["gb_per_s"] == pytest.approx(CASE.bytes / 2e-6 / 1e9)
    assert second["gflop_per_s"] == pytest.approx(GPU.flops / 0.5 / 1e9)
    assert (second["peak_bytes"], second["memory_bytes"]) == (4096, GPU.memory_bytes)
    assert Run("r").points.empty


def test_a_torn_last_line_is_left_out() -> None:
    """A last line is left out wherever it is torn; what is whole stands."""
    whole, line = file_of(ENVIRONMENT, TIMES), json.dumps(ON_GPU).encode()
    for cut in range(len(line)):
        assert read_run(whole + line[:cut], "r").cases == [CASE], cut


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no complete line"),
        (b"\x89PNG\r\n\x1a\n", "line 1: "),
        (file_of({"type": "other"}), "'environment', 'times', 'failure', 'end'"),
        (file_of(TIMES), "line 1: type times"),
        (file_of(ENVIRONMENT, "", ENVIRONMENT), "line 3: type environment"),
        (file_of(ENVIRONMENT, END, TIMES), "line 3: type times"),
        (b"[" * 100_000 + b"\n", "recursion"),
        (b" " * (MAX_RUN_BYTES + 1), f"{MAX_RUN_BYTES:,} bytes"),
        (file_of({**ENVIRONMENT, "x": {"a": 1}}), "line 1: x: "),
        (file_of({**ENVIRONMENT, "calibrations": [{**CALIBRATION, "gflop_per_s": 0}]}), "calibr"),
        *(
            (file_of(ENVIRONMENT, {**TIMES, name: value}), f"line 2: {said}")
            for name, value, said in [
                ("case", 7, "case: "),
                ("case", {"method": "lookup"}, "case.num_embeddings: "),
                ("case", {**asdict(CASE), "tokens": 0}, "case: tokens='0' is not a whole number"),
                ("case", {**asdict(CASE), "method": "x"}, "case: method='x' is not one of: lookup"),
                ("seconds", [], "seconds: "),
                ("seconds", [1e-6, -1e-6], "seconds.1: "),
                ("seconds", [float("nan")], "seconds.0: "),
                ("round", -1, "round: "),
            ]
        ),
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


def test_a_stranger_s_texts_are_short_and_printable() -> None:
    """Facts and reasons become short printable texts."""
    given = {**ENVIRONMENT, "cpu": "a\u202eb\n" + "x" * 500, "gpus": ["A" * 500]}
    run = read_run(file_of(given, {**FAILURE, "reason": "\x1b[2J" + "x" * 9_999}), "r")
    texts = [run.environment["cpu"], run.environment["gpus"][0], *run.failures.values()]
    assert all(text.isprintable() and len(text) <= 200 for text in texts)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = [(row, name) for row, line in enumerate(LINES) for name in line]


@given(
    st.sampled_from(FIELDS), st.sampled_from(list(asdict(CASE))), JSON, st.integers(0, 10**6),
    st.binary(max_size=4), st.integers(0, 30), st.booleans(),
)  # fmt: skip
@settings(deadline=None, max_examples=250)
def test_anything_gives_a_run_or_one_sentence(
    field: tuple[int, str], inner: str, value: Any, at: int, put: bytes, cut: int, damaged: bool
) -> None:
    """Any value in any field, of a case too, or any damage, gives a run or a refusal."""
    row, name = field
    value = {**LINES[row]["case"], inner: value} if name == "case" else value
    lines = [*LINES[:row], {**LINES[row], name: value}, *LINES[row + 1 :]]
    content = file_of(*(LINES if damaged else lines))
    at %= len(content)
    try:
        run = read_run(content[:at] + put + content[at + cut :] if damaged else content, "x")
    except RunError as error:
        run, said = None, str(error)
    if run is None:
        assert said.isprintable()
        return
    assert read_run(run.to_bytes(), "x").to_bytes() == run.to_bytes()
    assert to_csv([run])
    assert run.label.isprintable()


@pytest.mark.parametrize("name", ["/dev/full", "no/such/folder/r.jsonl", "{}/r.jsonl"])
def test_a_file_is_written_line_by_line(name: str, tmp_path: Path) -> None:
    """Each line is there at once; a full disk or a missing folder is one sentence."""
    path = Path(name.format(tmp_path))
    file, good = RunFile(path), path.parent == tmp_path
    for count, line in enumerate(LINES, 1):
        file.append(line)
        assert not good or path.read_bytes() == file_of(*LINES[:count])
    assert (name in file.trouble, file.trouble.endswith(".")) == (not good, not good)


def test_labels_name_machine_and_day_and_differ() -> None:
    """A label has the measured processor and the day; equal ones differ by name and number."""
    intel = "Intel Xeon Platinum 8488C"
    cpu, both = (read_run(file_of(ENVIRONMENT, *more), "a") for more in ([TIMES], LINES[1:]))
    assert cpu.label == f"{intel}, 2026-07-14"
    assert both.label == f"{intel} + H200, 2026-07-14"
    worker = read_run(file_of({**ENVIRONMENT, "worker": "one", "date": ""}, TIMES), "b")
    assert labels([cpu, worker]) == [f"{intel}, 2026-07-14", f"one ({intel})"]
    assert len({*labels([cpu, cpu, both, both])}) == 4
    assert Run("r.jsonl").label == "r.jsonl"


@pytest.mark.parametrize("start", ["=", "\t=", "@"])
def test_the_csv_has_each_case_and_no_formula(start: str) -> None:
    """The CSV has a row for each case, failed ones too; no cell is a spreadsheet's formula."""
    evil = f"{start}cmd|'/c calc'!A1"
    lines = [{**ENVIRONMENT, "cpu": evil}, TIMES, {**FAILURE, "reason": evil}]
    runs = [read_run(file_of(*lines), "r"), read_run(file_of(ENVIRONMENT, TIMES), "s")]
    table = pd.read_csv(io.StringIO(to_csv(runs)))
    assert list(table["method"]) == ["lookup", "lookup", "matmul"]
    assert table["seconds"].tolist()[0] == 2e-6
    assert table["reason"].isna().tolist() == [True, True, False]
    cells = [cell for column in table for cell in table[column] if isinstance(cell, str)]
    assert sum("cmd" in cell for cell in cells) == 2 + 1
    assert all(cell[0] not in "=+-@\t" for cell in cells)
