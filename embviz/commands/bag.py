"""`bag`: one row of counts through every route to its weighted sum."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embviz.commands import (
    add_json,
    add_number,
    add_setting,
    check_number,
    given_settings,
    note_taken,
    read_file,
    read_text,
    records_of,
    show,
)
from embviz.fact.dtypes import WIDE

if TYPE_CHECKING:
    import torch

    from embviz.bag.matrix import Matrix

SUMMARY = "compute one row of counts by every route to the weighted sum"
# A shell passes at most about 130,000 characters in one argument; a file holds more.
EXAMPLE = 'bag --x-train "[[1,0,2,0],[0,0,1,1]]" --row 0 --json'


# Options that are a setting of the page, which has them under other names.
OPTIONS = {
    "vectorizer": "counts",
    "header": "x_header",
    "linear-header": "linear_header",
    "seed": "bag_seed",
    "dtype": "bag_dtype",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bag`: those of the page, with its defaults."""
    from embviz.settings.pages import SETTINGS

    records = records_of(OPTIONS)
    source = parser.add_mutually_exclusive_group(required=True)
    words = "the matrix, as nested lists or one row a line; or a file, such as .npz, .csv, .tsv"
    source.add_argument("--x-train", help=words)
    source.add_argument("--documents", help="or a UTF-8 file, one document a line (- for stdin)")
    add_setting(parser, records["vectorizer"])
    add_number(parser, "--row", SETTINGS["row"].default, "which row")
    words = "Linear.weight, D x V, as nested lists; or a file, such as .npy, .csv, .tsv"
    parser.add_argument("--linear-weight", help=words)
    add_setting(parser, records["header"])
    add_setting(parser, records["linear-header"])
    words = "D of a random weight, drawn as nn.Linear draws it"
    add_number(parser, "--outputs", SETTINGS["outputs"].default, words)
    add_setting(parser, records["seed"])
    add_setting(parser, records["dtype"])
    add_json(parser, "row_indices, row_data, and of each route output, right, max_abs_error")


def run(options: argparse.Namespace) -> int:
    """Print what each route gives for the row, and whether it is right."""
    import pandas as pd

    from embviz.bag import routes

    settings = given_settings(options, records_of(OPTIONS))
    matrix = _matrix(options, settings["vectorizer"], settings["header"])
    note_taken(matrix.said, matrix.other)
    rows, columns = matrix.csr.shape
    check_number("--row", options.row, 0, rows - 1)
    row, weight = matrix.csr[[options.row]], _weight(options, settings, columns)
    routed = {
        name: {
            "output": route.output.flatten().tolist(),
            "right": route.right,
            "max_abs_error": route.max_abs_error,
        }
        for name, route in routes.run(row, weight).of_routes.items()
    }
    stored = {"row_indices": row.indices.tolist(), "row_data": row.data.tolist()}
    return show(options, stored | routed, [str(stored), pd.DataFrame(routed).T.to_string()])


def _matrix(options: argparse.Namespace, vectorizer: str, header: str) -> Matrix:
    from embviz.bag.documents import vectorize
    from embviz.bag.matrix import parse_matrix
    from embviz.bag.uploads import read_upload
    from embviz.text.files import MAX_PACKED_BYTES, is_file

    if options.documents is not None:
        return vectorize(read_text(options.documents), vectorizer)
    given = options.x_train
    if is_file(given):
        return read_upload(Path(given).name, read_file(given, MAX_PACKED_BYTES), header)
    return parse_matrix(given, header)


def _weight(options: argparse.Namespace, settings: Mapping[str, Any], columns: int) -> torch.Tensor:
    from embviz.bag.weight import draw_weight
    from embviz.fact.weights import LINEAR, Reading, parse_weights, read_weights
    from embviz.text.files import MAX_PACKED_BYTES, is_file

    given = options.linear_weight
    if given is None:
        return draw_weight(columns, options.outputs, settings["seed"], settings["dtype"])
    reading = Reading(kind=LINEAR, header=settings["linear-header"])
    if is_file(given):
        content = read_file(given, MAX_PACKED_BYTES)
        own = read_weights(Path(given).name, content, reading)
    else:
        own = parse_weights(given, reading)
    note_taken(own.said, own.other.replace("words", ""), "--linear-header")
    return own.weight.to(WIDE[settings["dtype"]].torch)
