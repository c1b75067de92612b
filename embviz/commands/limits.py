"""`limits`: proves every case of "Where it breaks" on the installed PyTorch.

The cases that change settings of the whole process run in a child process.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embviz.limits.outcome import Proof

SUMMARY = "prove every case in which the two differ; exit code 1 if a claim no longer holds"
EXAMPLE = "limits --markdown"
_HOLDS = {True: "yes", False: "NO", None: "not run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print one JSON array; each case has name, group, claim, same, detail, holds, "
        "verdict, expected, fix_verdict, fix_expected, ms, source",
    )
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    form.add_argument(
        "--child",
        action="store_true",
        help="prove the cases that change settings of the whole process; embviz starts this itself",
    )


def run(options: argparse.Namespace) -> int:
    """Print all proofs; return 1 if a claim is refuted or the child process failed."""
    if options.child and hasattr(os, "nice"):  # Windows has none
        os.nice(10)  # PyTorch's import would take the cores from a class
    from embviz.core.child import ChildError
    from embviz.limits.isolated import child_main

    if options.child:
        child_main(sys.stdout)
        return 0
    try:
        proofs = prove_all()
    except ChildError as error:
        print(f"embviz: {error}.", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(as_json(proofs)))
    elif options.markdown:
        print(as_markdown(proofs))
    else:
        for proof in proofs:
            holds = _HOLDS[proof.holds]
            print(f"{holds:8}{proof.case.group:11}{proof.case.name:34}{proof.line}")
    refuted = [proof.case.name for proof in proofs if proof.holds is False]
    if refuted:
        print(f"embviz: no longer so on this PyTorch: {', '.join(refuted)}.", file=sys.stderr)
    return 1 if refuted else 0


def prove_all() -> list[Proof]:
    """Prove every case.

    Raises:
        ChildError: the child process failed.
    """
    from embviz.limits.cases import CASES
    from embviz.limits.isolated import run_child
    from embviz.limits.prove import prove

    needy = run_child()
    return [needy.get(case.name) or prove(case) for case in CASES]


def as_json(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    """Return one object for each case.

    `same` and `holds` are None for a case that was not run; `detail` then gives the reason.
    """
    return [
        {
            "name": proof.case.name,
            "group": proof.case.group,
            "claim": proof.case.claim,
            "same": None if proof.problem is None else proof.problem.verdict == "same",
            "detail": proof.not_run if proof.problem is None else proof.problem.detail,
            "holds": proof.holds,
            "verdict": proof.verdict,
            "expected": proof.case.expected,
            "fix_verdict": "not run" if proof.fixed is None else proof.fixed.verdict,
            "fix_expected": proof.case.fix_expected,
            "ms": round(proof.seconds * 1000, 3),
            "source": [address for _, address in proof.case.source],
        }
        for proof in proofs
    ]


def as_markdown(proofs: Sequence[Proof]) -> str:
    """Return a Markdown table with one row for each case."""
    head = ["| Holds | Group | Case | Verdict | Claim | Sources |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *(_row(proof) for proof in proofs)])


def _row(proof: Proof) -> str:
    links = ", ".join(f"[{label}]({address})" for label, address in proof.case.source)
    title = f"{proof.case.title} (`{proof.case.name}`)"
    cells = [_HOLDS[proof.holds], proof.case.group, title, proof.line, proof.case.claim, links]
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())
