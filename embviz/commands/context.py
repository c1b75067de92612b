"""`context`: static against contextual vectors of a text, or of one word in several sentences."""

from __future__ import annotations

import argparse
from typing import Any

from embviz.commands import add_json, add_setting, note_unknown, read_text, show
from embviz.text.refused import Refused

SUMMARY = "compare static with contextual vectors of a text"
EXAMPLE = 'context "the river bank" --json'
NAMES = "dim", "seed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `context`."""
    from embviz.settings.pages import SETTINGS

    parser.add_argument(
        "text", nargs="?", help="printable ASCII; the stacks read the first 256 characters"
    )
    for name in NAMES:
        add_setting(parser, SETTINGS[name])
    parser.add_argument(
        "--sentences",
        help="a UTF-8 text file for a real Sentence-BERT, one sentence a line (- for stdin); "
        "EMBVIZ_SENTENCE_MODEL names another model or a folder",
    )
    parser.add_argument("--word", help="the word to compare; every sentence has it")
    add_json(
        parser,
        "static_max_abs_difference_under_shuffle, rows_moved_by_shuffle, stacks (pairs of equal "
        "characters, and how many part) and more; with sentences static_cosines, "
        "contextual_cosines_by_layer, sentence_cosines, sentence_bag_of_rows_cosines",
    )


def run(options: argparse.Namespace) -> int:
    """Print the facts of the text, of the sentences, or of both."""
    text, file, word = options.text, options.sentences, options.word
    if (file is None) != (word is None) or not (text or file):
        raise Refused(
            "give a text, --sentences with --word, or both, for example: context "
            "'the river bank' --sentences banks.txt --word bank."
        )
    found = _of_text(options) if text else {}
    return show(options, found if file is None else found | _of_sentences(options))


def _of_text(options: argparse.Namespace) -> dict[str, Any]:
    """The figures of a text that the page shows: all characters shuffled, the stacks read 256."""
    from embviz.context.equal import compare_stacks
    from embviz.context.moved_rows import shuffled
    from embviz.context.stack import MAX_PLACES
    from embviz.fact.inputs import read_inputs
    from embviz.fact.layers import tie
    from embviz.settings.given import filled, read

    named = {name: value for name, value in vars(options).items() if name in NAMES}
    settings = filled(read(named)) | {"text": options.text}
    given = read_inputs(settings)
    note_unknown(given)
    layers, ids = tie(given.table), given.ids[0]
    proof, first = shuffled(layers, ids, 0), ids[:MAX_PLACES]
    return {
        "positions": len(ids),
        "positions_read_by_the_stacks": len(first),
        "rows_moved_by_shuffle": proof.moved,
        "static_max_abs_difference_under_shuffle": proof.lookup.max_abs_error,
        "static_max_abs_difference_under_shuffle_matmul": proof.matmul.max_abs_error,
        "stacks": [
            vars(switches) | {"pairs": effect.pairs, "part": effect.parted}
            for switches, effect in compare_stacks(layers, first, settings["seed"]).items()
        ],
    }


def _of_sentences(options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one word in several sentences that the page shows."""
    from embviz.context.sentence import load, model_name

    lines = read_text(options.sentences).splitlines()
    run = load(model_name()).run([*filter(str.strip, lines)], options.word)
    return {
        "model": run.model,
        "first_layer": run.first_layer,
        "first_layer_is_one_hot_times_linear": {"equal": run.equal, "values": run.values},
        "word": run.word,
        "sentences": [
            {
                "text": sentence.text,
                "pieces": [sentence.pieces[k] for k in sentence.word],
                "occurrences": sentence.occurrences,
                "pieces_not_read": sentence.cut,
            }
            for sentence in run.sentences
        ],
        "static_cosines": run.word_cosines[0].tolist(),
        "contextual_cosines_by_layer": run.word_cosines[1:].tolist(),
        "sentence_cosines": run.sentence_cosines.tolist(),
        "sentence_bag_of_rows_cosines": run.bag_cosines.tolist(),
    }
