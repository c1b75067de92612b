from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.timing.findings import findings
from embviz.timing.results import Failure, Result
from embviz.timing.runs import Run
from embviz.timing.settings import PASSES
from tests.timing.made_results import (
    ANY_RESULT,
    ROWS,
    flat_and_growing,
    sentences_of,
    vocab,
)


def test_the_sentences_of_a_default_sweep() -> None:
    """A default sweep has its answer, then times, growth, crossings and noise."""
    results = vocab(["lookup", "index_select", "matmul", "onehot_matmul"], flat_and_growing)
    said, (times, others, growth, crossing, alike, *_, noise, needs) = findings(
        Run("r", {}, tuple(results))
    )
    assert said == "Matmul is faster than lookup at 64 rows, slower from 256 rows."
    assert times.startswith("At 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x")
    assert "index_select takes 2.0 µs, not told apart from lookup" in others
    assert "Matmul's time grows with exponent 1.00; lookup's with 0.00, not told apart" in growth
    assert {crossing, alike} == {
        "index_select is not told apart from lookup at all 6 sizes.",
        "Matmul and one-hot built + matmul are faster than lookup at 64 rows, slower from 256 "
        "rows; the crossover lies between 64 and 256 rows.",
    }
    assert "measured twice differs by up to 0.1 % (at 64 rows)" in noise
    assert "at most 1 %" in needs
    assert sentences_of(results)[0] == said


def test_nothing_measured_yet() -> None:
    """A run without results has one sentence that says so."""
    assert sentences_of([]) == ["Nothing has been measured yet."]


def test_a_failure_among_measurements_is_named() -> None:
    """A failure among measurements is named with its reason."""
    results = vocab(["lookup", "matmul"], flat_and_growing, [64, 256])
    gone = Failure(replace(results[-1].case, num_embeddings=1024, device="cuda"), "out of memory")
    assert (
        "1 of 5 cases gave no time. It was matmul on cuda at 1,024 rows: out of memory."
        in sentences_of([*results, gone])
    )


def test_noise_is_said_with_its_place() -> None:
    """The largest noise within a point is stated with its place, and that between points."""
    quiet = vocab(["lookup"], lambda _: 1e-6, [64], again=1.0002)
    loud = vocab(["lookup"], lambda _: 1e-6, [256], again=1.041)[1:]
    assert sentences_of([*quiet, *loud])[-2] == (
        "The same method measured twice differs by up to 4.1 % (at 256 rows); "
        "the anchor differs by up to 0.1 % between points."
    )
    assert "differs by up to 0.02 %;" in sentences_of(quiet)[-2]


def test_without_an_anchor_points_are_not_compared() -> None:
    """Without an anchor, a sentence says what is not known."""
    results = vocab(["lookup", "matmul"], flat_and_growing)[1:]
    found = sentences_of(results)
    assert found[-1] == (
        "How points differ from each other is not known: this run has no rounds with an anchor."
    )
    assert not any("exponent" in sentence for sentence in found)


def test_devices_side_by_side() -> None:
    """Each method is compared with itself on the other device."""
    factor = {("lookup", "cuda"): 4.0, ("matmul", "cuda"): 0.1}
    results = vocab(
        ["lookup", "matmul"],
        lambda case: flat_and_growing(case) * factor.get((case.method, case.device), 1.0),
        devices=("cuda", "cpu"),
    )
    found = sentences_of(results)
    assert found[1:3] == [
        "At 65,536 rows lookup takes 2.0 µs on cpu, 8.0 µs on cuda: 4.0x slower on cuda.",
        "At 65,536 rows matmul takes 1.3 ms on cpu, 131 µs on cuda: 10x faster on cuda.",
    ]
    assert found[3].startswith("On cpu: at 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x")
    assert found[4].startswith("On cuda: at 65,536 rows lookup takes 8.0 µs, matmul 131 µs: 16x")


def test_several_passes_and_widths() -> None:
    """Each pass and width has a paragraph of its own."""
    results = [
        one
        for pass_ in PASSES
        for dim in (64, 1024)
        for one in vocab(
            ["lookup", "matmul"], flat_and_growing, ROWS[:3], pass_=pass_, embedding_dim=dim
        )
    ]
    found = sentences_of(results)
    starts = [sentence.split(": at")[0] for sentence in found if ": at" in sentence]
    assert starts[:2] == ["Forward, dim 64", "Forward, dim 1,024"]
    assert starts[-1] == "Training step (Adam), dim 1,024"
    assert len(set(starts)) == len(starts) == 8


@given(st.lists(ANY_RESULT, max_size=14))
@settings(deadline=None, max_examples=60)
def test_any_results_give_sentences(results: list[Result]) -> None:
    """All readable results give printable sentences."""
    found = sentences_of(results)
    assert found
    for sentence in found:
        assert sentence.endswith(".")
        assert sentence.isprintable()
        assert not sentence[0].islower() or "_" in sentence.split()[0]
