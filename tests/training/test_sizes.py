"""How large should D be: models that differ in D alone."""

import math
from typing import Any

import pytest

from embviz.fact.characters import PRINTABLE
from embviz.system import bounds
from embviz.training.corpus import bigram_entropy, prepare
from embviz.training.sizes import DIMS, EVERY, HARDLY, Measured, Sizes
from embviz.training.writing import Writing

TEXT = "the cat sat on the mat, the dog sat on the cat"


def test_each_model_is_the_one_that_learns_to_write_with_its_d() -> None:
    """The same numbers, step for step, in any slices; the first is that of random scores."""
    sizes = Sizes(TEXT, PRINTABLE, 5)
    for _ in range(7):
        assert sizes.advance(13) == 13
    assert sizes.advance(9) == 9
    assert [one.step for one in sizes.points] == [0, EVERY, 2 * EVERY]
    for place in (0, 3):
        model = Writing(TEXT, PRINTABLE, DIMS[place], 5)
        model.advance(2 * EVERY)
        losses = {point.step: point.loss_embedding for point in model.points}
        assert [one.losses[place] for one in sizes.points] == [
            losses[one.step] for one in sizes.points
        ]
    assert sizes.points[0].losses == pytest.approx([math.log(100)] * len(DIMS), abs=0.05)
    assert sizes.limit == bigram_entropy(prepare(TEXT, PRINTABLE), 100)
    assert (sizes.rows, sizes.count) == (100, len(TEXT))


@pytest.mark.parametrize("make", [Sizes, lambda *given: Writing(TEXT, PRINTABLE, 2, 1)])
def test_it_is_seen_as_it_was_and_takes_no_more_steps_than_allowed(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public server counts the steps of all models; another thread may train on."""
    model = make(TEXT, PRINTABLE, 1)
    monkeypatch.setattr(bounds, "STEPS", bounds.Fixed(model.models * 60, 1))
    assert (model.most_steps, model.finished) == (60, False)
    begun = model.at(20)
    assert model.advance(100) == 60
    assert model.finished
    assert model.advance(1) == 0
    for seen, steps in ((begun, 0), (model.at(55), 55), (model.at(99), 60)):
        assert seen.steps == steps
        assert seen.points == [one for one in model.points if one.step <= steps]


@pytest.mark.parametrize(
    ("losses", "enough"),
    [
        ([3.0, 2.9, 2.8, 2.7, 2.6], None),  # the last doubling lowers it
        ([3.0, 3.0, 2.9, 2.9, 2.9], 8),  # an earlier one does not, a later one does
        ([2.0, 2.1, 2.2, 2.3, 2.4], 2),  # it rises
        ([3.0, 2.5, 2.4, 2.3, 2.3 - HARDLY / 2], 16),
    ],
)
def test_enough_is_the_first_d_from_which_on_no_doubling_lowers_the_loss(
    losses: list[float], enough: int | None
) -> None:
    """No doubling from there on lowers the loss by as much as `HARDLY`."""
    assert Measured(1, losses).enough == enough
