from dataclasses import replace

import pytest

from embviz.timing.cases import plan
from embviz.timing.results import Result
from embviz.timing.settings import SKEWS
from embviz.timing.statements import OneSetting
from embviz.timing.verdicts import Judged
from tests.timing.made_results import (
    CASE,
    ROWS,
    anchor,
    flat_and_growing,
    measured,
    point,
    sentences_of,
    vocab,
)


def test_a_headline_is_the_largest_shared_size() -> None:
    """The headline compares at the largest size that both have."""
    results = vocab(["lookup", "matmul"], flat_and_growing)
    results = [
        one for one in results if one.case != replace(results[-1].case, num_embeddings=65536)
    ]
    judged = Judged(results)
    one = OneSetting(judged, judged.lines)
    assert one.headline(one.values[-1]) == (
        "at 16,384 rows lookup takes 2.0 µs, matmul 328 µs: 160x"
    )


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        (
            (0.5, 0.5, 0.5, 2, 2, 2),
            "faster than lookup up to 1,024 rows, slower from 4,096 rows; "
            "the crossover lies between 1,024 and 4,096 rows",
        ),
        (
            (2, 2, 1, 1, 0.5, 0.5),
            "slower than lookup up to 256 rows, not told apart from "
            "1,024 rows to 4,096 rows, faster from 16,384 rows; "
            "the crossover lies between 256 and 16,384 rows",
        ),
        (
            (2, 0.5, 2, 2, 0.5, 2),
            "faster than lookup at 256 and 16,384 rows, slower at 64, 1,024, 4,096 and 65,536 rows",
        ),
        ((2, 2, 2, 2, 2, 2), "slower than lookup at all 6 sizes"),
        ((1, 1, 1, 1, 1, 1), "not told apart from lookup at all 6 sizes"),
    ],
)
def test_where_methods_cross(ratios: tuple[float, ...], expected: str) -> None:
    """The sentences name the sizes at which matmul is faster and slower."""
    factor = dict(zip(ROWS, ratios, strict=True))
    results = vocab(
        ["lookup", "matmul"],
        lambda case: 2e-6 * (1 if case.method == "lookup" else factor[case.num_embeddings]),
    )
    assert f"Matmul is {expected}." in sentences_of(results)


def test_the_closest_to_lookup_and_matmul_are_compared() -> None:
    """Without lookup or matmul the headline compares the first method of each route."""
    cases = plan(
        "vocab",
        [64],
        ["index_select", "sparse_matmul", "embedding_bag"],
        ["cpu"],
        embedding_dim=8,
        tokens=4,
    )
    assert (
        "At 64 rows index_select takes 1.0 µs, sparse (CSR) matmul 1.0 µs: not told apart."
        in sentences_of([measured(case, 1e-6) for case in cases])
    )


def test_a_backward_pass_is_named() -> None:
    """A backward pass is always named."""
    results = vocab(
        ["lookup", "lookup_sparse"],
        lambda case: 2e-6 if "sparse" in case.method else 1e-9 * case.num_embeddings,
        pass_="backward",
    )
    found = sentences_of(results)[-8:]
    start = next(k for k, one in enumerate(found) if one.startswith("Forward + backward: at"))
    assert found[start].startswith(
        "Forward + backward: at 65,536 rows lookup takes 66 µs, "
        "lookup with sparse gradients 2.0 µs: 0.03"
    )


def test_kinds_of_ids() -> None:
    """Kinds of ids are called kinds and have no exponent."""
    results: list[Result] = [anchor(CASE)]
    for ids in SKEWS:
        cases = plan(
            "ids",
            [ids],
            ["lookup", "matmul"],
            ["cpu"],
            num_embeddings=4096,
            embedding_dim=64,
            tokens=64,
        )
        lookup = {"uniform": 2e-6, "zipf": 1.5e-6, "equal": 1e-6}[ids]
        results += point(
            cases, lambda case, lookup=lookup: lookup if case.method == "lookup" else 1e-4
        )
    found = sentences_of(results)
    assert "With zipf ids lookup takes 1.5 µs, matmul 100 µs: 67x." in found
    fastest = "Lookup is fastest with equal ids (1.0 µs): 1.50x with zipf ids, 2.0x with uniform"
    assert f"{fastest} ids." in found
    assert "Matmul takes 100 µs with all 3 kinds of ids: not told apart." in found
    assert not any("exponent" in one for one in found)
