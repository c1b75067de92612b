import ast
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from embviz.limits.case import Both, Case, Input
from embviz.limits.cases import CASES, GROUPS, case_named
from embviz.limits.prove import DTYPES, prove

HERE = [case for case in CASES if not case.needs]


names = pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)


SPEED = (
    r"\b(faster|slow|slower|saves? (time|the memory)|more (time|memory)|fills the memory|"
    r"time changes)\b"
)
# The cases that must exist, by group.
PROMISED = {
    "Ids": "out-of-range negative float-ids int32-ids list-of-ids empty-input "
    "one-hot-without-classes out-of-range-on-a-gpu different-devices",
    "Weights": "minus-zero minus-zero-among-negatives inf-in-seen-row inf-in-unseen-row "
    "subnormals flush-to-zero flush-to-zero-per-thread bias shared-storage non-contiguous "
    "seed-of-another-cell",
    "Arguments": "padding-idx-value padding-idx-reset padding-idx-gradient "
    "padding-idx-from-pretrained max-norm scale-grad-by-freq sparse-gradient "
    "from-pretrained-frozen",
    "Precision": "float16 bfloat16-gradient autocast tf32 tf32-on-a-gpu medium-precision-on-a-cpu",
    "Settings": "deterministic-backward index-backward-varies deterministic-backward-on-a-gpu "
    "torch-compile",
    "Bags": "counts-ignored sum-order mean-with-padding empty-bag getrow",
    "Training": "weight-decay-sparse weight-decay-unseen adam-and-sparse-adam repeated-tokens "
    "input-gradient",
    "Myths": "order-and-context linear-cannot-replace embedding-cannot-replace "
    "one-hot-inside-linear always-faster grad-fn-differs embeddings-start-small "
    "loss-without-parentheses loss-of-one-number max-is-a-tensor max-of-rows",
}


def state() -> dict[str, Any]:
    """All state that the sessions of a server share and a case might change."""
    with warnings.catch_warnings():  # reading an old flag warns on some builds
        warnings.simplefilter("ignore")
        shared = {
            "dtype": torch.get_default_dtype(),
            "flush": bool(torch.tensor([1e-40]) * 1.0 == 0),
            "precision": torch.get_float32_matmul_precision(),
            "tf32": torch.backends.cuda.matmul.allow_tf32,
            "autocast": torch.is_autocast_enabled("cpu"),
            "autocast_dtype": torch.get_autocast_dtype("cpu"),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "grad": torch.is_grad_enabled(),
            "anomaly": torch.is_anomaly_enabled(),
            "invariants": torch.sparse.check_sparse_tensor_invariants.is_enabled(),
            "random": torch.get_rng_state().tolist(),
            "threads": torch.get_num_threads(),
        }
    return {**shared, "filters": list(warnings.filters)}


def test_every_promised_case_is_there() -> None:
    """Each promised case exists, in its group."""
    for group, wanted in PROMISED.items():
        found = {case.name for case in CASES if case.group == group}
        assert set(wanted.split()) - found == set(), group
    assert len(CASES) >= 57


def test_the_cases_are_in_the_order_of_their_groups() -> None:
    """Each group is in one piece, in the order of the page, and a name means one case."""
    assert tuple(PROMISED) == GROUPS
    places = [GROUPS.index(case.group) for case in CASES]
    assert places == sorted(places)
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case_named(case.name) is case for case in CASES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("minus-zer", "There is no case 'minus-zer'; the nearest is 'minus-zero'."),
        ("Out_of_range", "There is no case 'Out_of_range'; the nearest is 'out-of-range'."),
        ("zebra", "There is no case 'zebra'."),
        ("", "There is no case ''."),
        ("x" * 10**6, f"There is no case '{'x' * 40}…'."),
        ("a\nb", "There is no case 'a\\nb'."),
    ],
    ids=range(6),
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, words: str) -> None:
    """An unknown name is refused with the nearest known one."""
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        case_named(name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_written_as_the_page_expects(case: Case) -> None:
    """Texts are sentences, inputs are bounded, sources are of PyTorch, patterns never repeat."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case.name)
    for sentence in (case.claim, case.reason, case.fix_title):
        assert sentence.endswith(".")
        assert sentence == " ".join(sentence.split())
        assert sentence.count("`") % 2 == 0
        assert "—" not in sentence
        assert not re.search(SPEED, sentence)  # a case measures no time
    assert not case.title.endswith(".")
    assert not re.search(r"[`*$\[\]]", case.title)  # it is plain text
    assert len(re.findall(r"[.?!](?: |$)", case.reason)) in (2, 3)
    assert case.expected in ("same", "differ", "raises")
    assert case.fix_expected in ("same", "raises", "differ")
    assert case.fix_expected != "differ" or case.expected == "same"
    assert case.fix_sides != case.sides
    for side in (*case.sides, *case.sides_of_fix):
        assert 0 < len(side) <= 60
        assert not re.search(r'["\\`\n]', side)  # it is printed by a script
    assert not (case.needs and case.inputs)
    assert case.source
    for label, address in case.source:
        docs = r"https://docs\.pytorch\.org/docs/stable/[\w./]+\.html"
        other = r"https://docs\.(scipy\.org/doc/scipy|python\.org/3)/[\w./]+\.html"
        issue = r"https://github\.com/pytorch/pytorch/issues/\d+"
        assert re.fullmatch(f"{docs}|{other}|{issue}", address)
        assert label
    for known in case.inputs:
        assert known.options or (known.low is not None and known.high is not None)
        assert known.high is None or known.high <= 1000
    for pattern in case.errors:
        re.compile(pattern)
        assert not re.search(r"[*+]", pattern.replace(r"\*", "").replace(r"\+", ""))


def tree(function: Callable[..., Both]) -> ast.FunctionDef:
    """The syntax tree of a problem or a fix."""
    function = getattr(function, "func", function)
    found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_case_takes_it_uses(case: Case) -> None:
    """A case's functions use each of their parameters, and their inputs are those of the record."""
    taken = set()
    for function in (case.problem, case.fix):
        takes = {argument.arg for argument in tree(function).args.args}
        names = [node for node in ast.walk(tree(function)) if isinstance(node, ast.Name)]
        assert takes <= {node.id for node in names if isinstance(node.ctx, ast.Load)}
        parameters = inspect.signature(function).parameters.values()
        taken |= (
            takes - {"dtype"} - {one.name for one in parameters if one.default is not one.empty}
        )
    assert taken == {known.name for known in case.inputs}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fix_that_returns_something_else_names_it(case: Case) -> None:
    """A fix that returns other values than the problem has names of its own for them."""
    problem, fix = (tree(function).body[-1] for function in (case.problem, case.fix))
    assert ast.unparse(problem) == ast.unparse(fix) or case.fix_sides is not None


@pytest.mark.parametrize("dtype", DTYPES)
@names
def test_the_claim_and_the_fix_hold(case: Case, dtype: str) -> None:
    """Problem and fix give the verdicts that the case claims, in both dtypes."""
    proof = prove(case, dtype=dtype)
    assert proof.problem is not None
    assert proof.fixed is not None
    assert proof.problem.verdict == case.expected, proof.problem.detail
    assert proof.fixed.verdict == case.fix_expected, proof.fixed.detail
    assert proof.holds is True
    assert proof.given.get("dtype", dtype) == dtype


def settings(known: Input) -> list[object]:
    """The values at the edges of an input."""
    return list(known.options) or [known.low, known.default, known.high]


@pytest.mark.parametrize(
    ("case", "known"),
    [(case, known) for case in HERE for known in case.inputs],
    ids=lambda part: part.name,
)
def test_the_claim_holds_at_the_edges_of_each_input(case: Case, known: Input) -> None:
    """The claim holds for the least, the default and the greatest value of each input."""
    assert known.default in settings(known) or known.low <= known.default <= known.high  # type: ignore[operator]
    for value in settings(known):
        for dtype in DTYPES:
            proof = prove(case, dtype=dtype, **{known.name: value})
            assert proof.given[known.name] == value
            assert proof.holds is True, (value, dtype, proof.line)


def test_state_of_the_process_is_the_same_after_as_before() -> None:
    """A proof leaves the state that all sessions share as it was."""
    before = state()
    for case in HERE:
        for dtype in DTYPES:
            prove(case, dtype=dtype)
        assert state() == before, case.name


def test_proofs_run_side_by_side() -> None:
    """Proofs in several threads at once all hold."""
    with ThreadPoolExecutor(4) as pool:
        held = pool.map(lambda case: prove(case).holds, HERE * 2)
    assert all(held)
