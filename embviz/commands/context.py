"""`context`: static against contextual vectors of a text, or of one word in several sentences."""

from __future__ import annotations

import argparse
import string
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from embviz.commands import add_json, add_option, show
from embviz.core.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from embviz.context.sentence import SentenceModel
    from embviz.context.stack import Switches
    from embviz.core.layers import TiedLayers
    from embviz.core.vocabulary import Vocabulary

SUMMARY = "compare static with contextual vectors of a text"
EXAMPLE = 'context "the river bank" --json'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `context`."""
    parser.add_argument(
        "text", nargs="?", help="printable ASCII; the stack reads the first 256 characters"
    )
    add_option(parser, "--dim", 10, "embedding_dim")
    add_option(parser, "--seed", 123, "of all weights and the shuffle")
    parser.add_argument(
        "--sentences",
        help="a UTF-8 text file for a real Sentence-BERT, one sentence a line (- for stdin)",
    )
    parser.add_argument("--word", help="the word to compare; every sentence has it")
    add_json(
        parser,
        "static_max_abs_difference_under_shuffle, "
        "same_character_static_cosine, same_character_contextual_cosine, permutation and more; "
        "with sentences static_cosines, contextual_cosines (last layer), "
        "contextual_cosines_by_layer, sentence_cosines, sentence_bag_of_rows_cosines",
    )


def run(options: argparse.Namespace) -> int:
    """Print the figures of the text, of the sentences, or of both."""
    from embviz.core.config import Config
    from embviz.core.layers import tie
    from embviz.core.vocabulary import Vocabulary

    if (options.sentences is None) != (options.word is None):
        raise Refused(
            "--sentences and --word go together, for example: --sentences banks.txt --word bank."
        )
    if options.text is None and options.sentences is None:
        raise Refused(
            "give a text, --sentences with --word, or both, for example: context "
            "'the river bank' --json."
        )
    found: dict[str, Any] = {}
    if options.text is not None:
        import torch

        vocabulary = Vocabulary(string.printable)
        config = Config(vocabulary.characters, len(vocabulary), options.dim, options.seed)
        ids = torch.tensor(vocabulary.encode(options.text), dtype=torch.int64)
        found |= report(tie(config), vocabulary, ids, options.seed)
    if options.sentences is not None:
        from embviz.context.sentence import MODEL_VARIABLE, ModelError, load, model_name
        from embviz.training.text import open_text

        lines = [line for line in open_text(options.sentences).splitlines() if line.strip()]
        try:
            model = load(model_name())
        except ModelError as error:
            raise Refused(f"{error} {MODEL_VARIABLE} names another model or a folder.") from error
        found |= sentences_report(model, lines, options.word)
    return show(options, found)


def report(
    layers: TiedLayers, vocabulary: Vocabulary, ids: torch.Tensor, seed: int
) -> dict[str, Any]:
    """Return what the page shows of a text, ready for JSON.

    Args:
        layers: the tables.
        vocabulary: of the ids; prefers letters for the repeated character, and names it.
        ids: int64 (N,), N from 0. All are shuffled; the stack reads the first 256.
        seed: of the stack's weights and of the shuffle.

    Raises:
        ValueError, IndexError: as `Stack` and `TiedLayers.lookup`.
    """
    from embviz.context.proofs import permutation_table
    from embviz.context.stack import MAX_POSITIONS, Switches
    from embviz.context.static import shuffled

    switches = Switches(positions=True, attention=True, mask="causal")
    proof = shuffled(layers, ids, seed)
    read = ids[:MAX_POSITIONS]
    table = permutation_table(layers, read, seed) if len(read) else []
    return {
        "positions": len(ids),
        "positions_read_by_the_stack": len(read),
        "static_max_abs_difference_under_shuffle": proof.lookup.max_abs_error,
        "static_max_abs_difference_under_shuffle_matmul": proof.matmul.max_abs_error,
        "rows_moved_by_shuffle": proof.moved,
        **_same_character(layers, vocabulary, read, seed, switches),
        "stack": asdict(switches),
        "permutation": [
            {"stack": row.label, "max_abs_difference": row.error, "sees_order": row.sees_order}
            for row in table
        ],
    }


def _same_character(
    layers: TiedLayers, vocabulary: Vocabulary, ids: torch.Tensor, seed: int, switches: Switches
) -> dict[str, Any]:
    """Return the cosines of one character at two positions, or the reason why there are none."""
    from embviz.context.proofs import same_character
    from embviz.context.stack import Stack
    from embviz.context.static import pair

    letters = {
        token for token in range(len(vocabulary.characters)) if vocabulary.decode([token]).strip()
    }
    two = pair(ids, letters)
    if two is None:
        reason = (
            f"No character stands twice among the first {len(ids)}." if len(ids) else "No text."
        )
        positions, label, static, contextual = None, None, None, None
    else:
        same = same_character(Stack(layers, switches, seed=seed), ids, *two)
        positions, label, reason = list(two), vocabulary.label(int(ids[two[0]])), None
        static, contextual = same.static_cosine, same.contextual_cosine
    return {
        "same_character_positions": positions,
        "same_character": label,
        "same_character_static_cosine": static,
        "same_character_contextual_cosine": contextual,
        "same_character_reason": reason,
    }


def sentences_report(model: SentenceModel, sentences: Sequence[str], word: str) -> dict[str, Any]:
    """Return what the page shows of one word in several sentences, ready for JSON.

    Args:
        model: a Sentence-BERT.
        sentences: 1 to 12 sentences; each has the word.
        word: found as a whole word, in upper or lower case.

    Raises:
        ValueError: the sentences or the word cannot be compared.
    """
    run = model.run(sentences, word)
    return {
        "model": run.model,
        "first_layer": run.first_layer,
        "first_layer_is_one_hot_times_linear": {"equal": run.equal, "values": run.values},
        "word": run.word,
        "sentences": [
            {
                "text": one.text,
                "pieces": [one.pieces[k] for k in one.word],
                "occurrences": one.occurrences,
                "pieces_not_read": one.cut,
            }
            for one in run.sentences
        ],
        "static_cosines": run.static.tolist(),
        "contextual_cosines": run.layers[-1].tolist(),
        "contextual_cosines_by_layer": run.layers.tolist(),
        "sentence_cosines": run.whole.tolist(),
        "sentence_bag_of_rows_cosines": run.bags.tolist(),
    }
