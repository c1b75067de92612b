"""`env`: the machine, PyTorch and the devices."""

from __future__ import annotations

import argparse
import json

SUMMARY = "print what this machine is: processor, cores, memory, PyTorch, devices"
EXAMPLE = "env --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `env`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--no-hostname", action="store_true", help="leave the hostname out")


def run(options: argparse.Namespace) -> int:
    """Print the environment that a run file records."""
    from embviz.core.environment import Environment

    fields = Environment.capture(not options.no_hostname).to_dict()
    if options.json:
        print(json.dumps(fields))
    else:
        width = max(map(len, fields))
        print("\n".join(f"{name:{width}} {value}" for name, value in fields.items()))
    return 0
