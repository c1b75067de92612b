"""What a class keeps of a timing run."""

import json
from dataclasses import replace
from typing import Any

import pytest

from embviz.classes.record import ClassError
from embviz.classes.store import RUN_BYTES
from embviz.classes.timings import Series, groups, kept, read, to_csv, written
from embviz.timing.chart_lines import lines
from embviz.timing.results import Failure, Result
from embviz.timing.settings import AXES
from embviz.timing.verdicts import Judged
from tests.figures.timing.made_runs import EVIL, measured, run_of, sweep

SECRET = "Hidden Machine 9000"
BOTH = ["lookup", "matmul"]


def file_of(results: list[Result]) -> bytes:
    """A run file that names its machine."""
    return run_of(results, cpu=SECRET, hostname=SECRET, note=EVIL).to_bytes()


def series_of(methods: list[str] = BOTH, **fixed: Any) -> Series:
    """What a class keeps of a sweep over rows."""
    (one,) = read(written(kept(file_of(sweep(methods, **fixed)), "r")))
    return one


def test_times_and_verdicts_are_kept_and_nothing_else() -> None:
    """Times and verdicts are those of the timing page; names and texts of the file are gone."""
    results = sweep(["lookup", "index_select", "matmul"])
    failed = Failure(replace(results[0].case, num_embeddings=2), EVIL)
    (one,) = kept(file_of([*results, failed]), EVIL)
    judged = Judged(results)
    by_method = {line.method: line.measured for line in lines(results, "num_embeddings")}
    assert list(one.points) == list(by_method["lookup"])
    for size, point in one.points.items():
        a, b = (by_method[name][size] for name in ("matmul", "lookup"))
        assert point.lookup == pytest.approx((b.median_s, *b.quartiles_s), rel=1e-3)
        assert point.matmul == pytest.approx((a.median_s, *a.quartiles_s), rel=1e-3)
        assert point.verdict == judged.verdict(a, b)
    assert {point.verdict for point in one.points.values()} == {"slower", "faster"}
    text = written([one])
    assert not any(word in text for word in (SECRET, EVIL, "cpu_", "index_select", "date"))
    (again,) = read(text)
    assert (again.axis, again.case, list(again.points)) == (one.axis, one.case, list(one.points))
    assert written([again]) == text


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (sweep(["lookup", "index_select"]), "no size at which both lookup and matmul"),
        ([], "no size at which both"),
        (
            sweep(BOTH, rows=range(1, 40)),
            "1 settings and 39 sizes; a class takes 4",
        ),
        (
            [
                measured(replace(one.case, ids=kind), 1e-6)
                for one in sweep(BOTH, rows=[64])
                for kind in AXES["ids"].values
            ],
            "varies ids, but a class compares sizes",
        ),
    ],
    ids=["one method", "nothing", "many sizes", "no size varies"],
)
def test_a_file_that_cannot_be_used_is_refused(results: list[Result], why: str) -> None:
    """The sentence names the file and says why; a file that is too large is not read."""
    with pytest.raises(ClassError, match=why) as refused:
        kept(file_of(results), EVIL)
    assert str(refused.value).startswith(repr(EVIL)[:20])
    with pytest.raises(ClassError, match="2,000,001 bytes; a class takes 2,000,000 at most"):
        kept(b" " * 2_000_001, "r")


def test_the_largest_run_fits_into_the_database() -> None:
    """Four settings with 32 sizes each are kept within the store's limit."""
    results = [
        one for dim in range(1, 5) for one in sweep(BOTH, range(1001, 1033), embedding_dim=dim)
    ]
    found = kept(file_of(results), "r")
    assert [len(one.points) for one in found] == [32] * 4
    assert len(written(found)) <= RUN_BYTES
    assert len(read(written(found))) == 4


def changed(**changes: Any) -> str:
    """A kept run, with one field changed."""
    given = json.loads(written([series_of()]))
    for path, value in changes.items():
        place: Any = given[0]
        *steps, last = [int(one) if one.isdigit() else one for one in path.split("__")]
        for step in steps:
            place = place[step]
        place[last] = value
    return json.dumps(given)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        "[" * 9_000,
        changed(axis="ids"),
        changed(axis=[]),
        changed(case=EVIL),
        changed(case__method="matmul"),
        changed(case__dtype=EVIL),
        changed(points=[]),
        changed(points=[[64] * 5] * 33),
        changed(points__0__0=-1),
        changed(points__0__0=[64]),
        changed(points__0__1=[1e-6, 1e-6, float("nan")]),
        changed(points__0__1=[1e-6, 2e-6, 3e-6]),
        changed(points__0__2=[1e-6, EVIL, 1e-6]),
        changed(points__0__3=[1, 0, 1]),
        changed(points__0__4=EVIL),
        changed(note="x" * 20_000),
    ],
    ids=lambda text: text[-60:],
)
def test_a_changed_run_is_refused(text: str) -> None:
    """The class refuses with a sentence a run that it never writes, and quotes nothing of it."""
    with pytest.raises(ClassError, match=r"^A timing run in the class's database cannot be read.$"):
        read(text)


def test_only_runs_with_the_same_settings_are_compared() -> None:
    """Another dim, number of tokens, dtype or device makes another group; threads do not."""
    given = [
        ("brave heron", series_of()),
        ("quiet fox", series_of(threads=3, rows=[64, 1024])),
        *(
            (f"calm {index}", series_of(**fixed))
            for index, fixed in enumerate(
                [{"embedding_dim": 8}, {"tokens": 7}, {"dtype": "float64"}, {"device": "cuda"}]
            )
        ),
    ]
    found = groups(given)
    assert [[who for who, _ in one.runs] for one in found] == [
        ["brave heron", "quiet fox"],
        *([f"calm {index}"] for index in range(4)),
    ]
    assert found[0].words == "64 to 4,096 rows, dim 64, 64 tokens, float32"
    assert found[4].words.endswith("on cuda")
    assert [one.machine for _, one in found[0].runs] == ["CPU, 1 thread", "CPU, 3 threads"]
    rows = to_csv(found).splitlines()
    assert len(rows) == 1 + sum(len(one.points) for _, one in given)
    assert rows[1].startswith("brave heron,64,64,64,float32,cpu,1,forward,")


def test_the_findings_count_the_verdicts_at_common_sizes() -> None:
    """The largest and the smallest size that the most runs have; a tie is counted by itself."""
    one = series_of()
    untold = replace(one, points={64: replace(one.points[64], told=False)})
    (group,) = groups([("a", one), ("b", series_of(rows=[64, 1024])), ("c", untold)])
    assert list(group.findings()) == [
        "At 64 rows matmul is faster than lookup in 2 of 3 runs (0.64x), not told apart in 1"
    ]
    (group,) = groups([("a", one), ("b", series_of(rows=[64, 1024]))])
    assert list(group.findings()) == [
        "At 1,024 rows matmul is slower than lookup in 2 of 2 runs (10x)",
        "At 64 rows matmul is faster than lookup in 2 of 2 runs (0.64x)",
    ]
    (group,) = groups([("c", untold)])
    assert list(group.findings()) == [
        "At 64 rows matmul is not told apart from lookup in 1 of 1 run"
    ]
