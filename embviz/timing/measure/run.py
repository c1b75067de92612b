"""One run: a machine and the times of one sweep, as a file of JSON lines and as one pandas table.

A file begins with a line of type `environment`, which names each case once; then come `times` (one
case in one round) and `failure`, with the index of their case, and at last `end`, which a torn file
lacks. Lines are appended and never rewritten. A file may come from a stranger: `read_run` checks
each line by `file_lines`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from os import SEEK_END
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embviz.system.data_folder import opened_private
from embviz.text.refused import Refused
from embviz.text.wording import counted, formula_safe
from embviz.timing.measure.ceilings import shares
from embviz.timing.measure.file_lines import MAX_CASES, MAX_LINES, RunError, read_line, short
from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.timed import ROUNDS, Timed, varying

LINE_BYTES = 400  # Bytes of a line of times, or of a case in the first line, at most.
MAX_RUN_BYTES = (MAX_LINES + MAX_CASES) * LINE_BYTES  # Bytes of a file.
CLOCKS = ["wait", "gpu"]
# Types of what says where a line belongs: the table repeats it for each block.
PLACE: dict[str, Any] = {
    "case": "int16",
    "process": "int16",
    "placement": "int16",
    "round": "int16",
    "again": bool,
}


class Run:
    """The times of one sweep on one machine, while it goes on or at its end.

    Attributes:
        name: of its file, or the one that the user gave.
        environment: facts of the machine and `calibrations`; empty before it begins.
        question: the one that was pressed on the page; empty where none was.
        cases: all cases of the sweep; the lines of the file have their indices.
        failures: why a case gave no more times.
        peaks: the most bytes of GPU memory that a case held, where the device counts them.
        end: the last line, or None.
    """

    def __init__(self, name: str) -> None:
        self.name = short(name)
        self.environment: dict[str, Any] = {}
        self.question = ""
        self.cases = list[Timed]()
        self.failures: dict[Timed, str] = {}
        self.peaks: dict[Timed, int] = {}
        self.end: dict[str, Any] | None = None
        self._lines = list[dict[str, Any]]()
        self._measured = set[Timed]()
        self._lock = threading.RLock()
        self._times: pd.DataFrame | None = None
        self._sample_medians: dict[str, pd.DataFrame] = {}  # By clock.

    def add(self, line: Mapping[str, Any]) -> None:
        """Take the next line: of our own measuring process, or one that `read_line` gave.

        Raises:
            RunError: the run has no case with the line's index.
        """
        with self._lock:
            if "case" in line and line["case"] >= len(self.cases):
                raise RunError(
                    f"case: {line['case']} is not one of {counted(len(self.cases), 'case')}."
                )
            self._lines.append(dict(line))
            if line["type"] == "environment":
                self._begin(line)
            elif line["type"] == "times":
                self._measure(line)
            elif line["type"] == "failure":
                self.failures[self.cases[line["case"]]] = line["reason"]
            else:
                self.end = dict(line)

    def _begin(self, line: Mapping[str, Any]) -> None:
        beside = ("type", "question", "cases")
        self.environment = {key: value for key, value in line.items() if key not in beside}
        self.question = line.get("question", "")
        self.cases = [Timed(**fields) for fields in line["cases"]]

    def _measure(self, line: Mapping[str, Any]) -> None:
        case = self.cases[line["case"]]
        if not line["again"]:
            self._measured.add(case)
        if (peak := line.get("peak_bytes")) is not None:
            self.peaks[case] = max(peak, self.peaks.get(case, 0))
        self._times = None
        self._sample_medians.clear()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured, and nothing has failed."""
        return not (self._measured or self.failures)

    @property
    def count(self) -> int:
        """Lines that the run file has."""
        return len(self._lines)

    @property
    def times(self) -> pd.DataFrame:
        """One row for each timed block: `case process placement round again clock seconds`.

        The clock is `wait` or `gpu`.
        """
        with self._lock:
            if self._times is None:
                self._times = self._table()
            return self._times

    def _table(self) -> pd.DataFrame:
        lines = [times for times in self._lines if times["type"] == "times"]
        timed = [(times, clock) for clock in CLOCKS for times in lines if times.get(clock)]
        # numpy repeats a line for each of its blocks: `melt` and `explode` took four times as long.
        blocks = [len(times[clock]) for times, clock in timed]
        table = pd.DataFrame(index=range(sum(blocks)))
        for name, dtype in PLACE.items():
            table[name] = np.repeat(np.array([times[name] for times, _ in timed], dtype), blocks)
        table["case"] = [self.cases[index] for index in table["case"]]
        table["clock"] = np.repeat(np.array([clock for _, clock in timed], object), blocks)
        table["seconds"] = np.array(
            [time for times, clock in timed for time in times[clock]], float
        )
        return table

    def sample_medians(self, clock: str = "wait") -> pd.DataFrame:
        """`medians.sample_medians` of these times, kept until there are more."""
        with self._lock:
            if clock not in self._sample_medians:
                self._sample_medians[clock] = sample_medians(self.times, clock)
            return self._sample_medians[clock]

    @property
    def measured(self) -> list[Timed]:
        """The cases with times beside those of the A/A control, in order."""
        with self._lock:
            return sorted(self._measured)

    @property
    def axis(self) -> str:
        """The field that varies; `num_embeddings` where none does."""
        return varying([*self.measured, *self.failures])

    @property
    def points(self) -> pd.DataFrame:
        """One row a measured case, in order.

        The fields of the case, `case`, `seconds` (of `typical_seconds`), `low` and `high` (the
        quartiles of all blocks; it may lie outside), all of the clock `wait`; `gpu_seconds`, the
        work, and `floor`, that of an empty kernel, where a GPU has them; `gb_per_s` and
        `gflop_per_s` (by the definition, of the work where it is known), their shares of what the
        machine can do, `memory_bytes` (predicted), `peak_bytes` (of GPU memory, where known).
        """
        cases, frame = self.measured, self.times
        rows = [asdict(case) | {"case": case} for case in cases]
        table = pd.DataFrame(rows, columns=[*Timed.__dataclass_fields__, "case"])
        waits = frame[~frame["again"] & (frame["clock"] == "wait")]
        table["seconds"] = table["case"].map(typical_seconds(self.sample_medians()))
        blocks = waits.groupby("case", sort=False)["seconds"]
        table["low"] = table["case"].map(blocks.quantile(0.25))
        table["high"] = table["case"].map(blocks.quantile(0.75))
        table["peak_bytes"] = [self.peaks.get(case, np.nan) for case in cases]
        table["memory_bytes"] = [case.memory_bytes for case in table["case"]]
        work = typical_seconds(self.sample_medians("gpu"))
        table["gpu_seconds"] = table["case"].map(work).astype(float)
        floor = (self.environment.get("floor") or {}).get("gpu")
        table["floor"] = float(np.median(floor)) if floor else np.nan
        best = table["gpu_seconds"].fillna(table["seconds"])
        table["gb_per_s"] = [case.bytes / 1e9 for case in table["case"]] / best
        table["gflop_per_s"] = [case.flops / 1e9 for case in table["case"]] / best
        return shares(table, self.environment.get("calibrations", []))

    @property
    def label(self) -> str:
        """Machine and day for a legend; the name where they are not known."""
        facts, on_gpu = self.environment, any(case.device != "cpu" for case in self.measured)
        names = [facts.get("cpu") or "", *facts.get("gpus", [])[:on_gpu]]
        known = facts.get("worker"), *map(short_name, names), facts.get("date", "")[:10]
        return ", ".join(filter(None, known)) or self.name

    def to_bytes(self) -> bytes:
        """The run file: `read_run` gives the same run again."""
        with self._lock:
            return "".join(f"{json.dumps(line)}\n" for line in self._lines).encode()


def check_lines(cases: Collection[Timed], processes: int) -> None:
    """Refuse a run whose file `read_run` would not take; to be asked before it begins.

    Raises:
        RunError: with the arithmetic.
    """
    controls = len({case.point for case in cases})
    if (lines := (len(cases) + controls) * ROUNDS * processes) > MAX_LINES:
        raise RunError(
            f"{counted(len(cases), 'case')} and {counted(controls, 'control')} in {ROUNDS} rounds "
            f"of {counted(processes, 'process')} make {lines:,} lines; a run has at most "
            f"{MAX_LINES:,}. "
            "Choose fewer cases or processes."
        )


def read_run(content: bytes, name: str, most_bytes: int = MAX_RUN_BYTES) -> Run:
    r"""Read a run file. A last line without its line break was cut, and is left out.

    Args:
        content: of the file.
        name: of the run.
        most_bytes: of the content; a stranger may have less than a run of this machine.

    Raises:
        RunError: (a ValueError) one printable sentence; nothing else is ever raised.

    >>> read_run(b'"times"\n', "r.jsonl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.file_lines.RunError: r.jsonl, line 1: Input should be ..., not 'times'.
    """
    run = Run(name)
    if len(content) > most_bytes:
        raise RunError(f"{run.name} has more than {most_bytes:,} bytes.")
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:-1]
    for number, text in enumerate(lines, 1):
        try:
            if text.strip():
                line = read_line(text)
                if (line["type"] == "environment") == bool(run.environment) or run.end:
                    raise RunError(f"type {line['type']}: the first is environment, the last end.")
                run.add(line)
        except RunError as error:
            raise RunError(f"{run.name}, line {number}: {error}") from None
    if not run.environment:
        raise RunError(f"{run.name} has no complete line; the first is of type environment.")
    return run


class RunFile:
    """Appends the lines of one run to a file: a crash loses at most the line under way.

    A file that it makes tells about this machine, and only its owner may read it.

    Args:
        path: of the file, which the first line makes anew.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._mode = path, "w"

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one line, and hand it to the system at once.

        Raises:
            Refused: the file cannot be written.
        """
        try:
            with open(self.path, self._mode, encoding="utf-8", opener=opened_private) as file:
                if self._mode == "r+":
                    file.seek(0, SEEK_END)
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            said = f"{str(self.path)!r} could not be written: {error.strerror or error}."
            raise Refused(said) from None
        self._mode = "r+"  # "a" would make a deleted file anew, without its first line


def labels(runs: Sequence[Run]) -> list[str]:
    """Each run's label; equal ones get a number and the run's name."""
    given = [run.label for run in runs]
    return [
        f"{label} ({place}: {run.name})" if given.count(label) > 1 else label
        for place, (run, label) in enumerate(zip(runs, given, strict=True), 1)
    ]


def points(runs: Sequence[Run]) -> pd.DataFrame:
    """The points of all runs, with the run's label in the column `machine`."""
    named = zip(runs, labels(runs), strict=True)
    return pd.concat([run.points.assign(machine=label) for run, label in named], ignore_index=True)


def to_csv(runs: Sequence[Run]) -> str:
    """A row for each case, also for one that failed; no cell is a spreadsheet's formula."""
    failed = pd.DataFrame(
        [
            asdict(case) | {"reason": why, "machine": label}
            for run, label in zip(runs, labels(runs), strict=True)
            for case, why in run.failures.items()
        ]
    )
    frame = pd.concat([points(runs), failed], ignore_index=True).drop(columns="case")
    safe = frame.map(lambda cell: formula_safe(cell) if isinstance(cell, str) else cell)
    return str(safe.to_csv(index=False))


def short_name(name: str) -> str:
    """A processor's name without trade marks, clock speed and filler words.

    >>> short_name("Intel(R) Xeon(R) CPU @ 2.20GHz")
    'Intel Xeon'
    """
    words = r"\((R|TM)\)|[®™]|@ ?[\d.]+ ?[GM]Hz|\b(CPU|Processor|\d+-Core|NVIDIA)\b"
    return (" ".join(re.sub(words, " ", name, flags=re.IGNORECASE).split()) or name)[:40]
