"""One run: a machine and its results, as a file of JSON lines that may come from a stranger.

A run file is a line of type `environment`, then `times` and `failure` lines, then `end`, which a
torn file lacks. A line of times has one case in one round; the reader pools them. The reader
checks every field, makes every text printable and short, and computes every statistic from the raw
times. It unpickles and runs nothing.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from embviz.core.refused import Refused
from embviz.core.wording import formula_safe, printable
from embviz.timing import physical
from embviz.timing.cases import MAX_CASES, NAMES, Case, CaseError, quoted
from embviz.timing.results import Failure, Measurement, Pool, Result

MAX_RUN_BYTES = 32_000_000  # MAX_CASES cases in 12 rounds while they are measured: 16 MB
MAX_LINE_BYTES = 1_000_000
MAX_LINES = 80_000  # blank ones included
MAX_RESULTS = 2 * MAX_CASES + 1  # pooled: a control for each case, and the anchor
MAX_TIMES = 20_000  # of one line
MAX_PLACE = 10_000  # numbers of a process and of a round
SHORTEST_S, LONGEST_S = 1e-12, 1e6  # of one call
MOST_BYTES = 2**60
MAX_KEYS = 60  # of an environment
MAX_ITEMS = 20  # of a list in it
TEXT_LIMIT = 200  # characters of a text in it
NAME_LIMIT = 100
REASON_LIMIT = 500
TYPES = ("environment", "times", "failure", "end")

_MISSING = object()


class RunError(Refused):
    """The sentence that refuses a run file: its line, what is wrong, what is allowed."""


@dataclass(frozen=True)
class Run:
    """One machine and the results of one sweep.

    Attributes:
        name: of its file, or the name that the user gave.
        environment: flat facts about the machine, cut to short printable ones. `date` is ISO 8601.
        results: controls and the anchor among them.
        end: the fields of the last line, or None while the run goes on, or where it was torn.
    """

    name: str
    environment: dict[str, Any]
    results: tuple[Result, ...] = ()
    end: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        # Not in the reader: so a run made in memory equals the one read from its file.
        cleaned = tuple(
            replace(one, reason=_text(one.reason, REASON_LIMIT))
            if isinstance(one, Failure)
            else one
            for one in self.results
        )
        end = None if self.end is None else _plain(self.end) | physical.kept(self.end)
        for field, value in (
            ("name", _text(self.name, NAME_LIMIT)),
            ("environment", _plain(self.environment)),
            ("results", cleaned),
            ("end", end),
        ):
            object.__setattr__(self, field, value)

    @property
    def machine(self) -> str:
        """A short name of the processor that was measured, or of CPU and GPU.

        >>> Run("r", {"cpu": "Intel(R) Xeon(R) CPU @ 2.20GHz"}).machine
        'Intel Xeon'
        """
        measured = [one for one in self.results if isinstance(one, Measurement)]
        used = {one.case.device for one in measured or self.results} or {"cpu"}
        names = [short_name(self.environment.get("cpu"))] if "cpu" in used else []
        if others := used - {"cpu"}:
            gpus = self.environment.get("gpus")
            first = gpus[0] if isinstance(gpus, list) and gpus else ""
            names.append(short_name(first) or ", ".join(sorted(others)))
        return " + ".join(filter(None, names))

    @property
    def date(self) -> str:
        """In ISO 8601; empty where it is not known."""
        date = self.environment.get("date")
        return date if isinstance(date, str) else ""

    @property
    def moment(self) -> str:
        """Date and time, in UTC; the run's name where they are not known.

        >>> Run("r", {"date": "2026-01-02T03:04:05+00:00"}).moment
        '2026-01-02 03:04:05 UTC'
        """
        known = re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", self.date)
        return f"{known.group().replace('T', ' ')} UTC" if known else self.name

    @property
    def label(self) -> str:
        """Machine and date for a legend; the run's name where the machine is not known.

        >>> Run("r", {"worker": "one", "cpu": "Some CPU", "date": "2026-01-02"}).label
        'one (Some), 2026-01-02'
        """
        day = re.match(r"\d{4}-\d\d-\d\d", self.date)
        machine, worker = self.machine or self.name, self.environment.get("worker")
        if isinstance(worker, str):  # of a cluster
            machine = f"{worker} ({self.machine})" if self.machine else worker
        return ", ".join(filter(None, [machine, day.group() if day else ""]))

    def lines(self) -> Iterator[str]:
        """The run file, line by line, without line breaks."""
        yield to_line({"type": "environment", **self.environment})
        yield from (to_line(line) for one in self.results for line in one.lines())
        if self.end is not None:
            yield to_line({"type": "end", **self.end})

    def to_bytes(self) -> bytes:
        """The run file: `read_run` gives the same run again."""
        return "".join(f"{line}\n" for line in self.lines()).encode()


def labels(runs: Sequence[Run]) -> list[str]:
    """Each run's label; equal ones get the run's name or a number."""
    given = [run.label for run in runs]
    named = [
        f"{label} ({run.name})" if given.count(label) > 1 and run.name != label else label
        for run, label in zip(runs, given, strict=True)
    ]
    return [
        f"{label} #{named[: index + 1].count(label)}" if named.count(label) > 1 else label
        for index, label in enumerate(named)
    ]


def to_line(given: Mapping[str, Any]) -> str:
    """One line of a run file.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
    """
    return json.dumps(given, allow_nan=False)


def read_run(content: bytes, name: str) -> Run:
    r"""Read a run file.

    A last line that has no line break and cannot be parsed was cut when the writer died; it is
    left out. Unknown keys are ignored.

    Raises:
        RunError: (a ValueError) one printable sentence; nothing else is ever raised.

    >>> read_run(b'{}\n', "r.jsonl")
    Traceback (most recent call last):
    embviz.timing.runs.RunError: r.jsonl, line 1: lacks type.
    """
    name = _text(name, NAME_LIMIT)
    if len(content) > MAX_RUN_BYTES:
        raise RunError(
            f"{name} has {len(content):,} bytes; a run file may have {MAX_RUN_BYTES:,} at most."
        )
    if (count := content.count(b"\n")) > MAX_LINES:
        raise RunError(f"{name} has {count:,} lines; a run file may have {MAX_LINES:,} at most.")
    *complete, torn = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    environment: dict[str, Any] | None = None
    pool, controls = Pool(), dict[Case, int]()
    end: dict[str, Any] | None = None
    for number, line in enumerate([*complete, torn], 1):
        try:
            if not line.strip():
                continue
            try:
                given = _parse(line)
            except RunError:
                if number > len(complete):  # torn: no line break came after it
                    continue
                raise
            kind = _kind(given, environment is not None, end is not None)
            if kind == "environment":
                environment = given
            elif kind == "end":
                end = given
            else:
                pool.add(one := read_result(given))
                if isinstance(one, Measurement) and one.again:
                    controls.setdefault(one.case, number)
        except RunError as error:
            raise RunError(f"{name}, line {number}: {error}") from None
        except RecursionError:  # while quoting it: it was just shallow enough to be parsed
            raise RunError(f"{name}, line {number}: is nested too deep.") from None
    if environment is None:
        raise RunError(f"{name} has no complete line; the first must be of type environment.")
    run = Run(name, environment, tuple(pool.results), end)
    _check_results(run, controls)
    return run


def _check_results(run: Run, lines: Mapping[Case, int]) -> None:
    """Refuse too many results, and controls (by case, with their lines) of unmeasured cases."""
    if len(run.results) > MAX_RESULTS:
        raise RunError(
            f"{run.name} has {len(run.results):,} results; a run may have {MAX_RESULTS:,} at most."
        )
    known = {one.case for one in run.results if not (isinstance(one, Measurement) and one.helps)}
    for case, number in lines.items():
        if case not in known:
            raise RunError(
                f"{run.name}, line {number}: measures {case.method} again, but no line measures it "
                "for the first time."
            )


def read_result(given: object) -> Result:
    """The times of one round or a failure, from JSON: what `lines` of a result gives.

    Raises:
        RunError: with what is wrong and what is allowed.
    """
    if not isinstance(given, Mapping) or given.get("type") not in ("times", "failure"):
        raise RunError(f"{quoted(given)} is of neither type times nor failure.")
    try:
        case = Case.from_dict(_field(given, "case"))
    except CaseError as error:
        raise RunError(f"in its case, {error}") from None
    if given["type"] == "failure":
        reason = _field(given, "reason")
        if not isinstance(reason, str):
            _wrong("reason", reason, "a text")
        return Failure(case, _text(reason, REASON_LIMIT))
    seconds = _field(given, "seconds")
    if not isinstance(seconds, list):
        _wrong("seconds", seconds, "a list of numbers")
    if not 1 <= len(seconds) <= MAX_TIMES:
        raise RunError(f"seconds has {len(seconds):,} values; 1 to {MAX_TIMES:,} are allowed.")
    place = (
        _whole_number("process", _field(given, "process"), 0, MAX_PLACE),
        _whole_number("round", _field(given, "round"), 0, MAX_PLACE),
    )
    kinds = {"again": _field(given, "again"), "anchor": given.get("anchor", False)}
    for name, kind in kinds.items():
        if not isinstance(kind, bool):
            _wrong(name, kind, "true or false")
    peak = given.get("peak_bytes")
    return Measurement(
        case,
        {place: tuple(_seconds(f"seconds[{index}]", one) for index, one in enumerate(seconds))},
        peak_bytes=None if peak is None else _whole_number("peak_bytes", peak, 0, MOST_BYTES),
        **kinds,
    )


COLUMNS = (
    "run",
    "machine",
    "kind",
    *NAMES,
    "median_s",
    "iqr_s",
    "first_quartile_s",
    "third_quartile_s",
    "smallest_s",
    "largest_s",
    "blocks",
    "bytes",
    "flops",
    "gb_per_s",
    "gflop_per_s",
    "share_of_copy",
    "share_of_matrix_product",
    "memory_bytes",
    "peak_bytes",
    "reason",
)


def zipped(runs: Sequence[Run]) -> bytes:
    """The run files in one zip archive, by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, run in enumerate(runs, 1):
            safe = re.sub(r"[^\w.-]+", "_", run.name)
            archive.writestr(f"{place}-{safe}.jsonl", run.to_bytes())
    return packed.getvalue()


def to_csv(runs: Iterable[Run]) -> str:
    """One row for each result, COLUMNS as its head; `kind` is measurement, control or failure.

    Text that a spreadsheet would take for a formula is given a leading `'`.
    """
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS)
    writer.writeheader()
    for run in runs:
        found = physical.ceilings(run.end)
        for one in run.results:
            row = _row(run, one) | physical.row(one, found)
            writer.writerow(
                {k: formula_safe(v) if isinstance(v, str) else v for k, v in row.items()}
            )
    return table.getvalue()


def _row(run: Run, one: Result) -> dict[str, Any]:
    row = {"run": run.name, "machine": run.machine, "kind": "failure", **one.case.to_dict()}
    if isinstance(one, Measurement):
        row["kind"] = "control" if one.again else "measurement"
        row["first_quartile_s"], row["third_quartile_s"] = one.quartiles_s
        row |= {"smallest_s": min(one.times_s), "largest_s": max(one.times_s)}
        row["blocks"] = len(one.times_s)
    # The other columns are attributes of the result or of its case; a failure lacks most.
    return {k: row.get(k, getattr(one, k, getattr(one.case, k, ""))) for k in COLUMNS}


def _parse(line: bytes) -> dict[str, Any]:
    """The JSON object of one line, without NaN, infinities and endless digits."""
    if len(line) > MAX_LINE_BYTES:
        raise RunError(f"has {len(line):,} bytes; at most {MAX_LINE_BYTES:,} allowed.")
    try:
        given = json.loads(line.decode(), parse_constant=_no_constant, parse_int=_int)
    except UnicodeDecodeError as error:
        raise RunError(f"byte {error.start + 1} is not UTF-8.") from None
    except RecursionError:
        raise RunError("is nested too deep; one flat JSON object is expected.") from None
    except json.JSONDecodeError as error:
        raise RunError(
            f"is not JSON ({error.msg} at character {error.pos + 1}); "
            "one JSON object a line is expected."
        ) from None
    if not isinstance(given, dict):
        raise RunError(f"{quoted(given)} is not a JSON object; one a line is expected.")
    return given


def _no_constant(word: str) -> NoReturn:
    raise RunError(f"{word} is no number in JSON; only finite numbers are allowed.")


def _int(digits: str) -> int:
    # int() takes time with the square of the digits, and refuses 4,300 of them on its own.
    if len(digits) > 100:
        raise RunError(f"a number of {len(digits):,} digits; at most 100 are allowed.")
    return int(digits)


def _kind(given: Mapping[str, Any], begun: bool, ended: bool) -> str:
    """The type of a line; a line in the wrong place is refused."""
    kind = _field(given, "type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise RunError(f"type={quoted(kind)} is not one of: {', '.join(TYPES)}.")
    if kind == "environment" and begun:
        raise RunError("is a second environment; one file holds one run.")
    if kind != "environment" and not begun:
        raise RunError(f"is of type {kind}, but the first line must be of type environment.")
    if ended:
        raise RunError(f"is of type {kind}, but nothing may follow the line of type end.")
    return kind


def _field(given: Mapping[str, Any], name: str) -> Any:
    if (value := given.get(name, _MISSING)) is _MISSING:
        raise RunError(f"lacks {name}.")
    return value


def _wrong(name: str, value: object, allowed: str) -> NoReturn:
    raise RunError(f"{name}={quoted(value)} is not {allowed}.")


def _seconds(name: str, value: object) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not SHORTEST_S <= value <= LONGEST_S  # true for NaN
    ):
        _wrong(name, value, f"a number of seconds from {SHORTEST_S:g} to {LONGEST_S:,.0f}")
    return float(value)


def _whole_number(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        _wrong(name, value, f"a whole number from {low:,} to {high:,}")
    return value


def _text(text: str, limit: int) -> str:
    """At most `limit` printable characters; applying it twice changes nothing more."""
    shown = "".join(printable(character) for character in text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def _plain(given: Mapping[Any, Any]) -> dict[str, Any]:
    """The flat, short and printable part of given facts."""
    plain: dict[str, Any] = {}
    for key, value in given.items():
        if isinstance(key, str) and key != "type" and (kept := _plain_value(value)) is not _MISSING:
            plain[_text(key, NAME_LIMIT)] = kept
        if len(plain) == MAX_KEYS:
            break
    return plain


def _plain_value(value: object) -> object:
    """A text, a list of texts, a number of common size, a truth value or None; or _MISSING."""
    if isinstance(value, str):
        return _text(value, TEXT_LIMIT)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [_text(one, TEXT_LIMIT) for one in value[:MAX_ITEMS]]
    # Written so that NaN is left out as well.
    if value is None or (isinstance(value, int | float) and abs(value) <= MOST_BYTES):
        return value
    return _MISSING


def short_name(name: object) -> str:
    """A processor's name without trade marks, clock speed and filler words."""
    if not isinstance(name, str):
        return ""
    short = re.sub(r"\((R|TM|tm|r)\)|[®™]|@ ?[\d.]+ ?[GM]Hz", " ", name)
    short = re.sub(r"\b(CPU|Processor|\d+-Core|NVIDIA)\b", " ", short)
    return (" ".join(short.split()) or name)[:40]
