"""The findings of a run, as sentences: its answer, and the rest.

The sentences are plain text and may quote a stranger's file (the reason of a failure): escape them
before they are shown as markdown or HTML. No finding is hard-coded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from embviz.timing.answers import answer
from embviz.timing.chart_lines import (
    Setting,
    beside,
    by_setting,
    setting_words,
)
from embviz.timing.intervals import LEVEL
from embviz.timing.phrases import (
    as_sentence,
    at,
    case_words,
    describe,
    format_time,
    percent,
)
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import AXES
from embviz.timing.statements import (
    OneSetting,
    crossover,
    pattern_words,
)
from embviz.timing.verdicts import MIN_NOISE, NOT_TOLD, Judged


def sentences(run: Run) -> list[str]:
    """All findings of a run, its answer first."""
    first, rest = findings(run)
    return [first, *rest] if first else rest


def findings(run: Run) -> tuple[str, list[str]]:
    """The answer of a run, and what else it found; a setting has a paragraph if there are several.

    Returns:
        sentences with capital and full stop; the answer is empty where nothing was measured.
    """
    if all(isinstance(one, Measurement) and one.helps for one in run.results):
        return "", ["Nothing has been measured yet."]
    judged = Judged(run.results)
    settings = {those[0].setting: OneSetting(judged, those) for those in by_setting(judged.lines)}
    found = list(_sides(judged))
    for setting, one in settings.items():
        found += _paragraph(setting, list(settings), [*one.sentences(), *one.crossings()])
    found += failures(run.results, judged.axis)
    if any(judged.exponent(line) for line in judged.lines):
        found.append(
            f"An exponent of 1 means twice the time for twice the {AXES[judged.axis].counts}; "
            "0 means that their number does not matter."
        )
    if judged.lines:
        found += _noise(judged)
    first = answer(run, judged)
    said = as_sentence(first) if first else ""
    return said, [text for text in found if text != said]


def _sides(judged: Judged) -> Iterator[str]:
    """Each method on a further device or with another cache, beside itself on the first."""
    pairs = list(beside(judged.lines))
    places = list(dict.fromkeys(pair.place for pair in pairs))
    for pair in pairs:
        line, here, there = pair.line, pair.here, pair.there
        along = judged.along(line, pair.base)
        if not along:
            continue
        value, verdict = along[-1]
        one, other = line.measured[value], pair.base.measured[value]
        found = judged.compared(one, other)
        words: str = NOT_TOLD
        if found and found.told:
            words = f"{(found if verdict == 'slower' else found.reversed).words} {verdict} {here}"
        both = f"{format_time(other.median_s)} {there}, {format_time(one.median_s)} {here}"
        parts = [f"{at(judged.axis, value)} {line.name} takes {both}: {words}"]
        if len({kind for _, kind in along}) > 1:
            pattern = pattern_words(along, judged.axis, f"that {there}")
            parts.append(f"{line.name} {here} is {pattern}")
            if AXES[judged.axis].size and (between := crossover(along)):
                parts[-1] += f"; the crossover lies between {describe(judged.axis, *between)}"
        yield " ".join(_paragraph(pair.place, places, parts))


def _paragraph(setting: Setting, settings: Sequence[Setting], parts: list[str]) -> list[str]:
    """Sentences that begin with their setting; with several settings they are one paragraph."""
    if not parts:
        return []
    words = ", ".join(setting_words(setting, settings))
    finished = [
        as_sentence(f"{words}: {parts[0]}" if words else parts[0]),
        *map(as_sentence, parts[1:]),
    ]
    return finished if len(settings) == 1 else [" ".join(finished)]


def _noise(judged: Judged) -> Iterator[str]:
    """The noise within points and across them, and what a statement needs."""
    least = f"{100 * (MIN_NOISE - 1):.0f} %"
    noises, parts = judged.noises, list[str]()
    if noises:
        (worst, _), most = max(noises.items(), key=lambda item: item[1])
        where = f" ({at(judged.axis, getattr(worst, judged.axis))})" if len(noises) > 1 else ""
        parts.append(f"the same method measured twice differs by up to {percent(most)}{where}")
    else:
        parts.append("no method was measured twice, so the noise within a point is not known")
    if judged.across is not None:
        parts.append(f"the anchor differs by up to {percent(judged.across)} between points")
    yield as_sentence("; ".join(parts))
    yield (
        f"A statement needs a difference beyond this noise and beyond {least}, in the interval "
        f"of its rounds. If rounds are independent, the chance that any of these comparisons is "
        f"false is at most {100 * LEVEL:g} %."
    )
    if judged.across is None and len({one.case for one in judged.measured}) > 1:
        yield (
            "How points differ from each other is not known: this run has no rounds with an anchor."
        )


def failures(results: Sequence[Result], axis: str) -> Iterator[str]:
    """How many cases gave no time, and why the first did not; nothing where all gave one."""
    without = [one for one in results if isinstance(one, Failure)]
    if without:
        cases, failed = ({one.case for one in those} for those in (results, without))
        yield (
            f"{len(failed):,} of {len(cases):,} {'case' if len(cases) == 1 else 'cases'} gave no "
            f"time. {'It was' if len(failed) == 1 else 'The first,'} "
            f"{case_words(without[0].case, axis)}: "
            f"{without[0].reason.rstrip('. ') or 'no reason given'}."
        )
