from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.timing.cases import Case, plan
from embviz.timing.results import TERMS, Failure, Measurement, Result
from embviz.timing.settings import PASSES, SKEWS
from tests.timing.made_results import CASE, ROWS, flat_and_growing, measured, sentences_of, vocab


def test_the_sentences_of_a_default_sweep() -> None:
    """A default sweep's sentences give sizes, growth, crossings, reasons and noise."""
    results = vocab(["lookup", "index_select", "matmul", "onehot_matmul"], flat_and_growing)
    assert sentences_of(results) == [
        "At 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x.",
        "There index_select takes 2.0 µs (not distinguishable from lookup), "
        "one-hot built + matmul 2.0 ms (980x).",
        "Matmul's time grows with exponent 1.00, lookup's with 0.00, index_select's with 0.00, "
        "that of one-hot built + matmul with 1.00 (from 4,096 rows).",
        "index_select is not distinguishable from lookup at all 6 sizes.",
        "Matmul and one-hot built + matmul are faster than lookup at 64 rows, "
        "slower from 256 rows.",
        "An exponent of 1 means twice the time for twice the rows; "
        "0 means that their number does not matter.",
        "The same method measured twice differs by at most 0.1 %; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_nothing_measured_yet() -> None:
    """A run without results has one sentence that says so."""
    assert sentences_of([]) == ["Nothing has been measured yet."]


def test_failures_alone() -> None:
    """A run of failures has sentences."""
    cases = plan("vocab", [64, 256], ["lookup"], ["cpu"], embedding_dim=4, tokens=1)
    assert sentences_of([Failure(case, "needs 9.0 GiB.") for case in cases]) == [
        "2 of 2 cases gave no time. The first, lookup at 64 rows: needs 9.0 GiB."
    ]
    assert sentences_of([Failure(cases[0], "")]) == [
        "1 of 1 case gave no time. It was lookup at 64 rows: no reason given."
    ]


def test_a_failure_among_measurements_is_named() -> None:
    """A failure among measurements is named with its reason."""
    results = vocab(["lookup", "matmul"], flat_and_growing, [64, 256])
    gone = Failure(replace(results[-1].case, num_embeddings=1024, device="cuda"), "out of memory")
    assert sentences_of([*results, gone])[-1] == (
        "1 of 5 cases gave no time. It was matmul on cuda at 1,024 rows: out of memory."
    )


def test_one_point_of_one_method() -> None:
    """A single measurement has a headline without a comparison."""
    assert sentences_of([measured(CASE, 1.5e-6)]) == [
        "At 64 rows lookup takes 1.5 µs.",
        "No method was measured twice, so the noise is not known; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_noise_is_said_where_it_is_large() -> None:
    """Large noise is stated with its place."""
    quiet = vocab(["lookup"], lambda _: 1e-6, [64], again=1.0002)
    loud = vocab(["lookup"], lambda _: 1e-6, [256], again=1.041)
    assert sentences_of(loud)[-1] == (
        "The same method measured twice differs by up to 4.1 %; at each point, "
        "what differs less than that, or less than 2 %, or within the uncertainty of two "
        "medians, is not told apart."
    )
    assert sentences_of([*quiet, *loud])[-1] == (
        "The same method measured twice differs by up to 4.1 % (at 256 rows), "
        "by 2.1 % at the median; at each point, "
        "what differs less than that, or less than 2 %, or within the uncertainty of two "
        "medians, is not told apart."
    )
    assert "at most 0.02 %;" in sentences_of(quiet)[-1]


def test_devices_side_by_side() -> None:
    """Each method is compared with itself on the other device."""
    factor = {("lookup", "cuda"): 4.0, ("matmul", "cuda"): 0.1}
    results = vocab(
        ["lookup", "matmul"],
        lambda case: flat_and_growing(case) * factor.get((case.method, case.device), 1.0),
        devices=("cuda", "cpu"),
    )
    found = sentences_of(results)
    assert found[0].startswith("On cpu: at 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x. ")
    assert found[1].startswith("On cuda: at 65,536 rows lookup takes 8.0 µs, matmul 131 µs: 16x. ")
    assert found[3:5] == [
        "At 65,536 rows lookup takes 2.0 µs on cpu, 8.0 µs on cuda: cpu is 4.0x faster.",
        "At 65,536 rows matmul takes 1.3 ms on cpu, 131 µs on cuda: cuda is 10x faster.",
    ]


def test_where_a_device_overtakes() -> None:
    """The size from which a GPU is faster is named."""
    results = vocab(
        ["matmul"],
        lambda case: 1e-5 if case.device == "cuda" else 20e-9 * case.num_embeddings,
        devices=("cpu", "cuda"),
    )
    assert "Matmul on cuda is slower than that on cpu up to 256 rows, faster from 1,024 rows." in (
        sentences_of(results)
    )


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
    starts = [sentence.split(": at")[0] for sentence in found[:8]]
    assert starts[:2] == ["Forward, dim 64", "Forward, dim 1,024"]
    assert starts[-1] == "Training step (Adam), dim 1,024"
    assert len(set(starts)) == 8


def test_a_first_point_is_told() -> None:
    """A run with half a point has sentences."""
    results = vocab(["lookup", "index_select", "matmul"], flat_and_growing)
    for count in range(len(results) + 1):
        assert all(sentence.endswith(".") for sentence in sentences_of(results[:count]))


cases = st.builds(
    Case,
    method=st.sampled_from(["lookup", "matmul", "index_select", "embedding_bag"]),
    num_embeddings=st.sampled_from([1, 64, 4096]),
    embedding_dim=st.sampled_from([1, 64]),
    tokens=st.sampled_from([1, 256]),
    ids=st.sampled_from(list(SKEWS)),
    dtype=st.sampled_from(["float32", "float16"]),
    device=st.sampled_from(["cpu", "cuda"]),
    threads=st.sampled_from([1, 4]),
    pass_=st.sampled_from(list(PASSES)),
)


results_of = st.one_of(
    st.builds(Failure, cases, st.text(max_size=20)),
    st.builds(
        Measurement,
        cases,
        st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=4).map(tuple),
        st.integers(1, 9),
        st.none() | st.floats(1e-12, 1e6),
        st.sampled_from(["", *list(TERMS)]),
        st.booleans(),
    ),
)


@given(st.lists(results_of, max_size=14))
@settings(deadline=None, max_examples=150)
def test_any_results_give_sentences(results: list[Result]) -> None:
    """All readable results give printable sentences."""
    found = sentences_of(results)
    assert found
    for sentence in found:
        assert sentence.endswith(".")
        assert sentence.isprintable()
        assert not sentence[0].islower() or "_" in sentence.split()[0]
