"""Settings and limits: what is refused before anything is allocated, and what is allowed."""

import re
import time
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

HOSTING = Path(__file__).parents[2] / "embviz" / "server" / "README.md"
BAD: dict[str, list[Any]] = {
    "num_embeddings": [True, 1.0, "10", None, 0, 1_000_001],
    "embedding_dim": [0, 1025],
    "seed": [-1, 2**32],
    "init": ["zeros", None],
    "dtype": ["int8", torch.float32],
    "device": ["tpu", "CPU"],
}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits."""
    for name in ("EMBVIZ_HOSTED", "EMBVIZ_CLASSES", *(bound.variable for bound in BOUNDS)):
        monkeypatch.delenv(name, raising=False)


def test_a_bad_setting_is_refused_by_name_and_value() -> None:
    """A setting out of its range or choices is quoted; the ends of a range are allowed."""
    for field, bad in [(name, one) for name in BAD for one in BAD[name]]:
        with pytest.raises(Refused, match=re.escape(f"{field}={bad!r} is not ")):
            Config("", **{field: bad})
        assert (
            Config("", 1_000_000, 1, 0).tie_bytes == Config("", 1, 1, 2**32 - 1).tie_bytes * 10**6
        )
        assert Config("", 1, 1024).embedding_dim == 1024


def test_the_choices_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inits and dtypes keep the names that shared links use; a device lacks what it lacks."""
    assert " ".join(INITS) == "normal uniform xavier_uniform kaiming_uniform integers own"
    assert " ".join(DTYPES) == "float32 float64 bfloat16 float16"
    assert all(one.itemsize == one.torch.itemsize for one in DTYPES.values())
    assert [*WIDE] == ["float32", "float64"]
    assert available_devices()[0] == "cpu"
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "mps"])
    assert Config("", device="mps").device == "mps"
    with pytest.raises(Refused, match="'float64' does not exist on device 'mps'"):
        Config("", device="mps", dtype="float64")


def test_too_few_rows_for_the_vocabulary_are_refused() -> None:
    """The table has a row for each symbol, and with `<unk>` one more than it may have without."""
    for symbols, unk, needed in [("0123", False, 4), (bytes(256), True, 257)]:
        with pytest.raises(Refused, match=f"need {needed} rows.* is {needed - 1}"):
            Config(symbols, needed - 1, unk=unk)
        assert Config(symbols, needed, unk=unk).unk_id == (256 if unk else None)
    for rows in (1, 10**6 + 2):
        with pytest.raises(Refused, match=f"num_embeddings={rows} is not .* 2 to 1,000,001"):
            Config("", rows, unk=True)
    assert Config("", 10**6 + 1, unk=True).unk_id == 10**6


def test_what_is_over_the_budget_is_refused_at_once_with_the_arithmetic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is allocated before; the variable moves the limit, to the byte."""
    start = time.perf_counter()
    with pytest.raises(Refused) as refused:
        Config("", 1_000_000, 1024)
    assert time.perf_counter() - start < 2  # to fill them takes longer
    for part in ("1,000,000 · 1,024 · 8 B", "7.6 GiB", "1.0 GiB", BUDGET_VARIABLE):
        assert part in str(refused.value)
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    for rows, dtype in ((1024, "float32"), (512, "float64"), (1365, "float16")):
        assert Config("", rows, 128, dtype=dtype).tie_bytes <= MIB
        with pytest.raises(Refused, match=r"1\.0 MiB"):
            Config("", rows + 1, 128, dtype=dtype)
    config = Config("", 10, 1024, dtype="float64")
    check_work_bytes(config, 34)
    with pytest.raises(Refused, match=r"35 · 1,024 · 25 B = 875\.0 KiB.* 2\.7 KiB.*1\.0 MiB"):
        check_work_bytes(config, 35)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.variable)
def test_a_limit_is_its_default_or_its_variable(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit is the one in the hosting document, unless its variable is set."""
    rows = [line for line in HOSTING.read_text("utf-8").splitlines() if bound.variable in line]
    local, hosted = (f"{value:,} {bound.unit}".strip() for value in (bound.local, bound.hosted))
    assert any(f"| {local} | {hosted} | `{bound.variable}` |" in row for row in rows)
    assert bound.value() == bound.local
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert bound.value() == bound.hosted <= bound.local
    monkeypatch.setenv(bound.variable, "999999999")
    assert bound.value() == 999_999_999
    for raw in ("", "0", "-5", "1.5", "٣", "9" * 10):
        monkeypatch.setenv(bound.variable, raw)
        with pytest.raises(Refused, match=re.escape(f"{bound.variable}={raw!r}")):
            bound.value()


def test_what_a_public_server_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody starts a class there, unless its variable says; work and tables are smaller."""
    check_work_bytes(Config(""), 100_000)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    check_work_bytes(Config(""), 10_000)
    with pytest.raises(Refused, match="10,001 tokens are more than the 10,000"):
        check_work_bytes(Config(""), 10_001)
    for hosted, classes, on in [("0", None, 1), ("1", None, 0), ("1", "on", 1), ("0", "off", 0)]:
        monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
        if classes:
            monkeypatch.setenv("EMBVIZ_CLASSES", classes)
        assert (bounds.hosted(), classes_on()) == (hosted == "1", bool(on))
