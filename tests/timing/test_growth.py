import pytest

from embviz.timing.chart_lines import lines
from embviz.timing.growth import Growth, growth
from embviz.timing.results import Failure
from tests.timing.made_results import flat_and_growing, sentences_of, vocab


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_found(power: float) -> None:
    """The exponent of a power is found."""
    results = vocab(["lookup"], lambda case: 1e-9 * case.num_embeddings**power)
    found = growth(*lines(results, "num_embeddings"), "num_embeddings")
    assert found is not None
    assert found.exponent == pytest.approx(power)
    assert (found.start, found.points) == (4096, 3)


def test_the_exponent_looks_at_the_upper_half() -> None:
    """The fit uses the upper half of the sizes, where the fixed cost matters less."""
    results = vocab(
        ["matmul"], lambda case: 1e-5 + 1e-9 * case.num_embeddings, [2**k for k in range(0, 25)]
    )
    (line,) = lines(results, "num_embeddings")
    found, from_start = growth(line, "num_embeddings"), growth(line, "num_embeddings", start=1)
    assert found is not None
    assert from_start is not None
    assert found.start == 2**12
    assert found.exponent > 0.7 > 0.5 > from_start.exponent
    assert from_start.points == 25


def test_an_exponent_needs_three_values() -> None:
    """An exponent needs three sizes; kinds have none."""
    results = vocab(["lookup"], lambda _: 1e-6, [64, 256])
    assert growth(*lines(results, "num_embeddings"), "num_embeddings") is None
    results = vocab(["lookup"], lambda _: 1e-6, [64, 256, 1024])
    assert growth(*lines(results, "num_embeddings"), "num_embeddings") == Growth(0.0, 64, 3)
    assert growth(*lines(results, "num_embeddings"), "num_embeddings", 256) is None
    assert growth(lines(results, "dtype")[0], "dtype") is None


def test_exponents_are_taken_over_the_same_sizes() -> None:
    """Exponents are fitted from the same size on where each method has enough."""
    results = vocab(["lookup", "matmul"], flat_and_growing, [2**k for k in range(6, 17)])
    results = [
        Failure(one.case, "too large")
        if one.case.method == "matmul" and one.case.num_embeddings > 8192
        else one
        for one in results
    ]
    assert sentences_of(results)[1] == (
        "Matmul's time grows with exponent 1.00, lookup's with 0.00 (from 1,024 rows)."
    )
