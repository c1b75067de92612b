"""`compare`: one text or one array of ids through both routes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from embviz.commands import (
    add_json,
    add_setting,
    make_folder,
    note_unknown,
    show,
    write_file,
)

if TYPE_CHECKING:
    from embviz.playground.compare import Compared

SUMMARY = "compare lookup and matmul for one text or for ids"
EXAMPLE = 'compare "hello" --dim 8 --seed 123 --json'
ROWS_SHOWN, COLUMNS_SHOWN = 20, 8  # Rows and columns of the output, as text.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the text, and an option for each other setting of the model."""
    from embviz.settings.model_settings import MODEL
    from embviz.settings.pages import SETTINGS

    parser.add_argument("text", nargs="?", help="text to encode; or give --ids")
    for name in MODEL:
        if name not in ("input", "text"):
            add_setting(parser, SETTINGS[name])
    parser.add_argument(
        "--tsv",
        metavar="FOLDER",
        help="also write vectors.tsv and metadata.tsv there, for the Embedding Projector",
    )
    add_json(
        parser,
        "ids, ids_shape, output_shape, lookup, matmul, bitwise_equal, max_abs_error, ids_bytes, "
        "one_hot_bytes, nearest (the first distinct tokens), table",
    )


def run(options: argparse.Namespace) -> int:
    """Print the comparison of both routes."""
    from embviz.playground.compare import compare
    from embviz.settings.model_settings import MODEL
    from embviz.text.files import is_file

    settings = {name: value for name, value in vars(options).items() if name in MODEL}
    if is_file(weights := settings.get("weights", "")):
        settings["weights"] = Path(weights)
    result = compare(**settings)
    note_unknown(result.given)
    if options.tsv is not None:
        _write_tsv(options.tsv, result)
    found = result.both.to_json(result.given.label) if options.json else ""  # may be long
    return show(options, found, _as_text(result))


def _write_tsv(folder: str, result: Compared) -> None:
    """The whole table and its labels, as the Embedding Projector reads them."""
    from embviz.fact.export import METADATA_FILE, VECTORS_FILE, metadata_tsv, vectors_tsv

    weight = result.both.layers.embedding.weight
    vectors = vectors_tsv(weight)
    make_folder(folder)
    write_file(str(Path(folder, VECTORS_FILE)), vectors)
    write_file(str(Path(folder, METADATA_FILE)), metadata_tsv(len(weight), result.given.label))


def _as_text(result: Compared) -> Iterator[str]:
    from embviz.text.wording import counted, format_bytes

    both, cost = result.both, result.both.cost
    yield result.verdict
    yield (
        f"lookup reads {counted(cost.numbers_read, 'number')}; matmul does "
        f"{counted(cost.multiplications, 'multiplication')}, {cost.multiplications_by_zero:,} of "
        "them by zero; "
        f"ids {format_bytes(cost.ids_bytes)}, "
        f"one-hot {format_bytes(cost.one_hot_bytes)} in {both.table.dtype}"
    )
    rows = result.lookup.reshape(-1, both.table.embedding_dim)[:ROWS_SHOWN].tolist()
    ids = both.ids.flatten()[:ROWS_SHOWN].tolist()
    labels = [result.given.label(token) for token in ids]
    width = max(map(len, labels), default=0)
    for token, label, row in zip(ids, labels, rows, strict=True):
        numbers = "".join(f" {value:8.4f}" for value in row[:COLUMNS_SHOWN])
        if len(row) > COLUMNS_SHOWN:
            numbers += " ..."
        yield f"id {token:>6}  {label:<{width}} {numbers}"
    if (left := both.ids.numel() - ROWS_SHOWN) > 0:
        yield f"... {left:,} more tokens; --json prints them all"
