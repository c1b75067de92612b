import json
import math
import time

import pytest
import torch

from embviz.core.config import (
    BUDGET_VARIABLE,
    MIB,
    Config,
    ConfigError,
    available_devices,
    budget_bytes,
    check_work_bytes,
    max_tokens,
)
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS

DRAWN = [init for init in INITS if init != "own"]


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
def test_a_bad_setting_is_refused_by_name_and_value(field: str, bad: object) -> None:
    """A bad setting is refused, and the message quotes name and value."""
    with pytest.raises(ConfigError) as refused:
        Config("", **{field: bad})
    assert f"{field}={bad!r} is not " in str(refused.value)


def test_a_number_too_long_for_python_to_print_is_refused_as_a_config_error() -> None:
    """A number of 5,000 digits is a ConfigError that names its field."""
    with pytest.raises(ConfigError) as refused:
        Config("", num_embeddings=10**5000)
    assert str(refused.value).startswith("num_embeddings=")
    assert len(str(refused.value)) < 500


def test_the_choices_are_those_of_the_design() -> None:
    """Inits and dtypes keep the names that shared links use."""
    assert DRAWN == ["normal", "uniform", "xavier_uniform", "kaiming_uniform", "integers"]
    assert {name: str(one.torch) for name, one in DTYPES.items()} == {
        name: f"torch.{name}" for name in ("float32", "float64", "bfloat16", "float16")
    }
    assert available_devices()[0] == "cpu"


def test_the_limits_themselves_are_allowed() -> None:
    """The smallest and largest allowed values are accepted."""
    assert Config("", 1, 1, 0).tie_bytes == 8
    for field, most in (
        ("num_embeddings", 1_000_000),
        ("embedding_dim", 1024),
        ("seed", 2**32 - 1),
    ):
        assert getattr(Config("", **{field: most}), field) == most


@pytest.mark.parametrize(
    ("characters", "rows", "unk", "needed"),
    [("0123456789", 9, False, 10), ("0123456789", 10, True, 11), (bytes(range(256)), 255, 0, 256)],
)
def test_too_few_rows_for_the_vocabulary_are_refused(
    characters: str | bytes, rows: int, unk: bool, needed: int
) -> None:
    """A vocabulary larger than the table is refused."""
    with pytest.raises(ConfigError, match=f"need {needed} rows.* num_embeddings is {rows}") as info:
        Config(characters, rows, unk=bool(unk))
    assert ("<unk>" in str(info.value)) is bool(unk)
    assert Config(characters, needed, unk=bool(unk)).num_symbols == needed


def test_tables_over_the_budget_are_refused_at_once_with_the_arithmetic() -> None:
    """Tables over the budget are refused before allocation, with the arithmetic."""
    start = time.perf_counter()
    with pytest.raises(ConfigError) as refused:
        Config("", 1_000_000, 1024)
    assert time.perf_counter() - start < 2  # to fill them takes longer
    for part in ("1,000,000", "1,024", "float32", "8 B", "7.6 GiB", "1.0 GiB", BUDGET_VARIABLE):
        assert part in str(refused.value)


def test_the_budget_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """EMBVIZ_TABLE_BUDGET_MIB sets the budget."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    assert Config("", 1024, 128).tie_bytes == MIB
    with pytest.raises(ConfigError, match=r"1\.0 MiB"):
        Config("", 1025, 128)
    monkeypatch.setenv(BUDGET_VARIABLE, "2")
    assert Config("", 1025, 128).tie_bytes > MIB


def test_a_budget_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that is not a whole number is a ConfigError."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1.5")
    with pytest.raises(ConfigError, match=f"{BUDGET_VARIABLE}='1.5'"):
        budget_bytes()
    with pytest.raises(ConfigError, match=BUDGET_VARIABLE):
        Config("")


def test_more_tokens_than_allowed_are_refused() -> None:
    """More tokens than EMBVIZ_MAX_TOKENS are refused."""
    check_work_bytes(Config(""), max_tokens())
    with pytest.raises(ConfigError, match=r"100,001 tokens .* 100,000"):
        check_work_bytes(Config(""), max_tokens() + 1)


def test_outputs_over_the_budget_are_refused_with_the_arithmetic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Outputs over the budget are refused with the arithmetic."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    config = Config("", 10, 1024, dtype="float64")
    check_work_bytes(config, 10)
    with pytest.raises(ConfigError, match=r"1,000 · 1,024 · 25 B = 24\.4 MiB.*1\.0 MiB"):
        check_work_bytes(config, 1_000)


@pytest.mark.parametrize("characters", ["añ\x00\u200f", bytes(range(256))])
def test_a_config_survives_json(characters: str | bytes) -> None:
    """A Config can be rebuilt from its JSON."""
    config = Config(characters, 300, 3, 9, "integers", "float64", unk=True)
    fields = json.loads(json.dumps(config.to_dict()))
    if isinstance(characters, bytes):
        assert fields.pop("characters") == "bytes"
        fields["characters"] = characters
    assert Config(**fields) == config
