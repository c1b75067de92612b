"""What a run says: true of its numbers, and in words that a reader checks by dividing."""

import re
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from embviz.timing.run import Run
from embviz.timing.sentences import answer, details
from embviz.timing.timed import Timed, plan
from tests.timing.made import CASE, grows, made_run, vocab

DTYPES = plan("dtype", ["float32", "bfloat16", "float16"], ["lookup", "matmul"], ["cpu"],
              num_embeddings=64, embedding_dim=8, tokens=4)  # fmt: skip
TIME = r"([\d.]+) µs"


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_divides_the_two_times(seed: int) -> None:
    """The stated ratio is that of the two times shown, to its own two digits."""
    run = made_run(vocab(rows=[4, 512]), lambda case: grows(case) * (1 + seed / 7), seed)
    found = re.fullmatch(rf"At 512 rows .* {TIME}, a matmul {TIME}: (.*) times .*", answer(run)[0])
    assert found
    one, other, ratio = map(float, found.groups())
    assert ratio == float(f"{other / one:.2g}")


@pytest.mark.parametrize(
    ("cases", "seconds", "said"),
    [
        (
            vocab(),
            lambda _: 1e-5,
            "At 16,384 rows a lookup takes 10.1 µs, a matmul 10.1 µs: not told apart. "
            "Not told apart: the difference may be chance.",
        ),
        (
            vocab("lookup", "index_select", "matmul", "onehot_matmul"),
            grows,
            "At 16,384 rows a lookup takes 10.4 µs, a matmul 1.75 ms: 170 times as long. "
            "One-hot built + matmul takes 3.34 ms: 320 times as long. "
            "index_select takes 10.4 µs: not told apart. "
            "At 16,384 rows a matmul takes 1.8 ms, one-hot built + matmul 3.3 ms: "
            "1.83 times as long. "
            "A matmul is faster at 4 and 64 rows; one-hot built + matmul is faster at 4 rows. "
            "Not told apart: the difference may be chance.",
        ),
        (
            DTYPES,
            lambda case: 1e-3 if case == DTYPES[-1] else 1e-5,
            "A matmul takes 10 µs in float32, 1 ms in float16: 100 times as long. "
            "A lookup takes 9.98 µs in float32, 10.1 µs in bfloat16: not told apart. "
            "A matmul takes 10.1 µs in float32, 10.1 µs in bfloat16: not told apart. "
            "A lookup takes 9.98 µs in float32, 9.99 µs in float16: not told apart. "
            "Not told apart: the difference may be chance.",
        ),
        (
            vocab(rows=[64, 1024], devices=["cpu", "cuda"], mode="backward"),
            lambda case: grows(case) * (0.2 if case.device == "cuda" else 1),
            "At 1,024 rows with forward + backward a lookup takes 10 µs, a matmul 100 µs: "
            "10 times as long. "
            "At 1,024 rows on cuda with forward + backward a lookup takes 2 µs, a matmul 21 µs: "
            "10 times as long. "
            "At 1,024 rows with forward + backward a lookup takes 10 µs on cpu, 2 µs on cuda: "
            "5 times as fast. "
            "At 1,024 rows with forward + backward a matmul takes 100 µs on cpu, 21 µs on cuda: "
            "4.8 times as fast. "
            "A matmul is faster at 64 rows.",
        ),
    ],
)
def test_the_answer(cases: list[Timed], seconds: Callable[[Timed], float], said: str) -> None:
    """Both routes first, or a one-hot's cost; then further ones; a ratio only where told apart."""
    assert " ".join(answer(made_run(cases, seconds))) == said


def test_where_a_one_hot_alone_is_asked_its_cost_is_first() -> None:
    """It answers the page's question, and the other times follow."""
    first, second, *_ = answer(made_run(vocab("lookup", "matmul", "onehot_matmul"), grows))
    assert first.startswith("At 16,384 rows a matmul takes 1.7 ms, one-hot built + matmul 3.3 ms")
    assert second.startswith("At 16,384 rows a lookup takes")


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
    assert (found, main.startswith("At 1,024 rows a lookup takes")) == (said, True)
    assert rest == ["Not told apart: the difference may be chance."] * ("apart" in said)


def test_few_rounds_say_little() -> None:
    """One round is too few to compare; a control alone, or nothing, says nothing."""
    times = {"type": "times", "process": 0, "round": 0, "again": False, "seconds": [1e-6]}
    run = Run("short")
    run.add({**times, "again": True, "case": asdict(CASE)})
    assert (answer(run), details(run)) == ([], ["Nothing has been measured yet."])
    for method, end in (
        ("lookup", "At 64 rows a lookup takes 1 µs."),
        ("matmul", ": too few rounds to compare."),
    ):
        run.add({**times, "case": asdict(replace(CASE, method=method))})
        assert answer(run)[0].endswith(end)


def test_failures_and_noise_are_said() -> None:
    """Beside the answer stand the reason of a failure and the promise of the verdicts."""
    run = made_run(vocab())
    run.environment["remade"] = True
    failed = replace(run.cases[1], num_embeddings=2**20)
    run.add({"type": "failure", "case": asdict(failed), "reason": "needs 9 GiB"})
    assert details(run) == [
        "Matmul at 1,048,576 rows: needs 9 GiB.",
        "Memory did not hold all tensors: each round made them anew; so rounds are fewer.",
        "The same method measured twice differs by up to 1.3 %.",
        "Two times are told apart beyond 2 % alone. If rounds are independent, the chance that "
        "any comparison of this run is false is at most 1 %.",
    ]
