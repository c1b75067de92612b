from dataclasses import replace

import pytest

from embviz.timing.cases import Case, plan
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


def test_one_method_over_tokens() -> None:
    """One method alone has its growth."""
    cases = plan(
        "tokens", [1, 4, 16], ["onehot_matmul"], ["cpu"], num_embeddings=9, embedding_dim=2
    )
    results = [anchor(cases[0]), *(measured(case, 1e-6 * case.tokens) for case in cases)]
    assert sentences_of(results)[:3] == [
        "At 16 tokens one-hot built + matmul takes 16 µs.",
        "The time of one-hot built + matmul grows with exponent 1.00 (from 1 token).",
        "An exponent of 1 means twice the time for twice the tokens; "
        "0 means that their number does not matter.",
    ]


def test_a_tie_is_called_one() -> None:
    """A ratio within the noise is called not told apart."""
    cases = plan("tokens", [1], ["lookup", "matmul"], ["cpu"], num_embeddings=64, embedding_dim=64)
    tie = point(cases, lambda case: 2e-6 if case.method == "lookup" else 2.02e-6)
    assert "At 64 rows lookup takes 2.0 µs, matmul 2.0 µs: not told apart." in sentences_of(tie)
    win = point(cases, lambda case: 2e-6 if case.method == "lookup" else 1.48e-6)
    assert any(
        "At 64 rows lookup takes 2.0 µs, matmul 1.5 µs: 0.74x of lookup's time." in sentence
        for sentence in sentences_of(win)
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
            (0.5, 1, 2, 2, 2, 2),
            "faster than lookup at 64 rows, not told apart at 256 rows, "
            "slower from 1,024 rows; the crossover lies between 64 and 1,024 rows",
        ),
        (
            (1, 1, 1, 1, 1, 2),
            "not told apart from lookup up to 16,384 rows, slower at 65,536 rows",
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
    told, crossing = sentences_of(results), expected.split("; the ")
    assert f"Matmul is {crossing[0]}." in told
    assert all(f"Matmul: the {one}." in told for one in crossing[1:])


def test_the_model_says_why() -> None:
    """The model's error is stated for each method; one over 3x gives no reason."""
    cases = plan(
        "vocab",
        [1024],
        ["lookup", "index_select", "matmul", "onehot_matmul"],
        ["cpu"],
        embedding_dim=64,
        tokens=64,
    )
    results: list[Result] = [
        measured(cases[0], 2e-6, predicted_s=2e-6, dominant="overhead"),
        measured(cases[1], 2e-6, predicted_s=1.6e-6, dominant="overhead"),
        measured(cases[2], 1e-3, predicted_s=1.5e-3, dominant="compute"),
        measured(cases[3], 8e-3, predicted_s=2e-3, dominant="bandwidth"),
    ]
    found = sentences_of(results)
    assert (
        "By the model, at 1,024 rows lookup and index_select spend their time mostly on the "
        "fixed cost of a call; matmul mostly on arithmetic (8.4 MFLOP)." in found
    )
    assert (
        "The model is off by 4.0x for one-hot built + matmul, at the median: "
        "it does not explain these times." in found
    )
    assert found[-1] == (
        "The model is off by 1.00x for lookup, 1.25x for index_select and 1.50x for matmul, "
        "at the median of the points."
    )


def test_equal_amounts_are_said_once() -> None:
    """Equal amounts appear once."""
    cases = plan("vocab", [1024], ["lookup", "index_select"], ["cpu"], embedding_dim=64, tokens=64)
    results = [measured(case, 2e-6, dominant="bandwidth") for case in cases]
    assert (
        "By the model, at 1,024 rows lookup and index_select spend their time mostly on "
        "moving bytes (32.5 KiB each)." in sentences_of(results)
    )


def test_the_closest_to_lookup_and_matmul_are_compared() -> None:
    """Without lookup or matmul the headline compares the first method of each route."""
    cases = plan(
        "vocab",
        [64],
        ["numpy_take", "index_select", "sparse_matmul", "embedding_bag"],
        ["cpu"],
        embedding_dim=8,
        tokens=4,
    )
    assert (
        "At 64 rows index_select takes 1.0 µs, sparse (CSR) matmul 1.0 µs: not told apart."
        in sentences_of([measured(case, 1e-6) for case in cases])
    )
    cases = [Case("matmul", 64, 8, 4), Case("embedding_bag", 64, 8, 4)]
    assert any(
        sentence.startswith("At 64 rows embedding_bag takes 1.0 µs, matmul 1.0 µs:")
        for sentence in sentences_of([measured(case, 1e-6) for case in cases])
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
    assert found[start + 1].startswith(
        "The time of lookup with sparse gradients grows with exponent 0.00, "
        "not told apart from 0; lookup's with 1.00"
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
    assert sentences_of(results)[1:7] == [
        "With uniform ids lookup takes 2.0 µs, matmul 100 µs: 50x.",
        "With zipf ids lookup takes 1.5 µs, matmul 100 µs: 67x.",
        "With equal ids lookup takes 1.0 µs, matmul 100 µs: 100x.",
        "Lookup is fastest with equal ids (1.0 µs): 1.50x with zipf ids, 2.0x with uniform ids.",
        "Matmul takes 100 µs with all 3 kinds of ids: not told apart.",
        "Matmul is slower than lookup with all 3 kinds of ids.",
    ]


def test_kinds_that_are_alike_share_the_first_place() -> None:
    """A kind is called the fastest only beside those that are not told apart from it."""
    took = {"uniform": 2e-6, "zipf": 1.01e-6, "equal": 1e-6}
    cases = [replace(CASE, ids=ids) for ids in took]
    found = sentences_of([anchor(CASE), *(measured(case, took[case.ids]) for case in cases)])
    assert (
        "Lookup is fastest with equal and zipf ids (1.0 µs, not told apart): 2.0x with uniform ids."
        in found
    )


@pytest.mark.parametrize(
    ("slower", "faster"), [("float16", "float32"), ("float32", "float16")], ids=str
)
def test_dtypes(slower: str, faster: str) -> None:
    """Which dtype is faster is read from the run, whichever it is."""
    cases = plan(
        "dtype",
        ["float32", "float16"],
        ["lookup", "matmul"],
        ["cpu"],
        num_embeddings=64,
        embedding_dim=8,
        tokens=4,
    )
    slow = 5e-6
    found = sentences_of(
        [
            anchor(cases[0]),
            *(
                measured(one, slow if (one.method, one.dtype) == ("matmul", slower) else 1e-6)
                for one in cases
            ),
        ]
    )
    assert f"In {slower} lookup takes 1.0 µs, matmul 5.0 µs: 5.0x." in found
    assert f"Matmul is fastest in {faster} (1.0 µs): 5.0x in {slower}." in found
    assert f"Matmul is not told apart from lookup in {faster}, slower in {slower}." in found


def test_reused_outputs_are_named() -> None:
    """A reused output is part of the method's name."""
    cases = [Case("matmul", 64, 8, 4), Case("matmul", 64, 8, 4, output="reused")]
    found = sentences_of([measured(cases[0], 2e-6), measured(cases[1], 1e-6)])
    assert (
        "At 64 rows matmul takes 2.0 µs, matmul (output reused) 1.0 µs: 0.50x of matmul's time."
        in found
    )
