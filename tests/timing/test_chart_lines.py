from dataclasses import replace

from embviz.timing.cases import Case
from embviz.timing.chart_lines import lines, varying
from embviz.timing.results import Failure
from tests.timing.made_results import CASE, measured, point


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


def test_lines_pool_repeats_and_leave_the_control_out() -> None:
    """Repeats of a case are pooled, and the control is no line."""
    again = measured(CASE, 3.0)
    failed = Failure(replace(CASE, num_embeddings=9), "gone")
    (line,) = lines([*point([CASE], lambda _: 1.0), again, failed], "num_embeddings")
    assert line.measured[64].times_s == measured(CASE, 1.0).times_s + again.times_s
    assert line.failed == {9: failed}
