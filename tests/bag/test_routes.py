"""The routes: right ones give `dense @ W.T`, wrong ones are called wrong, and each line is run."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn

from embviz.bag import routes
from embviz.bag.documents import KINDS, vectorize
from embviz.bag.matrix import checked, parse_matrix
from embviz.bag.routes import DENSE, ROUTES, run
from embviz.bag.uploads import read_upload
from embviz.bag.weight import draw_weight
from embviz.core.refused import Refused

FACTS: Any = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))
FACTS = FACTS["bag_of_words"]
WEIGHT = torch.tensor(FACTS["linear_weight"])
WRONG = {"embedding_sum", "unweighted_bag", "embedding_bag_mean", "embedding_bag_max"}
ONE_ROW = {"linear_of_a_vector", "embedding_sum", "weighted_embedding_sum"}
DENSE_ROUTES = {"dense_linear", "linear_of_a_vector"}
NAMES = {one.name for one in ROUTES}


def wrong(result: routes.Result) -> set[str]:
    """The names of the routes that are called wrong."""
    return {name for name, one in result.answers.items() if not one.right}


def bag(seed: int) -> tuple[Any, Any, torch.Tensor]:
    """A random bag: its CSR, its dense rows, and a weight of either dtype.

    Typed, of documents, or uploaded with repeated columns; with empty rows.
    """
    draw = np.random.default_rng(seed)
    rows, columns, outputs = draw.integers(1, [7, 9, 5]).tolist()
    dense = draw.choice([0, 0, 1, 1, 2, -1, 0.1, 1e9], (rows, columns)) * draw.integers(
        2, size=(rows, 1)
    )
    if seed % 3 == 0:
        csr = parse_matrix(json.dumps(dense.tolist())).csr
    elif seed % 3 == 1:
        file, half = io.BytesIO(), sp.coo_array(dense / 2)
        twice = [np.tile(part, 2) for part in (half.data, half.row, half.col)]
        given = sp.coo_array((twice[0], (twice[1], twice[2])), dense.shape)
        sp.save_npz(file, given if seed % 2 else given.asformat(draw.choice(["csr", "csc"])))
        csr = read_upload("x.npz", file.getvalue()).csr
    else:
        text = "\n".join(" ".join(f"w{k}" for k in np.flatnonzero(row > 0)) for row in dense)
        csr = vectorize(f"w0 w1 w1\n{text}\nlast", draw.choice([*KINDS])).csr
        dense = csr.toarray()
    weight = torch.from_numpy(draw.normal(size=(outputs, dense.shape[1])))
    return csr, dense, weight if draw.integers(2) else weight.float()


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_300_random_bags_agree_with_the_dense_product(first: int) -> None:
    """Every right route agrees for one row and for all; a wrong one is right where counts are 1."""
    for seed in range(first, first + 50):
        csr, dense, weight = bag(seed)
        for part, rows in ((csr, dense), *((csr[[k]], dense[[k]]) for k in range(len(dense)))):
            result = run(part, weight)
            product = torch.from_numpy(rows) @ weight.double().t()
            assert {*result.answers} == NAMES - (ONE_ROW if len(rows) > 1 else set())
            assert wrong(result) <= WRONG, seed
            for name, one in result.answers.items():
                error = (one.output.double() - product).abs()
                assert one.max_abs_error == pytest.approx(float(error.max()), abs=1e-5)
                if name not in WRONG:
                    # 64-bit sums of these sizes differ by less than 1e-13 of their terms.
                    sizes = torch.from_numpy(np.abs(rows)) @ weight.double().abs().t()
                    assert (error <= result.tolerance + 1e-13 * sizes).all(), (seed, name)
            if (part.data == 1).all():
                assert result.answers["unweighted_bag"].right


def test_the_article_and_a_count_of_two() -> None:
    """The article's numbers come out; a 2 makes all routes without counts wrong, and only them."""
    found = run(parse_matrix(json.dumps(FACTS["x_train"])).csr[[FACTS["row"]]], WEIGHT)
    assert wrong(found) == {"embedding_bag_mean", "embedding_bag_max"}
    for name in NAMES - wrong(found):
        output = found.answers[name].output
        assert output.flatten().tolist() == pytest.approx(FACTS["output"], abs=1e-6)
        assert output.shape == ((3,) if name in ONE_ROW else (1, 3)), name
    twice = run(parse_matrix("1 0 2 0").csr, WEIGHT)
    assert wrong(twice) == WRONG
    assert wrong(run(parse_matrix("2").csr, torch.full((1, 1), 1e-3))) == WRONG
    many = run(parse_matrix("1 0\n2 0\n0 0\n0 3").csr, torch.ones(1, 2))
    assert many.answers["unweighted_bag"].wrong.flatten().tolist() == [False, True, False, True]


def test_each_line_is_run_as_it_is_shown() -> None:
    """The shown setup and a route's line, run here, give the route's output."""
    csr, weight = parse_matrix("2 0 1").csr, draw_weight(3, 2, 5)
    result = run(csr, weight)
    names = {"torch": torch, "nn": nn, "X": csr, "weight": weight}
    exec(result.setup, names)  # noqa: S102 - our own lines
    for one in result.answers.values():
        assert torch.equal(eval(one.route.code, names), one.output)  # noqa: S307


def test_a_large_matrix_is_not_made_dense() -> None:
    """Above the bound the dense routes and their line are left out, and no other one."""
    csr = parse_matrix("1 0\n2 0").csr
    assert "dense_linear" in run(csr, torch.ones(1, 2), 32).answers
    found = run(csr, torch.ones(1, 2), 31)
    assert {*found.answers} == NAMES - DENSE_ROUTES - ONE_ROW
    assert DENSE not in found.setup
    assert not any(one.same_bits for one in found.answers.values())
    million = checked(sp.csr_array((1, 1_000_000)))
    assert {*run(million.csr, torch.ones(1, 1_000_000)).answers} == NAMES


def test_the_tolerance_is_the_stated_bound() -> None:
    """It is the stated bound, and rounding parts some of the routes."""
    draw = np.random.default_rng(0)
    counts = draw.integers(1, 4, (1, 1000))
    for dtype, eps in ((torch.float32, 2.0**-23), (torch.float64, 2.0**-52)):
        weight = torch.from_numpy(draw.uniform(-1, 1, (2, 1000))).to(dtype)
        result = run(sp.csr_array(counts.astype(float)), weight)
        sizes = torch.from_numpy(counts).double() @ weight.double().abs().t()
        assert torch.allclose(result.tolerance, sizes * 1002 * eps, rtol=1e-9)
        outputs = {name: one.output.flatten() for name, one in result.answers.items()}
        same = {name for name in outputs if torch.equal(outputs[name], outputs["dense_linear"])}
        assert {name for name, one in result.answers.items() if one.same_bits} == same
        assert 1 < len(same) < 12 - len(WRONG)
    assert wrong(run(parse_matrix("0.4").csr, torch.full((1, 1), 1e-45))) <= WRONG  # subnormal


def test_what_is_no_weight_or_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A weight that does not fit, or is not finite, and outputs over the budget are refused."""
    csr = parse_matrix("1 2 3 4").csr
    for weight, words in (
        (torch.ones(4, 3), r"shape \(4, 3\); .*for 4 columns .* has shape \(D, 4\).*Transpose it"),
        (torch.ones(3, 5), r"shape \(3, 5\).* a row for each output.$"),
        (torch.ones(4), r"shape \(4,\)"),
        (torch.tensor([[0.0] * 4, [0, 0, -torch.inf, 0]]), "-inf at row 1, column 2"),
        (torch.full((1, 4), 2e37), "too large for sums in torch.float32"),
        (torch.full((1, 4), 1e308, dtype=torch.float64), "too large for sums in torch.float64"),
    ):
        with pytest.raises(Refused, match=words):
            run(csr, weight)
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    rows = sp.csr_array((1024, 4))
    assert run(rows, torch.ones(8, 4)).answers
    with pytest.raises(Refused, match=r"1,025 x 8 numbers by 12 routes need .* of 1.0 MiB"):
        run(sp.csr_array((1025, 4)), torch.ones(8, 4))
    with pytest.raises(Refused, match="1 x 8 numbers by 12 routes need"):
        run(sp.csr_array(np.ones((1, 8_192))), torch.ones(8, 8_192))
    with pytest.raises(Refused, match="over the budget"):
        draw_weight(1_000_000, 10, seed=0)


def test_the_drawn_weight_is_linears_own() -> None:
    """draw_weight gives nn.Linear's own numbers, cast."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        expected = nn.Linear(7, 2, bias=False).weight.detach()
    assert torch.equal(draw_weight(7, 2, 5), expected)
    assert torch.equal(draw_weight(7, 2, 5, "float64"), expected.double())
