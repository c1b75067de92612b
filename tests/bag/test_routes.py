"""The routes: right ones give `dense @ W.T`, wrong ones are called wrong, and each line is run."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from torch import nn

from embviz.bag.matrix import parse_matrix
from embviz.bag.routes import DENSE, ROUTES, Result, run
from embviz.bag.uploads import FORMATS, read_upload
from embviz.bag.weight import draw_weight
from embviz.text.refused import Refused
from tests.bag.test_uploads import saved

WRONG = {"embedding_sum", "unweighted_bag", "embedding_bag_mean", "embedding_bag_max"}
ONE_ROW = {"linear_of_a_vector", "embedding_sum", "weighted_embedding_sum"}
NAMES = {one.name for one in ROUTES}


def wrong(result: Result) -> set[str]:
    """The names of the routes that are called wrong."""
    return {name for name, one in result.of_routes.items() if not one.right}


def test_a_count_of_two() -> None:
    """It makes all routes without counts wrong, only them, and only in its row."""
    for text in "1 0 2", "0 0 2":
        assert wrong(run(parse_matrix(text).csr, draw_weight(3, 2, 5) / 999)) == WRONG
    of_ones = run(parse_matrix("1 1 1").csr, draw_weight(3, 2, 5))
    assert wrong(of_ones) == {"embedding_bag_mean", "embedding_bag_max"}
    assert wrong(run(parse_matrix("0.4").csr, torch.full((1, 1), 1e-45))) <= WRONG  # subnormal
    many = run(parse_matrix("1 0\n2 0\n0 0\n0 3").csr, torch.ones(1, 2))
    assert many.of_routes["unweighted_bag"].wrong.flatten().tolist() == [False, True, False, True]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
def test_the_first_lines_take_what_scikit_learn_makes(vectorizer: Any, dtype: torch.dtype) -> None:
    """Its rows have their columns in another order, which a CSR tensor of PyTorch refuses."""
    made = vectorizer().fit_transform(["cats like cats and dogs", "dogs like cats"])
    assert not made.has_sorted_indices
    weight = draw_weight(4, 2, 5).to(dtype)
    names: dict[str, Any] = {"X": made, "weight": weight}
    exec("import torch\nfrom torch import nn\n" + run(made, weight).setup, names)  # noqa: S102
    assert names["csr"].col_indices().tolist() == [0, 1, 2, 3, 1, 2, 3]
    assert made.indices.tolist() == [1, 3, 0, 2, 1, 3, 2]  # the caller's own stays


def test_a_large_matrix_is_not_made_dense() -> None:
    """Above the bound the dense routes and their line are left out, and no other one."""
    csr = parse_matrix("1 0\n2 0").csr
    assert "dense_linear" in run(csr, torch.ones(1, 2), 32).of_routes
    found = run(csr, torch.ones(1, 2), 31)
    assert {*found.of_routes} == NAMES - {"dense_linear"} - ONE_ROW
    assert DENSE not in found.setup
    assert not any(one.same_bits for one in found.of_routes.values())


@pytest.mark.parametrize(
    ("rows", "weight", "words"),
    [
        (1, torch.ones(4, 3), r"\(4, 3\); .*4 columns .* shape \(D, 4\).*Transpose it"),
        (1, torch.ones(3, 5), r"shape \(3, 5\).* a row for each output.$"),
        (1, torch.full((2, 4), -torch.inf), "-inf at row 0, column 0"),
        (1, torch.full((1, 4), 5e37), "give sums too large for torch.float32"),
        (1025, torch.ones(8, 4), "1,025 × 8 numbers by 12 routes need .* of 1.0 MiB"),
    ],
)
def test_a_weight_that_does_not_fit_or_too_many_outputs(
    rows: int, weight: torch.Tensor, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weight of another shape, numbers too large, and outputs over the budget are refused."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    with pytest.raises(Refused, match=words):
        run(sp.csr_array(np.ones((rows, 4))), weight)
    assert run(sp.csr_array((1024, 4)), torch.ones(8, 4)).of_routes
    with pytest.raises(Refused, match="1 × 8 numbers by 12 routes need"):
        run(sp.csr_array(np.ones((1, 8192))), torch.ones(8, 8192))


def test_the_drawn_weight_is_linears_own() -> None:
    """draw_weight gives nn.Linear's own numbers, cast."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        expected = nn.Linear(7, 2, bias=False).weight.detach()
    for dtype in "float32", "float64":
        assert torch.equal(draw_weight(7, 2, 5, dtype), expected.to(getattr(torch, dtype)))


def bag(seed: int) -> tuple[Any, Any, torch.Tensor]:
    """A random bag: its CSR, its dense rows, and a weight of either dtype.

    Typed, or uploaded with repeated columns; with empty rows.
    """
    draw = np.random.default_rng(seed)
    dense = draw.choice([0, 0, 1, 1, 2, -1, 0.1, 1e9], draw.integers(1, 8, 2))
    dense *= draw.integers(2, size=(len(dense), 1))
    if seed % 2:
        csr = parse_matrix(str(dense.tolist())).csr
    else:
        half = sp.coo_array(dense / 2)
        twice = sp.coo_array((np.tile(half.data, 2), (*np.tile(half.coords, 2),)), dense.shape)
        csr = read_upload("x.npz", saved(twice.asformat(FORMATS[seed % 6 // 2]))).csr
    weight = torch.from_numpy(draw.normal(size=(draw.integers(1, 5), dense.shape[1])))
    return csr, dense, weight if draw.integers(2) else weight.float()


def test_random_bags_agree_with_the_dense_product() -> None:
    """Every right route agrees for one row and for all; the line shown gives the output.

    A route that forgets the counts is right where all are 1.
    """
    for seed in range(24):  # four of each kind of file, and twelve typed ones
        csr, dense, weight = bag(seed)
        for part, rows in ((csr, dense), *((csr[[k]], dense[[k]]) for k in range(len(dense)))):
            result = run(part, weight)
            product = torch.from_numpy(rows) @ weight.double().t()
            assert {*result.of_routes} == NAMES - (ONE_ROW if len(rows) > 1 else set())
            assert wrong(result) <= WRONG, seed
            assert result.of_routes["unweighted_bag"].right or (part.data != 1).any()
            names = {"torch": torch, "nn": nn, "X": part, "weight": weight}
            exec(result.setup, names)  # noqa: S102 - our own lines
            for name, one in result.of_routes.items():
                error = (one.output.double() - product).abs()
                assert one.max_abs_error == pytest.approx(float(error.max()), abs=1e-5)
                # Twice, because this product in float64 is rounded too.
                assert name in WRONG or (error <= 2 * result.tolerance).all(), (seed, name)
                assert torch.equal(eval(one.route.code, names), one.output)  # noqa: S307
