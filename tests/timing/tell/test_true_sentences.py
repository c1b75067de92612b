"""The sentences of all recorded runs, against the table of their verdicts.

A reader's way: the times and the verdict of each sentence are looked up in the table of times and
of comparisons; no row of `tell/rows.py` is asked.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.run import Run
from embviz.timing.tell.questions import MY_MODEL, RECORDS
from embviz.timing.tell.recorded import recorded, recorded_models
from embviz.timing.tell.sentences import answer
from embviz.timing.tell.statistics import clock_of, verdicts
from embviz.timing.tell.times import at, format_ratio, format_time

RUNS = {name: recorded(name) for name in RECORDS} | recorded_models()
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = re.compile(r"([\d.,]*\d [nµm]?s)\b")
SAME, UNSURE = "the same within 2 %", "not told apart"
VERDICT = re.compile(
    rf"(?:[\d.,]*\d to )?[\d.,]*\d times as (?:long|fast)|{SAME}|{UNSURE}|not judged"
)


def read(time: str) -> float:
    """The seconds of a time as a sentence has it."""
    number, unit = time.split()
    return float(number.replace(",", "")) * SECONDS[unit]


def told(run: Run) -> Iterator[tuple[list[str], str, Any]]:
    """Of each comparison both times as they are shown, the verdict that they give, and its row."""
    clock = clock_of(run.times, run.question)
    seconds = typical_seconds(sample_medians(run.times, clock))
    for row in verdicts(run).itertuples():
        times = [format_time(seconds[case]) for case in (row.b, row.a)]
        ratio = read(times[1]) / read(times[0])
        ends = [
            *map(format_ratio, (row.low, row.high) if ratio >= 1 else (1 / row.high, 1 / row.low))
        ]
        how = (
            " to ".join(ends) if row.high / row.low >= 1.5 else format_ratio(max(ratio, 1 / ratio))
        )
        verdict = f"{how} times as {'long' if ratio >= 1 else 'fast'}"
        if not row.told:
            verdict = SAME if 1 / 1.02 < row.low <= row.high < 1.02 else UNSURE
        yield times, verdict, row


def is_about(text: str, row: Any) -> bool:
    """Whether a sentence names both methods, and both kinds where they differ."""
    words = [case.record.label for case in (row.a, row.b)]
    for name in ("device", "cache", "ids", "dtype", "precision"):
        kinds = [getattr(case, name) for case in (row.a, row.b)]
        if kinds[0] != kinds[1]:
            words += [at(name, kind) for kind in kinds]
    return all(word.lower() in text.lower() for word in words)


@pytest.mark.parametrize("name", RUNS)
def test_each_comparison_that_is_told_is_true(name: str) -> None:
    """Both times, the direction, the ratio, or that they are not told apart; intervals too."""
    run = RUNS[name]
    rows = [*told(run)]
    count = 0
    for text in re.split(r"(?<=[.)]) (?=[A-Z])", " ".join(answer(run))):
        if not (verdict := VERDICT.search(text)):
            continue
        count += 1
        said = TIME.findall(text[: verdict.start()]), verdict[0]
        true = [row for *shown, row in rows if (*shown,) == said and is_about(text, row)]
        assert true, text
        if verdict[0] == UNSURE:
            *_, interval = re.findall(r"\(([\d.,]+) to ([\d.,]+) times as long\)", text)
            assert interval in {(format_ratio(row.low), format_ratio(row.high)) for row in true}
    assert bool(count) is (bool(rows) and name != MY_MODEL), "it has sizes of several models"
