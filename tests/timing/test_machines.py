"""The runs of one machine together."""

import pytest

from embviz.timing.cases import Case
from embviz.timing.machines import by_machine
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run
from tests.timing.made_results import CASE, measured


def of(machine: str, seconds: float, date: str, **more: object) -> Run:
    """A run of one case."""
    environment = {"cpu": machine, "date": date, **more}
    return Run(date, environment, (measured(CASE, seconds),))


def test_the_runs_of_one_machine_are_its_processes() -> None:
    """Two runs of one machine are one run with two processes, the earlier first."""
    runs = [of("A", 2e-6, "2026-02-01"), of("B", 1e-6, "2026-01-01"), of("A", 1e-6, "2026-01-01")]
    first, second = by_machine(runs)
    assert (first.name, second) == ("2026-02-01", runs[1])
    (one,) = first.results
    assert isinstance(one, Measurement)
    assert one.processes == {0, 1}
    assert one.times_s[:12] == pytest.approx([time / 2 for time in one.times_s[12:]])


@pytest.mark.parametrize("fact", ["torch", "hostname"])
def test_another_pytorch_is_another_machine(fact: str) -> None:
    """Runs with another PyTorch or host name stay apart."""
    runs = [of("A", 1e-6, "2026-01-01", **{fact: name}) for name in ("x", "y")]
    assert by_machine(runs) == runs


def test_a_failure_of_one_run_does_not_delete_the_times_of_another() -> None:
    """A case that one run measured keeps its times; one that no run measured keeps its reason."""
    failed, never = Failure(CASE, "killed"), Failure(Case("matmul", 64, 8, 4), "no memory")
    runs = [of("A", 1e-6, "2026-01-01"), Run("late", {"cpu": "A"}, (failed, never))]
    (found,) = by_machine(runs)
    assert [type(one) for one in found.results] == [Measurement, Failure]
