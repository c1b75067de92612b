"""Every cache that sessions share is bounded in bytes, also with the largest that it may hold."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

import pages.context
import pages.training  # noqa: F401 - the route answers the parts of both
from embviz.context import shared_word, stack
from embviz.core import child, tokenizers, vocabulary
from embviz.core.bounds import CLASSES, MEMBERS, MIB, TABLE
from embviz.core.config import Config, budget_bytes
from embviz.labs.catalogue import LABS, questions
from embviz.limits import alone, search
from embviz.request import live
from embviz.request.pages import PAGES
from embviz.request.settings import SETTINGS
from embviz.server import assets, class_routes, scheduler, tables
from embviz.training import corpus
from embviz.ui.pages.labs import class_link
from embviz.ui.pages.limits import browse
from embviz.ui.pages.timing import kept, page
from embviz.ui.pages.training import one_step, write
from embviz.ui.parts import ask
from tests import caches

KB = 1_000
torch.set_num_threads(1)  # as the server does


def counted(cache: Any, fill: Iterable[Callable[[], object]]) -> int:
    """The bytes to which a cache is bounded; what it holds, it counts: small and large results."""
    cache.clear()
    for make in fill:
        before, held = cache.currsize, caches.held(*cache.items())
        make()
        assert 0 < caches.held(*cache.items()) - held <= cache.currsize - before
    return int(cache.maxsize)


def of_tables(patch: pytest.MonkeyPatch) -> int:
    """A small table whose histogram was asked for; a large one whose products were."""
    patch.setattr(tables, "LARGE_TABLE", 20_000)  # the real one takes half a minute

    def small(dim: int) -> None:
        layers = tables.tables(Config("", 7, dim))
        assert all((layers.extremes, layers.spans, layers.distribution))

    def large() -> None:
        layers = tables.tables(Config("", 5_000, 4))
        layers.multiply(torch.arange(tables.KEPT_IDS))

    fill = [lambda: small(1), lambda: small(1_024), large]
    most = counted(tables.tables.cache, fill)  # type: ignore[attr-defined]
    assert most == budget_bytes()
    tables.tables.cache.clear()  # type: ignore[attr-defined]
    return 0  # its bound is the host's: EMBVIZ_TABLE_BUDGET_MIB


def answer(part: str, **given: object) -> Callable[[], str]:
    """What asks the route for a part."""
    body = json.dumps({"part": part, "settings": given}).encode()
    return lambda: live.answer(body, pytest.fail)


def of_walks() -> int:
    """The smallest, the widest, and with a target of 1,024 numbers."""
    wide = {"dim": 1_024, "text": "ab", "dtype": "float64", "rate": "0.1x"}
    fill = [answer("walk", text="a", dim=1), answer("walk", **wide)]
    fill += [answer("walk", **wide | {"target": "0.123456789 " * 1_024})]
    return counted(one_step._walk.cache, fill)  # type: ignore[attr-defined]


def of_answers() -> int:
    """The smallest, the widest, and one to a long text with settings that are not used."""
    wide = {"text": "abcdefgh" * 8, "dim": 1_024, "places": True, "attention": True}
    long = {"text": "é🙂" * 5_000, "vocab": "bytes", "weights": "1 " * 100_000}
    fill = [answer("static", text="a", dim=1), answer("context", **wide), answer("static", **long)]
    return counted(ask._packed.cache, fill)  # type: ignore[attr-defined]


def of_trainings(patch: pytest.MonkeyPatch) -> int:
    """The smallest and the largest, each after as many steps as its page was told to allow."""
    patch.setattr(write, "MOST", 30)  # 5,000 take minutes

    def trained(text: str, learn_on: str, dim: int) -> None:
        write._training(text, learn_on, dim, 1).advance(30)

    def small() -> None:
        trained("abab", "characters", 2)

    def large() -> None:
        trained(corpus.constitution(), "pieces", 64)

    return counted(write._training.cache, [small, large])  # type: ignore[attr-defined]


def of_bpe() -> int:
    """A table's texts, and as much again for the tokenizer in Rust's memory, thrice."""
    most = tokenizers.bpe.cache_info().maxsize
    assert most
    text = len(tokenizers.MERGES.read_text("utf-8"))
    return most * (caches.held(tokenizers.bpe(tokenizers.MOST_MERGES)) + 20 * text)


def of_questions() -> int:
    """As many as are kept, each as large as the largest of eight."""
    made = [questions(lab, seed) for lab in LABS for seed in (1, 2)]
    for one in [step for lab in made for step in lab]:
        assert one.prompt
    most = questions.cache_info().maxsize
    assert most
    return most * max(map(caches.held, made))


def of_visible() -> int:
    """Characters beyond the first plane, shown by their number or with a base."""
    most = vocabulary.visible.cache_info().maxsize
    assert most
    return most * (200 + caches.held(chr(0x1D165), vocabulary.visible(chr(0x1D165))))


def of_qr() -> int:
    """The longest address that a code can hold."""
    address = "http://" + "x" * 2_300
    most = class_link.qr.cache_info().maxsize
    assert most
    return most * (200 + caches.held(address, class_link.qr(address)))


def of_stacks() -> int:
    """Layers of the widest rows that are kept."""
    made = stack._drawn.__wrapped__(  # type: ignore[attr-defined]
        stack.KEPT_DIM, 1, torch.device("cpu"), torch.float64
    )
    most = stack._drawn.cache_info().maxsize
    assert most
    return most * caches.held(made)


def of_recorded_results() -> int:
    """Sentences and chart of the recorded run."""
    run = kept.recorded()
    made = page._of_recorded(len(run.times), True, ("lookup", "matmul"), ("#123456",) * 6)
    most = page._of_recorded.cache_info().maxsize
    assert most
    return most * caches.held(*made[0], made[1].to_dict())


def of_present() -> int:
    """As many students as it takes; a key has a code and a cookie."""
    size = class_routes._present.maxsize
    assert size >= MEMBERS.value()
    return int(size) * (600 + caches.held("k7m-q2x4", "x" * 43))


def of_tickets() -> int:
    """As many secrets as it takes."""
    size = class_routes._tickets.maxsize
    assert size >= CLASSES.value()
    return int(size) * (600 + caches.held("x" * 22, "k7m-q2x4"))


def of_threads(what: Any) -> Callable[[], int]:
    """One entry for each thread that computes; it goes with the computation."""
    assert len(what) < 100
    return lambda: 100 * 500


def value(made: Callable[[], Any]) -> Callable[[], int]:
    """The one value that it ever has."""
    return lambda: caches.held(made())


# Most bytes of each cache, by file and name, and what measures or computes them.
BOUNDS: dict[str, tuple[int, Callable[..., int]]] = {
    "embviz/server/tables: tables": (0, of_tables),
    "embviz/ui/pages/training/one_step: _walk": (8 * MIB, of_walks),
    "embviz/ui/pages/training/write: _training": (32 * MIB, of_trainings),
    "embviz/ui/parts/ask: _packed": (4 * MIB, of_answers),
    "embviz/core/tokenizers: bpe": (8 * MIB, of_bpe),
    "embviz/labs/catalogue: questions": (16 * MIB, of_questions),
    "embviz/core/vocabulary: visible": (2 * MIB, of_visible),
    "embviz/ui/pages/labs/class_link: qr": (3 * MIB, of_qr),
    "embviz/context/stack: _drawn": (28 * MIB, of_stacks),
    "embviz/ui/pages/timing/page: _of_recorded": (4 * MIB, of_recorded_results),
    "embviz/server/class_routes: _present": (5 * MIB, of_present),
    "embviz/server/class_routes: _tickets": (MIB, of_tickets),
    "embviz/limits/search: _index": (MIB, value(search._index)),
    "embviz/ui/pages/limits/browse: proofs_of_list": (3 * MIB, value(browse.proofs_of_list)),
    "embviz/ui/pages/timing/kept: recorded": (6 * MIB, value(kept.recorded)),
    "embviz/training/corpus: constitution": (MIB, value(corpus.constitution)),
    "embviz/context/shared_word: recorded": (3 * MIB, value(shared_word.recorded)),
    # Filled by imports alone.
    "embviz/server/assets: _published": (MIB, value(lambda: assets._published)),
    "embviz/request/live: PARTS": (MIB, lambda: 500 * len(live.PARTS)),
    "embviz/request/pages: PAGES": (MIB, lambda: 20 * KB * len(PAGES)),
    "embviz/request/settings: SETTINGS": (MIB, lambda: 5 * KB * len(SETTINGS)),
    # Entries that go with what they stand for.
    "embviz/server/scheduler: _computing": (MIB, of_threads(scheduler._computing)),
    "embviz/core/child: _running": (MIB, of_threads(child._running)),
    "embviz/limits/alone: _started": (MIB, of_threads(alone._started)),
}
# One object that the host chooses or starts, of a size that no visitor changes.
OF_THE_HOST = {
    "embviz/core/tokenizers: _load",
    "embviz/ui/pages/context/sentences: _model",
    "embviz/ui/pages/context/sentences: _loaded",
    "embviz/classes/here: _store",
    "embviz/ui/pages/timing/page: warm",
}
# What counts with the object, the session or the process that keeps it.
ELSEWHERE = {
    "embviz/core/layers: TiedLayers.extremes": "tables, questions",
    "embviz/core/layers: TiedLayers.spans": "tables, questions",
    "embviz/core/layers: TiedLayers.distribution": "tables, questions",
    "embviz/labs/bag: Bag.counts": "questions",
    "embviz/labs/letters: Letters.layers": "questions",
    "embviz/labs/letters: Letters.ids": "questions",
    "embviz/limits/prove: Outcome.differs": "proofs_of_list",
    "embviz/timing/timed: Timed.rank": "recorded, a session",
    "embviz/timing/timed: Timed._sizes": "recorded, a session",
    "embviz/core/vocabulary: Vocabulary._ids": "_training, a session",
    "embviz/core/comparison: Comparison.differs": "a rerun",
    "embviz/core/comparison: Comparison.num_equal": "a rerun",
    "embviz/core/comparison: Comparison.differing_tokens": "a rerun",
    "embviz/core/comparison: Comparison.max_abs_error": "a rerun",
    "embviz/core/comparison: Comparison.max_ulp": "a rerun",
    "embviz/ui/state/session: state.long": "a session",
    "embviz/ui/pages/timing/page: sweeps": "a session",
    "embviz/timing/ceilings: calibrate": "the measuring process",
    "embviz/timing/rounds: flush_buffer": "the measuring process",
    "embviz/timing/task: _engine": "a process of Dask",
    # What makes the caches above.
    "embviz/server/shared_cache: shared_cache.kept": "each of its caches",
    "embviz/server/shared_cache: shared_cache.decorated.?": "each of its caches",
}


def test_every_cache_of_the_tree_has_a_bound() -> None:
    """A cache that is missing here fails, and so does one that is gone."""
    known = [*BOUNDS, *OF_THE_HOST, *ELSEWHERE]
    assert sorted(caches.caches()) == sorted(known)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_cache_with_its_largest_content_keeps_its_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its largest content is made where that takes no minutes; else its count times its largest."""
    most, measure = BOUNDS[name]
    given = [monkeypatch] if measure in (of_tables, of_trainings) else []
    assert measure(*given) <= most


def test_all_of_them_together() -> None:
    """On a hosted server they and the tables take at most 200 MiB."""
    assert sum(most for most, _ in BOUNDS.values()) + TABLE.hosted * MIB <= 200 * MIB
