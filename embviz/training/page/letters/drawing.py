"""A training of six letters as JSON: all states at once.

A browser shows one state after another and computes no number.
"""

from __future__ import annotations

import json

from embviz.fact.letters import LETTERS, STEPS, learn
from embviz.picture.numbers import packed
from embviz.system.shared_cache import shared_cache
from embviz.training.six_letters import begun, map_of, sentence, shares

# Quantile of the numbers up to which tints grow evenly; beyond it they hardly do. So one large
# number does not make all others pale.
USUAL = 0.75
KEPT_BYTES = 320_000  # bytes of the records that all sessions share; one has 73 KB


@shared_cache(KEPT_BYTES, len, lambda seed: seed)
def picture_of(seed: int) -> str:
    """The record of all states of the training with this seed.

    Returns:
        `letters`, `steps` and `sentence`; `begun`, its first part; in base64 for each state `rows`
        (6, 3), `places` on the map (6, 2) and `expected` (6, 6), the share that the model gives
        each next letter; `nearest`, the ids of the two nearest rows in each state; `words`, the
        shares in the words; `most`, the largest share; `scale` of the tints; `spread`, what the
        map shows of that of the last rows; and `selected`, the id of a letter.
    """
    learnt = learn(seed)
    expected, nearest = learnt.expected(), learnt.nearest()
    in_words, shown = shares(), map_of(learnt)
    both = {*nearest[0]} & {*nearest[-1]}  # letters of both pairs, if any
    record = {
        "letters": LETTERS,
        "steps": STEPS,
        "begun": begun(learnt),
        "sentence": sentence(learnt),
        "rows": packed(learnt.rows),
        "places": packed(shown.places),
        "expected": packed(expected),
        "nearest": nearest,
        "words": in_words.tolist(),
        "most": max(float(in_words.max()), float(expected.max())),
        "scale": float(learnt.rows[[0, -1]].abs().quantile(USUAL)),
        "spread": shown.spread,
        "selected": min(both or nearest[-1]),
    }
    return json.dumps(record, separators=(",", ":"))
