"""Notes on a run beside its answer: doubts about the machine, failures, and the noise.

Text is plain and may quote a stranger's file: escape it before it is shown as markdown or HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from embviz.text.wording import counted
from embviz.timing.measure.medians import sample_name
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import FEWEST, PLACEMENTS
from embviz.timing.tell.statistics import LEVEL, MARGIN, noise, verdicts
from embviz.timing.tell.times import as_sentence, case_words


def details(run: Run) -> list[str]:
    """The sentences beside a run's answer: failures, and the noise."""
    noisy = _noise(run) if run.measured else ()
    return [*failures(run), *noisy] or ["Nothing has been measured yet."]


def failures(run: Run) -> Iterator[str]:
    """A sentence for each case that gave no more times, and why."""
    for case, reason in sorted(run.failures.items()):
        yield as_sentence(f"{case_words(case, run.axis)}: {reason.rstrip('. ')}")


def caveat(run: Run) -> str:
    """A sentence on whatever may have moved the times of a run; empty where nothing is known.

    >>> run = Run("r")
    >>> run.environment = {"governor": "powersave", "load_1min": 3.0, "logical_cores": 2}
    >>> caveat(run)
    'These times may be off: the governor is powersave, and the load was 3 on 2 cores.'
    """
    facts, said = run.environment, list[str]()
    load, cores = _fact(facts, "load_1min"), _fact(facts, "logical_cores")
    limit = _fact(facts, "cgroup_cores")
    if facts.get("governor") == "powersave":
        said.append("the governor is powersave")
    if load >= cores > 0:
        said.append(f"the load was {load:g} on {counted(int(cores), 'core')}")
    if 0 < limit < cores:
        said.append(f"a CPU limit allowed {limit:g} of {counted(int(cores), 'core')}")
    if run.measured and (missing := _missing(run)):
        said.append(missing)
    return f"These times may be off: {', and '.join(said)}." if said else ""


def _fact(facts: Mapping[str, Any], name: str) -> float:
    """A number of the environment; 0 where it is none, as in a stranger's file."""
    value = facts.get(name)
    return value if isinstance(value, int | float) else 0


def _missing(run: Run) -> str:
    """How many of the planned placements or processes a run has; empty if it has all."""
    count, several = len(run.sample_medians()), sample_name(run.times) == "process"
    if several and count < FEWEST:
        return f"only {count} of at least {FEWEST} processes were measured"
    if not several and count < PLACEMENTS:
        return f"only {count} of {PLACEMENTS} placements were measured"
    return ""


def _noise(run: Run) -> Iterator[str]:
    samples = "processes" if sample_name(run.times) == "process" else "placements"
    if run.environment.get("remade"):
        yield "Memory did not hold all tensors: each point has one round in a placement."
    if (ratio := noise(run.times)) >= 1:
        yield f"The same method measured twice differs by up to {100 * (ratio - 1):.1f} %."
    if verdicts(run).empty:
        return
    yield (
        f"Times that differ by up to {100 * math.expm1(MARGIN):.0f} % are not told apart. The "
        f"chance that any comparison of this run is false is at most {100 * LEVEL:g} %, if "
        f"{samples} are independent."
    )
