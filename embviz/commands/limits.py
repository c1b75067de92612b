"""`limits`: proves the cases of "Where it breaks", or those of a search, on this PyTorch."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from embviz.commands import add_json, show

if TYPE_CHECKING:
    from embviz.limits.case import Case
    from embviz.limits.elsewhere import Elsewhere
    from embviz.limits.prove import Proof

SUMMARY = "prove every case in which the two differ; exit code 1 if a claim no longer holds"
EXAMPLE = "limits --find 'index out of range in self'"
_HOLDS = {True: "yes", False: "NO", None: "not run"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    words = "only the case that lists this error message, or the cases nearest to these words"
    parser.add_argument("--find", metavar="WORDS", help=words)
    fields = "name, title, claim, why, fix, typed, messages, holds, told, recorded, source"
    add_json(parser, f"in an array, with {fields} of each case")


def run(options: argparse.Namespace) -> int:
    """Print the proofs; return 1 if a claim is refuted, a process failed or nothing is found."""
    from embviz.limits.case import BEFORE_A_FIX
    from embviz.limits.cases import CASES
    from embviz.limits.elsewhere import Elsewhere
    from embviz.limits.own_process import prove_in_own_process
    from embviz.limits.prove import Proof, prove
    from embviz.settings.pages import PAGES

    found: list[tuple[str, tuple[Case | Elsewhere, ...]]] = [("", CASES)]
    if options.find is not None:
        found = _found(options.find)
    proofs, lines = list[Proof](), list[str]()
    for headline, entries in found:
        if headline:
            lines.append(headline)
        for entry in entries:
            if isinstance(entry, Elsewhere):
                lines.append(f"{entry.title}: the page {PAGES[entry.page].title}\n  {entry.answer}")
                continue
            proof = prove_in_own_process(entry) if entry.own_process else prove(entry)
            proofs.append(proof)
            lines.append(_line(proof) if options.find is None else _told(proof))
    if options.find is not None and proofs:
        before = BEFORE_A_FIX.strip().replace("\n", "\n    ")
        lines.append(f"Each fix is typed after these lines:\n    {before}")
    if lines or options.json:
        show(options, [_as_json(proof) for proof in proofs], lines)
    wrong = [proof for proof in proofs if proof.holds is False]
    for proof in wrong:
        print(f"embviz: {proof.case.name} {_wrong(proof)}.", file=sys.stderr)
    if not lines:
        print("embviz: no case has words like these.", file=sys.stderr)
    return 1 if wrong or not lines else 0


def _found(words: str) -> list[tuple[str, tuple[Case | Elsewhere, ...]]]:
    """The case that the words open with those that list them too; else what is nearest.

    Each part has its headline, as on the page; an opened case has none.
    """
    from embviz.limits.search import find

    found = find(words)
    if found.opened is not None:
        return [("", (found.opened, *found.listed))]
    return found.parts()


def _wrong(proof: Proof) -> str:
    """The reason why a case does not hold."""
    if proof.failed:
        return f"failed: {proof.failed}"
    if proof.comes_out:
        return f"is so, but its fix on a layer raises {proof.mistyped}"
    return "is no longer so on this PyTorch"


def _line(proof: Proof) -> str:
    return f"{_HOLDS[proof.holds]:8}{proof.case.name:28}{proof.told}"


def _told(proof: Proof) -> str:
    """A case of a search: what happens, why, and what to do."""
    case = proof.case
    typed = case.typed.strip().replace("\n", "\n    ")
    return "\n".join(
        [
            f"{case.title} ({case.name}; proved here: {_HOLDS[proof.holds]})",
            f"  {case.claim}",
            f"  Why: {case.why}",
            f"  Fix: {case.fix}",
            f"    {typed}",
        ]
    )


def _as_json(proof: Proof) -> dict[str, Any]:
    from embviz.limits.case import BEFORE_A_FIX, address

    case = proof.case
    return {
        "name": case.name,
        "title": case.title,
        "claim": case.claim,
        "why": case.why,
        "fix": case.fix,
        "typed": (BEFORE_A_FIX + case.typed).strip(),  # runs as it stands
        "messages": [*filter(None, case.raises), *case.messages, *case.general],
        "holds": proof.holds,  # None where it cannot run, as `told` says
        "told": proof.told,
        "recorded": proof.recorded,  # the machine, where it was not this one
        "source": [*map(address, case.source)],
    }
