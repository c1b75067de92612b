"""The whole catalogue at once: whether every claim still holds on the PyTorch installed.

Says it as JSON for machines and as a Markdown table for people. Starts the child once at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from embviz.limits.cases import CATALOGUE
from embviz.limits.isolated import proofs_of_child
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove

_HOLDS = {True: "yes", False: "**no**", None: "not run"}


def prove_all(
    dtype: str = "float32", progress: Callable[[int, int], None] | None = None
) -> list[Proof]:
    """Every entry with its inputs at their defaults, those of the child included.

    Args:
        dtype: "float32" or "float64", for the entries that are about both.
        progress: called with how many are done and how many there are.

    Raises:
        ValueError: the dtype is another one.
    """
    proofs: list[Proof] = []
    of_child: dict[str, Proof] | None = None
    for one in CATALOGUE:
        if one.needs:
            of_child = proofs_of_child(dtype) if of_child is None else of_child
            proofs.append(of_child[one.name])
        else:
            proofs.append(prove(one, dtype=dtype))
        if progress is not None:
            progress(len(proofs), len(CATALOGUE))
    return proofs


def all_hold(proofs: Sequence[Proof]) -> bool:
    """Whether no claim was refuted; one that was not run does not count against it."""
    return all(proof.holds is not False for proof in proofs)


def as_json(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    """One object an entry, for machines.

    `same` and `holds` are None for what was not run; `detail` then says why.
    """
    return [
        {
            "name": proof.entry.name,
            "group": proof.entry.group,
            "claim": proof.entry.claim,
            "same": None if proof.problem is None else proof.problem.verdict == "same",
            "detail": proof.not_run if proof.problem is None else proof.problem.detail,
            "holds": proof.holds,
            "verdict": proof.verdict,
            "expected": proof.entry.expected,
            "fix_verdict": "not run" if proof.fixed is None else proof.fixed.verdict,
            "fix_expected": proof.entry.fix_expected,
            "emulated": proof.emulated,
            "ms": round(proof.seconds * 1000, 3),
            "source": [address for _, address in proof.entry.source],
        }
        for proof in proofs
    ]


def as_markdown(proofs: Sequence[Proof]) -> str:
    """A table, one line an entry."""
    head = ["| Holds | Group | Case | Verdict | Claim | Sources |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *(_row(proof) for proof in proofs)])


def _row(proof: Proof) -> str:
    links = ", ".join(f"[{label}]({address})" for label, address in proof.entry.source)
    title = f"{proof.entry.title} (`{proof.entry.name}`)"
    cells = [proof.entry.group, title, proof.line, proof.entry.claim, links]
    return "| " + " | ".join([_HOLDS[proof.holds], *map(_escaped, cells)]) + " |"


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())
