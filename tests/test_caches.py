"""Caches that sessions share are bounded: the large ones in bytes, all others in their number."""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import torch

from embviz.context.stack import parts_of
from embviz.fact import characters, shared_layers
from embviz.fact.table import Table
from embviz.live import answer as live
from embviz.picture import part
from embviz.system.bounds import MIB, TABLE, budget_bytes
from embviz.training.page import sizes, write
from embviz.training.page.film import step_film
from embviz.training.page.letters.drawing import picture_of
from embviz.training.sizes import EVERY
from tests.caches import held
from tests.test_architecture import FILES

Patch = pytest.MonkeyPatch
# Caches of one entry for each key: the keys are few, and no visitor chooses them.
FEW_KEYS = {
    *("_store", "recorded", "settings_of"),
    *("calibrate", "_engine", "flush_buffer"),  # of the measuring process
}
# Dicts, lists and sets that a module begins empty: imports or processes fill them.
FEW_ENTRIES = {"_published", "_computing", "_running", "started", "_loaded"}


def answer(name: str, **given: object) -> Callable[[], object]:
    """What asks the route for a part."""
    body = json.dumps({"part": name, "settings": given}).encode()
    return lambda: live.answer(body)


def tables(patch: Patch) -> Iterator[Callable[[], object]]:
    """A small table whose histogram was asked for; a large one whose products were."""
    patch.setattr(shared_layers, "LARGE_TABLE", 20_000)  # the real one takes half a minute

    def small(dim: int) -> None:
        layers = shared_layers.kept_layers(Table(7, dim))
        assert all((layers.extremes, layers.spread))

    yield lambda: small(1)
    yield lambda: small(1_024)
    ids = torch.arange(shared_layers.KEPT_IDS.value())
    yield lambda: shared_layers.kept_layers(Table(5_000, 4)).multiply(ids)


WIDE = {"dim": 1_024, "text": "ab", "dtype": "float64", "rate": "0.1x"}


def states(_: Patch) -> Iterator[Callable[[], object]]:
    """The smallest, the widest, and with a target of 1,024 numbers."""
    yield answer("one_step", text="a", dim=1)
    yield answer("one_step", **WIDE)
    yield answer("one_step", **WIDE | {"target": "0.123456789 " * 1_024})


def answers(_: Patch) -> Iterator[Callable[[], object]]:
    """The smallest, the widest, and one to a long text with settings that are not used."""
    yield answer("static", text="a", dim=1)
    yield answer("contextual", text="abcdefgh" * 8, dim=1_024, places=True, attention=True)
    yield answer("static", text="é🙂" * 5_000, vocab="bytes", weights="1 " * 100_000)


def trainings(_: Patch) -> Iterator[Callable[[], object]]:
    """The smallest and the largest, each after as many steps as its page was told to allow."""
    make = getattr(write, "_training")  # noqa: B009 - of another module
    yield lambda: make("abab", 2, 1).advance(30)
    yield lambda: make(characters.constitution(), 64, 1).advance(30)


def models(_: Patch) -> Iterator[Callable[[], object]]:
    """The smallest and the largest, as `trainings`."""
    make = getattr(sizes, "_sizes")  # noqa: B009 - of another module
    yield lambda: make("abab", 1).advance(EVERY)
    yield lambda: make(characters.constitution(), 1).advance(EVERY)


def letters(_: Patch) -> Iterator[Callable[[], object]]:
    """One seed after another."""
    for seed in range(2):
        yield lambda seed=seed: picture_of(seed)


# By the module and the name of a cache that counts bytes: its bound, and what fills it.
COUNTED: dict[tuple[Any, str], tuple[int, Callable[[Patch], Iterable[Callable[[], object]]]]] = {
    (shared_layers, "kept_layers"): (budget_bytes() + shared_layers.ROOM_BYTES, tables),
    (step_film, "_states"): (10 * MIB, states),
    (write, "_training"): (12 * MIB, trainings),
    (sizes, "_sizes"): (4 * MIB, models),
    (part, "_kept"): (4 * MIB, answers),
    (sys.modules[picture_of.__module__], "picture_of"): (MIB, letters),
}


@pytest.mark.parametrize(("module", "name"), COUNTED, ids=str)
def test_a_large_cache_counts_the_bytes_that_it_holds(
    module: Any, name: str, monkeypatch: Patch
) -> None:
    """Of small and of large results; all of them together are bounded."""
    most, fill = COUNTED[module, name]
    cache = getattr(module, name).cache
    cache.clear()
    for make in fill(monkeypatch):
        before, size = cache.currsize, held(*cache.items())
        make()
        assert 0 < held(*cache.items()) - size <= cache.currsize - before
    assert cache.maxsize <= most
    cache.clear()


def test_all_caches_together_are_bounded() -> None:
    """On a hosted server the large ones take 150 MiB, of the 200 MB that its document names."""
    stacks = parts_of.cache_info().maxsize
    widest = parts_of.__wrapped__(256, 1, torch.device("cpu"))
    assert stacks is not None
    together = stacks * held(widest) + TABLE.hosted * MIB + shared_layers.ROOM_BYTES
    for (module, name), (most, _) in COUNTED.items():
        together += 0 if module is shared_layers else most
        assert getattr(module, name).cache.maxsize
    assert together <= 150 * MIB


def unbounded(tree: ast.Module) -> Iterator[str]:
    """The names of what a file keeps without a bound: an entry for each key, or a bare dict."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.args):
            makers = {ast.unparse(maker) for maker in node.decorator_list}
            if makers & {"cache", "functools.cache", "lru_cache(None)", "lru_cache(maxsize=None)"}:
                yield node.name
    for line in tree.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and line.value:
            made = re.sub(r"\[.*\]\(\)$", "()", ast.unparse(line.value))
            if made in ("{}", "[]", "dict()", "list()", "set()", "defaultdict()", "deque()"):
                yield ast.unparse(
                    line.target if isinstance(line, ast.AnnAssign) else line.targets[0]
                )


def test_no_other_cache_grows_without_bound() -> None:
    """A dict that visitors could fill is named here with its reason, or has a bound."""
    found = {name for path in FILES for name in unbounded(ast.parse(path.read_text("utf-8")))}
    assert found == FEW_KEYS | FEW_ENTRIES
