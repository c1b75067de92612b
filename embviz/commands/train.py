"""`train`: trains both routes in lockstep and compares them."""

from __future__ import annotations

import argparse
import json

from embviz.commands import check_choice, check_whole

SUMMARY = "train both routes in lockstep on one text"
EXAMPLE = "train --optimizer adam --steps 200 --json"
LOSSES = {"next": "cross-entropy of the next character", "mse": "distance to 0"}
MAX_BATCH = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    from embviz.training.optimizers import OPTIMIZERS

    losses = ", ".join(f"{name} ({words})" for name, words in LOSSES.items())
    parser.add_argument(
        "--optimizer", default="sgd", help=f"{', '.join(OPTIMIZERS)} (default: %(default)s)"
    )
    parser.add_argument("--steps", type=int, default=200, help="how many (default: %(default)s)")
    parser.add_argument(
        "--text", help="a UTF-8 text file (- for stdin; default: the page's own text)"
    )
    parser.add_argument("--loss", default="next", help=f"{losses} (default: %(default)s)")
    parser.add_argument(
        "--batch",
        type=int,
        default=64,
        help="characters of one step; 0 is the whole text (default: %(default)s)",
    )
    parser.add_argument("--dim", type=int, default=16, help="embedding_dim (default: %(default)s)")
    parser.add_argument("--lr", type=float, help="learning rate (default: the optimizer's own)")
    parser.add_argument(
        "--seed", type=int, default=123, help="of weights and batches (default: %(default)s)"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: steps, loss_embedding, loss_linear, "
        "max_abs_weight_difference, max_abs_gradient_difference, rows_never_looked_up, "
        "max_drift_of_unseen_rows",
    )


def run(options: argparse.Namespace) -> int:
    """Print how far the two routes are apart after the last step."""
    from embviz.core import bounds
    from embviz.core.config import Config
    from embviz.core.vocabulary import Vocabulary, resolve
    from embviz.training.batches import minibatches, whole_text
    from embviz.training.lockstep import Lockstep
    from embviz.training.losses import mse, next_character
    from embviz.training.text import open_text, prepare

    check_whole("--steps", options.steps, 1, bounds.STEPS.value())
    check_choice(options.loss, LOSSES)
    check_whole("--batch", options.batch, 0, MAX_BATCH)
    vocabulary = Vocabulary(resolve("printable", ""))
    text = "WTF does nn.Embedding do?" if options.text is None else open_text(options.text)
    ids = prepare(text, vocabulary)
    config = Config(vocabulary.characters, len(vocabulary), options.dim, options.seed)
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
        raise ValueError(lockstep.failed)
    last = lockstep.history[-1]
    found = {
        "steps": lockstep.steps,
        "loss_embedding": last.loss_embedding,
        "loss_linear": last.loss_linear,
        "max_abs_weight_difference": lockstep.max_abs_weight_difference,
        "max_abs_gradient_difference": lockstep.max_abs_gradient_difference,
        "rows_never_looked_up": lockstep.rows_never_looked_up,
        "max_drift_of_unseen_rows": lockstep.max_drift_of_unseen_rows,
    }
    print(
        json.dumps(found)
        if options.json
        else "\n".join(f"{name:28} {value:g}" for name, value in found.items())
    )
    return 0
