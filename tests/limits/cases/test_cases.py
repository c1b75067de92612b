import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from embviz.limits.case import Case
from embviz.limits.cases import CASES, GROUPS, case_named
from embviz.limits.prove import prove

HERE = [case for case in CASES if not case.needs]
# The claims of the articles: each has a case that answers it.
CLAIMED = (
    "embeddings-start-small max-is-a-tensor max-is-a-view one-hot-without-classes shared-storage "
    "forgotten-transpose one-hot-inside-linear always-faster from-pretrained-frozen "
    "from-pretrained-shares getrow input-gradient loss-without-parentheses order-and-context "
    "linear-cannot-replace embedding-cannot-replace grad-fn-differs float-ids int32-ids "
    "one-hot-is-int64 bias seed-of-another-cell tied-output"
)


def state() -> dict[str, Any]:
    """All state that the sessions of a server share and a case might change."""
    with warnings.catch_warnings():  # reading an old flag warns on some builds
        warnings.simplefilter("ignore")
        shared = {
            "dtype": torch.get_default_dtype(),
            "flush": bool(torch.tensor([1e-40]) * 1.0 == 0),
            "precision": torch.get_float32_matmul_precision(),
            "autocast": torch.is_autocast_enabled("cpu"),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "grad": torch.is_grad_enabled(),
            "random": torch.get_rng_state().tolist(),
            "threads": torch.get_num_threads(),
        }
    return {**shared, "filters": list(warnings.filters)}


def test_every_claim_has_its_case() -> None:
    """Each claim has its case; a name means one case; each group is in one piece."""
    assert set(CLAIMED.split()) <= {case.name for case in CASES}
    places = [GROUPS.index(case.group) for case in CASES]
    assert places == sorted(places)
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case_named(case.name) is case for case in CASES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("minus-zer", "There is no case 'minus-zer'; the nearest is 'minus-zero'."),
        ("zebra", "There is no case 'zebra'."),
        ("x" * 10**6, f"There is no case '{'x' * 40}…'."),
    ],
    ids=range(3),
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, words: str) -> None:
    """An unknown name is refused with the nearest known one."""
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        case_named(name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_written_as_the_page_expects(case: Case) -> None:
    """Code marks are closed, titles and sides plain, sources addresses, patterns bounded."""
    for sentence in (case.claim, case.reason, case.fix_title):
        assert sentence.endswith(".")
        assert sentence.count("`") % 2 == 0
    assert not re.search(r"[`*$\[\]]", case.title)  # it is plain text
    for side in (*case.sides, *case.sides_of_fix):
        assert 0 < len(side) <= 60
        assert not re.search(r'["\\`\n]', side)  # it is printed by a script
    assert case.source
    assert all(re.fullmatch(r"https://[\w./]+", address) for _, address in case.source)
    for pattern in case.errors:
        assert not re.search(r"[*+]", pattern.replace(r"\*", "").replace(r"\+", ""))


@pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)
def test_the_claim_and_the_fix_hold(case: Case) -> None:
    """Problem and fix give the verdicts that the case claims."""
    proof = prove(case)
    assert proof.problem is not None
    assert proof.fixed is not None
    assert proof.problem.verdict == case.expected, proof.problem.detail
    assert proof.fixed.verdict == case.fix_expected, proof.fixed.detail
    assert proof.holds is True


def test_state_of_the_process_is_the_same_after_as_before() -> None:
    """A proof leaves the state that all sessions share as it was."""
    before = state()
    for case in HERE:
        prove(case)
        assert state() == before, case.name


def test_proofs_run_side_by_side() -> None:
    """Proofs in several threads at once all hold."""
    with ThreadPoolExecutor(4) as pool:
        held = pool.map(lambda case: prove(case).holds, HERE * 2)
    assert all(held)
