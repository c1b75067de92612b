"""Run files: what is written is read again, and a stranger's file can do no harm."""

import io
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.timing.case import Case
from embviz.timing.run import (
    MAX_LINE_BYTES,
    MAX_LINES,
    MAX_RUN_BYTES,
    Run,
    RunError,
    RunFile,
    labels,
    points,
    question,
    read_run,
    to_csv,
    zipped,
)
from tests.timing.made import CASE, made_run, vocab

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
TIMES = {
    "type": "times",
    "case": asdict(CASE),
    "process": 0,
    "round": 0,
    "again": False,
    "seconds": [1e-6, 2e-6, 3e-6],
}
FAILURE = {"type": "failure", "case": asdict(GPU), "reason": "needs 9.0 GiB"}
END = {"type": "end", "status": "done", "wall_s": 3.5, "reason": ""}
ON_GPU = {**TIMES, "case": asdict(GPU), "process": 1, "seconds": [0.5], "peak_bytes": 4096}
LINES = [ENVIRONMENT, TIMES, {**TIMES, "again": True, "seconds": [9.0]}, ON_GPU, FAILURE, END]


def file_of(*lines: object) -> bytes:
    """JSON lines; a text stands for itself."""
    return "".join(
        f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines
    ).encode()


def test_a_run_is_read_as_written() -> None:
    """Facts, times, failures and end are the same after writing and reading; so are the bytes."""
    run = read_run(file_of(*LINES), "r")
    again = read_run(run.to_bytes(), "r")
    pd.testing.assert_frame_equal(again.times, run.times)
    assert again.to_bytes() == run.to_bytes()
    (own := Run("r")).add(dict(TIMES))
    assert json.loads(own.to_bytes()) == TIMES, "a line is never changed"
    assert list(run.times["seconds"]) == [1e-6, 2e-6, 3e-6, 9.0, 0.5]
    assert list(run.times["process"]) == [0, 0, 0, 0, 1]
    assert (run.failures, run.end) == ({GPU: "needs 9.0 GiB"}, END)
    assert run.environment["load"] == 0.25
    assert run.cases == [CASE, GPU]


def test_points_come_from_the_seconds_alone() -> None:
    """Median, quartiles and rates are computed; the control and forged statistics do not count."""
    forged = {**TIMES, "median_s": 1e-9, "bytes": 1}
    run = read_run(file_of(ENVIRONMENT, forged, LINES[2], ON_GPU), "r")
    first, second = (row for _, row in run.points.iterrows())
    assert (first["case"], first["seconds"], first["low"], first["high"]) == pytest.approx(
        (CASE, 2e-6, 1.5e-6, 2.5e-6)
    )
    assert first["blocks"] == 3
    assert first["gb_per_s"] == pytest.approx(CASE.bytes / 2e-6 / 1e9)
    assert second["gflop_per_s"] == pytest.approx(GPU.flops / 0.5 / 1e9)
    assert (second["peak_bytes"], second["memory_bytes"]) == (4096, GPU.memory_bytes)


def test_a_torn_last_line_is_left_out() -> None:
    """A last line is left out wherever it is torn; what is whole stands."""
    whole, line = file_of(ENVIRONMENT, TIMES), json.dumps(ON_GPU).encode()
    for cut in range(len(line)):
        assert read_run(whole + line[:cut], "r").cases == [CASE], cut


BAD = [
    (b"", "no complete line"),
    (b"\x89PNG\r\n\x1a\n", "line 1: "),
    (file_of({"type": "other"}), "'environment', 'times', 'failure', 'end'"),
    (file_of(TIMES), "line 1: is of type times"),
    (file_of(ENVIRONMENT, "", ENVIRONMENT), "line 3: is of type environment"),
    (file_of(ENVIRONMENT, END, TIMES), "line 3: is of type times, but nothing follows"),
    (b"[" * 100_000 + b"\n", "recursion"),
    (file_of('{"type": "environment", "x": ' + "9" * 5_000 + "}"), "number out of range"),
    (b"\n" * (MAX_LINES + 1), f"{MAX_LINES + 1:,} lines"),
    (b" " * (MAX_RUN_BYTES + 1), f"{MAX_RUN_BYTES + 1:,} bytes"),
    (b" " * (MAX_LINE_BYTES + 1) + b"{\n", "line 1: has 1,000,002 bytes"),
    *(
        (file_of(ENVIRONMENT, {**TIMES, name: value}), f"line 2: {said}")
        for name, value, said in [
            ("case", 7, "case: "),
            ("case", {**asdict(CASE), "pass": "red"}, "case: is no case: "),
            ("case", {"method": "lookup"}, "case: is no case: "),
            ("case", {**asdict(CASE), "tokens": 0}, "case: tokens=0 is not a whole number"),
            ("case", {**asdict(CASE), "method": "x"}, "case: method='x' is not one of: lookup"),
            ("seconds", [], "seconds: "),
            ("seconds", [1e-6, -1e-6], "seconds.1: "),
            ("seconds", [float("nan")], "seconds.0: "),
            ("round", -1, "round: "),
            ("peak_bytes", -1, "peak_bytes: "),
        ]
    ),
    (file_of({**ENVIRONMENT, "x": {"a": 1}}), "line 1: x: "),
    (file_of({**ENVIRONMENT, "calibrations": [{**CALIBRATION, "gflop_per_s": 0}]}), "calibrations"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
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


def read_or_refused(content: bytes) -> None:
    """A RunError of one printable line, or a run that can be used; any other error escapes."""
    try:
        run = read_run(content, "x")
    except RunError as error:
        run, said = None, str(error)
    if run is None:
        assert said.isprintable()
        return
    assert read_run(run.to_bytes(), "x").to_bytes() == run.to_bytes()
    assert to_csv([run])
    assert run.label.isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = [(row, name) for row, line in enumerate(LINES) for name in line]


@given(st.sampled_from(FIELDS), st.sampled_from(list(asdict(CASE))), JSON)
@settings(deadline=None, max_examples=150)
def test_any_value_in_any_field_gives_a_run_or_one_sentence(
    field: tuple[int, str], inner: str, value: Any
) -> None:
    """Any value in any field, of a case too, gives a run or a refusal."""
    row, name = field
    put = {**LINES[row]["case"], inner: value} if name == "case" else value
    read_or_refused(file_of(*LINES[:row], {**LINES[row], name: put}, *LINES[row + 1 :]))


@given(st.integers(0, 10**6), st.binary(max_size=4), st.integers(0, 30))
@settings(deadline=None, max_examples=150)
def test_any_damage_gives_a_run_or_one_sentence(at: int, put: bytes, cut: int) -> None:
    """Any damage to a file gives a run or a refusal."""
    content = file_of(*LINES)
    at %= len(content)
    read_or_refused(content[:at] + put + content[at + cut :])


def test_a_file_is_written_line_by_line(tmp_path: Path) -> None:
    """Each line is in the file as soon as it is appended."""
    path = tmp_path / "r.jsonl"
    file = RunFile(path)
    for count, line in enumerate(LINES, 1):
        file.append(line)
        assert path.read_bytes() == file_of(*LINES[:count])
    assert not file.trouble


@pytest.mark.parametrize("path", ["/dev/full", "no/such/folder/r.jsonl"])
def test_a_file_that_cannot_be_written_says_so(path: str) -> None:
    """A full disk or a missing folder is one sentence; further lines raise nothing."""
    file = RunFile(Path(path))
    for line in LINES:
        file.append(line)
    assert path in file.trouble
    assert file.trouble.endswith(".")


def test_labels_name_machine_and_day_and_differ() -> None:
    """A label has the measured processor and the day; equal ones differ by name and number."""
    intel = "Intel Xeon Platinum 8488C"
    cpu, both = (read_run(file_of(ENVIRONMENT, *more), "a") for more in ([TIMES], LINES[1:]))
    assert cpu.label == f"{intel}, 2026-07-14"
    assert both.label == f"{intel} + H200, 2026-07-14"
    worker = read_run(file_of({**ENVIRONMENT, "worker": "one", "date": "5"}, TIMES), "b")
    assert labels([cpu, worker]) == [f"{intel}, 2026-07-14", f"one ({intel})"]
    assert len({*labels([cpu, cpu, both, both])}) == 4
    assert Run("r.jsonl").label == "r.jsonl"


def test_several_runs_are_one_table() -> None:
    """Points of several runs stand in one table with their labels; the zip has each file."""
    runs = [made_run(vocab(), name=name, cpu=name) for name in ("a", "b")]
    together = points(runs)
    assert len(together) == 2 * len(vocab())
    assert list(together["machine"].unique()) == labels(runs)
    with zipfile.ZipFile(io.BytesIO(zipped(runs))) as archive:
        assert [archive.read(name) for name in archive.namelist()] == [r.to_bytes() for r in runs]


@pytest.mark.parametrize("start", ["=", "\t=", "@"])
def test_the_csv_has_each_case_and_no_formula(start: str) -> None:
    """The CSV has a row for each case, failed ones too; no cell is a spreadsheet's formula."""
    evil = f"{start}cmd|'/c calc'!A1"
    lines = [{**ENVIRONMENT, "cpu": evil}, TIMES, {**FAILURE, "reason": evil}]
    table = pd.read_csv(io.StringIO(to_csv([read_run(file_of(*lines), "r")])))
    assert list(table["method"]) == ["lookup", "matmul"]
    assert table["seconds"].tolist()[0] == 2e-6
    assert table["reason"].isna().tolist() == [True, False]
    cells = [cell for column in table for cell in table[column] if isinstance(cell, str)]
    assert sum("cmd" in cell for cell in cells) == 2 + 1
    assert all(cell[0] not in "=+-@\t" for cell in cells)


def test_the_question_names_what_varies() -> None:
    """The question has the field with its ends, the methods and an unusual mode."""
    assert question(vocab()) == "num_embeddings 4 to 16,384, lookup and 1 more"
    cases = [Case("lookup", 64, 8, 4, ids=ids, mode="sgd") for ids in ("uniform", "zipf")]
    assert question(cases) == "ids uniform to zipf, lookup, training step (SGD)"
