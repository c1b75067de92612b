"""Settings of a table: refused before anything is allocated, or allowed."""

import re
from typing import Any

import pytest
import torch

from embviz.fact.table import Table, check_work_bytes
from embviz.system.bounds import BOUNDS, MIB, TABLE
from embviz.text.refused import Refused

BAD: dict[str, list[Any]] = {
    "num_embeddings": [True, 1.0, "10", 0, 1_000_001],
    "embedding_dim": [0, 1025],
    "seed": [-1, 2**32],
    "init": ["zeros", None],
    "dtype": ["int8", torch.float32],
    "device": ["tpu", "CPU"],
}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits."""
    for name in ("EMBVIZ_HOSTED", *(bound.variable for bound in BOUNDS)):
        monkeypatch.delenv(name, raising=False)


def test_a_bad_setting_is_refused_by_name_and_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is quoted; the ends of a range are allowed, and links keep their names of choices."""
    for field, bad in [(name, one) for name in BAD for one in BAD[name]]:
        with pytest.raises(Refused, match=re.escape(f"{field}={bad!r} is not ")):
            Table(**{field: bad})
    assert (Table(10**6, 1, 0).seed, Table(1, 1024, 2**32 - 1).unk_id) == (0, None)
    assert Table(257, unk=True).unk_id == 256
    monkeypatch.setattr("embviz.fact.table.available_devices", lambda: ["cpu", "mps"])
    assert Table(device="mps").device == "mps"
    with pytest.raises(Refused, match="'float64' does not exist on device 'mps'"):
        Table(device="mps", dtype="float64")


def test_what_is_over_the_budget_is_refused_with_the_arithmetic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The variable moves the limit, to the byte; `test_layers` measures what is allocated."""
    with pytest.raises(Refused, match=r"1,000,000 · 1,024 · 8 B = 7\.6 GiB.* 1\.0 GiB"):
        Table(1_000_000, 1024)
    check_work_bytes(Table(100_000, 1), 100_000)  # a whole one-hot would be 40 GB
    monkeypatch.setenv(TABLE.variable, "1")
    assert Table(1365, 128, dtype="float16").tie_bytes <= MIB
    with pytest.raises(Refused, match=TABLE.variable):
        Table(1366, 128, dtype="float16")
    table = Table(10, 1024, dtype="float64")
    check_work_bytes(table, 34)
    with pytest.raises(Refused, match=r"35 · 1,024 · 25 B = 875\.0 KiB.* 2\.7 KiB.*1\.0 MiB"):
        check_work_bytes(table, 35)


def test_a_public_server_takes_fewer_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number that is allowed is told."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    check_work_bytes(Table(), 10_000)
    with pytest.raises(Refused, match="10,001 tokens are more than the 10,000"):
        check_work_bytes(Table(), 10_001)
