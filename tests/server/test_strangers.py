"""What keeps the results of strangers' requests."""

import json
from typing import Any

import pytest

from embviz.live import answer as live
from embviz.picture import part
from embviz.system.shared_cache import ENTRY_BYTES, digest, shared_cache
from embviz.training.page.film import step_film


def test_a_class_that_steps_along_a_text_trains_each_token_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever asks, and whatever stands around it; 100 tokens of a usual table stay at once."""
    trained = list[Any]()
    one_letter = step_film.one_letter
    states, answers = (getattr(*name).cache for name in ((step_film, "_states"), (part, "_kept")))
    for cache in (states, answers):
        cache.clear()
    monkeypatch.setattr(
        step_film, "one_letter", lambda *given: (trained.append(given[1]), one_letter(*given))[1]
    )

    def step(text: str, token: int, **more: object) -> str:
        given = {"text": text, "token": token} | more
        return live.answer(json.dumps({"part": "one_step", "settings": given}).encode())

    letters = "".join(map(chr, range(33, 63)))
    first = [step(letters, token) for token in range(len(letters))]
    assert len(trained) == len(first) == len({*first})
    for token in range(len(letters)):
        step(letters[::-1], len(letters) - 1 - token)
    assert len(trained) == len(first) == len(states)
    assert 100 * states.currsize / len(states) < states.maxsize
    own = {"init": "own", "weights": "\n".join(f"{row} 1" for row in range(100))}
    for changed in ({"dim": 3}, {"seed": 1}, {"target": "0.25"}, {"target": "-0"}, own):
        before = len(trained)
        step("!", 0, **changed)
        step("!!", 1, **changed)
        assert len(trained) == before + 1, changed


def test_a_shared_cache_keeps_what_was_used_last() -> None:
    """What is larger than the cache is given all the same."""
    made = list[int]()

    @shared_cache(3 * (ENTRY_BYTES + 1_000), len, digest)
    def numbers(size: int, fill: str) -> str:
        made.append(size)
        return fill * size

    for size in (998, 999, 1_000, 998, 1_001, 998, 999):
        assert numbers(size, "x") == "x" * size
    assert made == [998, 999, 1_000, 1_001, 999]
    assert len(numbers(20_000, "x")) == len(numbers(20_000, "x")) == 20_000
    assert made[-2:] == [20_000, 20_000]
    for _ in range(2):  # a failure is not kept, and nobody waits for it
        with pytest.raises(TypeError):
            numbers(1, None)  # type: ignore[arg-type]
