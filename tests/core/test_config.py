import dataclasses
import json
import math
import time

import pytest
import torch

from embviz.core.config import (
    BUDGET_VARIABLE,
    MAX_EMBEDDING_DIM,
    MAX_NUM_EMBEDDINGS,
    MAX_SEED,
    MIB,
    Config,
    ConfigError,
    available_devices,
    budget_bytes,
    check_work_bytes,
    format_bytes,
    max_tokens,
    why_no_gpu,
)
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS
from embviz.core.layers import tie

DRAWN = [init for init in INITS if init != "own"]

NOT_WHOLE = [True, False, 1.0, 2.5, math.nan, math.inf, "10", None, [10], -1, -(10**30)]
REFUSED = [
    *[("num_embeddings", bad) for bad in [*NOT_WHOLE, 0, MAX_NUM_EMBEDDINGS + 1]],
    *[("embedding_dim", bad) for bad in [*NOT_WHOLE, 0, MAX_EMBEDDING_DIM + 1]],
    *[("seed", bad) for bad in [*NOT_WHOLE, MAX_SEED + 1, 99999999999999999999]],
    *[("init", bad) for bad in ["", "zeros", "Normal", None, 3, True]],
    *[("dtype", bad) for bad in ["", "int8", "float", "<script>", torch.float32, math.nan]],
    *[("device", bad) for bad in ["", "tpu", "cuda:99", "CPU", None]],
]


@pytest.mark.parametrize(("field", "bad"), REFUSED)
def test_a_bad_setting_is_refused_by_name_and_value(field: str, bad: object) -> None:
    """A setting that cannot be built would pass, or its message would not quote it."""
    with pytest.raises(ConfigError) as refused:
        Config("", **{field: bad})
    assert f"{field}={bad!r} is not " in str(refused.value)
    assert refused.value.field == field


def test_a_number_too_long_for_python_to_print_is_refused_as_a_config_error() -> None:
    """A number of 5,000 digits would escape as Python's own error, which names no field."""
    with pytest.raises(ConfigError) as refused:
        Config("", num_embeddings=10**5000)
    assert refused.value.field == "num_embeddings"
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("field", "allowed"),
    [("init", list(INITS)), ("dtype", list(DTYPES)), ("device", available_devices())],
)
def test_a_refused_choice_lists_what_is_allowed(field: str, allowed: list[str]) -> None:
    """A person who mistyped a choice would not learn which ones there are."""
    with pytest.raises(ConfigError) as refused:
        Config("", **{field: "nonsense"})
    assert all(name in str(refused.value) for name in allowed)


def test_the_choices_are_those_of_the_design() -> None:
    """A choice that shared links use would have vanished or been renamed."""
    assert DRAWN == ["normal", "uniform", "xavier_uniform", "kaiming_uniform", "integers"]
    assert {name: str(one.torch) for name, one in DTYPES.items()} == {
        name: f"torch.{name}" for name in ("float32", "float64", "bfloat16", "float16")
    }
    assert available_devices()[0] == "cpu"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_embeddings", 1),
        ("num_embeddings", MAX_NUM_EMBEDDINGS),
        ("embedding_dim", 1),
        ("embedding_dim", MAX_EMBEDDING_DIM),
        ("seed", 0),
        ("seed", MAX_SEED),
    ],
)
def test_the_limits_themselves_are_allowed(field: str, value: int) -> None:
    """A limit would be off by one."""
    assert getattr(Config("", **{field: value}), field) == value


def test_the_limits_are_those_of_the_issue() -> None:
    """The sizes that the settings promise would have changed."""
    assert (MAX_NUM_EMBEDDINGS, MAX_EMBEDDING_DIM) == (1_000_000, 1024)
    assert (MAX_SEED, max_tokens()) == (4_294_967_295, 100_000)


def test_defaults_are_those_of_a_link_without_parameters() -> None:
    """A shared link without parameters would show other numbers than before."""
    assert Config("ab") == Config("ab", 100, 10, 123, "normal", "float32", "cpu", unk=False)


@pytest.mark.parametrize(
    ("characters", "rows", "unk", "needed"),
    [("0123456789", 9, False, 10), ("0123456789", 10, True, 11), (bytes(range(256)), 255, 0, 256)],
)
def test_too_few_rows_for_the_vocabulary_are_refused(
    characters: str | bytes, rows: int, unk: bool, needed: int
) -> None:
    """A character would get an id for which the table has no row."""
    with pytest.raises(ConfigError, match=f"need {needed} rows.* num_embeddings is {rows}") as info:
        Config(characters, rows, unk=bool(unk))
    assert info.value.field == "num_embeddings"
    assert ("<unk>" in str(info.value)) is bool(unk)
    assert Config(characters, needed, unk=bool(unk)).num_symbols == needed


def test_tables_over_the_budget_are_refused_at_once_with_the_arithmetic() -> None:
    """8 GB would be allocated before anybody asked whether they fit."""
    start = time.perf_counter()
    with pytest.raises(ConfigError) as refused:
        Config("", 1_000_000, 1024)
    assert time.perf_counter() - start < 2  # to fill them takes longer
    for part in ("1,000,000", "1,024", "float32", "8 B", "7.6 GiB", "1.0 GiB", BUDGET_VARIABLE):
        assert part in str(refused.value)


def test_the_budget_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The documented variable would have no effect."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    assert Config("", 1024, 128).tie_bytes == MIB
    with pytest.raises(ConfigError, match=r"1\.0 MiB"):
        Config("", 1025, 128)
    monkeypatch.setenv(BUDGET_VARIABLE, "2")
    assert Config("", 1025, 128).tie_bytes > MIB


@pytest.mark.parametrize("nonsense", ["", "0", "-5", "1.5", "1e3", "many", " 7", "٣", "9" * 30])
def test_a_budget_that_is_no_number_is_refused(
    nonsense: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing mistake in the environment would switch the limit off or crash."""
    monkeypatch.setenv(BUDGET_VARIABLE, nonsense)
    with pytest.raises(ConfigError, match=BUDGET_VARIABLE) as refused:
        budget_bytes()
    assert repr(nonsense) in str(refused.value)
    with pytest.raises(ConfigError, match=BUDGET_VARIABLE):
        Config("")


def test_more_tokens_than_allowed_are_refused() -> None:
    """A pasted book would be multiplied row by row for minutes."""
    check_work_bytes(Config(""), max_tokens())
    with pytest.raises(ConfigError, match=r"100,001 tokens .* 100,000"):
        check_work_bytes(Config(""), max_tokens() + 1)


def test_outputs_over_the_budget_are_refused_with_the_arithmetic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Small tables and a long text would still use up the machine's memory."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    config = Config("", 10, 1024, dtype="float64")
    check_work_bytes(config, 10)
    with pytest.raises(ConfigError, match=r"1,000 · 1,024 · 25 B = 24\.4 MiB.*1\.0 MiB") as refused:
        check_work_bytes(config, 1_000)
    assert refused.value.field == "embedding_dim"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("init", DRAWN)
def test_the_budgeted_bytes_hold_both_weights(init: str, dtype: str) -> None:
    """The check of the budget would count fewer bytes than the two weights take."""
    config = Config("", 37, 5, init=init, dtype=dtype)
    layers = tie(config)
    held = layers.embedding.weight.nbytes + layers.linear.weight.nbytes
    assert held == 2 * 37 * 5 * config.torch_dtype.itemsize
    assert held <= config.tie_bytes <= 4 * held


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (MIB, "1.0 MiB"),
        (5 * 1024 * MIB, "5.0 GiB"),
        (2000 * 1024**4, "2,000.0 TiB"),
    ],
)
def test_bytes_are_shown_in_binary_units(count: int, shown: str) -> None:
    """A size on the page would be off by a unit."""
    assert format_bytes(count) == shown


def test_a_config_cannot_be_changed() -> None:
    """A cached table could be found under settings that are no longer its own."""
    config = Config("ab", seed=7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.seed = 8  # type: ignore[misc]
    assert {config: "cached"}[Config("ab", seed=7)] == "cached"


@pytest.mark.parametrize("characters", ["", "añ\x00\u200f", bytes(range(256))])
def test_a_config_survives_json(characters: str | bytes) -> None:
    """The record printed by the command line could not be read back."""
    config = Config(characters, 300, 3, 9, "integers", "float64", unk=True)
    fields = json.loads(json.dumps(config.to_dict()))
    if isinstance(characters, bytes):
        assert fields.pop("characters") == "bytes"
        fields["characters"] = characters
    assert Config(**fields) == config


def test_the_absence_of_a_gpu_is_explained_in_one_line() -> None:
    """A person without a GPU would not learn why none is offered."""
    if len(available_devices()) > 1:
        pytest.skip("this machine has a GPU")
    line = why_no_gpu()
    assert line.startswith("No GPU to choose: ")
    assert "CUDA" in line
    assert line.endswith(".")
    assert "\n" not in line


def test_nothing_is_explained_where_there_is_a_gpu() -> None:
    """A person with a GPU would be told that there is none."""
    if len(available_devices()) == 1:
        pytest.skip("this machine has no GPU")
    assert why_no_gpu() == ""
