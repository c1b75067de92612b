from dataclasses import replace

from embviz.timing.cases import Case
from embviz.timing.chart_lines import beside, lines, question, varying
from embviz.timing.results import Failure
from tests.timing.made_results import CASE, anchor, measured, point


def test_what_varies_is_found() -> None:
    """The axis is the field with the most different values."""
    base = Case("lookup", 64, 8, 4)
    assert varying([base]) == "num_embeddings"
    assert varying([base, replace(base, method="matmul")]) == "num_embeddings"
    for name, value in (("tokens", 9), ("embedding_dim", 9), ("ids", "zipf"), ("dtype", "float64")):
        assert varying([base, replace(base, **{name: value})]) == name
    both = [replace(base, embedding_dim=d, tokens=n) for d in (1, 2) for n in (1, 2, 3)]
    assert varying(both) == "tokens"


def test_lines_keep_settings_apart() -> None:
    """Each device, pass and width has lines of its own."""
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


def test_lines_leave_helpers_out() -> None:
    """Control and anchor are no lines; a failure keeps its place."""
    failed = Failure(replace(CASE, num_embeddings=9), "gone")
    results = [anchor(CASE), *point([CASE], lambda _: 1.0), failed]
    (line,) = lines(results, "num_embeddings")
    assert line.measured == {64: measured(CASE, 1.0)}
    assert line.failed == {9: failed}


def test_a_question_names_a_kind_and_a_pass() -> None:
    """Kinds are listed, and a pass that is not forward is named."""
    cases = [replace(CASE, dtype=one, pass_="sgd") for one in ("float32", "float16")]
    assert question(cases) == "float32 and float16, lookup, training step (SGD)"
    assert question([CASE, replace(CASE, method="matmul")]) == "64 rows, lookup and 1 more"


def test_lines_stand_beside_the_first_of_their_method() -> None:
    """A device is compared with the first device of the same cache, a cache with the first."""
    cases = [
        replace(CASE, device=device, cache=cache, threads=1 + (device == "cuda"))
        for device in ("cpu", "cuda")
        for cache in ("same", "new")
    ]
    found = beside(lines([measured(case, 1.0) for case in cases], "num_embeddings"))
    assert [(pair.here, pair.there, dict(pair.place).get("cache")) for pair in found] == [
        ("on cuda", "on cpu", "same"),
        ("on cuda", "on cpu", "new"),
        ("with new ids", "with same ids", None),
        ("with new ids", "with same ids", None),
    ]
