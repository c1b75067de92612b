"""`train`: trains both routes side by side and compares them, as the lesson *One step* does."""

from __future__ import annotations

import argparse

from embviz.commands import (
    add_json,
    add_number,
    add_setting,
    check_number,
    note_unknown,
    read_text,
    show,
)
from embviz.text.refused import Refused

SUMMARY = "train both routes side by side on one text"
EXAMPLE = "train --optimizer adam --steps 200 --json"
NAMES = "optimizer", "rate", "batches", "loss", "target", "vocab", "merges", "dim", "dtype", "seed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`: those of the page, with its defaults."""
    from embviz.settings.pages import SETTINGS
    from embviz.training.settings import PRESS_STEPS

    for name in NAMES:
        add_setting(parser, SETTINGS[name])
    add_number(parser, "--steps", PRESS_STEPS, "how many")
    parser.add_argument(
        "--text", help="a UTF-8 text file (- for stdin; default: the page's own text)"
    )
    add_json(
        parser,
        "steps, loss_embedding, loss_linear (over the whole text, after the last step), "
        "loss_per_character (loss_embedding times the ids of a character), "
        "max_abs_weight_difference, max_abs_gradient_difference (over all steps), "
        "rows_never_looked_up, max_drift_of_unseen_rows",
    )


def run(options: argparse.Namespace) -> int:
    """Print the last losses, and the largest differences of the two routes over all steps."""
    from embviz.fact.inputs import read_inputs
    from embviz.settings.given import filled, read
    from embviz.settings.pages import SETTINGS
    from embviz.system import bounds
    from embviz.training.inputs import side_by_side

    check_number("--steps", options.steps, 1, bounds.STEPS.value())
    given = {name: value for name, value in vars(options).items() if name in NAMES}
    settings = filled(read(given), SETTINGS)
    if options.text is not None:
        settings["text"] = read_text(options.text)
    inputs = read_inputs(settings)
    note_unknown(inputs)
    training = side_by_side(inputs, settings.__getitem__)
    training.advance(options.steps)
    if training.failed:
        raise Refused(training.failed)
    last = training.points[-1]
    return show(
        options,
        {
            "steps": training.steps,
            "loss_embedding": last.loss_embedding,
            "loss_linear": last.loss_linear,
            "loss_per_character": last.loss_embedding
            * inputs.ids.numel()
            / len(inputs.text or " "),
            "max_abs_weight_difference": training.furthest.max_abs_weight_difference,
            "max_abs_gradient_difference": max(
                point.max_abs_gradient_difference for point in training.points
            ),
            "rows_never_looked_up": int(training.unseen.sum()),
            "max_drift_of_unseen_rows": training.drift,
        },
    )
