"""The best of the nearest answers decides whether the page and the command call them sure."""

import pytest

from embviz.limits import search
from embviz.limits.elsewhere import ELSEWHERE
from embviz.limits.nearest import UNSURE


@pytest.mark.parametrize(
    ("scores", "is_unsure"),
    [
        ((2 * UNSURE, UNSURE / 2), False),
        ((UNSURE, UNSURE / 2), False),
        ((UNSURE / 2, UNSURE / 4), True),
        ((2 * UNSURE,), False),
        ((UNSURE / 2,), True),
        ((), False),
    ],
)
def test_an_answer_is_unsure_where_the_best_one_is_far(
    scores: tuple[float, ...], is_unsure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How far the second one is changes nothing."""
    hits = [*zip(ELSEWHERE, scores, strict=False)]
    monkeypatch.setattr(search, "nearest", lambda _message: hits)
    found = search.find("words that open no case")
    assert found.offered == tuple(record for record, _ in hits)
    assert found.is_unsure is is_unsure
    headlines = [headline for headline, _ in found.parts()]
    assert headlines == ([search.NOT_SURE] if is_unsure else ["The nearest in words:"] * bool(hits))
