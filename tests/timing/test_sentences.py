"""What a run says: true of its numbers, and in words that a reader checks by dividing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import pytest

from embviz.timing.run import Run
from embviz.timing.sentences import answer, details
from embviz.timing.timed import Timed, plan
from tests.timing.made import CASE, grows, made_run, vocab

DTYPES = plan("dtype", ["float32", "bfloat16", "float16"], ["lookup", "matmul"], ["cpu"],
              num_embeddings=64, embedding_dim=8, tokens=4)  # fmt: skip
MATMUL = replace(CASE, method="matmul")
APART = [4, 1024, 16384]  # Rows at which all methods take unlike times.
TIME = r"([\d.]+) µs"


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_divides_the_two_times(seed: int) -> None:
    """The stated ratio is that of the two times shown, to its own two digits."""
    run = made_run(vocab(rows=[4, 512]), lambda case: grows(case) * (1 + seed / 7), seed)
    found = re.fullmatch(rf"At 512 rows .* {TIME}, a matmul {TIME}: (.*) times .*", answer(run)[0])
    assert found
    one, other, ratio = map(float, found.groups())
    assert ratio == float(f"{other / one:.2g}")


def shape(said: Sequence[str]) -> str:
    """The sentences with T for each time and K for each ratio: those are the machine's noise."""
    number = r"\d[\d,]*(?:\.\d+)?"
    return re.sub(
        rf"{number} times", "K times", re.sub(rf"{number} [nµm]?s\b", "T", " ".join(said))
    )


@pytest.mark.parametrize(
    ("cases", "seconds", "said"),
    [
        (
            vocab(),
            lambda _: 1e-5,
            "At 16,384 rows a lookup takes T, a matmul T: not told apart. "
            "Not told apart: the difference may be chance.",
        ),
        (
            vocab("lookup", "index_select", "matmul", "onehot_matmul", rows=APART),
            grows,
            "At 16,384 rows a lookup takes T, a matmul T: K times as long. "
            "One-hot built + matmul takes T: K times as long. "
            "index_select takes T: not told apart. "
            "At 16,384 rows a matmul takes T, one-hot built + matmul T: K times as long. "
            "A matmul is faster at 4 rows; one-hot built + matmul is faster at 4 rows. "
            "Not told apart: the difference may be chance.",
        ),
        (
            vocab("lookup", "matmul", "onehot_matmul", rows=APART),
            grows,
            "At 16,384 rows a matmul takes T, one-hot built + matmul T: K times as long. "
            "At 16,384 rows a lookup takes T, a matmul T: K times as long. "
            "One-hot built + matmul takes T: K times as long. "
            "A matmul is faster at 4 rows; one-hot built + matmul is faster at 4 rows.",
        ),
        (
            vocab(rows=[64, 1024], devices=["cpu", "cuda"], mode="backward"),
            lambda case: grows(case) * (0.2 if case.device == "cuda" else 1),
            "At 1,024 rows with forward + backward a lookup takes T, a matmul T: K times as long. "
            "At 1,024 rows on cuda with forward + backward a lookup takes T, a matmul T: "
            "K times as long. "
            "At 1,024 rows with forward + backward a lookup takes T on cpu, T on cuda: "
            "K times as fast. "
            "At 1,024 rows with forward + backward a matmul takes T on cpu, T on cuda: "
            "K times as fast. "
            "A matmul is faster at 64 rows.",
        ),
    ],
)
def test_the_answer(cases: list[Timed], seconds: Callable[[Timed], float], said: str) -> None:
    """Both routes first, or a one-hot's cost where it alone is asked; then further methods.

    A ratio stands only where two times are told apart.
    """
    assert shape(answer(made_run(cases, seconds))) == said


def test_the_largest_difference_between_kinds_is_first() -> None:
    """The slow kind is told apart; all others follow, and are not."""
    first, *rest = answer(made_run(DTYPES, lambda case: 1e-3 if case == DTYPES[-1] else 1e-5))
    assert shape([first]) == "A matmul takes T in float32, T in float16: K times as long."
    assert len(rest) == 4
    assert all("ot told apart" in one for one in rest)


@pytest.mark.parametrize(
    ("matmul", "said"),
    [
        (lambda rows: 1e-7 * rows, "Yes: a matmul is faster at 4 and 64 rows."),
        (
            lambda rows: {4: 1e-6, 64: 1e-5, 1024: 2e-5}[rows],
            "Yes: a matmul is faster at 4 rows; not told apart at 64 rows.",
        ),
        (lambda rows: 1e-5 * (1 + (rows > 64)), "Not certain: not told apart at 4 and 64 rows."),
        (lambda rows: 2e-5, "No, not at these sizes."),
    ],
)
def test_yes_or_no(matmul: Callable[[int], float], said: str) -> None:
    """Whether a matmul is faster anywhere comes first, if that is the question."""
    rows = [4, 64, 1024]
    run = made_run(
        vocab(rows=rows),
        lambda case: matmul(case.num_embeddings) if case.method == "matmul" else 1e-5,
    )
    found, main, *rest = answer(run, can_win=True)
    assert found == said
    assert main.startswith("At 1,024 rows a lookup takes")
    assert bool(rest) == ("apart" in said)


def test_few_placements_say_little() -> None:
    """One placement is too few to compare; a control alone, or nothing, says nothing."""
    run = Run("short")
    assert answer(run) == []
    run.add({"type": "environment", "cases": [asdict(CASE), asdict(MATMUL)]})
    times = {"type": "times", "process": 0, "placement": 0, "round": 0, "wait": [1e-6]}
    run.add({**times, "again": True, "case": 0})
    assert answer(run) == []
    assert details(run) == ["Nothing has been measured yet."]
    run.add({**times, "again": False, "case": 0})
    assert answer(run) == ["At 64 rows a lookup takes 1 µs."]
    run.add({**times, "again": False, "case": 1})
    assert answer(run)[0].endswith(": too few placements to compare.")


def test_failures_and_noise_are_said() -> None:
    """Beside the answer stand the reason of a failure and the promise of the verdicts."""
    run = made_run(vocab())
    run.environment["remade"] = True
    run.add({"type": "failure", "case": len(run.cases) - 1, "reason": "needs 9 GiB"})
    failure, remade, noise, promise = details(run)
    assert failure == "Matmul at 16,384 rows: needs 9 GiB."
    assert remade.startswith("Memory did not hold all tensors")
    assert re.fullmatch(r"The same method measured twice differs by up to \d+\.\d %\.", noise)
    assert "beyond 2 % alone" in promise
    assert "at most 1 %" in promise
