"""Run files: what is written is read again, and a stranger's file can do no harm."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embviz.timing.cases import Case
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import (
    COLUMNS,
    MAX_LINES,
    MAX_RUN_BYTES,
    REASON_LIMIT,
    Run,
    RunError,
    labels,
    read_result,
    read_run,
    to_csv,
    to_line,
)
from tests.timing.made_results import CASE

QUICK = settings(deadline=None, max_examples=150)
LOOKUP = Measurement(CASE, {(0, 0): (1e-6, 2e-6), (0, 1): (4e-6,)})
CONTROL = Measurement(CASE, {(0, 0): (1e-6, 3e-6)}, again=True)
ON_GPU = Measurement(
    Case("matmul", 64, 8, 4, device="cuda", pass_="backward"), {(1, 0): (0.5,)}, peak_bytes=4096
)
FAILED = Failure(Case("onehot_matmul", 2**20, 8, 4, ids="zipf"), "needs 9.0 GiB")
MACHINE = {
    "cpu": "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz",
    "gpus": ["NVIDIA H200"],
    "threads": 1,
    "memory_bytes": 8 * 2**30,
    "cuda": None,
    "hosted": False,
    "load": 0.25,
    "date": "2026-07-14T12:00:00+00:00",
}
RUN = Run("r.jsonl", MACHINE, (LOOKUP, CONTROL, FAILED, ON_GPU), {"status": "done", "wall_s": 3.5})

ENVIRONMENT = {"type": "environment"}
TIMES = next(LOOKUP.lines())
FAILURE = next(FAILED.lines())


def four_digits(seconds: float) -> float:
    """What a file keeps of a time."""
    return float(f"{seconds:.3e}")


def file_of(*lines: object) -> bytes:
    """JSON lines; a text stands for itself."""
    return "".join(
        f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines
    ).encode()


def test_a_run_is_read_as_written() -> None:
    """A run is equal after writing and reading."""
    assert read_run(RUN.to_bytes(), RUN.name) == RUN


def test_the_file_is_what_the_design_says() -> None:
    """The file's lines have the types and fields of the contract."""
    lines = [json.loads(line) for line in RUN.to_bytes().decode().splitlines()]
    kinds = ["environment", "times", "times", "times", "failure", "times", "end"]
    assert [line["type"] for line in lines] == kinds
    assert lines[0]["threads"] == 1
    assert lines[1] == {
        "type": "times",
        "case": CASE.to_dict(),
        "process": 0,
        "round": 0,
        "again": False,
        "seconds": [1e-6, 2e-6],
    }
    assert (lines[2]["round"], lines[3]["again"], lines[5]["process"]) == (1, True, 1)
    assert lines[4]["reason"] == "needs 9.0 GiB"
    assert lines[6] == {"type": "end", "status": "done", "wall_s": 3.5}


def test_a_torn_last_line_is_left_out() -> None:
    """A last line is left out wherever it is torn."""
    whole, line = Run("r", MACHINE, (LOOKUP,)).to_bytes(), to_line(FAILURE).encode()
    for cut in range(1, len(line)):
        assert read_run(whole + line[:cut], "r") == read_run(whole, "r"), cut
    assert read_run(whole + '{"type": "µ'.encode()[:-1], "r").results == (LOOKUP,)
    assert read_run(RUN.to_bytes()[:-1], RUN.name) == RUN  # only the break is missing


def test_statistics_in_the_file_are_not_believed() -> None:
    """Statistics are computed again from the raw times."""
    forged = {**TIMES, "median_s": 1e-9, "iqr_s": 0, "bytes": 1, "extra": [{}]}
    run = read_run(file_of(ENVIRONMENT, forged), "r")
    assert run.to_bytes() == read_run(file_of(ENVIRONMENT, TIMES), "r").to_bytes()


BAD = [
    (b"", "r.jsonl has no complete line; the first must be of type environment."),
    (b"\x89PNG\r\n\x1a\n", "line 1: byte 1 is not UTF-8."),
    (b"<html>\n", "line 1: is not JSON (Expecting value at character 1); one JSON object a line"),
    (b"[1]\n", "line 1: [1] is not a JSON object; one a line is expected."),
    (b"{}\n", "line 1: lacks type."),
    (file_of({"type": ["end"]}), 'line 1: type=["end"] is not one of: environment, times'),
    (file_of(TIMES), "line 1: is of type times, but the first line must be of type"),
    (file_of(ENVIRONMENT, "", ENVIRONMENT), "line 3: is a second environment; one file holds one"),
    (file_of(ENVIRONMENT, {"type": "end"}, TIMES), "line 3: is of type times, but nothing"),
    (b"[" * 100_000 + b"\n", "line 1: is nested too deep"),
    (file_of(ENVIRONMENT, '{"type": "end", "x": NaN}'), "line 2: NaN is no number in JSON"),
    (file_of('{"x": ' + "9" * 5_000 + "}"), "line 1: a number of 5,000 digits; at most 100"),
    (b"\n" * (MAX_LINES + 1), f"r.jsonl has {MAX_LINES + 1:,} lines; a run file may have"),
    (b" " * (MAX_RUN_BYTES + 1), "has 32,000,001 bytes; a run file may have 32,000,000 at most."),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_what_is_no_run_file_is_refused(content: bytes, message: str) -> None:
    """A file that is no run is refused with line and reason."""
    with pytest.raises(RunError) as caught:
        read_run(content, "r.jsonl")
    assert message in str(caught.value)
    assert str(caught.value).startswith("r.jsonl")
    assert str(caught.value).isprintable()


BAD_FIELDS = [
    ("case", 7, "in its case, 7 is not a case: a JSON object was expected."),
    ("case", {**CASE.to_dict(), "colour": "red"}, "in its case, 'colour' is no field of a case"),
    ("seconds", [], "seconds has 0 values; 1 to 20,000 are allowed."),
    ("seconds", 1e-6, "seconds=1e-06 is not a list of numbers."),
    ("seconds", [1e-6, -1e-6], "seconds[1]=-1e-06 is not a number of seconds from 1e-12"),
    ("seconds", [1e7], "seconds[0]=10000000.0 is not a number of seconds"),
    ("seconds", ["1"], "seconds[0]='1' is not a number of seconds"),
    ("seconds", [True], "seconds[0]=true is not a number of seconds"),
    ("seconds", [float("nan")], "seconds[0]=NaN is not a number of seconds"),
    ("round", -1, "round=-1 is not a whole number from 0 to"),
    ("round", 10**90, "is not a whole number from 0 to"),
    ("process", True, "process=true is not a whole number"),
    ("anchor", "yes", "anchor='yes' is not true or false."),
    ("again", 1, "again=1 is not true or false."),
    ("peak_bytes", -1, "peak_bytes=-1 is not a whole number from 0 to"),
]
BAD_RESULTS = [
    *(({**TIMES, name: value}, message) for name, value, message in BAD_FIELDS),
    *(
        ({k: v for k, v in TIMES.items() if k != name}, f"lacks {name}.")
        for name in ("case", "seconds", "process", "round", "again")
    ),
    ({"type": "failure", "case": CASE.to_dict()}, "lacks reason."),
    ({"type": "failure", "case": CASE.to_dict(), "reason": 5}, "reason=5 is not a text."),
    ({"type": "environment"}, "is of neither type times nor failure."),
    ([], "[] is of neither type times nor failure."),
]


@pytest.mark.parametrize(("line", "message"), BAD_RESULTS)
def test_a_wrong_field_is_named(line: Any, message: str) -> None:
    """A forged field is refused by name."""
    with pytest.raises(RunError) as caught:
        read_result(line)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_number_too_large_for_a_float_is_refused() -> None:
    """1e999, which is infinite as a float, is refused."""
    line = json.dumps(TIMES).replace("2e-06", "1e999")
    with pytest.raises(RunError, match="Infinity is not a number of seconds"):
        read_run(file_of(ENVIRONMENT, line), "r")


@pytest.mark.parametrize("name", ["type", "case", "again", "round"])
def test_a_deep_value_is_refused(name: str) -> None:
    """A value just shallow enough to be parsed is refused in a sentence."""
    line = json.dumps(TIMES | {name: "?"})
    for depth in range(700, 1_001):  # the limit lies here, less what pytest has on the stack
        with pytest.raises(RunError, match=r"^r, line 2: "):
            read_run(file_of(ENVIRONMENT, line.replace('"?"', "[" * depth + "]" * depth)), "r")


def lines_of(count: int, rounds: int) -> list[dict[str, Any]]:
    """Lines of a run: so many cases in so many rounds."""
    return [
        {**TIMES, "case": {**CASE.to_dict(), "tokens": case}, "round": number}
        for number in range(rounds)
        for case in range(1, count + 1)
    ]


def test_the_lines_of_a_file_are_pooled() -> None:
    """One line for each case, round and process gives one result a case."""
    lines = [
        {**TIMES, "seconds": [one], "round": number, "process": process}
        for number, process, one in [(0, 1, 3e-6), (0, 0, 1e-6), (1, 0, 2e-6), (0, 0, 5e-6)]
    ]
    (one,) = read_run(file_of(ENVIRONMENT, *lines), "r").results
    assert isinstance(one, Measurement)
    assert one.blocks == {(0, 0): (1e-6, 5e-6), (0, 1): (2e-6,), (1, 0): (3e-6,)}


def test_a_control_of_another_method_is_refused() -> None:
    """A control needs a measurement of its own case; the refusal names its line."""
    other = {**TIMES, "again": True, "case": {**CASE.to_dict(), "method": "matmul"}}
    with pytest.raises(RunError, match=r"r\.jsonl, line 3: measures matmul again, but no line"):
        read_run(file_of(ENVIRONMENT, TIMES, other, other), "r.jsonl")


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("MAX_RESULTS", lines_of(5, 2), "r has 5 results; a run may have 4 at most."),
        ("MAX_LINES", lines_of(1, 4), "r has 5 lines; a run file may have 4 at most."),
        ("MAX_LINE_BYTES", lines_of(1, 1), "r, line 1: has 23 bytes; at most 4 allowed."),
    ],
)
def test_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, lines: list[dict[str, Any]], message: str
) -> None:
    """A file with too many results, lines or bytes is refused."""
    content = file_of(ENVIRONMENT, *lines)
    assert read_run(content, "r").results
    monkeypatch.setattr(f"embviz.timing.runs.{name}", 4)
    with pytest.raises(RunError) as caught:
        read_run(content, "r")
    assert str(caught.value) == message


def test_times_are_written_with_four_digits() -> None:
    """Times have 4 significant digits in a file."""
    (line,) = Measurement(CASE, {(0, 0): (1.23456e-6, 9.87654321e-7)}).lines()
    assert line["seconds"] == [1.235e-6, 9.877e-7]


def test_a_stranger_s_environment_is_plain_and_short() -> None:
    """A forged environment is cut to short, flat, printable facts."""
    given = {
        **ENVIRONMENT,
        "cpu": "a\u202eb\n" + "x" * 500,
        "nested": {"a": 1},
        "numbers": [1, 2],
        "gpus": ["A" * 500] * 50,
        "huge": 10**50,
        "fine": 3,
        "none": None,
        "yes": True,
        "a\nb": "key",
    }
    environment = read_run(file_of(given), "r").environment
    assert set(environment) == {"cpu", "gpus", "fine", "none", "yes", r"a\nb"}
    assert environment["cpu"].startswith(r"a\u202eb\nxxx")
    assert len(environment["cpu"]) == 200
    assert (len(environment["gpus"]), len(environment["gpus"][0])) == (20, 200)
    assert (environment["fine"], environment["none"], environment["yes"]) == (3, None, True)
    many = read_run(file_of({**ENVIRONMENT, **{f"k{i}": i for i in range(99)}}), "r")
    assert len(many.environment) == 60


def test_names_and_reasons_are_printable_and_short() -> None:
    """Names and reasons are printable and short."""
    failure = {"type": "failure", "case": CASE.to_dict(), "reason": "\x1b[2J" + "x" * 9_999}
    run = read_run(file_of(ENVIRONMENT, failure), "a\nb" * 100)
    (failed,) = run.results
    assert isinstance(failed, Failure)
    assert failed.reason.startswith(r"\x1b[2Jxxx")
    assert len(failed.reason) == REASON_LIMIT
    assert run.name.isprintable()
    assert len(run.name) == 100
    with pytest.raises(RunError) as caught:
        read_run(b"{\n", "a\nb")
    assert str(caught.value).startswith(r"a\nb, line 1: ")


@pytest.mark.parametrize(
    ("environment", "results", "label"),
    [
        (MACHINE, (LOOKUP,), "Intel Xeon Platinum 8488C, 2026-07-14"),
        (MACHINE, (ON_GPU,), "H200, 2026-07-14"),
        ({"cpu": "AMD EPYC 7B13 64-Core Processor"}, (LOOKUP,), "AMD EPYC 7B13"),
        ({"cpu": "x", "date": "yesterday"}, (LOOKUP,), "x"),
        ({"cpu": 5, "gpus": [], "date": 5}, (ON_GPU,), "cuda"),
        ({}, (), "r.jsonl"),
    ],
)
def test_a_label_names_the_machine(
    environment: dict[str, Any], results: tuple[Measurement, ...], label: str
) -> None:
    """A label has machine and date, whatever the environment holds."""
    assert Run("r.jsonl", environment, results).label == label


def test_labels_differ() -> None:
    """Labels of several runs differ."""
    runs = [Run(name, {"cpu": "x"}, (LOOKUP,)) for name in ("a", "b", "b")]
    assert labels(runs) == ["x (a)", "x (b) #1", "x (b) #2"]
    assert labels([*runs[:1], Run("c", {"cpu": "y"})]) == ["x", "y"]


def test_csv_has_a_row_for_each_result() -> None:
    """The CSV has a row for each result with its statistics."""
    rows = list(csv.DictReader(io.StringIO(to_csv([RUN, Run("other", {}, (FAILED,))]))))
    assert tuple(rows[0]) == COLUMNS
    assert [row["kind"] for row in rows] == [
        "measurement",
        "control",
        "failure",
        "measurement",
        "failure",
    ]
    first = rows[0]
    assert (first["run"], first["method"], first["pass"]) == ("r.jsonl", "lookup", "forward")
    assert (first["ids"], first["cache"]) == ("uniform", "same")
    assert first["machine"] == "Intel Xeon Platinum 8488C + H200"
    assert float(first["median_s"]) == 2e-6
    assert float(first["iqr_s"]) == pytest.approx(1.5e-6)
    assert (first["blocks"], first["bytes"]) == ("3", "288")
    assert (rows[3]["device"], rows[3]["peak_bytes"]) == ("cuda", "4096")
    assert (rows[2]["reason"], rows[2]["median_s"], rows[4]["run"]) == (
        "needs 9.0 GiB",
        "",
        "other",
    )


@pytest.mark.parametrize("start", ["=", "\t="])
def test_csv_holds_no_formula(start: str) -> None:
    """No cell of the CSV is a formula for a spreadsheet."""
    evil = f"{start}cmd|'/c calc'!A1"
    run = Run(evil, {"cpu": evil}, (Failure(CASE, evil),))
    (row,) = csv.DictReader(io.StringIO(to_csv([run])))
    for name in ("run", "machine", "reason"):
        assert row[name][0] not in "=+-@|\uff1d\t\r\n"
    assert "cmd" in row["reason"]


def read_or_refused(content: bytes) -> None:
    """A RunError of one printable line, or a run that can be used; any other error escapes."""
    try:
        run = read_run(content, "x")
    except RunError as error:
        message = str(error)
        run = None
    if run is None:
        assert message.isprintable()
        return
    assert read_run(run.to_bytes(), "x") == run
    assert to_csv([run])
    assert run.label.isprintable()


@given(st.binary(max_size=300))
@example(b"{")
@example(b'\xff\xfe{"type": "environment"}\n')
@QUICK
def test_any_bytes_give_a_run_or_one_sentence(content: bytes) -> None:
    """Any bytes are a run or a refusal in one sentence."""
    read_or_refused(content)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
paths = st.sampled_from(
    [
        (0, "cpu"),
        (0, "gpus"),
        (0, "date"),
        (0, "type"),
        (1, "type"),
        (1, "case"),
        (1, "seconds"),
        (1, "process"),
        (1, "round"),
        (1, "again"),
        (5, "peak_bytes"),
        (4, "reason"),
        (4, "case"),
        (6, "type"),
        (6, "status"),
        *((line, "case", name) for line in (1, 4) for name in CASE.to_dict()),
    ]
)


@given(paths, json_values)
@settings(deadline=None, max_examples=300)
def test_any_value_in_any_field_gives_a_run_or_one_sentence(
    path: tuple[Any, ...], value: Any
) -> None:
    """Any value in any field gives a run or a refusal."""
    lines = [json.loads(line) for line in RUN.lines()]
    *way, last = path
    target: Any = lines
    for step in way:
        target = target[step]
    target[last] = value
    read_or_refused(file_of(*lines))


@given(st.integers(0, 10**6), st.binary(max_size=4), st.integers(0, 30))
@settings(deadline=None, max_examples=300)
def test_any_damage_gives_a_run_or_one_sentence(at: int, put: bytes, cut: int) -> None:
    """Any damage to a file gives a run or a refusal."""
    content = RUN.to_bytes()
    at %= len(content)
    read_or_refused(content[:at] + put + content[at + cut :])


@given(
    st.lists(st.floats(1e-12, 1e6).map(four_digits), min_size=1, max_size=20),
    st.text(max_size=600),
    st.dictionaries(st.text(max_size=9), json_values, max_size=4),
)
@QUICK
def test_any_run_is_read_as_written(
    times: list[float], text: str, environment: dict[str, Any]
) -> None:
    """Any run is equal after writing and reading."""
    results = Measurement(CASE, {(0, 0): tuple(times)}), Failure(FAILED.case, text)
    run = Run(text, environment, results, {})
    assert read_run(run.to_bytes(), run.name) == run
