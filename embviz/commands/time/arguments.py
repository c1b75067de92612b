"""The arguments of `time`, and the cases that they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from embviz.commands import add_json, add_option, check_whole, named
from embviz.commands.time import cluster
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    from embviz.timing.cases import Case


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `time`."""
    from embviz.core.dtypes import DTYPES
    from embviz.timing.methods import DEFAULT_METHODS, METHODS
    from embviz.timing.settings import CACHES, DEVICES, PASSES, SKEWS, VARY

    first, *_, last = VARY["vocab"].values
    caches = named({name: one.words for name, one in CACHES.items()})
    add_option(parser, "--vary", "vocab", f"what differs between points: {', '.join(VARY)}")
    parser.add_argument(
        "--values",
        nargs="+",
        help=f"its values, one point each (default for vocab: {first:,} to {last:,})",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=DEFAULT_METHODS,
        help=f"{', '.join(METHODS)} (default: {' '.join(DEFAULT_METHODS)})",
    )
    add_option(
        parser,
        "--pass",
        "forward",
        named({name: one.label for name, one in PASSES.items()}),
    )
    add_option(parser, "--rows", 4096, "num_embeddings")
    add_option(parser, "--dim", 64, "embedding_dim")
    add_option(parser, "--tokens", 256, "ids looked up at once")
    add_option(parser, "--dtype", "float32", DTYPES)
    parser.add_argument(
        "--devices", nargs="+", default=["cpu"], help=f"{', '.join(DEVICES)} (default: cpu)"
    )
    parser.add_argument(
        "--cache",
        nargs="+",
        default=["same"],
        help=f"{'; '.join(caches)} (default: same)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        help="PyTorch's threads on the CPU (default: one less than the cores it may use)",
    )
    add_option(parser, "--ids", "uniform", named({name: one.words for name, one in SKEWS.items()}))
    _add_arguments_of_the_run(parser)


def _add_arguments_of_the_run(parser: argparse.ArgumentParser) -> None:
    add_option(
        parser,
        "--repeat",
        1,
        "fresh processes that measure everything; all in one run, and every finding counts them",
    )
    parser.add_argument("--out", help="write the run to this .jsonl file, line by line")
    parser.add_argument("--plot", help="write a report to this HTML file, which opens offline")
    cluster.add_arguments(parser)
    parser.add_argument(
        "--no-hostname", action="store_true", help="leave the hostname out of the environment"
    )
    add_json(parser, "environment, results, end, findings, spread; with --cluster a list of them")
    parser.add_argument(
        "--worker",
        action="store_true",
        help="be the measuring process: JSON cases on stdin, JSON results on stdout",
    )


def cases_of(options: argparse.Namespace) -> list[Case]:
    """The cases that the options ask for, point by point.

    Raises:
        ValueError: an option has a value that it cannot have, or that this machine lacks.
    """
    from embviz.core.machine import default_threads, most_threads
    from embviz.timing.cases import plan
    from embviz.timing.settings import VARY

    _check(options)
    axis = VARY.get(options.vary)  # `plan` refuses an unknown one
    values: Sequence[Any] = [] if axis is None else axis.values
    if options.values is not None:
        sizes = axis is None or axis.size
        values = [_whole_value(value) for value in options.values] if sizes else options.values
    cases = plan(
        options.vary,
        values,
        options.methods,
        options.devices,
        options.cache,
        num_embeddings=options.rows,
        embedding_dim=options.dim,
        tokens=options.tokens,
        dtype=options.dtype,
        ids=options.ids,
        pass_=vars(options)["pass"],
        threads=default_threads() if options.threads is None else options.threads,
    )
    if options.cluster is not None:  # each of its machines checks its own
        return cases
    most, limit = most_threads()
    check_whole("threads", max(case.threads for case in cases), 1, most, f", {limit}")
    return cases


def _check(options: argparse.Namespace) -> None:
    """Refuse devices and threads that this machine lacks, and too many repetitions."""
    from embviz.core.config import available_devices, why_no_gpu
    from embviz.core.machine import most_threads

    check_whole("--repeat", options.repeat, 1, 100)
    if options.cluster is not None:
        return
    here = available_devices()
    for device in options.devices:
        if device not in here:
            raise Refused(
                f"device {quote(device)} is not one of this machine's: {', '.join(here)}. "
                f"{why_no_gpu()}".strip()
            )
    if options.threads is not None:
        most, limit = most_threads()
        check_whole("--threads", options.threads, 1, most, f", {limit}")


def _whole_value(text: str) -> int:
    with suppress(ValueError):
        return int(text)
    raise Refused(f"{quote(text)} is not a whole number.")
