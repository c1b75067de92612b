import math
from collections.abc import Sequence

import pytest
import torch

from embviz.core.config import ConfigError
from embviz.training.sampling import most_likely, sample

LOGITS = torch.tensor([0.0, math.log(3), 0.0]).double()


def of_nothing(_written: Sequence[int]) -> torch.Tensor:
    """Logits that do not depend on the text."""
    return LOGITS


def test_samples_have_the_frequencies_of_the_probabilities() -> None:
    """At temperature 1 each id comes as often as its probability, the same for one seed."""
    written = [sample(of_nothing, [0], 1, seed, 1.0)[0] for seed in range(800)]
    for token, probability in enumerate((0.2, 0.6, 0.2)):
        allowed = 4 * math.sqrt(probability * (1 - probability) / 800)
        assert abs(written.count(token) / 800 - probability) < allowed
    once, again, other = (sample(of_nothing, [0], 50, seed, 1.0) for seed in (1, 1, 2))
    assert once == again != other


def test_each_id_follows_those_before_it() -> None:
    """The model is asked for what follows the prefix and all written ids."""
    seen: list[list[int]] = []

    def cycle(written: Sequence[int]) -> torch.Tensor:
        seen.append(list(written))
        return torch.eye(4).double()[(written[-1] + 1) % 4]

    for temperature in (0.0, 0.01, 1e-300):
        assert sample(cycle, [7, 2], 3, 0, temperature) == [3, 0, 1]
    assert seen[:3] == [[7, 2], [7, 2, 3], [7, 2, 3, 0]]
    assert sample(cycle, [1], 0, 0, 1.0) == []


def test_the_most_likely_come_first() -> None:
    """Ids are sorted by probability, equal ones by id, at most as many as there are."""
    found = most_likely(LOGITS, 9)
    assert [token for token, _ in found] == [1, 0, 2]
    assert [value for _, value in found] == pytest.approx([0.6, 0.2, 0.2])
    assert most_likely(LOGITS, 1) == found[:1]


@pytest.mark.parametrize(
    ("length", "temperature"), [(-1, 1.0), (10_001, 1.0), (5, -1.0), (5, math.nan)]
)
def test_lengths_and_temperatures_out_of_range_are_refused(length: int, temperature: float) -> None:
    """A forged setting is refused with the reason."""
    with pytest.raises(ConfigError, match="is not"):
        sample(of_nothing, [0], length, 0, temperature)
