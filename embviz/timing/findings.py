"""The findings of a run, as sentences. No finding is hard-coded.

The sentences are plain text and may quote a stranger's file (the reason of a failure): escape them
before they are shown as markdown or HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from embviz.timing.chart_lines import Line, Setting, lines, setting_words, varying
from embviz.timing.growth import growth
from embviz.timing.phrases import as_sentence, at, case_words, format_time, percent, times
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import AXES
from embviz.timing.statements import OneSetting, pattern_words
from embviz.timing.verdicts import MIN_NOISE, Noises, noises, ratio, verdicts


def headline(lines: Sequence[Line], field: str, noise: Noises) -> str:
    """The finding at the largest value that reference and rival share, without a full stop.

    Args:
        lines: of one setting.
        field: the axis.
        noise: see `noises`.
    """
    one_setting = OneSetting(lines, field, noise)
    return one_setting.headline(one_setting.values[-1]) if one_setting.base else ""


def sentences(run: Run) -> list[str]:
    """The run's findings in plain words, the most important first.

    With several devices, passes or sizes beside the axis, one paragraph for each.
    """
    measured = [one for one in run.results if isinstance(one, Measurement) and not one.control]
    failed = any(isinstance(one, Failure) for one in run.results)
    if not measured and not failed:
        return ["Nothing has been measured yet."]
    axis = varying(one.case for one in run.results)
    noise = noises(run.results)
    found = [line for line in lines(run.results, axis) if line.measured]
    settings = list(dict.fromkeys(line.setting for line in found))
    texts: list[str] = []
    for setting in settings:
        one_setting = OneSetting([line for line in found if line.setting == setting], axis, noise)
        texts += _paragraph(setting, settings, list(one_setting.sentences()))
    if any(growth(line, axis) for line in found):
        texts.append(
            f"An exponent of 1 means twice the time for twice the {AXES[axis].counts}; "
            "0 means that their number does not matter."
        )
    texts += _devices(found, axis, noise)
    if measured:
        texts.append(_noise_sentence(noise, axis))
    return [*texts, *_model_sentence(measured, axis), *_failure_sentence(run.results, axis)]


def _devices(found: Sequence[Line], axis: str, noise: Noises) -> list[str]:
    """Each method on a further device, beside itself on the first."""
    places: dict[Setting, list[Line]] = {}
    for line in found:
        place = tuple(pair for pair in line.setting if pair[0] not in ("device", "threads"))
        places.setdefault(place, []).append(line)
    texts: list[str] = []
    for place, those in places.items():
        firsts: dict[tuple[str, str], Line] = {}
        parts: list[str] = []
        for line in those:
            first = firsts.setdefault((line.method, line.output), line)
            parts += _device(line, first, axis, noise)
        texts += _paragraph(place, list(places), parts)
    return texts


def _device(line: Line, base: Line, axis: str, noise: Noises) -> Iterator[str]:
    here, there = (dict(one.setting)["device"] for one in (line, base))
    judged = verdicts(line, base, noise)
    if here == there or not judged:
        return
    value, kind = judged[-1]
    mine, other = line.measured[value], base.measured[value]
    text: str = kind
    if kind != "not distinguishable":
        factor = max(ratio(mine, other), ratio(other, mine))
        text = f"{here if kind == 'faster' else there} is {times(factor)} faster"
    both = f"{format_time(other.median_s)} on {there}, {format_time(mine.median_s)} on {here}"
    yield f"{at(axis, value)} {line.name} takes {both}: {text}"
    if len({kind for _, kind in judged}) > 1:
        yield f"{line.name} on {here} is {pattern_words(judged, axis, f'that on {there}')}"


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


def _noise_sentence(noise: Noises, axis: str) -> str:
    least = f"{100 * (MIN_NOISE - 1):.0f} %"
    if not noise:
        return (
            "No method was measured twice, so the noise is not known; "
            f"differences under {least}, or within the uncertainty of two medians, are not told "
            "apart."
        )
    (worst, _), most = max(noise.items(), key=lambda item: item[1])
    if most <= MIN_NOISE:
        return (
            f"The same method measured twice differs by at most {percent(most)}; differences under "
            f"{least}, or within the uncertainty of two medians, are not told apart."
        )
    where = (
        f" ({at(axis, getattr(worst, axis))}), by {percent(median(noise.values()))} at the median"
    )
    return (
        f"The same method measured twice differs by up to {percent(most)}"
        f"{where if len(noise) > 1 else ''}; at each point, "
        f"what differs less than that, or less than {least}, or within the uncertainty of two "
        "medians, is not told apart."
    )


def _model_sentence(measured: Sequence[Measurement], axis: str) -> Iterator[str]:
    """The ratio of measured to predicted time: the median and the worst."""
    off = [(one.median_s / one.predicted_s, one.case) for one in measured if one.predicted_s]
    if off:
        worst, case = max(off, key=lambda one: max(one[0], 1 / one[0]))
        yield (
            f"The model was within {times(median(max(one, 1 / one) for one, _ in off))} of the "
            f"measured time at the median, and {times(max(worst, 1 / worst))} too "
            f"{'low' if worst > 1 else 'high'} at worst ({case_words(case, axis)})."
        )


def _failure_sentence(results: Sequence[Result], axis: str) -> Iterator[str]:
    failures = [one for one in results if isinstance(one, Failure)]
    if failures:
        cases, failed = ({one.case for one in those} for those in (results, failures))
        yield (
            f"{len(failed):,} of {len(cases):,} {'case' if len(cases) == 1 else 'cases'} gave no "
            f"time. {'It was' if len(failed) == 1 else 'The first,'} "
            f"{case_words(failures[0].case, axis)}: "
            f"{failures[0].reason.rstrip('. ') or 'no reason given'}."
        )
