"""Settings and limits: what is refused before anything is allocated, and what is allowed."""

import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from embviz.core import bounds
from embviz.core.bounds import BOUNDS, MIB, Bound, classes_on
from embviz.core.config import BUDGET_VARIABLE, Config, available_devices, check_work_bytes
from embviz.core.dtypes import DTYPES, WIDE
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.core.typed import parse_ids

HOSTING = Path(__file__).parents[2] / "embviz" / "server" / "README.md"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits."""
    for name in ("EMBVIZ_HOSTED", "EMBVIZ_CLASSES", *(bound.variable for bound in BOUNDS)):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *[("num_embeddings", bad) for bad in (True, 1.0, math.nan, "10", None, 0, 1_000_001)],
        *[("embedding_dim", bad) for bad in (0, 1025)],
        *[("seed", bad) for bad in (-1, 2**32)],
        *[("init", bad) for bad in ("zeros", None)],
        *[("dtype", bad) for bad in ("int8", torch.float32)],
        *[("device", bad) for bad in ("tpu", "CPU")],
    ],
)
def test_a_bad_setting_is_refused_by_name_and_value(field: str, bad: Any) -> None:
    """A setting out of its range or choices is quoted."""
    with pytest.raises(Refused, match=re.escape(f"{field}={bad!r} is not ")):
        Config("", **{field: bad})


def test_the_limits_themselves_are_allowed() -> None:
    """The smallest and largest values are accepted; a number that Python cannot print is not."""
    assert Config("", 1, 1, 0).tie_bytes == 8
    ends: list[tuple[str, Any]]
    ends = [("num_embeddings", 10**6), ("embedding_dim", 1024), ("seed", 2**32 - 1)]
    for field, most in ends:
        assert getattr(Config("", **{field: most}), field) == most
    assert Config("", 10**6 + 1, unk=True).unk_id == 10**6
    with pytest.raises(Refused, match="1,000,001"):
        Config("", 10**6 + 2, unk=True)
    with pytest.raises(Refused, match="num_embeddings=1 is not"):
        Config("", 1, unk=True)


def test_the_choices_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inits and dtypes keep the names that shared links use; a device lacks what it lacks."""
    drawn = [name for name, init in INITS.items() if init.draw]
    assert drawn == ["normal", "uniform", "xavier_uniform", "kaiming_uniform", "integers"]
    names = {"float32": 4, "float64": 8, "bfloat16": 2, "float16": 2}
    assert {name: one.torch.itemsize for name, one in DTYPES.items()} == names
    assert all(one.itemsize == names[name] for name, one in DTYPES.items())
    assert [*WIDE] == ["float32", "float64"]
    assert available_devices()[0] == "cpu"
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "mps"])
    assert Config("", device="mps").device == "mps"
    with pytest.raises(Refused, match="'float64' does not exist on device 'mps'"):
        Config("", device="mps", dtype="float64")


@pytest.mark.parametrize(
    ("characters", "unk", "needed"),
    [("0123456789", False, 10), ("0123456789", True, 11), (bytes(range(256)), False, 256)],
)
def test_too_few_rows_for_the_vocabulary_are_refused(
    characters: str | bytes, unk: bool, needed: int
) -> None:
    """A vocabulary larger than the table is refused with the rows that it needs."""
    with pytest.raises(Refused, match=f"need {needed} rows.* is {needed - 1}"):
        Config(characters, needed - 1, unk=unk)
    assert Config(characters, needed, unk=unk).unk_id == (needed - 1 if unk else None)


def test_tables_over_the_budget_are_refused_at_once_with_the_arithmetic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is allocated before; the variable moves the limit, to the byte."""
    start = time.perf_counter()
    with pytest.raises(Refused) as refused:
        Config("", 1_000_000, 1024)
    assert time.perf_counter() - start < 2  # to fill them takes longer
    for part in ("1,000,000", "1,024", "float32", "8 B", "7.6 GiB", "1.0 GiB", BUDGET_VARIABLE):
        assert part in str(refused.value)
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    assert Config("", 1024, 128).tie_bytes == MIB
    for rows, dtype in ((1025, "float32"), (513, "float64"), (1366, "float16")):
        with pytest.raises(Refused, match=r"1\.0 MiB"):
            Config("", rows, 128, dtype=dtype)
    check_work_bytes(Config("", 10, 1024, dtype="float64"), 10)
    with pytest.raises(Refused, match=r"1,000 · 1,024 · 25 B = 24\.4 MiB.*1\.0 MiB"):
        check_work_bytes(Config("", 10, 1024, dtype="float64"), 1_000)
    monkeypatch.setenv(BUDGET_VARIABLE, "1.5")
    with pytest.raises(Refused, match=f"{BUDGET_VARIABLE}='1.5'"):
        Config("")


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.variable)
def test_a_limit_is_its_default_or_its_variable(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit is the one in the hosting document, unless its variable is set."""
    rows = [line for line in HOSTING.read_text("utf-8").splitlines() if bound.variable in line]
    written = [f"{value:,} {bound.unit}".strip() for value in (bound.local, bound.hosted)]
    assert any(f"| {written[0]} | {written[1]} | `{bound.variable}` |" in row for row in rows)
    assert bound.value() == bound.local
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert bound.value() == bound.hosted <= bound.local
    monkeypatch.setenv(bound.variable, "7")
    assert bound.value() == 7


@pytest.mark.parametrize("raw", ["", "0", "-5", "1e3", "٣", "9" * 10])
def test_a_variable_that_is_no_limit_is_quoted(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is not a whole number is refused with its name and value."""
    monkeypatch.setenv(bounds.STEPS.variable, raw)
    with pytest.raises(Refused, match=re.escape(f"EMBVIZ_MAX_STEPS={raw!r}")):
        bounds.STEPS.value()
    assert len({bound.variable for bound in BOUNDS}) == len(BOUNDS)


@pytest.mark.parametrize(
    ("hosted", "classes", "on"),
    [("0", None, True), ("1", None, False), ("1", "on", True), ("0", "off", False)],
)
def test_who_may_start_a_class(
    hosted: str, classes: str | None, on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody on a private machine, nobody on a public one, unless its variable says."""
    monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
    if classes is not None:
        monkeypatch.setenv("EMBVIZ_CLASSES", classes)
    assert classes_on() is on


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: check_work_bytes(Config(""), 10_001), "10,001 tokens are more than the 10,000"),
        (lambda: parse_ids("0 " * 10_001, 1), "10,001 ids"),
        (lambda: Config("", 10_000, 900), "EMBVIZ_TABLE_BUDGET_MIB"),
        (lambda: check_work_bytes(Config("", 100, 1000), 9_000), "budget of 64.0"),
    ],
)
def test_a_request_over_a_hosted_limit_is_refused(
    ask: Callable[[], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request over a hosted limit is allowed on one's own machine."""
    ask()
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    check_work_bytes(Config(""), 10_000)
    with pytest.raises(Refused, match=words):
        ask()
