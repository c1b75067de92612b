"""`limits`: proves every case of "Where it breaks" on the installed PyTorch.

The cases that change settings of the whole process run in child processes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from embviz.commands import add_option, check_choice

if TYPE_CHECKING:
    from embviz.limits.outcome import Proof

SUMMARY = "prove every case in which the two differ; exit code 1 if a claim no longer holds"
EXAMPLE = "limits --markdown"
_HOLDS_TEXT = {True: "holds", False: "REFUTED", None: "-"}
_HOLDS_MARKDOWN = {True: "yes", False: "**no**", None: "not run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    from embviz.limits.isolated import CHILD_S
    from embviz.limits.prove import DTYPES

    add_option(parser, "--dtype", "float32", DTYPES)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print one JSON array; each case has name, group, claim, same, detail, holds, "
        "verdict, expected, fix_verdict, fix_expected, emulated, ms, source",
    )
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    form.add_argument(
        "--child",
        choices=CHILD_S,
        help="prove the cases that change settings of the whole process; embviz starts this itself",
    )


def run(options: argparse.Namespace) -> int:
    """Print all proofs; return 1 if a claim is refuted."""
    if options.child and hasattr(os, "nice"):  # Windows has none
        os.nice(10)  # PyTorch's import and compiler would take the cores from a class
    from embviz.limits.isolated import child_main
    from embviz.limits.prove import DTYPES

    if options.child:
        child_main(options.child, sys.stdout)
        return 0
    check_choice(options.dtype, DTYPES, "dtype")
    proofs = prove_all(options.dtype)
    if options.json:
        print(json.dumps(as_json(proofs)))
    elif options.markdown:
        print(as_markdown(proofs))
    else:
        for proof in proofs:
            holds = _HOLDS_TEXT[proof.holds]
            print(f"{holds:8}{proof.case.group:11}{proof.case.name:34}{proof.line}")
    refuted = [proof.case.name for proof in proofs if proof.holds is False]
    if refuted:
        print(f"embviz: no longer so on this PyTorch: {', '.join(refuted)}.", file=sys.stderr)
    return 1 if refuted else 0


def prove_all(dtype: str = "float32") -> list[Proof]:
    """Prove every case with its inputs at their defaults.

    Args:
        dtype: a key of `embviz.limits.prove.DTYPES`, for the cases that exist in both.

    Raises:
        ValueError: the dtype is another one.
    """
    from embviz.limits.cases import CASES
    from embviz.limits.isolated import kind_of, proofs_of_child
    from embviz.limits.prove import prove

    proofs: list[Proof] = []
    for case in CASES:
        if case.needs:
            proofs.append(proofs_of_child(dtype, kind=kind_of(case))[case.name])
        else:
            proofs.append(prove(case, dtype=dtype))
    return proofs


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
            "emulated": proof.case.emulated,
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
    cells = [proof.case.group, title, proof.line, proof.case.claim, links]
    return "| " + " | ".join([_HOLDS_MARKDOWN[proof.holds], *map(_escaped, cells)]) + " |"


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())
