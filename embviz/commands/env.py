"""`env`: the machine, PyTorch and the devices."""

from __future__ import annotations

import argparse

from embviz.commands import add_json, show

SUMMARY = "print what this machine is: processor, cores, memory, PyTorch, devices"
EXAMPLE = "env --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `env`."""
    add_json(parser, "the environment that a run file records")
    parser.add_argument("--no-hostname", action="store_true", help="leave the hostname out")


def run(options: argparse.Namespace) -> int:
    """Print the environment that a run file records."""
    from embviz.system.machine import environment

    return show(options, environment(not options.no_hostname))
