"""`time --cluster`: the same sweep on the machines of a Dask cluster, one run file a machine."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embviz.commands import check_writable, write_file
from embviz.commands.time.interrupts import STOPPED, Interrupts
from embviz.commands.time.output import as_json, as_machines, progress
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    from embviz.timing.cases import Case
    from embviz.timing.cluster import Cluster
    from embviz.timing.cluster_sweep import RemoteSweep
    from embviz.timing.run_file import RunFile

ALL, ANY = "all", "any"


def measure(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Print a table of the machines, or with `--json` a list of runs.

    Returns:
        as `time`; 1 also where one of several machines could not be used.
    """
    from embviz.commands.time.arguments import cases_of
    from embviz.timing.cluster import Cluster
    from embviz.timing.cluster_address import Certificates

    cases = cases_of(options)
    given = Certificates(options.tls_ca_file, options.tls_cert, options.tls_key)
    cluster = Cluster(options.cluster, given, options.insecure)
    try:
        names, troubles = _chosen(cluster, options.machines)
        files = _files(options.out, names)
        for path in [*filter(None, files), *filter(None, [options.plot])]:
            check_writable(str(path))
        return _measure(options, interrupts, cluster, cases, names, files, troubles)
    finally:
        cluster.close()


def _measure(
    options: argparse.Namespace,
    interrupts: Interrupts,
    cluster: Cluster,
    cases: Sequence[Case],
    names: Sequence[str],
    files: Sequence[Path | None],
    complaints: list[str],
) -> int:
    from embviz.timing.run_file import RunFile

    sinks = [None if path is None else RunFile(path) for path in files]
    interrupts.results = True
    sweeps = [
        cluster.start(
            cases,
            sink,
            processes=options.repeat,
            machine="" if name == ANY else name,
            own_threads=options.threads is None and options.vary != "threads",
            hostname=not options.no_hostname,
        )
        for name, sink in zip(names, sinks, strict=True)
    ]
    _wait(sweeps, interrupts)
    runs = [sweep.run() for sweep in sweeps]
    complaints += _complaints(sweeps, sinks)
    if options.plot is not None:
        from embviz.figures.timing.report import html_report

        try:
            write_file(options.plot, html_report([run for run in runs if run.results]))
        except ValueError as error:
            complaints.append(str(error))
    print(json.dumps([*map(as_json, runs)]) if options.json else as_machines(runs), flush=True)
    if interrupts.count:
        complaints = ["stopped; what was measured stands."]
    for complaint in complaints:
        print(f"embviz: {complaint}", file=sys.stderr)
    return STOPPED if interrupts.count else int(bool(complaints))


def _wait(sweeps: Sequence[RemoteSweep], interrupts: Interrupts) -> None:
    """Until all have ended, or Ctrl+C came twice."""
    for sweep in sweeps:
        while not sweep.finished.wait(0.1) and interrupts.count < 2:
            if interrupts.count:
                for one in sweeps:
                    one.stop()
            progress(*sweeps)
    progress(*sweeps, end="\n")


def _chosen(cluster: Cluster, asked: Sequence[str]) -> tuple[list[str], list[str]]:
    """The machines to measure on, or ANY; and why others of ALL are left out.

    Raises:
        ValueError: one is unknown or cannot be used, or none of all can.
    """
    machines = cluster.machines()
    if list(asked) in ([ALL], [ANY]):
        troubles = [one.trouble for one in machines if one.trouble]
        if len(troubles) == len(machines):
            raise Refused(troubles[0])
        usable = [one.name for one in machines if not one.trouble]
        return ([ANY], []) if list(asked) == [ANY] else (usable, troubles)
    known = {name: one for one in machines for name in (one.address, one.name)}
    for name in asked:
        if name not in known:
            if name in (ALL, ANY):
                raise Refused(f"--machines {name} stands alone, without names.")
            names = ", ".join(one.name for one in machines)
            raise Refused(
                f"--machines {quote(name)} is not all, any or one of these machines: {names}."
            )
        if known[name].trouble:
            raise Refused(known[name].trouble)
    return list(dict.fromkeys(known[name].name for name in asked)), []


def _files(out: str | None, names: Sequence[str]) -> list[Path | None]:
    """`run.jsonl` becomes `run-NAME.jsonl` for each machine; as it is for ANY."""
    if out is None:
        return [None] * len(names)
    path, found = Path(out), list[Path | None]()
    for name in names:
        safe = re.sub(r"[^\w.-]+", "_", name)[:60]
        one = path if name == ANY else path.with_name(f"{path.stem}-{safe}{path.suffix}")
        found.append(one.with_stem(f"{one.stem}-{len(found)}") if one in found else one)
    return found


def _complaints(sweeps: Sequence[RemoteSweep], sinks: Sequence[RunFile | None]) -> list[str]:
    """What went wrong on each machine."""
    from embviz.timing.results import Measurement

    found = []
    for sweep, sink in zip(sweeps, sinks, strict=True):
        name = sweep.asked_for if sweep.machine is None else sweep.machine.name
        said = [] if sweep.state == "done" else [sweep.error or sweep.cut]
        if sweep.state == "done" and not any(
            isinstance(one, Measurement) and not one.helps for one in sweep.results
        ):
            said.append("no case could be measured.")
        said.append("" if sink is None else sink.trouble)
        found += [f"{name}: {one}" for one in said if one]
    return found


def check_alone(options: argparse.Namespace) -> None:
    """Refuse what only a cluster has, where none is named.

    Raises:
        ValueError: with the option.
    """
    given = {
        "--machines": options.machines != [ALL],
        "--tls-ca-file": options.tls_ca_file,
        "--tls-cert": options.tls_cert,
        "--tls-key": options.tls_key,
        "--insecure": options.insecure,
    }
    for name in (name for name, is_given in given.items() if is_given):
        raise Refused(f"{name} needs --cluster ADDRESS; without a cluster this machine measures.")


def add_arguments(parser: Any) -> None:
    """Add the arguments of a cluster."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="measure on the machines of a Dask cluster, such as tcp://127.0.0.1:8786",
    )
    parser.add_argument(
        "--machines",
        nargs="+",
        default=[ALL],
        metavar="NAME",
        help="all, any (the first that is free), or names of its workers (default: all)",
    )
    files = {
        "--tls-ca-file": "the authority that signed the cluster's certificates",
        "--tls-cert": "the certificate of this machine",
        "--tls-key": "the key to it",
    }
    for name, words in files.items():
        parser.add_argument(name, default="", metavar="FILE", help=f"for tls://: {words}")
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="allow plain tcp:// to another machine: whoever reaches a cluster can run code there",
    )
