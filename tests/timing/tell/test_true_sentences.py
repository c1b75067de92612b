"""The sentences of all recorded runs, against the table of their verdicts.

A reader's way: the numbers and the verdict of each sentence are looked up in the table of times and
of comparisons; no row of `tell/rows.py` is asked.
"""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import Timed
from embviz.timing.tell.questions import MY_MODEL, RECORDS
from embviz.timing.tell.recorded import recorded, recorded_models
from embviz.timing.tell.sentences import answer
from embviz.timing.tell.statistics import clock_of, verdicts
from embviz.timing.tell.times import format_ratio, format_time

RUNS = {name: recorded(name) for name in RECORDS} | recorded_models()
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = re.compile(r"([\d.,]*\d) ([nµm]?s)\b")
SAME = "the same within 2 %"
VERDICT = re.compile(rf"([\d.,]*\d times as (?:long|fast)|{SAME}|not told apart|not judged)")
# The rows of a table of the question, and more places in the words of a sentence.
KINDS = {
    "device": {"cpu": "on the CPU", "cuda": "on the GPU"},
    "cache": {"same": "with the same ids", "new": "with new ids"},
    "ids": {"uniform": "uniform ids", "zipf": "zipf ids", "equal": "equal ids"},
    "dtype": {name: f"in {name}" for name in ("float64", "float32", "bfloat16", "float16")},
    "precision": {"highest": "", "high": "TF32"},
}


def table_of(run: Run) -> tuple[dict[Timed, float], pd.DataFrame]:
    """The seconds of each case, and all comparisons."""
    clock = clock_of(run.times, run.question)
    seconds = typical_seconds(sample_medians(run.times, clock)).dropna().to_dict()
    return seconds, verdicts(run)


def comparisons(run: Run) -> Iterator[tuple[str, list[str], str]]:
    """Each sentence with a verdict, its two times, and the verdict."""
    for text in re.split(r"(?<=[.)]) (?=[A-Z])", " ".join(answer(run))):
        if verdict := VERDICT.search(text):
            times = [" ".join(found) for found in TIME.findall(text[: verdict.start()])]
            yield text, times, verdict[1]


def is_told(row: Any, seconds: dict[Timed, float], text: str, said: tuple[list[str], str]) -> bool:
    """Whether a sentence tells this comparison: its times, its verdict, its methods and kinds."""
    times, verdict = said
    if [format_time(seconds[row.b]), format_time(seconds[row.a])] != times:
        return False
    if not all(case.record.label in text.lower() for case in (row.a, row.b)):
        return False
    for name, words in KINDS.items():
        for case in (row.a, row.b):
            is_named = words[getattr(case, name)].lower() in text.lower()
            if getattr(row.a, name) != getattr(row.b, name) and not is_named:
                return False
    if not row.told:
        is_same = 1 / 1.02 < row.low <= row.high < 1.02
        return verdict == (SAME if is_same else "not told apart")
    first, second = (float(t.split()[0].replace(",", "")) * SECONDS[t.split()[1]] for t in times)
    ratio = second / first
    assert (ratio >= 1) is (row.ratio >= 1)
    how = "long" if ratio >= 1 else "fast"
    return verdict == f"{format_ratio(max(ratio, 1 / ratio))} times as {how}"


@pytest.mark.parametrize("name", RUNS)
def test_each_comparison_that_is_told_is_true(name: str) -> None:
    """Both times, the direction, the ratio, or that they are not told apart; intervals too."""
    run = RUNS[name]
    seconds, frame = table_of(run)
    rows = [*frame.itertuples()]
    found = [*comparisons(run)]
    assert bool(found) is (bool(rows) and name != MY_MODEL), "it has sizes of several models"
    for text, times, verdict in found:
        told = [row for row in rows if is_told(row, seconds, text, (times, verdict))]
        assert told, (text, times, verdict)
        if verdict == "not told apart":
            *_, interval = re.findall(r"\(([\d.,]+) to ([\d.,]+) times as long\)", text)
            assert interval in {(format_ratio(row.low), format_ratio(row.high)) for row in told}
