"""*My model* at sizes that nobody measured: an estimate is told where it is far from the other."""

import pytest

from embviz.timing.tell.my_model import FAR, ModelSizes, Times, estimate, estimates, times_of
from embviz.timing.tell.questions import MY_MODEL
from embviz.timing.tell.recorded import recorded


@pytest.mark.parametrize(
    "sizes", [(2, 1, 1, 1), (100, 8, 1, 4), (2, 128, 4096, 1), (27, 768, 8, 512), (64, 64, 1, 256)]
)
def test_small_sizes_are_not_estimated(sizes: tuple[int, int, int, int]) -> None:
    """They lie in caches: a matmul was said to be 15 times as fast, and took 2.5 times as long."""
    model, run = ModelSizes(*sizes), recorded(MY_MODEL)
    times = times_of(model, run, run)
    assert times == Times()
    assert estimate(model, times).endswith(" multiplications: not timed.")
    assert estimates(model, times)[-1] == ("one call", "not timed", "not timed")
    assert "1 tokens" not in estimate(model, times)


@pytest.mark.parametrize(
    ("sizes", "lookup_s", "matmul_s"),
    [((50_257, 768, 1, 1), 7.6e-6, 17.5e-3), ((30_000, 300, 1, 1), 7.1e-6, 3.49e-3)],
)
def test_one_token_reads_the_whole_table_in_a_matmul(
    sizes: tuple[int, int, int, int], lookup_s: float, matmul_s: float
) -> None:
    """Against what was measured on the recorded machine: within a factor of two."""
    run = recorded(MY_MODEL)
    times = times_of(ModelSizes(*sizes), run, run)
    assert times.lookup
    assert times.matmul
    assert times.lookup.seconds == pytest.approx(lookup_s, rel=0.5)
    assert matmul_s / 2 < times.matmul.seconds < 2 * matmul_s
    assert times.matmul.seconds > FAR * times.lookup.seconds


def test_the_lookup_of_a_smaller_model_takes_at_most_its_estimate() -> None:
    """In caches it is ten times as quick as the recorded one: no ratio is told."""
    run = recorded(MY_MODEL)
    smaller, larger = ModelSizes(30_000, 300, 32, 128), ModelSizes(128_256, 4_096, 1, 2_048)
    times = times_of(smaller, run, run)
    assert str(times.lookup).startswith("at most ")
    assert estimate(smaller, times) == (
        f"It matters for these sizes: for 4,096 tokens a lookup would take {times.lookup}, "
        f"a matmul {times.matmul}."
    )
    assert estimates(smaller, times)[-1][1] == f"{times.lookup}, estimated"
    times = times_of(larger, run, run)
    assert str(times.lookup).startswith("about ")
    assert estimate(larger, times).endswith(" times as long.")
