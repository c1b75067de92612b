"""`train`: trains both routes side by side and compares them."""

from __future__ import annotations

import argparse

from embviz.commands import add_json, add_option, check_whole, named, show
from embviz.core.refused import Refused

SUMMARY = "train both routes side by side on one text"
EXAMPLE = "train --optimizer adam --steps 200 --json"
LOSSES = {"next": "cross-entropy of the next id", "mse": "squared distance to 0"}
MAX_BATCH = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    from embviz.core.dtypes import WIDE
    from embviz.training.optimizers import OPTIMIZERS
    from embviz.training.text import LEARN_ON, PIECES

    add_option(parser, "--optimizer", "sgd", OPTIMIZERS)
    add_option(parser, "--steps", 200, "how many")
    parser.add_argument(
        "--text", help="a UTF-8 text file (- for stdin; default: the page's own text)"
    )
    add_option(parser, "--learn-on", "characters", LEARN_ON)
    add_option(parser, "--merges", PIECES, "of --learn-on pieces: how many merges are used")
    add_option(parser, "--loss", "next", named(LOSSES))
    add_option(parser, "--batch", 64, "ids of one step; 0 is the whole text")
    add_option(parser, "--dim", 16, "embedding_dim")
    parser.add_argument("--lr", type=float, help="learning rate (default: the optimizer's own)")
    add_option(parser, "--dtype", "float32", WIDE)
    add_option(parser, "--seed", 123, "of weights and batches")
    add_json(
        parser,
        "steps, loss_embedding, loss_linear (of the last step), "
        "loss_per_character (loss_embedding times the ids of a character), "
        "max_abs_weight_difference, max_abs_gradient_difference (over all steps), "
        "rows_never_looked_up, max_drift_of_unseen_rows",
    )


def run(options: argparse.Namespace) -> int:
    """Print the last losses, and the largest differences of the two routes over all steps."""
    from embviz.core import bounds
    from embviz.core.config import Config
    from embviz.request.settings import SETTINGS
    from embviz.training.batches import minibatches, whole_text
    from embviz.training.lockstep import Lockstep
    from embviz.training.losses import mse, next_character
    from embviz.training.text import ids_per_character, open_text, prepare, symbols

    check_whole("--steps", options.steps, 1, bounds.STEPS.value())
    check_whole("--batch", options.batch, 0, MAX_BATCH)
    vocabulary = symbols(options.learn_on, options.merges)
    text = SETTINGS["text"].default if options.text is None else open_text(options.text)
    ids = prepare(text, vocabulary)
    sizes = len(vocabulary), options.dim
    config = Config(vocabulary.characters, *sizes, options.seed, dtype=options.dtype)
    loss = (
        mse()
        if options.loss == "mse"
        else next_character(len(vocabulary), options.dim, options.seed)
    )
    batches = minibatches(options.batch, options.seed) if options.batch else whole_text()
    lockstep = Lockstep(
        config, ids, optimizer=options.optimizer, loss=loss, lr=options.lr, batches=batches
    )
    lockstep.advance(options.steps)
    if lockstep.failed:
        raise Refused(lockstep.failed)
    last = lockstep.history[-1]
    found = {
        "steps": lockstep.steps,
        "loss_embedding": last.loss_embedding,
        "loss_linear": last.loss_linear,
        "loss_per_character": last.loss_embedding * ids_per_character(ids, vocabulary),
        "max_abs_weight_difference": lockstep.max_abs_weight_difference,
        "max_abs_gradient_difference": lockstep.max_abs_gradient_difference,
        "rows_never_looked_up": lockstep.rows_never_looked_up,
        "max_drift_of_unseen_rows": lockstep.max_drift_of_unseen_rows,
    }
    return show(options, found)
