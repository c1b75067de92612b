import ast
import inspect
import math
import re
import textwrap
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.commands.limits import as_json, as_markdown
from embviz.limits.case import Both, Case, Input
from embviz.limits.cases import CASES, GROUPS, case_named
from embviz.limits.outcome import Outcome, Proof, shown
from embviz.limits.prove import DTYPES, check_inputs, prove, run, takes_dtype

HERE = [case for case in CASES if not case.needs]
names = pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)

# What the page promises to have, item by item.
PROMISED = {
    "Ids": "out-of-range negative float-ids int32-ids list-of-ids empty-input "
    "one-hot-without-classes out-of-range-on-a-gpu different-devices",
    "Weights": "minus-zero inf-in-seen-row inf-in-unseen-row subnormals flush-to-zero bias "
    "shared-storage non-contiguous",
    "Arguments": "padding-idx-value padding-idx-gradient padding-idx-from-pretrained max-norm "
    "scale-grad-by-freq sparse-gradient from-pretrained-frozen",
    "Precision": "float16 bfloat16-gradient autocast tf32 tf32-on-a-gpu",
    "Bags": "counts-ignored sum-order mean-with-padding empty-bag",
    "Training": "weight-decay-sparse weight-decay-unseen adam-and-sparse-adam repeated-tokens",
    "Myths": "order-and-context linear-cannot-replace always-faster grad-fn-differs "
    "embeddings-start-small loss-without-parentheses max-is-a-tensor",
}


def state() -> dict[str, Any]:
    """Everything that all sessions of a server share and a case might touch."""
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
    """A case that the page promises would be missing, or filed under another heading."""
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
def test_a_wrong_name_is_told_the_nearest(name: str, words: str) -> None:
    """Who mistypes a name would have to look through all of them."""
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        case_named(name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_written_as_the_page_expects(case: Case) -> None:
    """A claim would be no sentence, an input unbounded, or a source no page about PyTorch."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case.name)
    for sentence in (case.claim, case.reason, case.fix_title):
        assert sentence.endswith(".")
        assert sentence == " ".join(sentence.split())
        assert sentence.count("`") % 2 == 0
        assert "—" not in sentence
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
    assert case.needs in ("", "process", "cuda", "tf32")
    assert not (case.needs and case.inputs)
    assert case.source
    for label, address in case.source:
        docs = r"https://docs\.pytorch\.org/docs/stable/[\w./]+\.html"
        assert re.fullmatch(rf"{docs}|https://github\.com/pytorch/pytorch/issues/\d+", address)
        assert label
    for known in case.inputs:
        assert known.options or (known.low is not None and known.high is not None)
        assert known.high is None or known.high <= 1000
    for pattern in case.errors:
        re.compile(pattern)
        assert not re.search(r"[*+]", pattern.replace(r"\*", "").replace(r"\+", ""))


def tree(function: Callable[..., Both]) -> ast.FunctionDef:
    """The syntax of a problem or a fix."""
    found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_case_takes_it_uses(case: Case) -> None:
    """A reader would move an input and nothing could change; nor would its code need it."""
    taken = set()
    for function in (case.problem, case.fix):
        takes = {argument.arg for argument in tree(function).args.args}
        names = [node for node in ast.walk(tree(function)) if isinstance(node, ast.Name)]
        assert takes <= {node.id for node in names if isinstance(node.ctx, ast.Load)}
        taken |= takes - {"dtype"}
    assert taken == {known.name for known in case.inputs}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fix_that_returns_something_else_names_it(case: Case) -> None:
    """The page would label the fix's numbers as what the problem's were."""
    problem, fix = (tree(function).body[-1] for function in (case.problem, case.fix))
    assert ast.unparse(problem) == ast.unparse(fix) or case.fix_sides is not None


@pytest.mark.parametrize("dtype", DTYPES)
@names
def test_the_claim_and_the_fix_hold(case: Case, dtype: str) -> None:
    """The page would claim of PyTorch what is not so, or offer a fix that mends nothing."""
    proof = prove(case, dtype=dtype)
    assert proof.problem is not None
    assert proof.fixed is not None
    assert proof.problem.verdict == case.expected, proof.problem.detail
    assert proof.fixed.verdict == case.fix_expected, proof.fixed.detail
    assert proof.holds is True
    assert proof.given.get("dtype", dtype) == dtype


@names
def test_values_are_plain(case: Case) -> None:
    """A page would keep a whole autograd graph or the frames of an error alive."""
    proof = prove(case)
    for outcome in (proof.problem, proof.fixed):
        assert outcome is not None
        for value in (outcome.left, outcome.right):
            if isinstance(value, torch.Tensor):
                assert (value.requires_grad, value.layout) == (False, torch.strided)
            if isinstance(value, Exception):
                assert value.__traceback__ is value.__context__ is None
                assert "\n" not in str(value)
            assert shown(value)
        assert outcome.detail
        assert len(outcome.detail) < 500


def settings(known: Input) -> list[object]:
    """The values at the edges of an input."""
    return list(known.options) or [known.low, known.default, known.high]


@pytest.mark.parametrize(
    ("case", "known"),
    [(case, known) for case in HERE for known in case.inputs],
    ids=lambda part: part.name,
)
def test_the_claim_holds_at_the_edges_of_each_input(case: Case, known: Input) -> None:
    """A reader would move an input and see the claim refuted, or an error of PyTorch."""
    assert known.default in settings(known) or known.low <= known.default <= known.high  # type: ignore[operator]
    for value in settings(known):
        for dtype in DTYPES:
            proof = prove(case, dtype=dtype, **{known.name: value})
            assert proof.given[known.name] == value
            assert proof.holds is True, (value, dtype, proof.line)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("minus-zero", {"row": 4}, "row=4 is not a whole number from 0 to 3."),
        ("minus-zero", {"row": -1}, "row=-1 is not"),
        ("minus-zero", {"row": True}, "row=True is not"),
        ("minus-zero", {"row": 1.0}, "row=1.0 is not"),
        ("minus-zero", {"row": math.nan}, "row=nan is not"),
        ("minus-zero", {"row": "1"}, "row='1' is not"),
        ("minus-zero", {"row": 10**5000}, "row=a huge number is not"),
        ("minus-zero", {"row": "x" * 999}, "xxx… is not"),
        ("minus-zero", {"rows": 1}, "has no input 'rows'; it has: row, dtype."),
        ("minus-zero", {"dtype": "float16"}, "dtype='float16' is not one of: float32, float64."),
        ("minus-zero", {"dtype": torch.float32}, "dtype=torch.float32 is not"),
        ("inf-in-seen-row", {"value": "1"}, "value='1' is not one of: inf, -inf, nan."),
        ("inf-in-seen-row", {"value": ["inf"]}, "is not one of"),
        ("flush-to-zero", {}, "state of the whole process"),
    ],
)
def test_a_wrong_input_is_refused_in_a_sentence(
    name: str, given: dict[str, Any], words: str
) -> None:
    """A forged link would end in a traceback, or fill the memory."""
    with pytest.raises(ValueError, match=re.escape(words)):
        prove(case_named(name), **given)


def test_state_of_the_process_is_the_same_after_as_before() -> None:
    """Other sessions of the server would compute in another precision or draw other weights."""
    before = state()
    for case in HERE:
        for dtype in DTYPES:
            prove(case, dtype=dtype)
        assert state() == before, case.name


def test_a_caller_without_gradients_gets_the_same() -> None:
    """A case about gradients would fail where the page happens to compute without them."""
    with torch.no_grad():
        assert prove(case_named("repeated-tokens")).holds
        assert not torch.is_grad_enabled()


def test_what_needs_no_dtype_is_given_none() -> None:
    """A script would name a dtype that its code does not use."""
    assert not takes_dtype(case_named("float16"))
    assert check_inputs(case_named("float16"), {"dtype": "float64"}) == {}


def test_an_error_that_nobody_expected_is_a_result() -> None:
    """A new PyTorch would end the whole check with a traceback instead of a refuted claim."""

    def broken() -> Both:
        raise AttributeError("gone in PyTorch 9")

    case = replace(case_named("subnormals"), problem=broken)
    proof = run(case, check_inputs(case, {}))
    assert (proof.verdict, proof.holds) == ("raises", False)
    assert proof.line == "raises AttributeError"


NAN = math.nan


@pytest.mark.parametrize(
    ("left", "right", "tolerance", "verdict", "detail"),
    [
        (torch.zeros(2), torch.zeros(2), 0.0, "same", "all 2 values are the same, bit for bit"),
        (torch.zeros(1), torch.zeros(1), 0.0, "same", "the one value is the same, bit for bit"),
        (torch.zeros(2), -torch.zeros(2), 0.0, "differ", "differ in the sign of zero alone"),
        (torch.zeros(2), torch.tensor([0, 0.5]), 0.0, "differ", "1 of 2 values differs, by at"),
        (torch.zeros(2), torch.tensor([0, 0.5]), 0.5, "same", "are the same within 0.5"),
        (torch.zeros(2), torch.tensor([0, 0.6]), 0.5, "differ", "1 of 2 values differs"),
        (torch.tensor([NAN]), torch.tensor([NAN]), 0.0, "same", "bit for bit"),
        (torch.tensor([NAN]), -torch.tensor([NAN]), 0.0, "differ", "in the bits of NaN"),
        (torch.tensor([NAN]), torch.zeros(1), 9.0, "differ", "1 is NaN on one side only"),
        (torch.tensor([math.inf]), torch.zeros(1), 9.0, "differ", "by at most inf"),
        (torch.zeros(2), torch.zeros(3), 0.0, "differ", "shapes (2,) and (3,)"),
        (torch.zeros(0, 3), torch.zeros(0, 3), 0.0, "same", "no values: both have shape (0, 3)"),
        (torch.zeros(1), torch.zeros(1).double(), 0.0, "differ", "dtypes float32 and float64"),
        (torch.zeros(2).to_sparse(), torch.zeros(2), 0.0, "differ", "layouts torch.sparse_coo and"),
        (torch.tensor([True]), torch.tensor([False]), 0.0, "differ", "by at most 1"),
        (torch.tensor([2**53]), torch.tensor([2**53 + 1]), 0.0, "differ", "the one value differs"),
        ("a", "a", 0.0, "same", "both are a"),
        ("a", "b", 0.0, "differ", "a and b"),
        (True, 1, 0.0, "differ", "True and 1"),
        (torch.tensor(4), 4, 0.0, "differ", "a tensor of shape () and 4"),
        (IndexError("x"), torch.zeros(1), 0.0, "raises", "IndexError: x"),
        (IndexError("x"), TypeError("y\nz"), 0.0, "raises", "IndexError: x · TypeError: y"),
    ],
)
def test_a_verdict_goes_by_bits(
    left: Any, right: Any, tolerance: float, verdict: str, detail: str
) -> None:
    """A difference would pass for none, or be described wrongly."""
    outcome = Outcome(left, right, tolerance)
    assert outcome.verdict == verdict
    assert detail in outcome.detail


def test_the_mask_marks_what_differs() -> None:
    """The page would mark other cells than those that differ."""
    outcome = Outcome(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 3.0]]))
    assert outcome.differs is not None
    assert outcome.differs.tolist() == [[False, True]]
    assert Outcome(torch.zeros(2), torch.zeros(3)).differs is None
    assert Outcome("a", "b").differs is None


def tensors(outcome: Outcome | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Both sides of what ran, which are tensors."""
    assert outcome is not None
    assert isinstance(outcome.left, torch.Tensor)
    assert isinstance(outcome.right, torch.Tensor)
    return outcome.left, outcome.right


@pytest.mark.parametrize("dtype", DTYPES)
def test_setting_subnormals_to_zero_leaves_the_rest(dtype: str) -> None:
    """The fix would destroy the negative weights, or the smallest normal one."""
    proof = prove(case_named("subnormals"), dtype=dtype)
    before, _ = tensors(proof.problem)
    after, _ = tensors(proof.fixed)
    smallest = torch.finfo(before.dtype).smallest_normal
    small = before.abs() < smallest
    assert (before[small] < 0).any()
    assert (before[~small] <= -smallest).any()
    assert (before == smallest).any()
    assert not after[small].any()
    assert torch.equal(after[~small], before[~small])


@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("name", ["inf-in-seen-row", "inf-in-unseen-row"])
def test_inf_spoils_its_column_alone(name: str, value: str) -> None:
    """The claim would say more than is so: the other columns are right."""
    outcome = prove(case_named(name), value=value).problem
    left, right = tensors(outcome)
    asks = left[:, 1].isinf() | left[:, 1].isnan()
    assert asks.tolist() == ([True, False] if name == "inf-in-seen-row" else [False, False])
    assert right[~asks, 1].isnan().all()
    assert outcome is not None
    assert outcome.differs is not None
    assert torch.equal(outcome.differs[:, 1], ~asks)
    assert not outcome.differs[:, [0, 2]].any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["mean-with-padding", "weighted-mean", "empty-bag"])
def test_each_bag_has_its_own_mean(name: str, dtype: str) -> None:
    """The code to copy would be right for a single bag and wrong for a batch."""
    weight = torch.arange(12, dtype=DTYPES[dtype]).reshape(4, 3)
    wanted = {
        "mean-with-padding": [(weight[1] + weight[3]) / 2, weight[2]],
        "weighted-mean": [(3 * weight[1] + weight[3]) / 4, (weight[2] + weight[0]) / 2],
        "empty-bag": [(weight[1] + weight[3]) / 2, torch.zeros_like(weight[0])],
    }
    for side in tensors(prove(case_named(name), dtype=dtype).fixed):
        torch.testing.assert_close(side, torch.stack(wanted[name]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_exact_sum_is_right(dtype: str) -> None:
    """Both sides of the fix would agree on a wrong number."""
    proof = prove(case_named("sum-order"), dtype=dtype)
    assert [side.item() for side in tensors(proof.problem)] == [0, 1]
    assert proof.fixed is not None
    assert (proof.fixed.left, proof.fixed.right) == (1.0, 1.0)


def test_with_positions_order_counts() -> None:
    """The fix would show two equal results of two equal texts, and prove nothing."""
    proof = prove(case_named("order-and-context"))
    assert torch.equal(*tensors(proof.problem))
    assert proof.fixed is not None
    assert proof.fixed.verdict == "differ"
    after, before = tensors(proof.fixed)
    assert not torch.equal(after.sort(dim=0).values, before.sort(dim=0).values)


def test_training_moves_what_the_linear_is_given() -> None:
    """The steps of a reader would change nothing."""
    untrained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=0).fixed)
    trained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=3).fixed)
    assert not torch.equal(untrained, trained)


def test_autocast_leaves_float64_alone() -> None:
    """The claim would be untrue of float64."""
    ids, weight = torch.tensor([3, 1]), torch.arange(12.0).double().reshape(4, 3) / 7
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        matmul = F.linear(F.one_hot(ids, num_classes=4).double(), weight.T)
    assert Outcome(lookup, matmul).verdict == "same"
    assert lookup.dtype == torch.float64


def test_how_decay_reaches_a_row_without_gradient() -> None:
    """The reason given for weight decay on unseen rows would be untrue of an optimizer on offer."""
    before = torch.tensor([2.0, -4.0])
    after = {}
    for name in ("SGD", "Adam", "AdamW"):
        weight = nn.Parameter(before.clone())
        weight.grad = torch.zeros(2)
        getattr(torch.optim, name)([weight], lr=0.5, weight_decay=0.5).step()
        after[name] = weight.detach()
    # SGD and Adam see 0.5 * weight as the gradient: Adam's first step then is lr times its sign.
    torch.testing.assert_close(after["SGD"], before - 0.5 * 0.5 * before)
    torch.testing.assert_close(after["Adam"], before - 0.5 * before.sign())
    torch.testing.assert_close(after["AdamW"], before * (1 - 0.5 * 0.5))


def test_padding_is_zero_only_at_the_start() -> None:
    """The reason given for `padding_idx` would be untrue."""
    with torch.random.fork_rng(devices=[]):
        embedding = nn.Embedding(4, 3, padding_idx=1)
    assert not embedding.weight[1].any()
    assert embedding.weight[2].all()


def test_layers_start_as_the_myth_says_they_do_not() -> None:
    """The case's numbers would be others than PyTorch's own layers start with."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        table = nn.Embedding(1000, 16).weight.detach().abs().max()
        linear = nn.Linear(1000, 16, bias=False).weight.detach().abs().max()
    proof = prove(case_named("embeddings-start-small"), rows=1000)
    assert proof.problem is not None
    assert proof.problem.left == round(float(table), 3)
    assert proof.problem.right == round(float(linear), 3)


def proofs() -> list[Proof]:
    """One of each verdict, and one that was not run."""
    some = ("out-of-range", "minus-zero", "subnormals", "tf32")
    not_run = Proof(case_named("tf32-on-a-gpu"), {}, None, None, "not run: no CUDA device")
    return [*(prove(case_named(name)) for name in some), not_run]


def test_a_verdict_fits_one_line() -> None:
    """The list would not say what happened, or pretend of what was not run."""
    assert [proof.line for proof in proofs()] == [
        "raises IndexError and RuntimeError",
        "differ: 1 of 12 values",
        "same, bit for bit",
        "differ: 1 of 3 values (emulated)",
        "not run: no CUDA device",
    ]


def test_the_whole_is_told_to_machines() -> None:
    """A script could not tell which claim no longer holds."""
    found = as_json(proofs())
    assert [case["name"] for case in found] == [proof.case.name for proof in proofs()]
    assert [case["same"] for case in found] == [False, False, True, False, None]
    assert [case["holds"] for case in found] == [True, True, True, True, None]
    assert [case["emulated"] for case in found] == [False, False, False, True, False]
    assert found[1]["detail"] == "1 of 12 values differs in the sign of zero alone"
    assert found[4]["detail"] == "not run: no CUDA device"
    assert set(found[0]) >= {"group", "claim", "verdict", "fix_verdict", "expected", "ms", "source"}


def test_the_whole_is_told_as_a_table() -> None:
    """A bar in a sentence would break the table."""
    case = replace(case_named("minus-zero"), claim="a | b")
    table = as_markdown([prove(case), *proofs()])
    rows = table.splitlines()
    assert len(rows) == 2 + 1 + len(proofs())
    assert "| a \\| b |" in rows[2]
    columns = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert len(columns) == 1
    assert "| not run |" in rows[-1]


def test_proofs_run_side_by_side() -> None:
    """Two sessions at once would see each other's numbers."""
    with ThreadPoolExecutor(4) as pool:
        held = pool.map(lambda case: prove(case).holds, HERE * 2)
    assert all(held)
