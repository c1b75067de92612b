"""The limits that hosting changes: in the table, in force, in the sentences, in the README."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from embviz.bag.checks import MatrixError, check_size, max_unpacked_bytes
from embviz.core import bounds
from embviz.core.bounds import BOUNDS, Bound, BoundError
from embviz.core.config import Config, ConfigError, check_work_bytes, max_tokens
from embviz.core.ids import IdsError, parse_ids
from embviz.request.inputs import read_inputs
from embviz.request.parameters import DEFAULTS
from embviz.timing import measure
from embviz.timing.cases import Case
from embviz.timing.sweep import Engine, Sweep
from embviz.training.lockstep import COPIES, Lockstep
from embviz.training.losses import mse
from embviz.training.size_limits import MAX_STEPS, max_steps
from embviz.training.step import max_gradient

ROOT = Path(__file__).resolve().parents[2]
CASE = Case("lookup", 64, 8, 4)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets every variable of the limits, and removes all listeners."""
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    for bound in BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)
    monkeypatch.setattr(bounds, "_listeners", [])


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets `EMBVIZ_HOSTED=1`."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")


def named(bound: Bound) -> str:
    """The test id of a bound."""
    return bound.name


@pytest.mark.parametrize("bound", BOUNDS, ids=named)
def test_a_limit_is_its_default_or_its_variable(
    bound: Bound, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit is its local or hosted default, unless its variable is set."""
    assert bound.value() == bound.local
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert bound.value() == bound.hosted <= bound.local
    monkeypatch.setenv(bound.variable, "7")
    assert bound.value() == 7


@pytest.mark.parametrize("raw", ["", "0", "-5", "1.5", "1e3", "many", " 7", "٣", "9" * 10])
def test_a_variable_that_is_no_limit_is_quoted(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is not a whole number is refused with its name and value."""
    monkeypatch.setenv(bounds.STEPS.variable, raw)
    with pytest.raises(BoundError) as refused:
        bounds.STEPS.value()
    assert str(refused.value) == (
        f"EMBVIZ_MAX_STEPS={raw!r} is not a whole number, such as 100000."
    )


def test_the_hosting_document_has_every_limit_as_it_is() -> None:
    """The table for hosts states the limits in force."""
    lines = (ROOT / "embviz" / "server" / "README.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "`EMBVIZ_" in line]
    rows = [line for line in rows if line.count(" | ") == 3]

    def shown(bound: Bound, value: int) -> str:
        return f"{value:,} {bound.unit}".strip()

    assert rows == [
        f"| {one.words} | {shown(one, one.local)} | {shown(one, one.hosted)} | `{one.variable}` |"
        for one in BOUNDS
    ]
    elsewhere = (ROOT / "README.md").read_text("utf-8")
    assert [one.variable for one in BOUNDS if one.variable in elsewhere] == []


def test_every_name_is_there_once() -> None:
    """Names and variables of the limits are unique."""
    assert len({one.name for one in BOUNDS}) == len({one.variable for one in BOUNDS}) == len(BOUNDS)


def asks_for_tokens() -> None:
    """Asks for one token more than a hosted text may have."""
    check_work_bytes(Config(""), 10_001)


def asks_for_ids() -> None:
    """Asks for one id too many."""
    parse_ids("0 " * 10_001, 1)


def asks_for_tables() -> None:
    """Asks for two tables of a little more than half the budget."""
    Config("", 10_000, 900)


def asks_for_outputs() -> None:
    """Asks for large outputs of small tables."""
    check_work_bytes(Config("", 100, 1000), 9_000)


def asks_for_cells() -> None:
    """Asks for one stored cell too many."""
    check_size(np.broadcast_to(np.ones(1), 1_000_001))


def asks_for_training() -> None:
    """Asks for a table that fits and a training that does not."""
    Lockstep(Config("", 20_000, 60), torch.arange(3), optimizer="adam", loss=mse())


REQUESTS: list[tuple[Callable[[], Any], type[ValueError], str, Bound]] = [
    (asks_for_tokens, ConfigError, "10,001 tokens are more than the 10,000", bounds.TOKENS),
    (asks_for_ids, IdsError, "10,001 ids are more than the 10,000 allowed", bounds.TOKENS),
    (asks_for_tables, ConfigError, "budget of 64.0 MiB (EMBVIZ_TABLE_BUDGET_MIB)", bounds.TABLE),
    (asks_for_outputs, ConfigError, "budget of 64.0 MiB (EMBVIZ_TABLE_BUDGET_MIB)", bounds.TABLE),
    (
        asks_for_cells,
        MatrixError,
        "1,000,001 stored values are more than the 1,000,000 allowed",
        bounds.CELLS,
    ),
    (
        asks_for_training,
        ValueError,
        "15 copies of a table of 1,200,000 numbers, 68.7 MiB: over the "
        "budget of 64.0 MiB (EMBVIZ_TABLE_BUDGET_MIB)",
        bounds.TABLE,
    ),
]


@pytest.mark.parametrize(("ask", "error", "words", "bound"), REQUESTS)
def test_a_request_over_a_hosted_limit_is_refused_and_told(
    ask: Callable[[], None],
    error: type[ValueError],
    words: str,
    bound: Bound,
    hosted: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request over a hosted limit is refused, and listeners hear which limit it was."""
    told: list[Bound] = []
    bounds.listen(told.append)
    with pytest.raises(error) as refused:
        ask()
    assert words in str(refused.value)
    assert told == [bound]
    monkeypatch.delenv("EMBVIZ_HOSTED")
    if ask is not asks_for_cells:  # each is allowed on one's own machine
        ask()
    assert told == [bound]


def test_a_vocabulary_and_a_text_are_bounded_as_typed(hosted: None) -> None:
    """Typed texts and vocabularies have the limit of tokens."""
    for changed in ({"text": "a" * 10_001}, {"vocab": "custom", "chars": "a" * 10_001}):
        given = read_inputs({**DEFAULTS, **changed})
        assert given.refusal is not None
        assert "are more than the 10,000 allowed" in given.refusal.message


def test_the_other_limits_are_in_force(hosted: None) -> None:
    """Every other limit is read by the code that it limits."""
    assert max_tokens() == 10_000
    assert max_unpacked_bytes() == 24_000_008
    assert max_steps() == 5_000 < MAX_STEPS
    assert max_gradient() == 64 * bounds.MIB // 128
    assert measure.budget_bytes() == 96 * bounds.MIB
    assert Sweep([CASE]).limit_s == 60
    assert Engine()._idle_s == 300


def test_training_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training stops after EMBVIZ_MAX_STEPS steps."""
    monkeypatch.setenv(bounds.STEPS.variable, "3")
    run = Lockstep(Config("", 5, 2), torch.arange(3), optimizer="sgd", loss=mse())
    assert (run.advance(9), run.finished) == (3, True)


def test_a_training_holds_no_more_than_was_predicted() -> None:
    """A training holds exactly the tensors that its memory check counts."""
    run = Lockstep(Config("", 500, 40), torch.arange(4), optimizer="adam", loss=mse())
    run.advance(2)
    held = [run.embedding, run.linear, run.embedding.grad, run.linear.grad]
    for one in run._optimizers:
        for moments in one.state.values():
            held += [part for part in moments.values() if part.dim() == 2]
    for journey in run.journeys:
        held += [journey.start, journey._before]
    assert all(part is not None and part.numel() == 20_000 for part in held)
    assert len({part.data_ptr() for part in held if part is not None}) == 12 < COPIES


def test_a_sweep_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring and says why."""
    monkeypatch.setenv(bounds.SWEEP_S.variable, "2")
    told: list[Bound] = []
    bounds.listen(told.append)
    lines: list[dict[str, Any]] = []
    sweep = Sweep([CASE, CASE], lines.append)
    sweep.stop_in_time()
    sweep.begin({"cpu": "none"})
    sweep.stop_in_time()
    assert not sweep.stopping.is_set()
    sweep._began = time.monotonic() - 2
    sweep.stop_in_time()
    assert sweep.stopping.is_set()
    sweep.finish("stopped")
    words = "one sweep may take 2 s here (EMBVIZ_SWEEP_SECONDS), and 0 of 2 cases fitted in."
    assert [lines[-1][name] for name in ("type", "status", "reason")] == ["end", "stopped", words]
    assert told == [bounds.SWEEP_S]


def test_own_weights_are_kept_for_their_session_alone() -> None:
    """The user's own table is kept per session and never shared."""
    slots: list[tuple[str, object]] = []

    def keep(slot: str, made_of: object, make: Callable[[], torch.Tensor]) -> torch.Tensor:
        slots.append((slot, made_of))
        return make()

    settings = {**DEFAULTS, "init": "own", "input": "ids", "ids": "0", "weights": "1 2\n3 4"}
    table = read_inputs(settings, None, keep).table
    assert table is not None
    assert slots == [("own_table", "1 2\n3 4")]
    again = read_inputs(settings, None, keep).table
    assert again is not None
    assert again.data_ptr() != table.data_ptr()
