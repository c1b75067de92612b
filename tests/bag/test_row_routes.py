import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from embviz.bag import all_rows
from embviz.bag.all_rows import MatrixResult, SizeError, run_matrix
from embviz.bag.contributions import contributions
from embviz.bag.documents import vectorize
from embviz.bag.layers import WeightError, check_weight, draw_weight, tie_weight
from embviz.bag.matrix import Matrix, from_parts, parse_matrix
from embviz.bag.memory import COLUMNS, memory_forecast
from embviz.bag.order import order_of_sum
from embviz.bag.row_routes import RowResult, run_row
from embviz.bag.tolerance import Reference, gamma
from embviz.core.config import ConfigError

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))[
    "bag_of_words"
]
QUICK = settings(deadline=None, max_examples=60)
RIGHT = ["dense_linear", "weighted_embedding_sum", "embedding_bag", "sparse_matmul", "scipy_matmul"]
RIGHT_AT_ONCE = ["dense_linear", "embedding_bag", "sparse_matmul", "scipy_matmul"]
WEIGHT = torch.tensor(FACTS["linear_weight"])
TYPED = parse_matrix(json.dumps(FACTS["x_train"]))


def untidy(dtype: type = np.float32, index: type = np.int32) -> Matrix:
    """Unsorted and repeated ids, a stored zero, an empty row first, in the middle and last."""
    return from_parts(
        (5, 4),
        np.array([0, 0, 4, 4, 7, 7], dtype=index),
        np.array([3, 1, 3, 0, 2, 2, 0], dtype=index),
        np.array([1, 2, 0.5, 0, 1, 1, 1], dtype=dtype),
    )


def frozen(matrix: Matrix) -> Matrix:
    """The same in memory that nobody may write to, as an upload's may be."""
    parts = [part.copy() for part in (matrix.csr.data, matrix.csr.indices, matrix.csr.indptr)]
    for part in parts:
        part.flags.writeable = False
    made = scipy.sparse.csr_array(tuple(parts), shape=matrix.shape)
    return Matrix(made, matrix.columns, matrix.documents)


MATRICES = {
    "typed": TYPED,
    "counts": parse_matrix("2 0 1 0\n0 0 0 0\n0 0.5 -3 1"),
    "untidy": untidy(),
    "untidy, float64 and int64": untidy(np.float64, np.int64),
    "float64": parse_matrix("0.1 0 0.2 0"),
    "one word": parse_matrix("0 1 0 0\n0 3 0 0"),
    "read-only": frozen(untidy()),
    "read-only, float64": frozen(untidy(np.float64)),
}


def wrong(result: RowResult) -> set[str]:
    """The routes that did not give the product."""
    return {route.name for route in result.routes if not route.right}


# --- the seed figures, and what the articles got wrong ---


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_seed_figures_hold_on_every_right_route(dtype: torch.dtype) -> None:
    """The page would not show the numbers of the articles that it corrects."""
    result = run_row(TYPED.row(FACTS["row"]), tie_weight(WEIGHT.to(dtype)))
    assert result.row.indices.tolist() == FACTS["row_indices"]
    assert wrong(result) == {"embedding_bag_mean", "embedding_bag_max"}
    for name in [*RIGHT, "embedding_sum"]:  # 0/1: here the short way is right too
        route = result.route(name)
        assert [round(value, 4) for value in route.output.tolist()] == FACTS["output"], name
        assert route.max_abs_error < (1e-7 if dtype is torch.float32 else 1e-15)
        assert route.near_dense
        assert route.output.dtype is dtype
    assert result.routes[0].name == "dense_linear"
    assert result.routes[0].comparison.bitwise_equal


def test_a_count_of_two_breaks_the_sum_of_ids_and_not_the_weighted_one() -> None:
    """The mistake that people copy from the articles would be shown as right."""
    result = run_row(parse_matrix("2 0 1 0").row(0), tie_weight(WEIGHT))
    assert wrong(result) == {"embedding_sum", "embedding_bag_mean", "embedding_bag_max"}
    plain, bag = result.route("embedding_sum"), result.route("embedding_bag")
    assert [round(value, 4) for value in plain.output.tolist()] == FACTS["output"]
    # 2 · column 0 + column 2, by hand.
    assert bag.output.tolist() == pytest.approx([-0.3584, 1.0610, -1.1366], abs=1e-6)
    assert plain.max_abs_error == pytest.approx(0.3786, abs=1e-6)  # one column 0 is missing
    assert not plain.near_dense
    assert plain.why == "It forgets row.data: column 0 is stored as 2 and added once, as 1."


def test_tf_idf_breaks_it_too() -> None:
    """TfidfVectorizer, for which the articles recommend it, would seem to be safe."""
    matrix = vectorize("the cat\nthe dog saw the cat", "tfidf")
    layers = tie_weight(draw_weight(4, 3, seed=123))
    for index in (0, 1):
        result = run_row(matrix.row(index), layers)
        assert {"embedding_sum"} < wrong(result)
        assert not wrong(result) & set(RIGHT)
        assert result.route("embedding_sum").max_abs_error > 0.01
        assert "' is stored as 0." in result.route("embedding_sum").why


def test_documents_of_zeros_and_ones_and_counts() -> None:
    """The page would call a route right or wrong by the vectorizer's name, not its numbers."""
    layers = tie_weight(draw_weight(2, 3, seed=1))
    assert "embedding_sum" not in wrong(run_row(vectorize("cat the cat", "binary").row(0), layers))
    counted = run_row(vectorize("cat the cat", "count").row(0), layers)
    assert "embedding_sum" in wrong(counted)
    assert "'cat' is stored as 2" in counted.route("embedding_sum").why


def test_a_wrong_route_that_meets_the_right_number_is_said_to_do_so_by_chance() -> None:
    """A column of zeros would teach that counts do not matter."""
    weight = torch.tensor([[0.0, 1.0]])
    result = run_row(parse_matrix("5 1").row(0), tie_weight(weight))
    assert result.route("embedding_sum").right
    assert "by chance" in result.route("embedding_sum").why
    assert result.route("embedding_bag_max").right
    assert "by chance" in result.route("embedding_bag_max").why


def test_mean_and_max_are_what_pytorch_says_they_are() -> None:
    """The page would show another number than the mode's, or a wrong reason."""
    table = WEIGHT.t().contiguous()
    result = run_row(parse_matrix("2 0 1 0").row(0), tie_weight(WEIGHT))
    mean, most = result.route("embedding_bag_mean"), result.route("embedding_bag_max")
    assert torch.allclose(mean.output, (table[0] + table[2]) / 2)
    assert torch.equal(most.output, torch.maximum(table[0], table[2]))
    for mode in ("mean", "max"):
        with pytest.raises(NotImplementedError, match="only supported for mode='sum'"):
            F.embedding_bag(
                torch.tensor([0, 2]),
                table,
                torch.tensor([0]),
                mode=mode,
                per_sample_weights=torch.ones(2),
            )
        why = result.route(f"embedding_bag_{mode}").why
        assert why.endswith("PyTorch takes per_sample_weights for mode='sum' only.")
    assert not wrong(run_row(MATRICES["one word"].row(0), tie_weight(WEIGHT)))
    thrice = run_row(MATRICES["one word"].row(1), tie_weight(WEIGHT))
    assert wrong(thrice) == {"embedding_sum", "embedding_bag_mean", "embedding_bag_max"}
    assert mean.why.startswith("It gives the mean of 2 rows")
    assert thrice.route("embedding_bag_mean").why.startswith("It gives the one row, without")


def test_an_empty_row_is_zeros_on_every_route() -> None:
    """A document of only stop words would raise an error, or get the numbers of another."""
    for index, data in [(np.int32, np.float32), (np.int64, np.float64)]:
        result = run_row(untidy(data, index).row(2), tie_weight(WEIGHT))
        assert wrong(result) == set()
        for route in result.routes:
            assert route.output.tolist() == [0.0, 0.0, 0.0], route.name
        assert not result.reference.tolerance.any()


# --- what is shown is what was run ---


def run_shown(setup: str, matrix: Matrix, weight: torch.Tensor, codes: list[str]) -> list[Any]:
    """The value of each line, after the setup, in a namespace of its own."""
    names = {"X": matrix.csr.copy(), "weight": weight, "torch": torch, "nn": nn}
    with torch.random.fork_rng():
        exec(setup, names)  # noqa: S102 - our own lines
    return [torch.as_tensor(eval(code, names)).detach() for code in codes]  # noqa: S307


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", MATRICES)
def test_the_lines_shown_give_the_numbers_shown(name: str, dtype: torch.dtype) -> None:
    """A person who copies a route's line would get other numbers, or an error."""
    matrix, weight = MATRICES[name], WEIGHT.to(dtype)
    layers = tie_weight(weight)
    results: list[RowResult | MatrixResult] = [run_matrix(matrix, layers)]
    results += [run_row(matrix.row(index), layers) for index in range(matrix.shape[0])]
    for result in results:
        found = run_shown(result.setup, matrix, weight, [route.code for route in result.routes])
        for route, output in zip(result.routes, found, strict=True):
            assert torch.equal(output, route.output), (route.name, result.setup)
        assert max(len(line) for line in result.setup.splitlines()) <= 100
        assert max(len(route.code) for route in result.routes) <= 60


def test_a_matrix_is_left_as_it_was() -> None:
    """The page would show tidied ids after the routes had run, for scipy tidies in place."""
    for name, matrix in MATRICES.items():
        before = [part.copy() for part in (matrix.csr.indptr, matrix.csr.indices, matrix.csr.data)]
        result = run_matrix(matrix, tie_weight(WEIGHT))
        for index in range(matrix.shape[0]):
            run_row(matrix.row(index), tie_weight(WEIGHT.double()))
            contributions(matrix.row(index), tie_weight(WEIGHT))
            order_of_sum(matrix.row(index), tie_weight(WEIGHT))
        after = [matrix.csr.indptr, matrix.csr.indices, matrix.csr.data]
        assert all(map(np.array_equal, before, after)), name
        assert result.matrix is matrix


# --- the property ---


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    """Any CSR: empty rows, stored zeros, ids in any order and repeated, both dtypes of each."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    index = draw(st.sampled_from([np.int32, np.int64]))
    columns = draw(st.integers(1, 8))
    width = np.dtype(dtype).itemsize * 8
    values = st.one_of(
        st.sampled_from([0.0, 1.0, 1.0, 2.0, -1.0]),
        st.floats(-1000, 1000, width=width),
        st.floats(-(2.0**30), 2.0**30, width=width, allow_subnormal=True),
    )
    entries = st.lists(st.tuples(st.integers(0, columns - 1), values), max_size=12)
    rows = draw(st.lists(entries, min_size=1, max_size=5))
    stored = [entry for row in rows for entry in row]
    return from_parts(
        (len(rows), columns),
        np.cumsum([0, *map(len, rows)]).astype(index),
        np.array([column for column, _ in stored], dtype=index),
        np.array([value for _, value in stored], dtype=dtype),
    )


@st.composite
def weights(draw: st.DrawFn, columns: int) -> torch.Tensor:
    """Any finite weight of a few outputs, numbers of every size among them."""
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    numbers = st.one_of(
        st.floats(-2, 2, width=dtype.itemsize * 8),
        st.floats(-(2.0**40), 2.0**40, width=dtype.itemsize * 8, allow_subnormal=True),
    )
    dim = draw(st.integers(1, 4))
    row = st.lists(numbers, min_size=columns, max_size=columns)
    return torch.tensor(draw(st.lists(row, min_size=dim, max_size=dim)), dtype=dtype)


def exact_product(matrix: Matrix, weight: torch.Tensor) -> list[list[Fraction]]:
    """The product in rational numbers, found with none of embviz's or scipy's arithmetic."""
    numbers = [[Fraction(number) for number in row] for row in weight.tolist()]
    found = []
    for row in map(matrix.row, range(matrix.shape[0])):
        counts = [Fraction(value) for value in row.data.tolist()]
        stored = list(zip(row.indices.tolist(), counts, strict=True))
        found.append([sum((n * line[at] for at, n in stored), Fraction()) for line in numbers])
    return found


@QUICK
@given(st.data())
def test_every_right_route_is_within_the_tolerance_of_the_product(data: st.DataObject) -> None:
    """For some matrix a right route would be called wrong, or the tolerance would be too small."""
    matrix = data.draw(matrices())
    weight = data.draw(weights(matrix.shape[1]))
    layers = tie_weight(weight)
    exact = exact_product(matrix, weight)
    at_once = run_matrix(matrix, layers)
    assert [route.right for route in map(at_once.route, RIGHT_AT_ONCE)] == [True] * 4
    assert all(at_once.route(name).near_first for name in RIGHT_AT_ONCE)
    assert at_once.tidying.same_product
    for index in range(matrix.shape[0]):
        result = run_row(matrix.row(index), layers)
        for name in RIGHT:
            route = result.route(name)
            assert route.right, name
            assert route.near_dense, name
            pairs = zip(route.output.tolist(), exact[index], strict=True)
            errors = [abs(Fraction(output) - true) for output, true in pairs]
            allowed = map(Fraction, result.reference.tolerance.tolist())
            assert all(error <= most for error, most in zip(errors, allowed, strict=True)), name
        product = at_once.reference.product[index]
        tolerances = result.reference.tolerance
        assert torch.allclose(at_once.reference.tolerance[index], tolerances, rtol=1e-9, atol=1e-20)
        assert bool(((product - result.reference.product).abs() <= tolerances).all())
        if matrix.row(index).binary:
            assert result.route("embedding_sum").right
            assert index not in at_once.route("unweighted_bag").wrong_rows


def test_the_tolerance_is_small_enough_to_notice_a_mistake() -> None:
    """One word forgotten among a thousand would pass for rounding."""
    generator = np.random.default_rng(0)
    counts = generator.integers(1, 4, (1, 1000)).astype(np.float32)
    weight = torch.from_numpy(generator.uniform(-1, 1, (8, 1000)).astype(np.float32))
    result = run_row(parse_matrix(json.dumps(counts.tolist())).row(0), tie_weight(weight))
    assert not wrong(result) & set(RIGHT)
    sizes = torch.from_numpy(counts).double() @ weight.double().abs().t()
    assert torch.allclose(result.reference.tolerance, sizes[0] * 1001 * 2.0**-24, rtol=1e-3)
    for word in range(0, 1000, 97):
        lacking = result.routes[0].output - counts[0, word] * weight[:, word]
        assert not result.reference.accepts(lacking).all()


def test_a_number_that_is_none_is_never_accepted() -> None:
    """An overflow would be called right, because NaN compares with nothing."""
    reference = Reference(torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64))
    assert reference.accepts(torch.tensor([0.5, -1.0, 1.0])).tolist() == [True] * 3
    outputs = torch.tensor([math.nan, math.inf, 1.5])
    assert reference.accepts(outputs).tolist() == [False] * 3
    endless = Reference(reference.product, torch.full((3,), math.inf, dtype=torch.float64))
    assert not endless.accepts(torch.zeros(3)).any()
    assert not endless.accepts_pair(torch.zeros(3), torch.zeros(3))


@pytest.mark.parametrize(("dtype", "large"), [(torch.float32, 2e38), (torch.float64, 1e308)])
def test_an_overflow_is_wrong_and_says_so(dtype: torch.dtype, large: float) -> None:
    """An infinite output would stand there without a word."""
    weight = torch.tensor([[large, large]], dtype=dtype)
    layers = tie_weight(weight)
    result = run_row(parse_matrix("1 1").row(0), layers)
    name = str(dtype).removeprefix("torch.")
    for route in map(result.route, RIGHT):
        assert (route.right, route.why) == (False, f"A number on the way is too large for {name}.")
    whole_result = run_matrix(parse_matrix("1 1"), layers)
    assert not whole_result.routes[0].right


def test_the_bound_is_highams() -> None:
    """The tolerance would not be the one that the page names."""
    unit = 2.0**-24
    for terms in (0, 1, 2, 1000, 2**22):
        assert float(gamma(terms, torch.float32)) == terms * unit / (1 - terms * unit)
    assert gamma(np.array([[1], [3]]), torch.float64).shape == (2, 1)
    with pytest.raises(ValueError, match=r"8,388,608 stored values is too long .* use float64"):
        gamma(2**23, torch.float32)
    assert float(gamma(2**23, torch.float64)) < 1e-8


# --- the layers ---


@pytest.mark.parametrize(("columns", "dim"), [(4, 3), (1, 1), (70, 2)])
def test_the_drawn_weight_is_linears_own(columns: int, dim: int) -> None:
    """A learner who repeats the example in plain PyTorch would get other numbers."""
    for seed in (0, 123, 2**32 - 1):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            expected = nn.Linear(columns, dim, bias=False).weight.detach()
        before = torch.get_rng_state()
        drawn = draw_weight(columns, dim, seed)
        assert torch.equal(torch.get_rng_state(), before)
        assert torch.equal(drawn, expected)
        assert drawn.is_contiguous()
        assert not drawn.requires_grad
        assert torch.equal(draw_weight(columns, dim, seed, torch.float64), expected.double())


def test_the_layers_hold_one_weight_and_leave_the_given_one_alone() -> None:
    """A route would compute with other numbers, or training would change the user's table."""
    for weight in (WEIGHT, WEIGHT[:1], WEIGHT[:, :1], WEIGHT.t().contiguous().t()):
        layers = tie_weight(weight)
        assert torch.equal(layers.weight, weight)
        assert torch.equal(layers.table, weight.t())
        assert layers.table.is_contiguous()
        for bag in (layers.sum_bag, layers.mean_bag, layers.max_bag):
            assert bag.weight.data_ptr() == layers.table.data_ptr()
        pointers = {weight.data_ptr(), layers.weight.data_ptr(), layers.table.data_ptr()}
        assert len(pointers) == 3
    assert [layers.sum_bag.mode, layers.mean_bag.mode, layers.max_bag.mode] == [
        "sum",
        "mean",
        "max",
    ]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.ones(4, 3), r"shape \(4, 3\).*has shape \(D, 4\).*transpose it"),
        (torch.ones(3, 5), r"shape \(3, 5\).*4 columns of the matrix has shape \(D, 4\)"),
        (torch.ones(4), r"shape \(4,\)"),
        (torch.ones(0, 4), r"shape \(0, 4\)"),
        (torch.tensor([[1, 2, 3, math.nan]]), "nan at row 0, column 3"),
        (torch.tensor([[0.0] * 4, [0, -math.inf, 0, 0]]), "-inf at row 1, column 1"),
        (torch.ones(3, 4, dtype=torch.bfloat16), "bfloat16 cannot be used here"),
        (torch.ones(3, 4, dtype=torch.int64), "int64 cannot be used here"),
    ],
)
def test_a_weight_that_does_not_fit_is_refused(weight: torch.Tensor, message: str) -> None:
    """NaN would spread over every output, or a turned table give a traceback."""
    with pytest.raises(WeightError, match=message):
        check_weight(weight, 4)


def test_layers_of_another_matrix_are_refused() -> None:
    """A new vocabulary would meet the old one's weight."""
    layers = tie_weight(torch.ones(3, 5))
    for run in (run_row, contributions, order_of_sum):
        with pytest.raises(WeightError, match=r"4 columns of the matrix has shape \(D, 4\)"):
            run(TYPED.row(0), layers)
    with pytest.raises(WeightError, match=r"4 columns of the matrix has shape \(D, 4\)"):
        run_matrix(TYPED, layers)
    for bad in (torch.tensor(1.0), torch.tensor([[math.nan]])):
        with pytest.raises(WeightError):
            tie_weight(bad)


def test_sizes_over_the_budget_are_refused_before_they_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large vocabulary times many outputs would take the server's memory."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    with pytest.raises(ConfigError, match="over the budget"):
        draw_weight(1_000_000, 10, seed=0)
    layers = tie_weight(torch.ones(8, 4))
    many = from_parts((10_000, 4), np.zeros(10_001, np.int32), np.zeros(0, np.int32), np.zeros(0))
    with pytest.raises(SizeError, match=r"10,000 · 8 · \d+ B = .* over the budget of 1.0 MiB"):
        run_matrix(many, layers)


def test_a_value_too_large_for_the_weight_is_refused_by_name() -> None:
    """1e300 would become inf in float32, and every output NaN."""
    matrix = parse_matrix("0 1 0 0\n1 0 1e300 0")
    assert matrix.csr.dtype == np.float64
    message = r"1e\+300 in row 1, column 2 is too large for a weight of float32; use float64"
    with pytest.raises(WeightError, match=message):
        run_row(matrix.row(1), tie_weight(WEIGHT))
    with pytest.raises(WeightError, match=message):
        run_matrix(matrix, tie_weight(WEIGHT))
    assert not wrong(run_row(matrix.row(1), tie_weight(WEIGHT.double()))) & set(RIGHT)


# --- the whole matrix ---


def test_a_whole_matrix_gives_what_its_rows_give() -> None:
    """The indptr as offsets would be off by a row, or lose the empty ones."""
    matrix = untidy()
    result = run_matrix(matrix, tie_weight(WEIGHT))
    assert [route.name for route in result.routes] == list(all_rows._ROUTES)
    assert result.empty_rows.tolist() == [0, 2, 4]
    for index in range(5):
        alone = run_row(matrix.row(index), tie_weight(WEIGHT))
        for name in RIGHT_AT_ONCE:
            there = alone.route(name).output.tolist()
            assert result.route(name).output[index].tolist() == pytest.approx(there), name
    assert result.route("unweighted_bag").wrong_rows.tolist() == [1]  # row 3 stores ones only
    assert not result.route("unweighted_bag").right
    assert result.route("embedding_bag").right
    dense = nn.functional.linear(torch.from_numpy(matrix.csr.toarray()), WEIGHT)
    assert torch.equal(result.routes[0].output, dense)


def test_what_sum_duplicates_does_is_counted() -> None:
    """The page would say that nothing changed, or that a product did."""
    tidying = run_matrix(untidy(), tie_weight(WEIGHT)).tidying
    assert (tidying.before, tidying.after, tidying.unsorted_rows) == (7, 5, 2)
    assert (tidying.explicit_zeros, tidying.same_product) == (1, True)
    assert tidying.max_abs_difference < 1e-6
    tidy = run_matrix(TYPED, tie_weight(WEIGHT)).tidying
    assert (tidy.before, tidy.after, tidy.unsorted_rows, tidy.max_abs_difference) == (7, 7, 0, 0.0)


def test_a_large_matrix_is_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 documents x 50,000 words would need 20 GB."""
    rows, columns = 20_000, 50_000
    generator = np.random.default_rng(0)
    indices = np.sort(generator.integers(0, columns, (rows, 5), dtype=np.int32)).ravel()
    matrix = from_parts(
        (rows, columns),
        np.arange(0, rows * 5 + 1, 5, dtype=np.int32),
        indices,
        generator.integers(1, 3, rows * 5).astype(np.float32),
    )
    layers = tie_weight(draw_weight(columns, 3, seed=1))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("made dense")

    monkeypatch.setattr(scipy.sparse.csr_array, "toarray", refuse)
    result = run_matrix(matrix, layers)
    assert not result.densified
    assert result.dense_bytes == 4_000_000_000
    assert [route.name for route in result.routes] == list(all_rows._ROUTES)[1:]
    assert [route.right for route in result.routes] == [True, False, True, True]
    assert result.routes[0].comparison.bitwise_equal
    monkeypatch.undo()
    limit = TYPED.dense_bytes
    assert run_matrix(TYPED, tie_weight(WEIGHT), limit).densified
    assert not run_matrix(TYPED, tie_weight(WEIGHT), limit - 1).densified


def test_a_row_of_a_million_columns_runs() -> None:
    """The dense route would be refused where it still needs 4 MB only."""
    columns = 1_000_000
    ids = np.array([999_999, 5], dtype=np.int64)
    matrix = from_parts((1, columns), np.array([0, 2]), ids, np.array([2.0, 1.0], np.float32))
    result = run_row(matrix.row(0), tie_weight(draw_weight(columns, 1, seed=0)))
    assert wrong(result) == {"embedding_sum", "embedding_bag_mean", "embedding_bag_max"}
    assert result.routes[0].work.multiplications == columns


# --- costs, contributions, memory, order ---


def test_the_work_of_a_row_is_counted_by_hand() -> None:
    """A route would look cheaper or dearer than it is."""
    result = run_row(untidy().row(1), tie_weight(WEIGHT))  # 4 stored, 3 distinct, V = 4, D = 3
    counted = {
        route.name: (route.work.multiplications, route.work.bytes_touched)
        for route in result.routes
    }
    rows, copy, ids, data, output = 3 * 3 * 4, 4 * 3 * 4, 4 * 4, 4 * 4, 3 * 4
    assert counted == {
        "dense_linear": (12, 4 * 4 + 4 * 3 * 4 + output),
        "embedding_sum": (0, ids + rows + copy + output),
        "weighted_embedding_sum": (12, ids + data + rows + 2 * copy + output),
        "embedding_bag": (12, ids + data + 8 + rows + output),
        "sparse_matmul": (9, 2 * 4 + 3 * 8 + rows + output),
        "scipy_matmul": (12, 2 * 4 + ids + data + rows + output),
        "embedding_bag_mean": (3, ids + 8 + rows + output),
        "embedding_bag_max": (0, ids + 8 + rows + output),
    }
    wide = run_row(untidy(index=np.int64).row(1), tie_weight(WEIGHT.double()))
    assert wide.route("embedding_bag").work.bytes_touched == 2 * (rows + output + ids + data) + 8


def test_contributions_add_up_to_the_output() -> None:
    """A bar would stand for a part that is not in the sum, or twice in it."""
    found = contributions(untidy().row(1), tie_weight(WEIGHT))
    assert found.columns.tolist() == [0, 1, 3]
    assert found.counts.tolist() == [0.0, 2.0, 1.5]
    expected = WEIGHT.double().t().numpy()[[0, 1, 3]] * np.array([[0.0], [2.0], [1.5]])
    assert np.array_equal(found.values, expected)
    product = run_row(untidy().row(1), tie_weight(WEIGHT)).reference.product
    assert found.values.sum(0).tolist() == pytest.approx(product.tolist())
    assert found.strongest(1).columns.tolist() == [1]
    assert found.strongest(2).columns.tolist() == [1, 3]
    assert found.strongest(9).columns.tolist() == [0, 1, 3]
    empty = contributions(untidy().row(0), tie_weight(WEIGHT))
    assert (empty.values.shape, empty.counts.shape) == ((0, 3), (0,))
    assert empty.strongest(2).values.shape == (0, 3)


def test_the_memory_forecast_is_what_arrays_really_take() -> None:
    """The bars would not be those of real matrices."""
    rows = 40
    for dtype, kind in [(torch.float32, np.float32), (torch.float64, np.float64)]:
        for columns in (100, 1000):
            dense = np.zeros((rows, columns), dtype=kind)
            dense[:, :7] = 1
            csr = scipy.sparse.csr_array(dense)
            (found,) = memory_forecast(rows, 7, dtype, (columns,))
            assert found.dense_bytes == dense.nbytes
            assert found.csr_bytes == sum(p.nbytes for p in (csr.data, csr.indices, csr.indptr))
    assert [found.columns for found in memory_forecast(10, 3.5)] == list(COLUMNS)
    assert COLUMNS == (100, 1000, 10_000, 100_000, 1_000_000)
    assert memory_forecast(10, 500)[0].csr_bytes == memory_forecast(10, 100)[0].csr_bytes
    assert memory_forecast(10**6, 3000)[-1].csr_bytes == 3 * 10**9 * 12 + (10**6 + 1) * 8


def test_another_order_of_the_same_terms_gives_other_bits() -> None:
    """The page would have no example of why right routes differ."""
    weight = torch.tensor([[1e8, 1.0, -1e8]])
    found = order_of_sum(parse_matrix("1 1 1").row(0), tie_weight(weight))
    sums = {name: output.tolist() for name, output in found.sums.items()}
    assert sums["as stored"] == sums["backwards"] == [0.0]  # the 1 is lost beside 1e8
    assert sums["smallest first"] == [0.0]
    assert sums["largest first"] == [1.0]
    assert found.max_abs_difference == 1.0
    assert "added largest first instead of as stored, differ by up to 1, and" in found.sentence


def test_an_order_that_changes_nothing_says_so() -> None:
    """The page would claim a difference where there is none, or fail on an empty row."""
    layers = tie_weight(WEIGHT)
    for index, terms in [(0, 2), (2, 3)]:
        found = order_of_sum(TYPED.row(index), layers)
        assert found.num_terms == terms
        assert (found.max_abs_difference == 0) == ("the same sums" in found.sentence)
    two = order_of_sum(TYPED.row(0), layers)
    assert (
        two.sentence == "Two terms of this row give the same sums in any of these orders, as ever."
    )
    assert two.max_ulp == 0
    empty = order_of_sum(untidy().row(0), layers)
    assert all(output.tolist() == [0.0] * 3 for output in empty.sums.values())
    assert (empty.num_terms, empty.max_abs_difference) == (0, 0.0)
