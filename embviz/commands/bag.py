"""`bag`: one row of counts through every route to its weighted sum."""

from __future__ import annotations

import argparse
from typing import Any

from embviz.commands import add_json, add_option, check_whole, show
from embviz.core.dtypes import WIDE
from embviz.core.refused import Refused

SUMMARY = "compute one row of counts by every route to the weighted sum"
EXAMPLE = 'bag --x-train "[[1,0,2,0],[0,0,1,1]]" --row 0 --json'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bag`."""
    from embviz.bag.documents import KINDS

    parser.add_argument("--x-train", help="the matrix, as nested lists or one row a line")
    parser.add_argument("--documents", help="or a UTF-8 file, one document a line (- for stdin)")
    add_option(parser, "--vectorizer", "count", KINDS)
    add_option(parser, "--row", 0, "which row")
    parser.add_argument("--linear-weight", help="Linear.weight, D x V, as nested lists")
    add_option(parser, "--outputs", 3, "D of a random weight, drawn as nn.Linear draws it")
    add_option(parser, "--seed", 123, "of a random weight")
    add_option(parser, "--dtype", "float32", WIDE)
    add_json(parser, "row_indices, row_data, and of each route output, right, max_abs_error")


def run(options: argparse.Namespace) -> int:
    """Print what each route gives for the row, and whether it is right."""
    from embviz.bag import routes
    from embviz.bag.documents import vectorize
    from embviz.bag.matrix import parse_matrix
    from embviz.bag.weight import draw_weight
    from embviz.core.weights import parse_weights
    from embviz.training.text import open_text

    if (options.x_train is None) == (options.documents is None):
        raise Refused("give either --x-train or --documents, for example: bag --x-train '[[1,2]]'.")
    matrix = (
        parse_matrix(options.x_train)
        if options.documents is None
        else vectorize(open_text(options.documents), options.vectorizer)
    )
    rows, columns = matrix.csr.shape
    check_whole("--row", options.row, 0, rows - 1)
    weight = (
        draw_weight(columns, options.outputs, options.seed, options.dtype)
        if options.linear_weight is None
        else parse_weights(options.linear_weight).to(WIDE[options.dtype].torch)
    )
    row = matrix.csr[[options.row]]
    found: dict[str, Any] = {"row_indices": row.indices.tolist(), "row_data": row.data.tolist()}
    lines = [f"row {options.row} of {rows:,} x {columns:,}: {found}"]
    for name, one in routes.run(row, weight).answers.items():
        output = one.output.flatten().tolist()
        found[name] = {"output": output, "right": one.right, "max_abs_error": one.max_abs_error}
        numbers = " ".join(f"{value:8.4f}" for value in output[:8])
        lines.append(f"{name:24} {'right' if one.right else 'WRONG':6} {numbers}  {one.route.why}")
    return show(options, found, lines)
