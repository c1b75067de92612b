"""`time`: measures lookup against matmul on this machine, with a progress bar on stderr.

With `--cluster` other machines measure; see `cluster`.

With `--worker` it is the measuring process instead. Nothing that was measured is lost: where a file
cannot be written, and after Ctrl+C, all results are printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from embviz.commands import check_writable, write_file
from embviz.commands.time.arguments import add_arguments, cases_of
from embviz.commands.time.cluster import check_alone
from embviz.commands.time.interrupts import STOPPED, Interrupts
from embviz.commands.time.output import as_json, as_text, progress

__all__ = ["EXAMPLE", "SUMMARY", "add_arguments", "run"]

SUMMARY = "time lookup against matmul on this machine"
EXAMPLE = (
    "time --vary vocab --values 256 4096 65536 --methods lookup matmul --repeat 3 --out run.jsonl"
)


def run(options: argparse.Namespace) -> int:
    """Print the results.

    Returns:
        0; 130 after Ctrl+C; 1 if the measuring ended early, if every case failed, or if a file
        could not be written.
    """
    if options.worker:  # first, because the worker must end with its parent even while torch loads
        from embviz.timing.worker import serve

        return serve(not options.no_hostname)
    with Interrupts() as interrupts:
        if options.cluster is not None:
            from embviz.commands.time import cluster

            return cluster.measure(options, interrupts)
        check_alone(options)
        return _measure(options, interrupts)


def _measure(options: argparse.Namespace, interrupts: Interrupts) -> int:
    cases = cases_of(options)
    for path in (options.out, options.plot):
        if path is not None:
            check_writable(path)
    from embviz.timing.results import Measurement
    from embviz.timing.run_file import RunFile
    from embviz.timing.sweep import Engine

    engine = Engine(options=["--no-hostname"] if options.no_hostname else [])
    file = None if options.out is None else RunFile(Path(options.out))
    interrupts.results = True
    sweep = engine.start(cases, file, processes=options.repeat)
    while not sweep.finished.wait(0.1) and interrupts.count < 2:
        if interrupts.count:
            sweep.stop()
        progress(sweep)
    progress(sweep, end="\n")
    engine.close()
    measured = sweep.run("this run" if file is None else file.path.name)
    complaints = [] if sweep.state == "done" else [sweep.error or sweep.cut]
    if not any(isinstance(one, Measurement) and not one.helps for one in measured.results):
        complaints.append("no case could be measured.")
    if file is not None:
        complaints.append(file.trouble)
    if options.plot is not None:
        from embviz.figures.timing.report import html_report

        try:
            write_file(options.plot, html_report([measured]))
        except ValueError as error:
            complaints.append(str(error))
    if interrupts.count:
        complaints = ["stopped; what was measured stands."]
    print(json.dumps(as_json(measured)) if options.json else as_text(measured), flush=True)
    complaints = [*filter(None, complaints)]
    for complaint in complaints:
        print(f"embviz: {complaint}", file=sys.stderr)
    return STOPPED if interrupts.count else int(bool(complaints))
