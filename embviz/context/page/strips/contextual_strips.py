"""Places and a Transformer layer on top of the rows: letters with what comes out."""

from __future__ import annotations

from typing import Any

from embviz.context.equal import equal_vectors
from embviz.context.page.strips.drawing import COLOURS, Band, LetterStrips, Strips
from embviz.context.page.strips.text import ShownText, alike
from embviz.context.stack import Operation, Switches, stacked
from embviz.fact.inputs import Inputs
from embviz.settings.page_record import Reader
from embviz.system.bounds import LAYER_DIM, OverLimitError

READS = ("places", "attention", "mask")


def steps_of(text: ShownText, of: Reader) -> list[Operation]:
    """The vectors of the layer on top of the rows.

    Raises:
        OverLimitError: the rows are too wide for it here.
    """
    _check_layer(text.given, of)
    return stacked(text.layers, text.ids, Switches(*map(of, READS)), text.given.table.seed)


def _check_layer(given: Inputs, of: Reader) -> None:
    """Refuse rows so wide that a public server draws the layer's weights for too long.

    Raises:
        OverLimitError: with the columns that it takes.
    """
    dim, most = given.table.embedding_dim, LAYER_DIM.value()
    if dim <= most or not (of("places") or of("attention")):
        return
    fixes: dict[str, dict[str, Any]] = {"The rows alone": {"places": False, "attention": False}}
    if given.weights is None:
        fixes = {f"Use {most:,} columns": {"dim": most}} | fixes
    raise OverLimitError(
        f"A Transformer layer on rows of {dim:,} numbers has {12 * dim**2:,} weights; this server "
        f"draws one for rows of at most {most:,}.",
        fixes,
        "dim" if given.weights is None else "weights",
    )


def contextual_strips(given: Inputs, of: Reader) -> Strips:
    """The letters below and above the layer.

    Raises:
        Refused: about the text, or the width of the rows.
    """
    text = ShownText(given)
    steps, ids = steps_of(text, of), text.ids.tolist()
    rows, outputs = steps[0].vectors, steps[-1].vectors
    equal, told = equal_vectors(text.ids, outputs), alike(ids, text.names, rows)
    for token, apart in equal.apart.items():
        same = "is the same except for rounding" if apart else "is the same"
        told[token][-1] += f" What comes out {'differs' if apart > equal.rounding else same}."
    bands = [Band(step.term, step.vectors, step.term == "row") for step in steps if step.term]
    bands.append(Band("comes out", outputs))
    parts = []
    if of("places"):
        parts.append("places")
    if of("attention"):
        parts.append(f"attention ({of('mask')})")
    added = f"untrained {' and '.join(parts)}" if parts else "nothing added"
    if equal.pairs:
        ending = "differ" if equal.parted else "stay the same"
        which = f"{equal.parted or equal.pairs:,} of {equal.pairs:,} pairs of equal tokens"
        if equal.pairs == 1:
            which = "both equal tokens"
        said = [f"{text.cut}With {added}, ", f"{which} {ending}", "."]
    else:
        said = [f"{text.cut}No two tokens are equal here: type one twice."]
    about = f"{COLOURS}."
    if parts:
        seed = text.given.table.seed
        about = f"{COLOURS}, on two scales. "  # the bands are not alike
        about += f"Random weights on top (seed {seed}): sizes mean nothing yet."
    letters = LetterStrips(text.names, ids, bands, said, told, about)
    return Strips(letters, lit=text.repeated(), scaled=True)
