"""The figures of the page as one dict each, for `python -m embviz context --json`."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import torch

from embviz.context.pieces import check_sentences, cosines_of
from embviz.context.proofs import permutation_table, same_character
from embviz.context.sentence import SentenceModel
from embviz.context.similarity import MAX_POSITIONS
from embviz.context.stack import Stack, Switches
from embviz.context.static import pair, shuffled
from embviz.core.layers import TiedLayers
from embviz.core.vocabulary import Vocabulary

CONTEXTUAL = Switches(positions=True, attention=True, mask="causal")


def report(
    layers: TiedLayers,
    vocabulary: Vocabulary | None,
    ids: torch.Tensor,
    seed: int,
    switches: Switches = CONTEXTUAL,
) -> dict[str, Any]:
    """What the page shows of a text.

    Args:
        layers: the tables.
        vocabulary: names the repeated character, and letters are taken first; None where
            ids were given.
        ids: int64 (N,), N from 0. The shuffle takes them all; the stack the first 256.
        seed: of the stack's weights and of the order.
        switches: of the stack whose vectors are the contextual ones.

    Returns:
        Ready for JSON. Where no character is repeated both cosines are None, and
        `same_character_reason` says why.

    Raises:
        ValueError, IndexError: as `Stack` and `TiedLayers.lookup`.
    """
    proof = shuffled(layers, ids, seed)
    read = ids[:MAX_POSITIONS]
    letters: set[int] = set()
    if vocabulary is not None and isinstance(vocabulary.characters, str):
        letters = {
            token for token, c in enumerate(vocabulary.characters) if c not in string.whitespace
        }
    found: dict[str, Any] = {
        "positions": len(ids),
        "positions_read_by_the_stack": len(read),
        "static_max_abs_difference_under_shuffle": proof.max_abs_difference,
        "static_max_abs_difference_under_shuffle_matmul": proof.max_abs_difference_matmul,
        "rows_moved_by_shuffle": proof.moved,
        "same_character_positions": None,
        "same_character": None,
        "same_character_static_cosine": None,
        "same_character_contextual_cosine": None,
        "same_character_reason": None,
    }
    two = pair(read, letters)
    if two is None:
        found["same_character_reason"] = (
            f"No character stands twice among the first {len(read)}." if len(read) else "No text."
        )
    else:
        same = same_character(Stack(layers, switches, seed=seed), read, *two)
        token = int(read[two[0]])
        found |= {
            "same_character_positions": list(two),
            "same_character": vocabulary.label(token) if vocabulary else str(token),
            "same_character_static_cosine": same.static_cosine,
            "same_character_contextual_cosine": same.contextual_cosine,
        }
    table = permutation_table(layers, read, seed, switches.heads) if len(read) else []
    found["stack"] = {
        "positions": switches.positions,
        "attention": switches.attention,
        "mask": switches.mask,
        "heads": switches.heads,
    }
    found["permutation"] = [
        {"stack": row.label, "max_abs_difference": row.error, "sees_order": row.sees_order}
        for row in table
    ]
    return found


def sentences_report(model: SentenceModel, sentences: Sequence[str], word: str) -> dict[str, Any]:
    """What the page shows of one word in several sentences.

    Args:
        model: a real Sentence-BERT.
        sentences: 1 to 12, each with the word.
        word: found as a whole word, in any case of letters.

    Returns:
        Ready for JSON; cosines as lists of rows, sentence by sentence.

    Raises:
        ValueError: sentences or a word that are refused.
    """
    check_sentences(sentences)
    vectors = [model.word_vectors(sentence, word) for sentence in sentences]
    static, layers = cosines_of(vectors)
    pooled, bags = model.sentence_cosines(sentences)
    proof = model.one_hot_proof(sorted({p.id for s in sentences for p in model.words(s)}))
    return {
        "model": model.name,
        "first_layer": model.first_layer,
        "first_layer_is_one_hot_times_linear": {
            "bitwise_equal": proof.bitwise_equal,
            "max_abs_error": proof.max_abs_error,
        },
        "word": word.strip(),
        "sentences": [
            {
                "text": found.sentence,
                "pieces": [piece.text for piece in found.pieces],
                "occurrences": found.occurrences,
                "pieces_not_read": model.pieces_cut(found.sentence),
            }
            for found in vectors
        ],
        "static_cosines": static.tolist(),
        "contextual_cosines": layers[-1].tolist(),
        "contextual_cosines_by_layer": layers.tolist(),
        "sentence_cosines": pooled.tolist(),
        "sentence_bag_of_rows_cosines": bags.tolist(),
    }
