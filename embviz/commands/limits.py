"""`limits`: proves every case of "Where it breaks" on the installed PyTorch."""

from __future__ import annotations

import argparse
import sys

from embviz.commands import add_json, show

SUMMARY = "prove every case in which the two differ; exit code 1 if a claim no longer holds"
EXAMPLE = "limits --json"
_HOLDS = {True: "yes", False: "NO", None: "not run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    fields = "name, claim, holds, told, recorded, fixed, source"
    add_json(parser, f"in an array, with {fields} of each case")


def run(options: argparse.Namespace) -> int:
    """Print all proofs; return 1 if a claim is refuted or the process of a case failed."""
    from embviz.limits.cases import CASES
    from embviz.limits.own_process import prove_in_own_process
    from embviz.limits.prove import prove

    proofs = [prove_in_own_process(case) if case.own_process else prove(case) for case in CASES]
    rows = [
        {
            "name": proof.case.name,
            "claim": proof.case.claim,
            "holds": proof.holds,  # None where it cannot run, as `told` says
            "told": proof.told,
            "recorded": proof.recorded,  # the machine, where it was not this one
            "fixed": proof.fixed and proof.fixed.sentence(proof.case.mended_sides),
            "source": [address for _, address in proof.case.source],
        }
        for proof in proofs
    ]
    lines = (f"{_HOLDS[proof.holds]:8}{proof.case.name:28}{proof.told}" for proof in proofs)
    show(options, rows, lines)
    wrong = [proof for proof in proofs if proof.holds is False]
    for proof in wrong:
        why = f"failed: {proof.failed}" if proof.failed else "is no longer so on this PyTorch"
        print(f"embviz: {proof.case.name} {why}.", file=sys.stderr)
    return 1 if wrong else 0
