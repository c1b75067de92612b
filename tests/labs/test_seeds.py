"""The numbers of each lab stay those of its seed: students and teachers keep links to them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from embviz.labs.catalogue import LABS, beside, questions, try_it
from embviz.labs.question import Question, written

# By the key of a lab. A changed hash breaks the links that people have: change it knowingly.
HASHES = json.loads(Path(__file__).with_name("seeds.json").read_text(encoding="utf-8"))
SEEDS = [*range(19), 2**32 - 1]


def answers(asked: Question) -> list[object]:
    """The right answer and the mistakes; of a choice the order, on which links count."""
    if asked.choices:
        return [sorted(asked.choices).index(choice) for choice in asked.choices]
    return [written(asked.right), *sorted(map(written, asked.mistakes))]


@pytest.mark.parametrize("lab", LABS)
def test_a_seed_gives_the_numbers_that_it_gave_before(lab: str) -> None:
    """Those of its steps, of the questions beside them, and of the page that shows them."""
    found = [
        [*map(answers, (*questions(lab, seed), *beside(lab, seed))), try_it(lab, seed)]
        for seed in SEEDS
    ]
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    assert digest[:12] == HASHES[lab]
