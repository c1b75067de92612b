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
    MAX_TIMES,
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
LOOKUP = Measurement(CASE, (1e-6, 2e-6, 4e-6), 500, 1.5e-6, "overhead")
CONTROL = Measurement(CASE, (1e-6, 3e-6), 500, 1.5e-6, "overhead", control=True)
ON_GPU = Measurement(
    Case("matmul", 64, 8, 4, device="cuda", pass_="backward"), (0.5,), 1, peak_bytes=4096
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
RUN = Run("r.jsonl", MACHINE, (LOOKUP, CONTROL, ON_GPU, FAILED), {"status": "done", "wall_s": 3.5})

ENVIRONMENT = {"type": "environment"}
MEASUREMENT = LOOKUP.to_dict()


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
    assert [line["type"] for line in lines] == [
        "environment",
        "measurement",
        "measurement",
        "measurement",
        "failure",
        "end",
    ]
    assert lines[0]["threads"] == 1
    assert lines[1]["times_s"] == [1e-6, 2e-6, 4e-6]
    assert (lines[1]["median_s"], lines[1]["case"]["pass"]) == (2e-6, "forward")
    assert lines[2]["control"] is True
    assert lines[4]["reason"] == "needs 9.0 GiB"
    assert lines[5] == {"type": "end", "status": "done", "wall_s": 3.5}


def test_a_run_under_way_has_no_end() -> None:
    """A run under way has no end."""
    run = Run("r", {}, (LOOKUP,))
    assert b'"end"' not in run.to_bytes()
    assert read_run(run.to_bytes(), "r").end is None
    assert read_run(run.to_bytes() + b'{"type": "end"}\n', "r").end == {}


def test_a_torn_last_line_is_left_out() -> None:
    """A last line is left out wherever it is torn."""
    whole, line = Run("r", MACHINE, (LOOKUP,)).to_bytes(), to_line(FAILED.to_dict()).encode()
    for cut in range(1, len(line)):
        assert read_run(whole + line[:cut], "r") == read_run(whole, "r"), cut


def test_a_line_torn_inside_a_character_is_left_out() -> None:
    """A last line torn inside a character is left out."""
    whole = Run("r", {}, (LOOKUP,)).to_bytes()
    assert read_run(whole + '{"type": "µ'.encode()[:-1], "r").results == (LOOKUP,)


def test_only_the_break_is_missing() -> None:
    """A complete last line without a line break is kept."""
    assert read_run(RUN.to_bytes()[:-1], RUN.name) == RUN


def test_a_torn_line_in_the_middle_is_an_error() -> None:
    """A torn line in the middle is refused."""
    with pytest.raises(RunError, match=r"r\.jsonl, line 2: is not JSON \(.* at character"):
        read_run(file_of(ENVIRONMENT, '{"type": "measu', MEASUREMENT), "r.jsonl")


def test_editors_leave_their_marks() -> None:
    """A byte order mark and Windows line breaks are accepted."""
    content = b"\xef\xbb\xbf" + RUN.to_bytes().replace(b"\n", b"\r\n\r\n")
    assert read_run(content, RUN.name) == RUN


def test_statistics_in_the_file_are_not_believed() -> None:
    """Statistics are computed again from the raw times."""
    forged = {**MEASUREMENT, "median_s": 1e-9, "iqr_s": 0, "bytes": 1, "flops": -5, "extra": [{}]}
    run = read_run(file_of(ENVIRONMENT, forged), "r")
    assert run.results == (LOOKUP,)
    assert run.to_bytes() == Run("r", {}, (LOOKUP,)).to_bytes()


BAD = [
    (b"", "r.jsonl has no complete line; the first must be of type environment."),
    (b"\n \n", "has no complete line"),
    (b"<html>", "has no complete line"),
    (b"\x89PNG\r\n\x1a\n", "line 1: byte 1 is not UTF-8."),
    (b"<html>\n", "line 1: is not JSON (Expecting value at character 1); one JSON object a line"),
    (b"[1]\n", "line 1: [1] is not a JSON object; one a line is expected."),
    (b"null\n", "line 1: null is not a JSON object"),
    (b"{}\n", "line 1: lacks type."),
    (file_of({"type": "header"}), "line 1: type='header' is not one of: environment, measurement"),
    (file_of({"type": ["end"]}), 'line 1: type=["end"] is not one of: environment'),
    (file_of(MEASUREMENT), "line 1: is of type measurement, but the first line must be of type"),
    (file_of(ENVIRONMENT, "", ENVIRONMENT), "line 3: is a second environment; one file holds one"),
    (file_of(ENVIRONMENT, {"type": "end"}, MEASUREMENT), "line 3: is of type measurement, but"),
    (file_of(ENVIRONMENT, {"type": "end"}, {"type": "end"}), "line 3: is of type end, but nothing"),
    (b"[" * 100_000 + b"\n", "line 1: is nested too deep"),
    (file_of(ENVIRONMENT, '{"type": "end", "x": NaN}'), "line 2: NaN is no number in JSON"),
    (file_of(ENVIRONMENT, '{"x": -Infinity}'), "line 2: -Infinity is no number in JSON"),
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
    ("times_s", [], "times_s has 0 values; 1 to 200,000 are allowed."),
    ("times_s", 1e-6, "times_s=1e-06 is not a list of seconds."),
    ("times_s", [1e-6] * (MAX_TIMES + 1), "times_s has 200,001 values;"),
    ("times_s", [1e-6, -1e-6], "times_s[1]=-1e-06 is not a number of seconds"),
    ("times_s", [0], "times_s[0]=0 is not a number of seconds from 1e-12"),
    ("times_s", [1e7], "times_s[0]=10000000.0 is not a number of seconds"),
    ("times_s", ["1"], "times_s[0]='1' is not a number of seconds"),
    ("times_s", [None], "times_s[0]=null is not a number of seconds"),
    ("times_s", [True], "times_s[0]=true is not a number of seconds"),
    ("times_s", [float("inf")], "times_s[0]=Infinity is not a number of seconds"),
    ("times_s", [float("nan")], "times_s[0]=NaN is not a number of seconds"),
    ("times_s", [[1]], "times_s[0]=[1] is not a number of seconds"),
    ("number_per_run", 0, "number_per_run=0 is not a whole number from 1 to"),
    ("number_per_run", 1.5, "number_per_run=1.5 is not a whole number"),
    ("number_per_run", True, "number_per_run=true is not a whole number"),
    ("number_per_run", 10**90, "is not a whole number from 1 to"),
    ("predicted_s", -1, "predicted_s=-1 is not a number of seconds"),
    ("predicted_s", "fast", "predicted_s='fast' is not a number of seconds"),
    ("dominant", "luck", "dominant='luck' is not one of: bandwidth, compute"),
    ("dominant", ["compute"], 'dominant=["compute"] is not one of'),
    ("rounds", 3, "rounds=3 is not a list of 1 to 10,000 counts"),
    ("rounds", [], "rounds=[] is not a list of 1 to 10,000 counts"),
    ("rounds", [1] * 10_001, "is not a list of 1 to 10,000 counts"),
    ("rounds", [1, 1], "rounds are 2 together; times_s has 3."),
    ("rounds", [4, -1], "rounds[0]=4 is not a whole number from 0 to 3"),
    ("rounds", [1, True, 1], "rounds[1]=true is not a whole number"),
    ("rounds", [[3]], "rounds[0]=[3] is not a whole number"),
    ("processes", [1, 1], "processes are 2 together; rounds has 1."),
    ("processes", "1", "processes='1' is not a list of"),
    ("anchor", "yes", "anchor='yes' is not true or false."),
    ("control", 1, "control=1 is not true or false."),
    ("peak_bytes", -1, "peak_bytes=-1 is not a whole number from 0 to"),
]
BAD_CASES = [
    ("method", "rm -rf", "method='rm -rf' is not one of: lookup"),
    ("num_embeddings", 10**12, "num_embeddings=1000000000000 is not a whole number from 1"),
    ("tokens", 2.0, "tokens=2.0 is not a whole number"),
    ("tokens", True, "tokens=true is not a whole number"),
    ("colour", "red", "'colour' is no field of a case"),
    ("dtype", {"a": 1}, 'dtype={"a": 1} is not one of: float32'),
]
BAD_RESULTS = [
    *(({**MEASUREMENT, name: value}, message) for name, value, message in BAD_FIELDS),
    *(
        ({**MEASUREMENT, "case": {**CASE.to_dict(), name: value}}, f"in its case, {message}")
        for name, value, message in BAD_CASES
    ),
    *(
        ({k: v for k, v in MEASUREMENT.items() if k != name}, f"lacks {name}.")
        for name in ("case", "times_s", "number_per_run")
    ),
    ({"type": "failure", "case": CASE.to_dict()}, "lacks reason."),
    ({"type": "failure", "case": CASE.to_dict(), "reason": 5}, "reason=5 is not a text."),
    ({"type": "environment"}, "is no measurement and no failure."),
    ([], "[] is no measurement and no failure."),
]


@pytest.mark.parametrize(("line", "message"), BAD_RESULTS)
def test_a_wrong_field_is_named(line: Any, message: str) -> None:
    """A forged field is refused by name."""
    with pytest.raises(RunError) as caught:
        read_result(line)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_the_line_of_a_wrong_field_is_named() -> None:
    """The refusal names the line."""
    content = file_of(ENVIRONMENT, MEASUREMENT, "", {**MEASUREMENT, "control": "no"})
    with pytest.raises(RunError, match=r"^r\.jsonl, line 4: control='no' is not true or false\.$"):
        read_run(content, "r.jsonl")


def test_a_number_too_large_for_a_float_is_refused() -> None:
    """1e999, which is infinite as a float, is refused."""
    line = json.dumps(MEASUREMENT).replace("2e-06", "1e999")
    with pytest.raises(RunError, match="Infinity is not a number of seconds"):
        read_run(file_of(ENVIRONMENT, line), "r")


@pytest.mark.parametrize("name", ["type", "case", "control", "number_per_run"])
def test_a_deep_value_is_refused(name: str) -> None:
    """A value just shallow enough to be parsed is refused in a sentence."""
    line = json.dumps(MEASUREMENT | {name: "?"})
    for depth in range(700, 1_001):  # the limit lies here, less what pytest has on the stack
        with pytest.raises(RunError, match=r"^r, line 2: "):
            read_run(file_of(ENVIRONMENT, line.replace('"?"', "[" * depth + "]" * depth)), "r")


def lines_of(count: int, rounds: int, times: int) -> list[dict[str, Any]]:
    """Lines of a run that goes on: so many cases, rounds and times in each."""
    return [
        {**MEASUREMENT, "case": {**CASE.to_dict(), "tokens": case}, "times_s": [1e-6] * times}
        | {"rounds": [*[0] * number, times]}
        for number in range(rounds)
        for case in range(1, count + 1)
    ]


def test_a_file_that_is_written_is_pooled() -> None:
    """One line for each case, round and process gives one result a case."""
    lines = [
        {**MEASUREMENT, "times_s": [one], "rounds": [*[0] * n, 1], "processes": [*[0] * p, n + 1]}
        for n, p, one in [(0, 0, 1e-6), (1, 0, 2e-6), (0, 1, 3e-6), (2, 1, 4e-6), (0, 0, 5e-6)]
    ]
    (one,) = read_run(file_of(ENVIRONMENT, *lines), "r").results
    assert isinstance(one, Measurement)
    assert one.by_process == [[(1e-6, 5e-6), (2e-6,)], [(3e-6,), (), (4e-6,)]]
    assert one.by_round == [rounds for process in one.by_process for rounds in process]
    run = Run("r", {}, (one,))
    assert read_run(run.to_bytes(), "r") == run


def test_an_old_file_is_one_round() -> None:
    """A line without rounds is one round of one process; two such lines are pooled."""
    one = read_run(file_of(ENVIRONMENT, MEASUREMENT, MEASUREMENT), "r").results[0]
    assert isinstance(one, Measurement)
    assert (one.rounds, one.processes) == ((), ())
    assert one.by_process == [[LOOKUP.times_s * 2]]


def test_a_control_of_another_method_is_refused() -> None:
    """A control needs a measurement of its own case; the refusal names its line."""
    other = {**CONTROL.to_dict(), "case": {**CASE.to_dict(), "method": "matmul"}}
    with pytest.raises(RunError) as caught:
        read_run(file_of(ENVIRONMENT, MEASUREMENT, other, other), "r.jsonl")
    assert str(caught.value) == (
        "r.jsonl, line 3: is a control of matmul, but no line without control measures that case."
    )


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("MAX_RESULTS", lines_of(5, 2, 1), "r has 5 results; a run may have 4 at most."),
        ("MAX_VALUES", lines_of(1, 3, 2), "r, line 3: has number 6; at most 4 allowed."),
        ("MAX_LINES", lines_of(1, 4, 1), "r has 5 lines; a run file may have 4 at most."),
        ("MAX_LINE_BYTES", lines_of(1, 1, 1), "r, line 1: has 23 bytes; at most 4 allowed."),
    ],
)
def test_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, lines: list[dict[str, Any]], message: str
) -> None:
    """A file with too many results, times, lines or bytes is refused."""
    content = file_of(ENVIRONMENT, *lines)
    assert read_run(content, "r").results
    monkeypatch.setattr(f"embviz.timing.runs.{name}", 4)
    with pytest.raises(RunError) as caught:
        read_run(content, "r")
    assert str(caught.value) == message


def test_times_are_written_with_four_digits() -> None:
    """Times have 4 significant digits in a file, and the statistics follow them."""
    written = Measurement(CASE, (1.23456e-6, 9.87654321e-7), 10).to_dict()
    assert written["times_s"] == [1.235e-6, 9.877e-7]
    assert written["median_s"] == (1.235e-6 + 9.877e-7) / 2


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


def test_nan_is_not_written() -> None:
    """NaN is never written."""
    with pytest.raises(ValueError, match="JSON"):
        list(Run("r", {}, (Measurement(CASE, (float("nan"),), 1),)).lines())


@pytest.mark.parametrize(
    ("environment", "results", "label"),
    [
        (MACHINE, (LOOKUP,), "Intel Xeon Platinum 8488C, 2026-07-14"),
        (MACHINE, (ON_GPU,), "H200, 2026-07-14"),
        (MACHINE, (ON_GPU, LOOKUP), "Intel Xeon Platinum 8488C + H200, 2026-07-14"),
        ({"cpu": "AMD EPYC 7B13 64-Core Processor"}, (LOOKUP,), "AMD EPYC 7B13"),
        ({"cpu": "x", "date": "yesterday"}, (LOOKUP,), "x"),
        ({"cpu": "CPU"}, (LOOKUP,), "CPU"),
        ({"cpu": 5, "gpus": [], "date": 5}, (ON_GPU,), "cuda"),
        ({}, (), "r.jsonl"),
        ({"date": "2026-07-14"}, (LOOKUP,), "r.jsonl, 2026-07-14"),
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
        "measurement",
        "failure",
        "failure",
    ]
    first = rows[0]
    assert (first["run"], first["method"], first["pass"]) == ("r.jsonl", "lookup", "forward")
    assert (first["ids"], first["cache"]) == ("uniform", "same")
    assert first["machine"] == "Intel Xeon Platinum 8488C + H200"
    assert float(first["median_s"]) == 2e-6
    assert float(first["iqr_s"]) == pytest.approx(1.5e-6)
    assert (first["blocks"], first["number_per_run"], first["bytes"]) == ("3", "500", "288")
    assert (rows[2]["device"], rows[2]["peak_bytes"]) == ("cuda", "4096")
    assert (rows[3]["reason"], rows[3]["median_s"], rows[4]["run"]) == (
        "needs 9.0 GiB",
        "",
        "other",
    )


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "|", "\uff1d", "\t=", "\r=", "\n="])
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
        (1, "times_s"),
        (1, "number_per_run"),
        (1, "predicted_s"),
        (1, "dominant"),
        (1, "control"),
        (1, "peak_bytes"),
        (4, "reason"),
        (4, "case"),
        (5, "type"),
        (5, "status"),
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
    results = Measurement(CASE, tuple(times), 3), Failure(FAILED.case, text)
    run = Run(text, environment, results, {})
    assert read_run(run.to_bytes(), run.name) == run
