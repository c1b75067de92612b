"""`bag`: one row of counts through every route to its weighted sum."""

from __future__ import annotations

import argparse

from embviz.commands import add_json, add_option, check_whole, show
from embviz.core.dtypes import WIDE

SUMMARY = "compute one row of counts by every route to the weighted sum"
EXAMPLE = 'bag --x-train "[[1,0,2,0],[0,0,1,1]]" --row 0 --json'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bag`."""
    from embviz.bag.documents import KINDS

    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--x-train", help="the matrix, as nested lists or one row a line")
    one.add_argument("--documents", help="or a UTF-8 file, one document a line (- for stdin)")
    add_option(parser, "--vectorizer", "count", KINDS)
    add_option(parser, "--row", 0, "which row")
    parser.add_argument("--linear-weight", help="Linear.weight, D x V, as nested lists")
    add_option(parser, "--outputs", 3, "D of a random weight, drawn as nn.Linear draws it")
    add_option(parser, "--seed", 123, "of a random weight")
    add_option(parser, "--dtype", "float32", WIDE)
    add_json(parser, "row_indices, row_data, and of each route output, right, max_abs_error")


def run(options: argparse.Namespace) -> int:
    """Print what each route gives for the row, and whether it is right."""
    import pandas as pd

    from embviz.bag import routes
    from embviz.bag.documents import vectorize
    from embviz.bag.matrix import parse_matrix
    from embviz.bag.weight import draw_weight
    from embviz.core.weights import parse_weights
    from embviz.training.corpus import open_text

    typed, path, given = options.x_train, options.documents, options.linear_weight
    matrix = parse_matrix(typed) if path is None else vectorize(open_text(path), options.vectorizer)
    rows, columns = matrix.csr.shape
    check_whole("--row", options.row, 0, rows - 1)
    row = matrix.csr[[options.row]]
    if given is None:
        weight = draw_weight(columns, options.outputs, options.seed, options.dtype)
    else:
        weight = parse_weights(given).to(WIDE[options.dtype].torch)
    routed = {
        name: {
            "output": one.output.flatten().tolist(),
            "right": one.right,
            "max_abs_error": one.max_abs_error,
        }
        for name, one in routes.run(row, weight).answers.items()
    }
    stored = {"row_indices": row.indices.tolist(), "row_data": row.data.tolist()}
    return show(options, stored | routed, [str(stored), pd.DataFrame(routed).T.to_string()])
