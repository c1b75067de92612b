"""`time`: measures lookup against matmul on this machine, or on those of a Dask cluster.

Nothing that was measured is lost: where a file cannot be written, and after Ctrl+C, all is printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from embviz.commands import (
    add_json,
    add_number,
    add_setting,
    given_settings,
    records_of,
    write_file,
)
from embviz.commands.runs import FIELDS, show_runs
from embviz.text.refused import Refused

if TYPE_CHECKING:
    from embviz.settings.kinds import Setting
    from embviz.timing.measure.sweep import Sweep
    from embviz.timing.measure.timed import Timed

SUMMARY = "time lookup against matmul on this machine"
EXAMPLE = (
    "time --vary vocab --values 256 4096 65536 --methods lookup matmul --repeat 5 --out run.jsonl"
)
STOPPED = 128 + signal.SIGINT  # the exit code
# Options that are a setting of the page, which has some under other names.
OPTIONS = {
    "vary": "vary",
    "methods": "methods",
    "mode": "mode",
    "devices": "devices",
    "cache": "cache",
    "precision": "precision",
    "rows": "time_rows",
    "dim": "time_dim",
    "tokens": "time_tokens",
    "ids": "skew",
    "dtype": "time_dtype",
    "threads": "threads",
}


def _records() -> dict[str, Setting]:
    from embviz.timing.measure.methods import DEFAULT_METHODS

    records = records_of(OPTIONS)
    return records | {"methods": replace(records["methods"], default=[*DEFAULT_METHODS])}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `time`: those of the page, and of the run."""
    from embviz.timing.measure.timed import FEWEST, MOST_PROCESSES

    for record in _records().values():
        add_setting(parser, record)
    words = "values of the setting that varies (default: all that the page offers)"
    parser.add_argument("--values", nargs="+", default=[], help=words)
    processes = f"1, or {FEWEST} to {MOST_PROCESSES}"
    words = f"fresh processes, each of which measures everything: {processes}"
    add_number(parser, "--repeat", 1, words)
    parser.add_argument("--out", help="write the run to this .jsonl file, line by line")
    words = "measure on a Dask cluster, such as tcp://127.0.0.1:8786"
    parser.add_argument("--cluster", help=words)
    words = "of the cluster: all, or names (default: all)"
    parser.add_argument("--machines", nargs="+", default=["all"], help=words)
    words = "allow plain tcp:// to another machine: whoever reaches a cluster can run code there"
    parser.add_argument("--insecure", action="store_true", help=words)
    add_json(parser, f"{FIELDS}; one for each machine, a line each")


def run(options: argparse.Namespace) -> int:
    """Print the times.

    Returns:
        0; 130 after Ctrl+C; 1 if a sweep ended early or has no times, or if a file could not be
        written.
    """
    from embviz.timing.measure.cluster import Cluster
    from embviz.timing.measure.sweep import Engine, Sweep

    if options.out == "":
        raise Refused("--out '' names no file.")
    jobs, complaints, names = list[Sweep](), list[str](), [""]
    presses, cases = _count_interrupts(jobs), _cases(options)
    where = Cluster(options.cluster, options.insecure) if options.cluster else Engine()
    with closing(where) as engine:
        if isinstance(engine, Cluster):
            names = engine.machines(*sorted({*options.machines} - {"all"}))
        sinks = dict[str, Any].fromkeys(names)
        if options.out:
            sinks |= {name: _new_file(options.out, name) for name in names}
        for name, sink in sinks.items():
            machine = {"machine": name} if options.cluster else {}
            jobs.append(engine.start(cases, sink, options.repeat, **machine))
        _wait(jobs, presses)
    for sweep in jobs:
        said = [sweep.trouble]
        if not presses:
            said += [sweep.reason, "" if sweep.run.measured else "no case could be measured."]
        complaints += filter(None, said)
    show_runs([sweep.run for sweep in jobs], options.json)
    if presses:
        print("embviz: stopped; what was measured stands.", file=sys.stderr)
    for complaint in complaints:
        print(f"embviz: {complaint}", file=sys.stderr)
    return STOPPED if presses else int(bool(complaints))


def _new_file(out: str, machine: str) -> Callable[[Mapping[str, Any]], None]:
    """A function that keeps the lines of a run.

    Args:
        out: the path that was given.
        machine: its name becomes a part of the file's name; "" for this one.

    Raises:
        Refused: the file cannot be written, or has something in it.
    """
    from embviz.timing.measure.run import RunFile

    path = Path(out)
    if machine:
        path = path.with_stem(f"{path.stem}-{quote_plus(machine)}")
    write_file(str(path), "", "a")  # refused before it measures
    if path.stat().st_size:
        raise Refused(f"{str(path)!r} has something in it: give --out another name.")
    return RunFile(path).append


def _cases(options: argparse.Namespace) -> list[Timed]:
    """The cases that the options ask for.

    Raises:
        Refused: an option has a value that it cannot have.
    """
    from embviz.timing.cases import cases_of
    from embviz.timing.measure.run import check_lines
    from embviz.timing.measure.timed import FEWEST, MOST_PROCESSES

    if options.repeat != 1 and not FEWEST <= options.repeat <= MOST_PROCESSES:
        raise Refused(f"--repeat {options.repeat} is not 1, or from {FEWEST} to {MOST_PROCESSES}.")
    if options.cluster is None and options.machines != ["all"]:
        raise Refused("--machines needs --cluster ADDRESS.")
    given = given_settings(options, _records())
    settings = {OPTIONS[name]: value for name, value in given.items()}
    cases = cases_of(settings | {"values": " ".join(options.values), "my_model": False})
    check_lines(cases, options.repeat)
    return cases


def _count_interrupts(sweeps: Sequence[Sweep]) -> list[int]:
    """Count Ctrl+C; it ends the process at once before there are sweeps, and the second time.

    No exception: PyTorch's import may catch it, and it may come while results are printed.
    """
    import psutil

    presses = list[int]()

    def press(number: int, _: object) -> None:  # at any line, so no lock may be taken here
        presses.append(number)
        if len(presses) > 1 or not sweeps:
            os.write(2, b"embviz: stopped.\n")
            for child in psutil.Process().children():  # A child that hangs would stay.
                child.kill()
            os._exit(STOPPED)

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, press)
    return presses


def _wait(sweeps: Sequence[Sweep], presses: Sequence[int]) -> None:
    """Wait for the end of all; a line on stderr says how far they are, if that is a terminal."""
    shown = sys.stderr.isatty()
    while not all(sweep.finished.wait(0.1) for sweep in sweeps):
        if presses:
            for one in sweeps:
                one.stop()
        if shown:
            said = ["{}: round {} of {} ".format(sweep.state, *sweep.rounds) for sweep in sweeps]
            print(end="\r" + "".join(said), file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)
