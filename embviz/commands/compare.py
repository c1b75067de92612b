"""`compare`: one text or one array of ids through both routes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from embviz.commands import add_option, check_writable, write_file

if TYPE_CHECKING:
    from embviz.request.compare import Compared

SUMMARY = "compare lookup and matmul for one text or for ids"
EXAMPLE = 'compare "hello" --dim 8 --seed 123 --json'
ROWS_SHOWN, COLUMNS_SHOWN = 20, 8  # of the output, as text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `compare`."""
    from embviz.core.config import Config, available_devices
    from embviz.core.dtypes import DTYPES
    from embviz.core.inits import INITS
    from embviz.core.merges import MOST_MERGES
    from embviz.core.tokenizers import VOCABULARIES

    of_merges = ", ".join(one.name for one in VOCABULARIES.values() if "merges" in one.reads)
    parser.add_argument("text", nargs="?", help="text to encode")
    parser.add_argument("--ids", help="ids instead of text: '2 3 1' or '[[1,3],[0,1]]'")
    add_option(parser, "--vocab", "printable", VOCABULARIES)
    parser.add_argument(
        "--chars", default="", help="the characters of --vocab custom, in the order of their ids"
    )
    parser.add_argument(
        "--merges",
        type=int,
        help=f"of --vocab {of_merges}: how many of its merges are used (default: {MOST_MERGES})",
    )
    parser.add_argument(
        "--rows", type=int, help="num_embeddings (default: 100, or more if the vocabulary needs it)"
    )
    add_option(parser, "--dim", Config.embedding_dim, "embedding_dim")
    add_option(parser, "--seed", Config.seed, "of the weights")
    add_option(parser, "--init", Config.init, (name for name, init in INITS.items() if init.draw))
    parser.add_argument(
        "--weights",
        help="your own Embedding.weight: '[[8,2,1,9],[6,5,4,0]]'; its shape gives rows and dim",
    )
    add_option(parser, "--dtype", Config.dtype, DTYPES)
    add_option(
        parser, "--device", Config.device, f"on this machine: {', '.join(available_devices())}"
    )
    parser.add_argument(
        "--unknown",
        default="error",
        choices=["error", "unk"],
        help="refuse unknown characters, or map them to one more row (default: %(default)s)",
    )
    parser.add_argument(
        "--escapes", action="store_true", help=r"read \n, \t, \x0b, \u00e9 in the text"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: ids, ids_shape, output_shape, lookup, matmul, bitwise_equal, "
        "max_abs_error, ids_bytes, one_hot_bytes, config",
    )
    parser.add_argument(
        "--html", metavar="FILE", help="also write one HTML file that draws it without a network"
    )


def run(options: argparse.Namespace) -> int:
    """Print the comparison of both routes, and write it as a page if asked."""
    from embviz.request.compare import compare
    from embviz.request.settings import MODEL

    if (options.text is None) == (options.ids is None):
        raise ValueError("give either a text or --ids, for example: compare 'hello' --dim 8.")
    if options.html:
        check_writable(options.html)
    result = compare(**{name: value for name, value in vars(options).items() if name in MODEL})
    if options.html:
        write_file(options.html, result.to_html())
    print(result.both.to_json() if options.json else _as_text(result))
    return 0


def _as_text(result: Compared) -> str:
    from embviz.core.wording import format_bytes

    both, known = result.both, result.given.vocabulary
    cost = both.cost
    lines = [
        result.verdict,
        f"lookup reads {cost.numbers_read:,} numbers; matmul does {cost.multiplications:,} "
        f"multiplications, {cost.multiplications_by_zero:,} of them by zero; "
        f"ids {format_bytes(cost.ids_bytes)}, one-hot {format_bytes(cost.one_hot_bytes)}",
    ]
    rows = result.lookup.reshape(-1, both.config.embedding_dim)
    ids = both.ids.flatten()[:ROWS_SHOWN].tolist()
    labels = [f"  {known.label(token)}" if known else "" for token in ids]
    width = max(map(len, labels), default=0)
    for token, label, row in zip(ids, labels, rows[:ROWS_SHOWN], strict=True):
        numbers = " ".join(f"{value:8.4f}" for value in row[:COLUMNS_SHOWN].tolist())
        more_columns = " ..." if len(row) > COLUMNS_SHOWN else ""
        lines.append(f"id {token:>6}{label:<{width}}  {numbers}{more_columns}")
    if (more := len(rows) - ROWS_SHOWN) > 0:
        lines.append(f"... {more:,} more tokens; --json prints them all")
    return "\n".join(lines)
