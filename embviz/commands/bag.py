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
    parser.add_argument(
        "--documents", help="or a UTF-8 text file, one document a line (- for stdin)"
    )
    add_option(parser, "--vectorizer", "count", KINDS)
    add_option(parser, "--row", 0, "which row")
    parser.add_argument("--linear-weight", help="Linear.weight, D x V, as nested lists")
    add_option(parser, "--outputs", 3, "D of a random weight, drawn as nn.Linear draws it")
    add_option(parser, "--seed", 123, "of a random weight")
    add_option(parser, "--dtype", "float32", WIDE)
    add_json(
        parser,
        "row_indices, row_data, and for each route output, right, "
        "max_abs_error against the float64 product",
    )


def run(options: argparse.Namespace) -> int:
    """Print what each route gives for the row, and whether it is right."""
    from embviz.bag.documents import vectorize
    from embviz.bag.layers import check_weight, draw_weight, tie_weight
    from embviz.bag.matrix import parse_matrix
    from embviz.bag.row_routes import run_row
    from embviz.core.weights import parse_weights
    from embviz.training.text import open_text

    if (options.x_train is None) == (options.documents is None):
        raise Refused(
            "give either --x-train or --documents, for example: bag --x-train '[[1,0,2],[0,1,1]]'."
        )
    matrix = (
        parse_matrix(options.x_train)
        if options.documents is None
        else vectorize(open_text(options.documents), options.vectorizer)
    )
    rows, columns = matrix.shape
    check_whole("--row", options.row, 0, rows - 1)
    dtype = WIDE[options.dtype].torch
    if options.linear_weight is None:
        weight = draw_weight(columns, options.outputs, options.seed, dtype)
    else:
        weight = parse_weights(options.linear_weight).to(dtype)
        check_weight(weight, columns)
    row = matrix.row(options.row)
    result = run_row(row, tie_weight(weight))
    found: dict[str, Any] = {"row_indices": row.indices.tolist(), "row_data": row.data.tolist()}
    lines = [
        f"row {options.row} of {rows:,} x {columns:,}: indices {row.indices[:20].tolist()}, "
        f"data {row.data[:20].tolist()}"
    ]
    for route in result.routes:
        found[route.name] = {
            "output": route.output.tolist(),
            "right": route.right,
            "max_abs_error": route.max_abs_error,
        }
        numbers = " ".join(f"{value:8.4f}" for value in route.output[:8].tolist())
        verdict = "right" if route.right else "WRONG"
        lines.append(f"{route.name:24} {verdict:6} {numbers}  {route.why}")
    return show(options, found, lines)
