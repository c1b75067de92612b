"""`time`: measures lookup against matmul on this machine, or on those of a Dask cluster.

Nothing that was measured is lost: where a file cannot be written, and after Ctrl+C, all is printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from embviz.commands import add_json, add_option, check_whole, check_writable, named, whole_number
from embviz.commands.runs import FIELDS, as_json, plot, text
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    from embviz.timing.case import Case
    from embviz.timing.run import RunFile
    from embviz.timing.sweep import Sweep

SUMMARY = "time lookup against matmul on this machine"
EXAMPLE = (
    "time --vary vocab --values 256 4096 65536 --methods lookup matmul --repeat 3 --out run.jsonl"
)
STOPPED = 128 + signal.SIGINT  # the exit code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `time`."""
    from embviz.core.dtypes import DTYPES
    from embviz.timing.methods import CACHES, DEFAULT_METHODS, DEVICES, METHODS, MODES, SKEWS, VARY

    caches, kinds = ({name: one.words for name, one in of.items()} for of in (CACHES, SKEWS))
    for name, default, words in (
        ("--vary", "vocab", f"what differs from point to point: {', '.join(VARY)}"),
        ("--values", (), "its values (default: all that the page offers)"),
        ("--methods", DEFAULT_METHODS, ", ".join(METHODS)),
        ("--mode", "forward", named({name: one.label for name, one in MODES.items()})),
        ("--rows", 4096, "num_embeddings"),
        ("--dim", 64, "embedding_dim"),
        ("--tokens", 256, "ids looked up at once"),
        ("--dtype", "float32", DTYPES),
        ("--devices", ("cpu",), ", ".join(DEVICES)),
        ("--cache", ("same",), "; ".join(named(caches))),
        ("--threads", None, "of PyTorch on the CPU (default: one less than the cores)"),
        ("--ids", "uniform", named(kinds)),
        ("--repeat", 1, "fresh processes, each of which measures everything"),
        ("--out", None, "write the run to this .jsonl file, line by line"),
        ("--plot", None, "write a report to this HTML file, which opens offline"),
        ("--cluster", None, "measure on a Dask cluster, such as tcp://127.0.0.1:8786"),
        ("--machines", ("all",), "of the cluster: all, any (the first that is free), or names"),
    ):
        add_option(parser, name, default, words)
    words = "allow plain tcp:// to another machine: whoever reaches a cluster can run code there"
    parser.add_argument("--insecure", action="store_true", help=words)
    parser.add_argument("--no-hostname", action="store_true", help="leave the hostname out")
    add_json(parser, f"{FIELDS}; with --cluster a list of them")


def run(options: argparse.Namespace) -> int:
    """Print the times.

    Returns:
        0; 130 after Ctrl+C; 1 if a sweep ended early or has no times, if a machine could not be
        used, or if a file could not be written.
    """
    from embviz.timing.run import RunFile

    sweeps: list[Sweep] = []
    with _interrupts(sweeps) as presses:
        cases = _cases(options)
        with closing(_engine(options)) as engine:
            names, complaints = _machines(engine, options)
            files = [options.out and RunFile(_path(options.out, name)) for name in names]
            for path in filter(None, [*(file and file.path for file in files), options.plot]):
                check_writable(str(path))
            for name, file in zip(names, files, strict=True):
                sink = partial(_write, file, options.no_hostname)
                more = {"machine": name} if options.cluster else {}
                sweeps.append(engine.start(cases, sink, options.repeat, **more))
            _wait(sweeps, presses)
        runs = [sweep.run for sweep in sweeps]
        for made in runs if options.no_hostname else ():
            made.environment.pop("hostname", None)
        for name, file, sweep in zip(names, files, sweeps, strict=True):
            said = [] if sweep.state == "done" else [sweep.reason]
            said += [] if sweep.run.cases else ["no case could be measured."]
            said += [file.trouble] if file else []
            complaints += [f"{name}: {one}" if name else one for one in said if one]
        if options.plot is not None:
            try:
                plot(options.plot, runs)
            except Refused as error:
                complaints.append(str(error))
        print(as_json(runs, options.cluster is None) if options.json else text(runs), flush=True)
        if presses:
            complaints = ["stopped; what was measured stands."]
    for one in complaints:
        print(f"embviz: {one}", file=sys.stderr)
    return STOPPED if presses else int(bool(complaints))


def _write(file: RunFile | None, hide: bool, line: dict[str, Any]) -> None:
    if hide:
        line.pop("hostname", None)
    if file:
        file.append(line)


def _cases(options: argparse.Namespace) -> list[Case]:
    """The cases that the options ask for.

    Raises:
        Refused: an option has a value that it cannot have, or that this machine lacks.
    """
    from embviz.core.config import available_devices, why_no_gpu
    from embviz.core.machine import default_threads, most_threads
    from embviz.timing.case import plan
    from embviz.timing.methods import VARY

    check_whole("--repeat", options.repeat, 1, 100)
    if options.cluster is None and (options.machines != ("all",) or options.insecure):
        raise Refused("--machines and --insecure need --cluster ADDRESS.")
    axis = VARY.get(options.vary)  # `plan` refuses an unknown one
    values = options.values or (axis.values if axis else ())
    cases, left_out = plan(
        options.vary,
        [whole_number(str(one)) for one in values] if axis and axis.size else values,
        options.methods,
        options.devices,
        options.cache,
        num_embeddings=options.rows,
        embedding_dim=options.dim,
        tokens=options.tokens,
        dtype=options.dtype,
        ids=options.ids,
        mode=options.mode,
        threads=whole_number(str(options.threads or default_threads())),
    )
    if left_out:
        raise Refused(" ".join(left_out.values()))
    if options.cluster is None:  # else each machine checks its own
        most, limit = most_threads()
        check_whole("threads", max(case.threads for case in cases), 1, most, f", {limit}")
        here = ["cpu"] if [*options.devices] == ["cpu"] else available_devices()  # imports torch
        for one in options.devices:
            if one not in here:
                raise Refused(f"device {one} is not here: {', '.join(here)}. {why_no_gpu()}")
    return cases


def _engine(options: argparse.Namespace) -> Any:
    if options.cluster is not None:
        from embviz.timing.cluster import Cluster

        return Cluster(options.cluster, options.insecure)
    from embviz.timing.sweep import Engine

    return Engine()


def _machines(engine: Any, options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The machines to measure on, `""` for any or this one; and why others of all are left out.

    Raises:
        Refused: one is unknown or cannot be used, or none of all can.
    """
    if options.cluster is None or options.machines == ["any"]:
        return [""], []
    known = engine.machines()
    return known if [*options.machines] == ["all"] else [*dict.fromkeys(options.machines)], []


def _path(out: str, name: str) -> Path:
    """`run.jsonl` becomes `run-NAME.jsonl` for a machine that has a name."""
    path = Path(out)
    return path.with_stem(f"{path.stem}-{quote_plus(name)}") if name else path


@contextmanager
def _interrupts(sweeps: Sequence[Sweep]) -> Iterator[list[int]]:
    """Count Ctrl+C; it ends the process at once before there are sweeps, and the second time.

    No exception: PyTorch's import may catch it, and it may come while results are printed.
    """
    presses = list[int]()

    def press(number: int, _: object) -> None:  # at any line, so no lock may be taken here
        presses.append(number)
        if len(presses) > 1 or not sweeps:
            os.write(2, b"embviz: stopped.\n")
            os._exit(STOPPED)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, press)
    try:
        yield presses
    finally:
        signal.signal(signal.SIGINT, before)


def _wait(sweeps: Sequence[Sweep], presses: Sequence[int]) -> None:
    """Wait for the end of all; a line on stderr says how far they are, if that is a terminal."""
    for sweep in sweeps:
        while not sweep.finished.wait(0.1):
            for one in sweeps:
                if presses and not one.stopping.is_set():
                    one.stop()
            if sys.stderr.isatty():
                print(f"\r{_progress(sweeps):<78}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def _progress(sweeps: Sequence[Sweep]) -> str:
    done, total = map(sum, zip(*(one.rounds for one in sweeps), strict=True))
    left = max(one.seconds_left or 0 for one in sweeps)
    states = ", ".join(sorted({one.state for one in sweeps}))
    return f"{states}: {done} of {total} rounds" + f", {left:.0f} s left" * bool(left)
