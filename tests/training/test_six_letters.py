"""The sentence about six letters names the nearest rows, and the map shows near rows as near."""

from itertools import combinations

import pytest
import torch

from embviz.fact.letters import LETTERS, learn
from embviz.training.six_letters import map_of, sentence

SENTENCES = 0, 1, 2  # seeds; with 1 the last pair is the nearest at first too


def nearest(rows: torch.Tensor) -> str:
    """The two nearest rows, as a sentence names them."""
    pairs = combinations(range(6), 2)
    first, second = min(pairs, key=lambda pair: torch.dist(*rows[list(pair)]).item())
    return f"'{LETTERS[first]}' and '{LETTERS[second]}'"


@pytest.mark.parametrize("seed", SENTENCES)
def test_the_sentence_names_the_nearest_rows(seed: int) -> None:
    """By distance, at the start and after the training; `test_letters` has PyTorch's own rows."""
    before, after = nearest(learn(seed).rows[0]), nearest(learn(seed).rows[-1])
    assert after == "'b' and 'c'"
    again = " again" if before == after else ""
    assert sentence(learn(seed)) == (
        f"Nearest rows by distance, at first: {before}, by chance. After 200 steps{again}: "
        f"{after}: both are followed by 'e' (59 % and 60 %) and 'a' (23 % and 30 %)."
    )


@pytest.mark.parametrize("seed", [*range(7), 123])
def test_the_nearest_rows_are_nearest_on_the_map(seed: int) -> None:
    """After the training; the map is a picture of the rows, of one scale, and fills its frame."""
    learnt = learn(seed)
    shown = map_of(learnt)
    assert nearest(shown.places[-1]) == nearest(learnt.rows[-1])
    assert 0.7 < shown.spread < 1
    low, high = shown.places.amin((0, 1)), shown.places.amax((0, 1))
    assert float((high - low).max()) == pytest.approx(1)
    assert low.min() >= -1e-6
    # A plane of the three numbers: all distances are those of the rows without one direction.
    flat, rows = shown.places.reshape(-1, 2), learnt.rows.reshape(-1, 3)
    turned = torch.linalg.lstsq(rows - rows.mean(0), flat - flat.mean(0)).solution
    lengths = torch.linalg.svdvals(turned)
    assert float(lengths[0]) == pytest.approx(float(lengths[1]), rel=1e-3)
    assert (rows - rows.mean(0)).matmul(turned).allclose(flat - flat.mean(0), atol=1e-4)
