"""`limits`: proves every case of "Where it breaks" on the installed PyTorch."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embviz.limits.prove import Proof

SUMMARY = "prove every case in which the two differ; exit code 1 if a claim no longer holds"
EXAMPLE = "limits --markdown"
_HOLDS = {True: "yes", False: "NO", None: "not run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json",
        action="store_true",
        help="print one JSON array; each case has name, group, title, claim, holds, told, fixed, "
        "ms, source",
    )
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")


def run(options: argparse.Namespace) -> int:
    """Print all proofs; return 1 if a claim is refuted or the process of a case failed."""
    proofs = prove_all()
    rows = as_rows(proofs)
    if options.json:
        print(json.dumps(rows))
    elif options.markdown:
        print(as_markdown(rows))
    else:
        for row in rows:
            print(f"{_HOLDS[row['holds']]:8}{row['group']:11}{row['name']:28}{row['told']}")
    failed = [f"{proof.case.name} ({proof.failed})" for proof in proofs if proof.failed]
    refuted = [proof.case.name for proof in proofs if proof.holds is False and not proof.failed]
    if failed:
        print(f"embviz: failed: {', '.join(failed)}.", file=sys.stderr)
    if refuted:
        print(f"embviz: no longer so on this PyTorch: {', '.join(refuted)}.", file=sys.stderr)
    return 1 if failed or refuted else 0


def prove_all() -> list[Proof]:
    """Prove every case, those with a process of their own in it."""
    from embviz.limits.alone import prove_alone
    from embviz.limits.cases import CASES
    from embviz.limits.prove import prove

    return [prove_alone(case) if case.alone else prove(case) for case in CASES]


def as_rows(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    """Return one object for each case; `holds` is None where it cannot run, as `told` says."""
    from embviz.limits.cases import group_of

    return [
        {
            "name": proof.case.name,
            "group": group_of(proof.case),
            "title": proof.case.title,
            "claim": proof.case.claim,
            "holds": proof.holds,
            "told": proof.told,
            "fixed": proof.fixed and proof.fixed.told(proof.case.fixed_sides or proof.case.sides),
            "ms": round(proof.seconds * 1000, 3),
            "source": [address for _, address in proof.case.source],
        }
        for proof in proofs
    ]


def as_markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return a Markdown table with one row for each case."""
    lines = ["| Holds | Group | Case | Result | Claim | Sources |", "|---|---|---|---|---|---|"]
    for row in rows:
        title, sources = f"{row['title']} (`{row['name']}`)", " ".join(row["source"])
        cells = _HOLDS[row["holds"]], row["group"], title, row["told"], row["claim"], sources
        escaped = [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join(lines)
