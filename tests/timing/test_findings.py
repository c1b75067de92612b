"""What is said of a run, on runs whose right findings are known."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.timing.cases import Case, plan
from embviz.timing.chart_lines import lines, varying
from embviz.timing.findings import headline, sentences
from embviz.timing.growth import Growth, growth
from embviz.timing.methods import METHODS
from embviz.timing.phrases import format_time, times
from embviz.timing.results import TERMS, Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import PASSES, SKEWS
from embviz.timing.verdicts import (
    MIN_NOISE,
    control_indistinguishable,
    noise,
    noises,
    notch,
    ratio,
    verdict,
)

QUICK = settings(deadline=None, max_examples=60)
ROWS = [64, 256, 1024, 4096, 16384, 65536]
CASE = Case("lookup", 64, 8, 4)


def measured(
    case: Case, seconds: float, spread: float = 0.001, control: bool = False, **more: Any
) -> Measurement:
    """Nine blocks whose median is `seconds` and whose IQR is `spread` of it."""
    steps = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]  # quartiles at -1 and 1
    blocks = tuple(seconds * (1 + spread / 2 * step) for step in steps)
    return Measurement(case, blocks, 10, control=control, **more)


def point(
    cases: Sequence[Case], seconds: Callable[[Case], float], again: float = 1.001, **more: Any
) -> list[Result]:
    """The results of one point; the control takes `again` times what the first method took."""
    found: list[Result] = [measured(case, seconds(case), **more) for case in cases]
    control = measured(cases[0], again * seconds(cases[0]), control=True, **more)
    return [found[0], control, *found[1:]]


def vocab(
    methods: Sequence[str],
    seconds: Callable[[Case], float],
    rows: Sequence[int] = ROWS,
    devices: Sequence[str] = ("cpu",),
    again: float = 1.001,
    **fixed: Any,
) -> list[Result]:
    """The results of a sweep over rows."""
    found = []
    for device in devices:
        for value in rows:
            cases = plan(
                "vocab", [value], methods, [device], **{"embedding_dim": 64, "tokens": 64, **fixed}
            )
            found += point(cases, seconds, again)
    return found


def flat_and_growing(case: Case) -> float:
    """Lookup always takes 2 µs, index_select 1.5 % more; matmul 20 ns a row, others 30 ns."""
    if METHODS[case.method].route == "lookup":
        return 2e-6 * (1 if case.method == "lookup" else 1.015)
    return 20e-9 * case.num_embeddings * (1 if case.method == "matmul" else 1.5)


def said(results: Sequence[Result]) -> list[str]:
    """The sentences on these results."""
    return sentences(Run("r", {}, tuple(results)))


# --- statistics


def test_noise_is_how_far_a_method_is_from_itself() -> None:
    """Differences would be told apart that the machine makes on its own."""
    first, again = measured(CASE, 1.0), measured(CASE, 1.1, control=True)
    matmul = measured(replace(CASE, method="matmul"), 9.0)
    assert noise([first, again, matmul]) == pytest.approx(1.1)
    assert noise([first, measured(CASE, 0.8, control=True)]) == pytest.approx(1.25)
    assert noise([first, matmul]) is None
    assert noise([again, matmul]) is None
    assert noise([again, Failure(CASE, "gone")]) is None
    assert noise([]) is None


def test_each_point_has_its_own_noise() -> None:
    """One bad moment would hide the differences at every other size."""
    results = [
        *point([CASE], lambda _: 1.0, 1.01),
        *point([replace(CASE, tokens=9)], lambda _: 1.0, 1.3),
        *point([replace(CASE, pass_="backward")], lambda _: 1.0, 1.2),
        measured(replace(CASE, tokens=99), 1.0),
    ]
    assert [round(value, 3) for value in noises(results).values()] == [1.01, 1.3, 1.2]


def test_the_notch_is_that_of_mcgill_tukey_and_larsen() -> None:
    """Verdicts would be surer, or less sure, than the reference they name."""
    one = measured(CASE, 2.0, spread=0.3)
    assert one.iqr_s == pytest.approx(0.6)
    low, high = notch(one)
    bottom, top = one.quartiles_s
    factor = math.exp(1.57 * math.log(top / bottom) / 3)  # of the logarithms, nine blocks
    assert high == pytest.approx(2.0 * factor)
    assert low == pytest.approx(2.0 / factor)
    assert notch(Measurement(CASE, (2.0,), 1)) == (0.0, math.inf)


def test_blocks_that_never_overlap_are_told_apart() -> None:
    """A slow call measured five times on a busy machine would not differ from a quick one."""
    slow = Measurement(CASE, (0.034, 0.076, 0.080, 0.353, 0.483), 1)
    quick = Measurement(CASE, tuple(2.7e-6 * (1 + k) for k in range(36)), 500)
    assert verdict(slow, quick, 1.5) == "slower"
    assert verdict(quick, slow, 1.5) == "faster"


@pytest.mark.parametrize(
    ("a", "b", "spread", "known", "expected"),
    [
        (2.0, 1.0, 0.01, 1.0, "slower"),
        (1.0, 2.0, 0.01, 1.0, "faster"),
        (1.0, 1.0, 0.01, 1.0, "not distinguishable"),
        (1.05, 1.0, 0.001, 1.1, "not distinguishable"),  # within the noise of this point
        (1.05, 1.0, 0.001, 1.04, "slower"),
        (1.015, 1.0, 1e-6, 1.0, "not distinguishable"),  # under MIN_NOISE, however quiet
        (1.025, 1.0, 1e-6, None, "slower"),
        (1.1, 1.0, 0.3, 1.0, "not distinguishable"),  # the notches overlap
        (1.1, 1.0, 0.05, 1.0, "slower"),
    ],
)
def test_a_verdict_needs_more_than_noise(
    a: float, b: float, spread: float, known: float | None, expected: str
) -> None:
    """Noise would be sold as a finding, or a finding be hidden."""
    assert verdict(measured(CASE, a, spread), measured(CASE, b, spread), known) == expected


def test_one_block_is_no_verdict() -> None:
    """A single block, whose spread nobody knows, would decide."""
    one, other = (Measurement(CASE, (seconds,), 1) for seconds in (1.0, 5.0))
    assert verdict(one, other, 1.0) == "not distinguishable"


times_of_blocks = st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=12)


@given(times_of_blocks, times_of_blocks, st.none() | st.floats(1.0, 3.0))
@QUICK
def test_a_verdict_has_two_sides(a: list[float], b: list[float], known: float | None) -> None:
    """Two methods would each be called faster than the other."""
    one, other = (Measurement(CASE, tuple(blocks), 1) for blocks in (a, b))
    back = {"slower": "faster", "faster": "slower"}
    there = verdict(one, other, known)
    assert verdict(other, one, known) == back.get(there, there)
    if there != "not distinguishable":
        assert (ratio(one, other) > MIN_NOISE) == (there == "slower")


def test_a_control_can_fail() -> None:
    """The A/A check would pass by its own definition, on any machine."""
    assert control_indistinguishable(point([CASE], lambda _: 1.0, 1.01)) is True
    assert control_indistinguishable(point([CASE], lambda _: 1.0, 1.2)) is False
    assert control_indistinguishable(point([CASE], lambda _: 1.0, 1.2, spread=0.5)) is True
    assert control_indistinguishable([measured(CASE, 1.0)]) is None


def test_equal_methods_are_rarely_told_apart() -> None:
    """On a noisy machine one control in five would be called a difference."""
    random_ = random.Random(5)  # noqa: S311 -- no secret
    calm = []
    for _ in range(400):
        one, other = (
            Measurement(CASE, tuple(1e-6 * random_.lognormvariate(0, 0.15) for _ in range(30)), 1)
            for _ in range(2)
        )
        calm.append(verdict(one, other, MIN_NOISE) == "not distinguishable")
    assert sum(calm) / len(calm) >= 0.95


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_found(power: float) -> None:
    """The growth that the page names would be another."""
    results = vocab(["lookup"], lambda case: 1e-9 * case.num_embeddings**power)
    found = growth(*lines(results, "num_embeddings"), "num_embeddings")
    assert found is not None
    assert found.exponent == pytest.approx(power)
    assert (found.start, found.points) == (4096, 3)


def test_the_exponent_looks_at_the_upper_half() -> None:
    """The fixed cost of a call would flatten the growth of large sizes."""
    results = vocab(
        ["matmul"], lambda case: 1e-5 + 1e-9 * case.num_embeddings, [2**k for k in range(0, 25)]
    )
    (line,) = lines(results, "num_embeddings")
    found, from_start = growth(line, "num_embeddings"), growth(line, "num_embeddings", start=1)
    assert found is not None
    assert from_start is not None
    assert found.start == 2**12
    assert found.exponent > 0.7 > 0.5 > from_start.exponent
    assert from_start.points == 25


def test_an_exponent_needs_three_values() -> None:
    """A line through two points, or over kinds of ids, would be called growth."""
    results = vocab(["lookup"], lambda _: 1e-6, [64, 256])
    assert growth(*lines(results, "num_embeddings"), "num_embeddings") is None
    results = vocab(["lookup"], lambda _: 1e-6, [64, 256, 1024])
    assert growth(*lines(results, "num_embeddings"), "num_embeddings") == Growth(0.0, 64, 3)
    assert growth(*lines(results, "num_embeddings"), "num_embeddings", 256) is None
    assert growth(lines(results, "dtype")[0], "dtype") is None


# --- lines


def test_what_varies_is_found() -> None:
    """The chart would have one value on its axis."""
    base = Case("lookup", 64, 8, 4)
    assert varying([base]) == "num_embeddings"
    assert varying([base, replace(base, method="matmul")]) == "num_embeddings"
    for name, value in (("tokens", 9), ("embedding_dim", 9), ("ids", "zipf"), ("dtype", "float64")):
        assert varying([base, replace(base, **{name: value})]) == name
    both = [replace(base, embedding_dim=d, tokens=n) for d in (1, 2) for n in (1, 2, 3)]
    assert varying(both) == "tokens"


def test_lines_keep_settings_apart() -> None:
    """Points of two devices, passes or widths would be joined by one line."""
    results = [
        measured(Case("lookup", rows, dim, 4, device=device, pass_=pass_), 1e-6)
        for rows in (256, 64)
        for dim in (8, 16)
        for device in ("cuda", "cpu")
        for pass_ in ("forward", "backward")
    ]
    found = lines(results, "num_embeddings")
    assert len(found) == 8
    assert [list(line.measured) for line in found] == [[64, 256]] * 8
    assert [dict(line.setting)["device"] for line in found] == ["cpu"] * 4 + ["cuda"] * 4


def test_lines_pool_repeats_and_leave_the_control_out() -> None:
    """A repeated case would hide its first measurement, or the control be drawn as a method."""
    again = measured(CASE, 3.0)
    failed = Failure(replace(CASE, num_embeddings=9), "gone")
    (line,) = lines([*point([CASE], lambda _: 1.0), again, failed], "num_embeddings")
    assert line.measured[64].times_s == measured(CASE, 1.0).times_s + again.times_s
    assert line.failed == {9: failed}


def test_a_headline_is_the_largest_shared_size() -> None:
    """The title would compare two sizes, or name a size at which one has no time."""
    results = vocab(["lookup", "matmul"], flat_and_growing)
    results = [
        one for one in results if one.case != replace(results[-1].case, num_embeddings=65536)
    ]
    found = headline(lines(results, "num_embeddings"), "num_embeddings", noises(results))
    assert found == "at 16,384 rows lookup takes 2.0 µs, matmul 328 µs: 160x"
    assert headline([], "num_embeddings", {}) == ""


# --- sentences


def test_the_sentences_of_a_default_sweep() -> None:
    """A reader would not be told how much, how it grows, where and how surely."""
    results = vocab(["lookup", "index_select", "matmul", "onehot_matmul"], flat_and_growing)
    assert said(results) == [
        "At 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x.",
        "There index_select takes 2.0 µs (not distinguishable from lookup), "
        "one-hot built + matmul 2.0 ms (980x).",
        "Matmul's time grows with exponent 1.00, lookup's with 0.00, index_select's with 0.00, "
        "that of one-hot built + matmul with 1.00 (from 4,096 rows).",
        "index_select is not distinguishable from lookup at all 6 sizes.",
        "Matmul and one-hot built + matmul are faster than lookup at 64 rows, "
        "slower from 256 rows.",
        "An exponent of 1 means twice the time for twice the rows; "
        "0 means that their number does not matter.",
        "The same method measured twice differs by at most 0.1 %; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_nothing_measured_yet() -> None:
    """The page would fail, or claim something, before the first point."""
    assert said([]) == ["Nothing has been measured yet."]


def test_failures_alone() -> None:
    """A run in which nothing worked would say nothing, or raise."""
    cases = plan("vocab", [64, 256], ["lookup"], ["cpu"], embedding_dim=4, tokens=1)
    assert said([Failure(case, "needs 9.0 GiB.") for case in cases]) == [
        "2 of 2 cases gave no time. The first, lookup at 64 rows: needs 9.0 GiB."
    ]
    assert said([Failure(cases[0], "")]) == [
        "1 of 1 case gave no time. It was lookup at 64 rows: no reason given."
    ]


def test_a_failure_among_measurements_is_named() -> None:
    """A gap in the chart would have no reason."""
    results = vocab(["lookup", "matmul"], flat_and_growing, [64, 256])
    gone = Failure(replace(results[-1].case, num_embeddings=1024, device="cuda"), "out of memory")
    assert said([*results, gone])[-1] == (
        "1 of 5 cases gave no time. It was matmul on cuda at 1,024 rows: out of memory."
    )


def test_one_point_of_one_method() -> None:
    """A run of a single case would raise for want of something to compare with."""
    assert said([measured(CASE, 1.5e-6)]) == [
        "At 64 rows lookup takes 1.5 µs.",
        "No method was measured twice, so the noise is not known; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_one_method_over_tokens() -> None:
    """Without anything to compare with, the growth would not be told either."""
    cases = plan(
        "tokens", [1, 4, 16], ["onehot_matmul"], ["cpu"], num_embeddings=9, embedding_dim=2
    )
    assert said([measured(case, 1e-6 * case.tokens) for case in cases]) == [
        "At 16 tokens one-hot built + matmul takes 16 µs.",
        "The time of one-hot built + matmul grows with exponent 1.00 (from 1 token).",
        "An exponent of 1 means twice the time for twice the tokens; "
        "0 means that their number does not matter.",
        "No method was measured twice, so the noise is not known; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_a_tie_is_called_one() -> None:
    """A ratio of 1.01 would be read as a win."""
    cases = plan("tokens", [1], ["lookup", "matmul"], ["cpu"], num_embeddings=64, embedding_dim=64)
    tie = point(cases, lambda case: 2e-6 if case.method == "lookup" else 2.02e-6)
    assert said(tie)[0] == "At 64 rows lookup takes 2.0 µs, matmul 2.0 µs: not distinguishable."
    win = point(cases, lambda case: 2e-6 if case.method == "lookup" else 1.48e-6)
    assert said(win)[0] == (
        "At 64 rows lookup takes 2.0 µs, matmul 1.5 µs: 0.74x of lookup's time."
    )


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ((0.5, 0.5, 0.5, 2, 2, 2), "faster than lookup up to 1,024 rows, slower from 4,096 rows"),
        (
            (0.5, 1, 2, 2, 2, 2),
            "faster than lookup at 64 rows, not distinguishable at 256 rows, "
            "slower from 1,024 rows",
        ),
        (
            (1, 1, 1, 1, 1, 2),
            "not distinguishable from lookup up to 16,384 rows, slower at 65,536 rows",
        ),
        (
            (2, 2, 1, 1, 0.5, 0.5),
            "slower than lookup up to 256 rows, not distinguishable from "
            "1,024 rows to 4,096 rows, faster from 16,384 rows",
        ),
        (
            (2, 0.5, 2, 2, 0.5, 2),
            "faster than lookup at 256 and 16,384 rows, slower at 64, 1,024, 4,096 and 65,536 rows",
        ),
        ((2, 2, 2, 2, 2, 2), "slower than lookup at all 6 sizes"),
        ((1, 1, 1, 1, 1, 1), "not distinguishable from lookup at all 6 sizes"),
    ],
)
def test_where_methods_cross(ratios: tuple[float, ...], expected: str) -> None:
    """The question when matmul wins would get a wrong answer."""
    factor = dict(zip(ROWS, ratios, strict=True))
    results = vocab(
        ["lookup", "matmul"],
        lambda case: 2e-6 * (1 if case.method == "lookup" else factor[case.num_embeddings]),
    )
    assert f"Matmul is {expected}." in said(results)


def test_noise_is_said_where_it_is_large() -> None:
    """A reader of a noisy run would trust small differences."""
    quiet = vocab(["lookup"], lambda _: 1e-6, [64], again=1.0002)
    loud = vocab(["lookup"], lambda _: 1e-6, [256], again=1.041)
    assert said(loud)[-1] == (
        "The same method measured twice differs by up to 4.1 %; at each point, "
        "what differs less than that, or less than 2 %, or within the uncertainty of two "
        "medians, is not told apart."
    )
    assert said([*quiet, *loud])[-1] == (
        "The same method measured twice differs by up to 4.1 % (at 256 rows), "
        "by 2.1 % at the median; at each point, "
        "what differs less than that, or less than 2 %, or within the uncertainty of two "
        "medians, is not told apart."
    )
    assert "at most 0.02 %;" in said(quiet)[-1]


def test_the_model_says_why() -> None:
    """The plot would show how much and not why, or hide how wrong the model was."""
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
    assert said(results)[2:] == [
        "Why, by the model: at 1,024 rows lookup and index_select spend their time mostly on the "
        "fixed cost of a call; one-hot built + matmul mostly on moving bytes through memory "
        "(1.8 MiB); matmul mostly on arithmetic (8.4 MFLOP).",
        "No method was measured twice, so the noise is not known; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
        "The model was within 1.38x of the measured time at the median, and 4.0x too low at worst "
        "(one-hot built + matmul at 1,024 rows).",
    ]
    assert said(results[2:3])[-1] == (
        "The model was within 1.50x of the measured time at the median, and 1.50x too high at "
        "worst (matmul at 1,024 rows)."
    )


def test_equal_amounts_are_said_once() -> None:
    """A sentence would list one number of bytes twice."""
    cases = plan("vocab", [1024], ["lookup", "index_select"], ["cpu"], embedding_dim=64, tokens=64)
    results = [measured(case, 2e-6, dominant="bandwidth") for case in cases]
    assert said(results)[1] == (
        "Why, by the model: at 1,024 rows lookup and index_select spend their time mostly on "
        "moving bytes through memory (32.5 KiB each)."
    )


def test_exponents_are_taken_over_the_same_sizes() -> None:
    """A method that failed at large sizes would have its exponent from elsewhere."""
    results = vocab(["lookup", "matmul"], flat_and_growing, [2**k for k in range(6, 17)])
    results = [
        Failure(one.case, "too large")
        if one.case.method == "matmul" and one.case.num_embeddings > 8192
        else one
        for one in results
    ]
    assert said(results)[1] == (
        "Matmul's time grows with exponent 1.00, lookup's with 0.00 (from 1,024 rows)."
    )


def test_the_closest_to_lookup_and_matmul_are_compared() -> None:
    """Without lookup or matmul, two methods of one route would make the headline."""
    cases = plan(
        "vocab",
        [64],
        ["numpy_take", "index_select", "sparse_matmul", "embedding_bag"],
        ["cpu"],
        embedding_dim=8,
        tokens=4,
    )
    assert said([measured(case, 1e-6) for case in cases])[0] == (
        "At 64 rows index_select takes 1.0 µs, sparse (CSR) matmul 1.0 µs: not distinguishable."
    )
    cases = [Case("matmul", 64, 8, 4), Case("embedding_bag", 64, 8, 4)]
    assert said([measured(case, 1e-6) for case in cases])[0].startswith(
        "At 64 rows embedding_bag takes 1.0 µs, matmul 1.0 µs:"
    )


def test_devices_side_by_side() -> None:
    """The question of CPU against GPU would get no answer, or one that mixes the two."""
    factor = {("lookup", "cuda"): 4.0, ("matmul", "cuda"): 0.1}
    results = vocab(
        ["lookup", "matmul"],
        lambda case: flat_and_growing(case) * factor.get((case.method, case.device), 1.0),
        devices=("cuda", "cpu"),
    )
    found = said(results)
    assert found[0].startswith("On cpu: at 65,536 rows lookup takes 2.0 µs, matmul 1.3 ms: 660x. ")
    assert found[1].startswith("On cuda: at 65,536 rows lookup takes 8.0 µs, matmul 131 µs: 16x. ")
    assert found[3:5] == [
        "At 65,536 rows lookup takes 2.0 µs on cpu, 8.0 µs on cuda: cpu is 4.0x faster.",
        "At 65,536 rows matmul takes 1.3 ms on cpu, 131 µs on cuda: cuda is 10x faster.",
    ]


def test_where_a_device_overtakes() -> None:
    """From what size a GPU pays would not be told."""
    results = vocab(
        ["matmul"],
        lambda case: 1e-5 if case.device == "cuda" else 20e-9 * case.num_embeddings,
        devices=("cpu", "cuda"),
    )
    assert "Matmul on cuda is slower than that on cpu up to 256 rows, faster from 1,024 rows." in (
        said(results)
    )


def test_several_passes_and_widths() -> None:
    """A run of several passes or widths would be told as if it were one."""
    results = [
        one
        for pass_ in PASSES
        for dim in (64, 1024)
        for one in vocab(
            ["lookup", "matmul"], flat_and_growing, ROWS[:3], pass_=pass_, embedding_dim=dim
        )
    ]
    found = said(results)
    starts = [sentence.split(": at")[0] for sentence in found[:8]]
    assert starts[:2] == ["Forward, dim 64", "Forward, dim 1,024"]
    assert starts[-1] == "Training step (Adam), dim 1,024"
    assert len(set(starts)) == 8


def test_a_backward_pass_is_named() -> None:
    """The time of a backward pass would be read as that of a forward pass."""
    results = vocab(
        ["lookup", "lookup_sparse"],
        lambda case: 2e-6 if "sparse" in case.method else 1e-9 * case.num_embeddings,
        pass_="backward",
    )
    found = said(results)
    assert found[0] == (
        "Forward + backward: at 65,536 rows lookup takes 66 µs, "
        "lookup with sparse gradients 2.0 µs: 0.031x of lookup's time."
    )
    assert found[1].startswith(
        "The time of lookup with sparse gradients grows with exponent 0.00, lookup's with 1.00"
    )


def test_kinds_of_ids() -> None:
    """Kinds would be called sizes, or be given an exponent."""
    results = []
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
    assert said(results) == [
        "With uniform ids lookup takes 2.0 µs, matmul 100 µs: 50x.",
        "With zipf ids lookup takes 1.5 µs, matmul 100 µs: 67x.",
        "With equal ids lookup takes 1.0 µs, matmul 100 µs: 100x.",
        "Lookup is fastest with equal ids (1.0 µs) and slowest with uniform ids (2.0 µs): 2.0x.",
        "Matmul takes 100 µs with all 3 kinds of ids: not distinguishable.",
        "Matmul is slower than lookup with all 3 kinds of ids.",
        "The same method measured twice differs by at most 0.1 %; "
        "differences under 2 %, or within the uncertainty of two medians, are not told apart.",
    ]


def test_dtypes() -> None:
    """A dtype would be called a size."""
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
    found = said(
        [
            measured(one, slow if (one.method, one.dtype) == ("matmul", "float16") else 1e-6)
            for one in cases
        ]
    )
    assert found[1] == "In float16 lookup takes 1.0 µs, matmul 5.0 µs: 5.0x."
    assert "Matmul is fastest in float32 (1.0 µs) and slowest in float16 (5.0 µs): 5.0x." in found
    assert "Matmul is not distinguishable from lookup in float32, slower in float16." in found


def test_reused_outputs_are_named() -> None:
    """Two lines of one method would have one name."""
    cases = [Case("matmul", 64, 8, 4), Case("matmul", 64, 8, 4, output="reused")]
    found = said([measured(cases[0], 2e-6), measured(cases[1], 1e-6)])
    assert found[0] == (
        "At 64 rows matmul takes 2.0 µs, matmul (output reused) 1.0 µs: 0.50x of matmul's time."
    )


def test_a_first_point_is_told() -> None:
    """While points arrive, the sentences would raise on a half-measured point."""
    results = vocab(["lookup", "index_select", "matmul"], flat_and_growing)
    for count in range(len(results) + 1):
        assert all(sentence.endswith(".") for sentence in said(results[:count]))


cases = st.builds(
    Case,
    method=st.sampled_from(["lookup", "matmul", "index_select", "embedding_bag"]),
    num_embeddings=st.sampled_from([1, 64, 4096]),
    embedding_dim=st.sampled_from([1, 64]),
    tokens=st.sampled_from([1, 256]),
    ids=st.sampled_from(list(SKEWS)),
    dtype=st.sampled_from(["float32", "float16"]),
    device=st.sampled_from(["cpu", "cuda"]),
    threads=st.sampled_from([1, 4]),
    pass_=st.sampled_from(list(PASSES)),
)
results_of = st.one_of(
    st.builds(Failure, cases, st.text(max_size=20)),
    st.builds(
        Measurement,
        cases,
        st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=4).map(tuple),
        st.integers(1, 9),
        st.none() | st.floats(1e-12, 1e6),
        st.sampled_from(["", *list(TERMS)]),
        st.booleans(),
    ),
)


@given(st.lists(results_of, max_size=14))
@settings(deadline=None, max_examples=150)
def test_any_results_give_sentences(results: list[Result]) -> None:
    """An uploaded run that no sweep would make could end the page with a traceback."""
    found = said(results)
    assert found
    for sentence in found:
        assert sentence.endswith(".")
        assert sentence.isprintable()
        assert not sentence[0].islower() or "_" in sentence.split()[0]


@given(st.floats(1e-12, 1e6))
@QUICK
def test_a_time_keeps_its_value(seconds: float) -> None:
    """A time would be shown in the wrong unit, or lose more than its last digit."""
    value, unit = format_time(seconds).replace(",", "").split()
    shown = float(value) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
    assert shown == pytest.approx(seconds, rel=0.053)
    value, unit = format_time(seconds, 4).replace(",", "").split()
    if seconds >= 1e-10:
        shown = float(value) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
        assert shown == pytest.approx(seconds, rel=0.006)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (9.96e-6, "10 µs"),
        (0.9996e-3, "1.0 ms"),
        (999.4e-6, "999 µs"),
        (0.0, "0.0 ns"),
        (1.25, "1.2 s"),
        (9.94e-6, "9.9 µs"),
        (99.6e-6, "100 µs"),
    ],
)
def test_a_time_steps_up_to_the_next_unit(seconds: float, shown: str) -> None:
    """A time would be written 10.0 µs or 1,000 µs."""
    assert format_time(seconds) == shown


def test_ratios_are_short() -> None:
    """A ratio would pretend to digits that nobody measured."""
    assert [times(value) for value in (1.0, 1.994, 1.996, 99.6, 684.2, 0.0123)] == [
        "1.00x",
        "1.99x",
        "2.0x",
        "100x",
        "680x",
        "0.012x",
    ]


def test_growth_takes_a_line() -> None:
    """The charts, which have lines, would compute another slope than the sentences."""
    (line,) = lines(vocab(["lookup"], lambda case: 1e-9 * case.num_embeddings), "num_embeddings")
    found = growth(line, "num_embeddings")
    assert found is not None
    assert found.exponent == pytest.approx(1.0)
