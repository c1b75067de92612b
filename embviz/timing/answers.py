"""The answer of a run: one sentence for the chart's title and for the first finding.

The question is what the run varies: a device, a kind, a size or a cache. The sentence uses the
verdicts of the run alone; intervals stand in the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from embviz.timing.cases import Case
from embviz.timing.chart_lines import Line, beside, by_setting, shared
from embviz.timing.phrases import at, capitalized, describe, listed, times
from embviz.timing.runs import Run
from embviz.timing.settings import AXES, PASSES
from embviz.timing.statements import OneSetting, pattern_words
from embviz.timing.verdicts import NOT_TOLD, Compared, Judged

_USUAL = {field.name: field.default for field in fields(Case)}


def answer(run: Run, judged: Judged | None = None) -> str:
    """One sentence that answers the question of the run, without a full stop.

    Args:
        run: a run, or what there is of it so far.
        judged: its verdicts, where they are known already.

    Returns:
        the empty text where nothing was measured.
    """
    judged = judged or Judged(run.results)
    if not judged.lines:
        return ""
    one = OneSetting(judged, by_setting(judged.lines)[0])
    if judged.too_few:
        return "Too few rounds to compare"
    sides = list(_sides(judged, one))
    if AXES[judged.axis].compared and judged.across is not None and len(one.values) > 1:
        text = _kinds(one)
    elif sides and _further_device(judged):
        text, sides = f"{at(judged.axis, one.values[-1])} {'; '.join(sides)}", []
    else:
        text = _sizes(one, brief=bool(sides))
    return capitalized("; ".join([text, *sides]))


def _further_device(judged: Judged) -> bool:
    return len({dict(line.setting)["device"] for line in judged.lines}) > 1


def _sides(judged: Judged, one: OneSetting) -> Iterator[str]:
    """`lookup is 2.0x slower with new ids`, for the lines of the headline.

    A value other than the headline's last one is named.
    """
    pairs = list(beside(judged.lines))
    for chosen in filter(None, (one.other, one.base)):
        for pair in pairs:
            if pair.base is not chosen or not (values := shared(pair.line, chosen)):
                continue
            value = values[-1]
            found = judged.compared(pair.line.measured[value], chosen.measured[value])
            if found:
                there = "" if value == one.values[-1] else f" {at(judged.axis, value)}"
                told = _factor(found) if found.told else NOT_TOLD
                yield f"{chosen.name} is {told} {pair.here}{there}"


def _kinds(one: OneSetting) -> str:
    """`matmul is 5.2x faster in bfloat16 than in float32; lookup is not told apart`."""
    lines = [line for line in (one.other, one.base) if line and len(line.measured) > 1]
    usual = _USUAL[one.axis]
    if any(usual not in line.measured for line in lines):
        usual = one.values[0]
    texts, alike = list[str](), list[str]()
    for line in lines:
        found = {
            value: compared
            for value, other in line.measured.items()
            if value != usual and usual in line.measured
            if (compared := one.judged.compared(other, line.measured[usual])) and compared.told
        }
        if not found:
            alike.append(line.name)
            continue
        value = min(found, key=lambda value: found[value].ratio)
        if found[value].verdict == "slower":
            value = max(found, key=lambda value: found[value].ratio)
        texts.append(f"{line.name} is {_factor(found[value])} {at(one.axis, value)}")
    if not texts:
        number, word = len(one.values), AXES[one.axis].values_word
        return f"the {number} {word} are {NOT_TOLD} for {listed(alike)}"
    texts[0] += f" than {at(one.axis, usual)}"
    texts += [f"{name} is {NOT_TOLD}" for name in alike]
    return "; ".join(texts)


def _sizes(one: OneSetting, brief: bool) -> str:
    """Where a matmul wins, or how much longer it takes at the last value."""
    base, other, axis = one.base, one.other, one.axis
    assert base is not None
    if other is None:
        return one.headline(one.values[-1])
    value = one.values[-1]
    if PASSES[dict(base.setting)["pass"]].backward:
        return _listed(one, base, [line for line in one.lines if line is not base], value)
    if len(building := [line for line in one.lines if line.record.builds]) > 1:
        return _listed(one, other, building, value)
    rivals = [line for line in one.lines if line.route == other.route and shared(line, base)]
    best = max(rivals, key=lambda line: _wins(one, line, base))
    if (found := one.judged.along(best, base)) and _wins(one, best, base):
        return f"{best.name} is {pattern_words(found, axis, base.name)}"
    found = one.judged.along(other, base)
    last = one.judged.compared(other.measured[value], base.measured[value])
    if last is None or not last.told:
        return f"{other.name} is {pattern_words(found, axis, base.name)}"
    factor = f"{times(last.ratio)} at {describe(axis, value)}"
    mine, its = (one.judged.exponent(line) for line in (other, base))
    if not brief and mine and mine.verdict == "slower" and its and not its.told:
        many = AXES[axis].counts
        return f"{other.name} grows with the {many}, {base.name} not measurably: {factor}"
    return f"{other.name} takes {times(last.ratio)} {base.name}'s time {at(axis, value)}"


def _wins(one: OneSetting, line: Line, base: Line) -> int:
    return sum(kind == "faster" for _, kind in one.judged.along(line, base))


def _listed(one: OneSetting, base: Line, lines: Sequence[Line], value: Any) -> str:
    """How the lines compare with the base at one value: the last one where any of them is."""
    parts = []
    both = [v for v in base.measured if any(v in line.measured for line in lines)]
    value = value if value in both else both[-1]
    for line in lines:
        if value not in line.measured:
            continue
        found = one.judged.compared(line.measured[value], base.measured[value])
        told = _factor(found) if found and found.told else NOT_TOLD
        name = line.name.removeprefix(f"{base.name} ").removesuffix(f" + {base.name}")
        parts.append(f"{name} {told}")
    return f"against {base.name} {at(one.axis, value)}: {', '.join(parts)}"


def _factor(found: Compared) -> str:
    """`1.3x faster` or `2.0x slower`."""
    return f"{times(max(found.ratio, 1 / found.ratio))} {found.verdict}"
