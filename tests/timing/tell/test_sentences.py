"""What a run says: true of its numbers, and in words that a reader checks by dividing."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import pytest

from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import PLACEMENTS, Timed, plan
from embviz.timing.tell.notes import caveat, details
from embviz.timing.tell.reasons import reason
from embviz.timing.tell.sentences import COLUMNS, answer, win_sentences, win_table
from tests.timing.made import CASE, grows, made_run, vocab

SMALL = {"num_embeddings": 64, "embedding_dim": 8, "tokens": 4}
DTYPES = plan("dtype", ["float32", "float64", "float16"], ["lookup", "matmul"], ["cpu"], **SMALL)
MATMUL = replace(CASE, method="matmul")
ONE_HOT = "What does the one-hot cost?"
CAN_WIN = "Can matmul win?"
HALF = "Half precision"
SAME = "the same ids in each call"
TIME = r"[\d.,]+ [nµm]?s"


def shape(said: Sequence[str]) -> str:
    """The sentences with T for each time and K for each ratio: those are the machine's noise."""
    number = r"\d[\d,]*(?:\.\d+)?"
    return re.sub(rf"{number} times", "K times", re.sub(TIME + r"\b", "T", " ".join(said)))


def in_kinds(case: Timed) -> float:
    """A matmul in float16 is slow; all else is alike."""
    slow = case.method == "matmul" and case.dtype == "float16"
    return 1e-3 if slow else 1e-5


@pytest.mark.parametrize(
    ("cases", "question", "seconds", "said"),
    [
        (
            vocab(),
            "",
            grows,
            f"256 tokens, 64 numbers each, 1 thread, {SAME}. "
            "At 16,384 rows a lookup takes T, a matmul T: K times as long "
            "(a matmul multiplies every row). A matmul is faster at 4 and 64 rows.",
        ),
        (
            vocab("lookup", "matmul", "onehot_matmul", threads=2),
            ONE_HOT,
            grows,
            f"256 tokens, 64 numbers each, 2 threads, {SAME}. "
            "At 16,384 rows a matmul takes T, one-hot built + matmul T: K times as long "
            "(it first writes a one-hot of 256 × 16,384).",
        ),
        (
            vocab("lookup", "lookup_sparse", "matmul", mode="backward"),
            "Backward",
            lambda case: 1e-7 if case.record.sparse_gradient else grows(case),
            f"256 tokens, 64 numbers each, 1 thread, forward + backward, {SAME}. "
            "At 16,384 rows a lookup takes T, a matmul T: K times as long "
            "(a matmul multiplies every row). "
            "At 16,384 rows a lookup takes T, lookup with sparse gradients T: K times as fast "
            "(its gradient has 256 rows, not 16,384). A matmul is faster at 4 and 64 rows.",
        ),
        (
            DTYPES,
            HALF,
            in_kinds,
            f"64 rows of 8 numbers, 4 tokens, 1 thread, {SAME}. "
            "A matmul takes T in float32, T in float16: K times as long. "
            "A lookup takes T in float32, T in float16: not told apart (K to K times as long).",
        ),
        (
            vocab(rows=[64, 1024], devices=["cpu", "cuda"]),
            "CPU or GPU?",
            lambda case: grows(case) * (0.2 if case.device == "cuda" else 1),
            f"256 tokens, 64 numbers each, 1 thread, {SAME}. "
            "At 1,024 rows a lookup takes T on the CPU, T on the GPU: K times as fast. "
            "At 1,024 rows a matmul takes T on the CPU, T on the GPU: K times as fast.",
        ),
    ],
)
def test_the_answer(
    cases: list[Timed], question: str, seconds: Callable[[Timed], float], said: str
) -> None:
    """It names what its numbers depend on, says what was asked alone, and why."""
    found = shape(answer(made_run(cases, seconds, question=question)))
    assert re.sub(r"\([\d.]+ to K", "(K to K", found) == said


CALL = Timed("lookup", 2, 64, 1)


@pytest.mark.parametrize(
    ("a", "method", "seconds", "said"),
    [
        (
            replace(CALL, method="matmul"),
            "lookup",
            2e-6,
            "the start of the call takes most of both",
        ),
        # How long 16 bits, or rows outside the caches, take is not known from their number.
        (replace(CALL, dtype="float16"), "index_select", 2e-6, ""),
        (replace(CALL, cache="new"), "index_select", 2e-6, ""),
        (replace(CALL, cache="cold"), "index_select", 2e-6, ""),
        (
            Timed("lookup_sparse", 1024, 64, 256, mode="backward"),
            "lookup",
            1e-7,
            "its gradient has 256 rows, not 1,024",
        ),
        (Timed("lookup_sparse", 128, 64, 256, mode="backward"), "lookup", 1e-7, ""),
    ],
)
def test_the_reason_of_a_difference(a: Timed, method: str, seconds: float, said: str) -> None:
    """A reason is told only where the definitions give it."""
    b = replace(a, method=method)
    assert reason(a, b, {a: seconds, b: 1e-6}, "wait", []) == said


@pytest.mark.parametrize(
    ("rates", "reasons"),
    [
        ({"float32": 100.0}, []),
        ({"float32": 100.0, "bfloat16": 400.0, "float16": 3.0}, ["float16"]),
        ({"float32": 70.0, "bfloat16": 1.3, "float16": 1.3}, ["bfloat16", "float16"]),
    ],
)
def test_a_slow_dtype_has_a_reason_where_the_run_has_measured_it(
    rates: dict[str, float], reasons: list[str]
) -> None:
    """By its own products: a processor may compute in one of both formats. A copy has no reason."""
    dtypes = ["float32", "bfloat16", "float16"]
    cases = plan("dtype", dtypes, ["lookup", "matmul"], ["cpu"], **SMALL)
    run = made_run(cases, lambda case: 1e-3 / case.itemsize, question=HALF)
    key = {"device": "cpu", "threads": 1}
    made = [key | {"dtype": name, "gflop_per_s": rate} for name, rate in rates.items()]
    run.environment["calibrations"] = made
    said = [text for text in answer(run) if "a matmul takes" in text.lower()]
    assert len(said) == 2
    found = re.findall(r"PyTorch has no fast (\w+) product on the processor", " ".join(answer(run)))
    assert sorted(found) == reasons
    assert all(f"{name}: " in " ".join(said) for name in reasons)


@pytest.mark.parametrize(
    ("matmul", "said", "places"),
    [
        (
            lambda rows: 3e-8 * rows,
            "Yes, if the one-hot stands ready, from 4 to 256 rows.",
            ("from 4 to 256 rows", "", "at 1,024 and 4,096 rows"),
        ),
        (
            lambda rows: 1e-6 if rows < 100 else {256: 1e-5}.get(rows, 2e-5),
            "Yes, if the one-hot stands ready, at 4 and 64 rows.",
            ("at 4 and 64 rows", "at 256 rows", "at 1,024 and 4,096 rows"),
        ),
        (
            lambda rows: {4: 1e-6, 64: 1e-5}.get(rows, 2e-5),
            "No win is certain; it is open at 4 and 64 rows.",
            ("", "at 4 and 64 rows", "from 256 to 4,096 rows"),
        ),
        (
            lambda rows: 1e-5 * (1 + (rows > 64)),
            "No win is certain; it is open at 4 and 64 rows.",
            ("", "at 4 and 64 rows", "from 256 to 4,096 rows"),
        ),
        (lambda rows: 2e-5, "No, not at these sizes.", ("", "", "from 4 to 4,096 rows")),
    ],
)
def test_yes_or_no(matmul: Callable[[int], float], said: str, places: tuple[str, str, str]) -> None:
    """Whether a matmul is faster anywhere comes first, and a line says where; then a win, and the
    largest size.
    """
    run = made_run(
        vocab(rows=[4, 64, 256, 1024, 4096], tokens=1),
        lambda case: matmul(case.num_embeddings) if case.method == "matmul" else 1e-5,
        question=CAN_WIN,
    )
    first, *rest = answer(run)
    assert first == f"1 token, 64 numbers each, 1 thread, {SAME}. {said}"
    assert win_table(run) == [("a matmul", *places)]
    (line,) = win_sentences(run)
    columns = [f"{words} {place}" for words, place in zip(COLUMNS, places, strict=True) if place]
    assert line == f"A matmul: {'; '.join(columns)}."
    wins = [text for text in rest if re.match("At (4|64) rows a lookup .* times as fast", text)]
    assert bool(wins) is said.startswith("Yes")
    assert any(text.startswith("At 4,096 rows a lookup takes") for text in rest)


@pytest.mark.parametrize("question", ["", CAN_WIN])
@pytest.mark.parametrize("processes", [1, 5])
def test_one_point_is_no_win(question: str, processes: int) -> None:
    """A slow lookup at one size makes each method win there: no neighbour confirms it.

    Several processes that agree do.
    """
    run = made_run(
        vocab("lookup", "matmul", "matmul_table", rows=[2, 4, 8, 16], tokens=1),
        lambda case: 5e-5 if case.method == "lookup" and case.num_embeddings == 4 else 1e-5,
        question=question,
        processes=processes,
    )
    said = " ".join(answer(run))
    confirmed = "A matmul is faster at 4 rows;"
    if question:
        confirmed = "Yes, if the one-hot stands ready: a matmul at 4 rows, "
    assert (confirmed in said) is (processes == 5)
    if question:
        assert ("No win is certain; it is open from 2 to 16 rows." in said) is (processes == 1)
        assert [line[1] for line in win_table(run)] == ["at 4 rows" * (processes == 5)] * 2


def test_each_matmul_has_a_line() -> None:
    """On each device; nothing that was measured is left out. Other questions have no table."""
    run = made_run(
        vocab("lookup", "matmul", "matmul_table", rows=[4, 8], devices=["cpu", "cuda"], tokens=1),
        lambda case: 1e-6 if (case.method, case.device) == ("matmul", "cpu") else 1e-5,
        question=CAN_WIN,
    )
    lines = win_table(run)
    assert lines[0] == ("a matmul on the CPU", "at 4 and 8 rows", "", "")
    names = ["matmul on the lookup's table on the CPU", "a matmul on the GPU"]
    assert [name for name, *_ in lines[1:3]] == names
    assert len(lines) == 4
    assert win_table(made_run(vocab())) == []


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([64, 1024], "A lookup takes T at 64 rows, T at 1,024 rows."),
        ([4, 8, 16, 32], "A lookup takes T at 4 rows, T at 8 rows, T at 16 rows, T at 32 rows."),
        ([2, 4, 8, 16, 32], "A lookup takes T at 2 rows, T at 32 rows."),
    ],
)
def test_a_method_alone_has_all_its_times(rows: list[int], said: str) -> None:
    """Of more than four the first and the last; a kind beside is named."""
    run = made_run(vocab("lookup", rows=rows), lambda case: 1e-7 * case.num_embeddings)
    assert shape(answer(run)) == f"256 tokens, 64 numbers each, 1 thread, {SAME}. {said}"


def few_lines(*logs: float, clock: str = "wait") -> Run:
    """A lookup of 1 µs, and a matmul by the logarithm of its ratio in each placement."""
    run = Run("short")
    run.add({"type": "environment", "cases": [asdict(CASE), asdict(MATMUL)]})
    for place, log in enumerate(logs):
        for case, seconds in enumerate((1e-6, math.exp(log) * 1e-6)):
            line = {"type": "times", "process": 0, "placement": place, "round": 3 * place}
            run.add(line | {"again": False, "case": case, "wait": [1e-5], clock: [seconds]})
    return run


TWICE = (math.log(2),) * PLACEMENTS


def test_few_placements_say_why_nothing_is_told() -> None:
    """They are counted, and nothing is called chance; a control alone, or nothing, says nothing."""
    run = Run("short")
    assert answer(run) == []
    run.add({"type": "environment", "cases": [asdict(CASE), asdict(MATMUL)]})
    times = {"type": "times", "process": 0, "placement": 0, "round": 0, "wait": [1e-6]}
    run.add({**times, "again": True, "case": 0})
    assert answer(run) == []
    assert details(run) == ["Nothing has been measured yet."]
    run.add({**times, "again": False, "case": 0})
    sizes = f"4 tokens, 8 numbers each, 1 thread, {SAME}."
    assert answer(run) == [f"{sizes} A lookup takes 1 µs at 64 rows."]
    (said,) = answer(few_lines(*TWICE[:1]))
    assert said.endswith("1 µs, a matmul 2 µs: not judged (1 placement, 5 are needed).")
    assert "(4 placements, 5 are needed)" in answer(few_lines(*TWICE[:4]))[0]
    assert "2 times as long" in answer(few_lines(*TWICE[:5]))[0]


@pytest.mark.parametrize(
    ("mean", "half", "said"),
    [
        (0.0, 0.021, "(0.97 to 1.03 times as long)."),
        (
            0.1,
            0.068,
            "(1.01 to 1.21 times as long). To decide it, measure in about 10 processes.",
        ),
        (
            0.03,
            0.5,
            "(0.53 to 2 times as long). More than 100 processes would be needed.",
        ),
    ],
)
def test_what_is_not_told_apart_says_what_would_tell_it(
    mean: float, half: float, said: str
) -> None:
    """The interval stands beside the verdict; the number of processes comes from it."""
    run = few_lines(*[mean - half, mean + half] * 4)
    assert " ".join(answer(run)).partition("not told apart ")[2] == said


def test_a_run_says_its_own_clock() -> None:
    """Where every case has times of a GPU, the sentences are about these."""
    run = few_lines(*TWICE, clock="gpu")
    assert "a lookup takes the GPU 1 µs, a matmul 2 µs: 2 times as long" in answer(run)[0]
    assert typical_seconds(sample_medians(run.times, "gpu"))[CASE] == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"governor": "schedutil", "load_1min": 1.9, "logical_cores": 2}, ""),
        ({"load_1min": 2.0, "logical_cores": 2}, "the load was 2 on 2 cores."),
        ({"cgroup_cores": 0.5, "logical_cores": 8}, "a CPU limit allowed 0.5 of 8 cores."),
        ({"load_1min": "much", "logical_cores": "2", "cgroup_cores": [1]}, ""),
    ],
)
def test_the_state_of_the_machine_is_told_where_it_matters(
    facts: dict[str, object], said: str
) -> None:
    """At most one sentence; a stranger's facts may be of any type."""
    run = few_lines(*TWICE)
    run.environment = facts
    assert caveat(run) == (f"These times may be off: {said}" if said else "")


def test_missing_placements_are_told() -> None:
    """Also missing processes; a run without times says nothing."""
    assert caveat(few_lines(*TWICE[:6])).endswith("only 6 of 8 placements were measured.")
    several = caveat(made_run(vocab(), processes=3))
    assert several.endswith("only 3 of at least 5 processes were measured.")
    assert caveat(made_run(vocab(), processes=5)) == ""
    assert caveat(Run("r")) == ""


def test_failures_and_noise_are_said() -> None:
    """Beside the answer stand the reason of a failure and the promise of the verdicts."""
    run = made_run(vocab())
    run.environment["remade"] = True
    run.add({"type": "failure", "case": len(run.cases) - 1, "reason": "needs 9 GiB"})
    failure, remade, noise, promise = details(run)
    assert failure == "Matmul at 16,384 rows: needs 9 GiB."
    assert remade.startswith("Memory did not hold all tensors")
    assert re.fullmatch(r"The same method measured twice differs by up to \d+\.\d %\.", noise)
    assert "differ by up to 2 % are not told apart" in promise
    assert "at most 1 %" in promise
