"""The answer of a run: one sentence for the chart's title and for the first finding."""

from __future__ import annotations

from embviz.timing.runs import Run


def answer(run: Run) -> str:
    """One sentence that answers the question of the run, without a full stop; empty if none."""
    from embviz.timing.chart_lines import lines, varying
    from embviz.timing.statements import OneSetting
    from embviz.timing.verdicts import noises

    if not run.results:
        return ""
    axis = varying(one.case for one in run.results)
    found = [line for line in lines(run.results, axis) if line.measured]
    if not found:
        return ""
    setting = found[0].setting
    one = OneSetting([line for line in found if line.setting == setting], axis, noises(run.results))
    return one.headline(one.values[-1])
