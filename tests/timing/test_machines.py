"""Many runs: their questions, and the runs of one machine together."""

from dataclasses import replace

import pytest

from embviz.timing.cases import Case
from embviz.timing.machines import by_machine, machine_words, question
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run
from tests.timing.made_results import CASE, flat_and_growing, measured, vocab

DTYPES = "float32", "float16"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (Run("r", {}), "nothing measured"),
        (Run("r", {}, (measured(CASE, 1e-6),)), "64 rows, lookup"),
        (
            Run("r", {}, tuple(vocab(["lookup", "matmul", "index_select"], flat_and_growing))),
            "64 to 65,536 rows, lookup and 2 more methods",
        ),
        (
            Run("r", {}, tuple(vocab(["lookup", "matmul"], flat_and_growing, pass_="sgd"))),
            "64 to 65,536 rows, lookup and 1 more method, training step (SGD)",
        ),
        (
            Run("r", {}, tuple(measured(replace(CASE, dtype=one), 1e-6) for one in DTYPES)),
            "float32 and float16, lookup",
        ),
    ],
)
def test_a_run_is_named_by_its_question(run: Run, words: str) -> None:
    """The question names what varies, the methods and a pass that is not forward."""
    assert question(run) == words


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
    assert one.processes == (12, 12)
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
    assert [type(one) for one in found.results] == [Failure, Measurement]


def test_runs_and_machines_are_counted() -> None:
    """One run needs no words; else the runs and the machines are counted."""
    a, b = of("A", 1e-6, "2026-01-01"), of("B", 1e-6, "2026-01-01")
    assert machine_words([a]) == ""
    assert machine_words([a, b]) == "2 machines"
    assert machine_words([a, a]) == "2 runs of one machine"
    assert machine_words([a, b, a]) == "3 runs of 2 machines"
