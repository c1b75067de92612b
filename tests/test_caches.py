"""Every cache that sessions share is bounded in bytes, also with the largest that it may hold."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

import embviz.training.page.story  # noqa: F401 - its components are published
from embviz.classes.pace import EACH_SECOND
from embviz.classes.visit import Visit
from embviz.classes.visits import CHARACTERS, REFUSED
from embviz.fact import characters, shared_layers, tokenizers
from embviz.fact.table import Table
from embviz.labs.catalogue import LABS
from embviz.live import answer as live
from embviz.system.bounds import CLASSES, MEMBERS, MIB, TABLE, budget_bytes
from embviz.system.child import ROOT
from embviz.system.spent import Spent
from embviz.timing.tell.questions import RECORDS
from embviz.timing.tell.recorded import recorded
from embviz.training.sizes import EVERY
from tests import caches

KB = 1_000
ENTRY = 600  # bytes of an entry of a dict or of `lru_cache`, without key and value

Patch = pytest.MonkeyPatch
# A cache, or the function that has one -> its most bytes.
Measure = Callable[[Any, Patch], int]


def counted(made: Any, fill: Iterable[Callable[[], object]]) -> int:
    """The bytes to which a cache is bounded; what it holds, it counts: small and large results."""
    cache = made.cache
    cache.clear()
    for make in fill:
        before, held = cache.currsize, caches.held(*cache.items())
        make()
        assert 0 < caches.held(*cache.items()) - held <= cache.currsize - before
    return int(cache.maxsize)


def each(made: Any, *largest: object) -> int:
    """The bytes of as many entries as an `lru_cache` keeps, with this key and value in each."""
    most = made.cache_info().maxsize
    assert most
    return int(most * (ENTRY + caches.held(*largest)))


def of_tables(made: Any, patch: Patch) -> int:
    """A small table whose histogram was asked for; a large one whose products were."""
    patch.setattr(shared_layers, "LARGE_TABLE", 20_000)  # the real one takes half a minute

    def small(dim: int) -> None:
        layers = made(Table(7, dim))
        assert all((layers.extremes, layers.spread))

    def large() -> None:
        made(Table(5_000, 4)).multiply(torch.arange(shared_layers.KEPT_IDS.value()))

    assert (
        counted(made, [lambda: small(1), lambda: small(1_024), large])
        == budget_bytes() + shared_layers.ROOM_BYTES
    )
    made.cache.clear()
    return TABLE.hosted * MIB + shared_layers.ROOM_BYTES


def answer(part: str, **given: object) -> Callable[[], str]:
    """What asks the route for a part."""
    body = json.dumps({"part": part, "settings": given}).encode()
    return lambda: live.answer(body)


def of_states(made: Any, _: Patch) -> int:
    """The smallest, the widest, and with a target of 1,024 numbers."""
    wide = {"dim": 1_024, "text": "ab", "dtype": "float64", "rate": "0.1x"}
    fill = [answer("one_step", text="a", dim=1), answer("one_step", **wide)]
    return counted(made, [*fill, answer("one_step", **wide | {"target": "0.123456789 " * 1_024})])


def of_answers(made: Any, _: Patch) -> int:
    """The smallest, the widest, and one to a long text with settings that are not used."""
    wide = {"text": "abcdefgh" * 8, "dim": 1_024, "places": True, "attention": True}
    long = {"text": "é🙂" * 5_000, "vocab": "bytes", "weights": "1 " * 100_000}
    fill = [
        answer("static", text="a", dim=1),
        answer("contextual", **wide),
        answer("static", **long),
    ]
    return counted(made, fill)


def of_trainings(made: Any, _: Patch) -> int:
    """The smallest and the largest, each after as many steps as its page was told to allow."""

    def small() -> None:
        made("abab", 2, 1).advance(30)

    def large() -> None:
        made(characters.constitution(), 64, 1).advance(30)

    return counted(made, [small, large])


def of_letters(made: Any, _patch: Patch) -> int:
    """One seed after another."""
    return counted(made, [lambda seed=seed: made(seed) for seed in range(2)])


def of_sizes(made: Any, _: Patch) -> int:
    """The smallest and the largest, each after as many steps as its page was told to allow."""

    def small() -> None:
        made("abab", 1).advance(EVERY)

    def large() -> None:
        made(characters.constitution(), 1).advance(EVERY)

    return counted(made, [small, large])


def of_bpe(made: Any, _: Patch) -> int:
    """Texts of all pieces; the tokenizer itself lies in Rust's memory: 0.6 MB by `psutil`."""
    return each(made, made(tokenizers.MOST_MERGES)) + made.cache_info().maxsize * 600 * KB


def of_questions(made: Any, _: Patch) -> int:
    """The largest of eight."""
    asked = [made(lab, seed) for lab in LABS for seed in (1, 2)]
    for question in [one for _, steps in asked for one in steps]:
        assert question.prompt
    return each(made, max(asked, key=caches.held))


def of_a_key(made: Any, _: Patch) -> int:
    """The key of a long class word."""
    word = "seven blue whales " * 20
    return each(made, word, made(word))


def of_visible(made: Any, _: Patch) -> int:
    """A character beyond the first plane."""
    return each(made, chr(0x1D165), made(chr(0x1D165)))


def of_qr(made: Any, _: Patch) -> int:
    """The longest address that a code can hold."""
    address = "http://" + "x" * 2_300
    return each(made, address, made(address))


def of_style(made: Any, _: Patch) -> int:
    """The longest style sheet of the tree."""
    files = (ROOT / "embviz").rglob("*.css")
    css = max((path.read_text(encoding="utf-8") for path in files), key=len)
    return each(made, css, made(css))


def of_stacks(made: Any, _: Patch) -> int:
    """Layers of the widest rows that are kept."""
    return each(made, made.__wrapped__(256, 1, torch.device("cpu")))


def of_recorded_results(made: Any, _: Patch) -> int:
    """Sentences and chart of the run that has the most lines."""
    question = max(RECORDS, key=lambda one: recorded(one).count)
    given = len(recorded(question).times), True, ("#123456",) * 6
    result = made(question, *given)
    return each(made, *result.sentences, *result.wins, result.figure.to_dict())


def of_recorded(made: Any, _: Patch) -> int:
    """All recorded runs, with their tables."""
    return caches.held([(made(one), made(one).times) for one in RECORDS])


def of_questions_settings(made: Any, _: Patch) -> int:
    """Those of all questions."""
    return caches.held([made(one) for one in RECORDS])


def of_students(made: Any, _: Patch) -> int:
    """As many as it takes; a key has a code and a digest, a value the texts that were refused."""
    assert made.maxsize >= MEMBERS.value()
    texts = tuple(sign * CHARACTERS for sign in "\U0001f600\U0001f601\U0001f602"[:REFUSED])
    visit = Visit(1.0, "learns", 9, 10**6, texts)
    return int(made.maxsize * (ENTRY + caches.held(("k7m-q2x4", bytes(range(32))), visit)))


def of_tickets(made: Any, _: Patch) -> int:
    """As many secrets as it takes."""
    assert made.maxsize >= CLASSES.value()
    return int(made.maxsize * (ENTRY + caches.held("x" * 22, "k7m-q2x4")))


def of_paces(made: Any, _: Patch) -> int:
    """As many codes of classes as it takes."""
    return int(made.maxsize * (ENTRY + caches.held("k7m-q2x4", Spent(EACH_SECOND))))


def of_versions(made: Any, _: Patch) -> int:
    """As many codes as it takes."""
    assert made.maxsize >= CLASSES.value()
    return int(made.maxsize * (ENTRY + caches.held("k7m-q2x4", 10**6)))


def of_an_index(made: Any, _: Patch) -> int:
    """The texts, their rows, and the groups of letters; scikit-learn's own parts are small."""
    index = made()
    table = index.rows
    return caches.held(
        table.data,
        table.indices,
        table.indptr,
        index.vectorizer.vocabulary_,
        index.vectorizer.idf_,
        index.texts,
    )


def of_a_value(made: Any, _: Patch) -> int:
    """The one value that a function ever gives."""
    return caches.held(made())


def of_imports(made: Any, _: Patch) -> int:
    """What imports have put into a dict."""
    assert made
    return caches.held(made)


def of_computations(made: Any, _: Patch) -> int:
    """An entry for each computation or process, which goes with it; far fewer than 100."""
    assert len(made) < 100
    return 100 * ENTRY


# Most bytes of each cache on a hosted server, by file and name, and what measures or computes them.
BOUNDS: dict[str, tuple[int, Measure]] = {
    "embviz/fact/shared_layers: kept_layers": (72 * MIB, of_tables),
    "embviz/training/page/film/step_film: _states": (10 * MIB, of_states),
    "embviz/training/page/write: _training": (12 * MIB, of_trainings),
    "embviz/training/page/sizes: _sizes": (4 * MIB, of_sizes),
    "embviz/training/page/letters/drawing: picture_of": (320 * KB, of_letters),
    "embviz/picture/part: _kept": (4 * MIB, of_answers),
    "embviz/fact/tokenizers: bpe": (8 * MIB, of_bpe),
    "embviz/fact/words: words": (MIB, of_a_value),
    "embviz/fact/letters: learn": (150 * KB, of_letters),
    "embviz/labs/catalogue: _made": (16 * MIB, of_questions),
    "embviz/labs/guess: _seconds": (16 * KB, of_a_value),
    "embviz/labs/homework: _key": (16 * KB, of_a_key),
    "embviz/text/wording: visible": (4 * MIB, of_visible),
    "embviz/classes/page/class_link: qr": (3 * MIB, of_qr),
    "embviz/ui/elements/theme: style_sheet": (MIB, of_style),
    "embviz/context/stack: parts_of": (14 * MIB, of_stacks),
    "embviz/timing/page/page: _of_recorded": (4 * MIB, of_recorded_results),
    "embviz/timing/cases: settings_of": (16 * KB, of_questions_settings),
    "embviz/classes/visits: visitors": (5 * MIB, of_students),
    "embviz/classes/routes: tickets": (MIB, of_tickets),
    "embviz/classes/pace: _rows": (256 * KB, of_paces),
    "embviz/classes/routes: _versions": (MIB, of_versions),
    "embviz/limits/messages: messages": (MIB, of_a_value),
    "embviz/limits/nearest: _index": (3500 * KB, of_an_index),
    "embviz/limits/results: file": (16 * KB, of_a_value),
    "embviz/limits/page/browse: proofs_of_list": (MIB, of_a_value),
    "embviz/timing/tell/work: real_models": (16 * KB, of_a_value),
    "embviz/timing/tell/recorded: recorded": (12 * MIB, of_recorded),
    "embviz/fact/characters: constitution": (MIB, of_a_value),
    "embviz/fact/characters: following": (100 * KB, of_a_value),
    "embviz/fact/characters: learn": (100 * KB, of_letters),
    "embviz/context/shared_word: recorded": (MIB, of_a_value),
    "embviz/hosting/capacity: open_files": (16 * KB, of_a_value),
    "embviz/hosting/headers: policy": (16 * KB, of_a_value),
    "embviz/server/assets: _published": (MIB, of_imports),
    "embviz/server/scheduler: _computing": (MIB, of_computations),
    "embviz/system/child: _running": (MIB, of_computations),
    "embviz/limits/own_process: started": (MIB, of_computations),
}
# One object that the host chooses or starts, of a size that no visitor changes.
OF_THE_HOST = {
    "embviz/text/typed: Notation.gap",
    "embviz/context/page/sentences: _model",
    "embviz/context/page/sentences: _loaded",
    "embviz/classes/here: _store",
    "embviz/timing/page/measuring: warm",
    "embviz/server/log: Seldom.__init__.self.recent",  # places of the program
    "embviz/classes/pace: Tries.__init__.self._spent",  # 2,000 addresses, below 1 MB
}
# What counts with the cache, the session or the process that keeps it.
ELSEWHERE = {
    "embviz/context/shared_word: SharedWord.bag_cosines": "recorded, a session",
    "embviz/context/shared_word: SharedWord.sentence_cosines": "recorded, a session",
    "embviz/context/shared_word: SharedWord.word_cosines": "recorded, a session",
    "embviz/fact/layers: TiedLayers.extremes": "tables, questions",
    "embviz/fact/layers: TiedLayers.is_finite": "tables, questions",
    "embviz/fact/layers: TiedLayers.spread": "tables, questions",
    "embviz/labs/counts: Bag.counts": "questions",
    "embviz/labs/letters: Letters.layers": "questions",
    "embviz/labs/letters: Letters.ids": "questions",
    "embviz/limits/prove: Outcome.differs": "proofs_of_list",
    "embviz/timing/tell/my_model: ModelSizes.cost": "PRESETS, a rerun",
    "embviz/timing/measure/timed: Timed.rank": "recorded, a session",
    "embviz/timing/measure/timed: Timed._sizes": "recorded, a session",
    "embviz/fact/vocabulary: Listed._ids": "_training, a session",
    "embviz/fact/comparison: Pair.differs": "a rerun",
    "embviz/fact/comparison: Pair.num_equal": "a rerun",
    "embviz/fact/comparison: Pair.differing_tokens": "a rerun",
    "embviz/fact/comparison: Pair.max_abs_error": "a rerun",
    "embviz/fact/comparison: Pair.max_ulp": "a rerun",
    "embviz/ui/state/session: Session.long": "a session",
    "embviz/ui/state/session: _long_texts.?": "a session",
    "embviz/timing/page/measuring: sweeps": "a session",
    "embviz/timing/measure/ceilings: calibrate": "the measuring process",
    "embviz/timing/measure/process: gpu_floor": "the measuring process",
    "embviz/timing/measure/rounds: flush_buffer": "the measuring process",
    "embviz/timing/measure/task: _engine": "a process of Dask",
    # What makes the caches above.
    "embviz/system/shared_cache: shared_cache.kept": "each of its caches",
    "embviz/system/shared_cache: shared_cache.decorated.?": "each of its caches",
}


def test_every_cache_of_the_tree_has_a_bound() -> None:
    """A cache that is missing here fails, and so does one that is gone."""
    assert sorted(caches.caches()) == sorted([*BOUNDS, *OF_THE_HOST, *ELSEWHERE])


@pytest.mark.parametrize("name", BOUNDS)
def test_a_cache_with_its_largest_content_keeps_its_bound(name: str, monkeypatch: Patch) -> None:
    """Its largest content is made where that takes no minutes; else its count times its largest."""
    most, measure = BOUNDS[name]
    assert 0 < measure(caches.named(name), monkeypatch) <= most


def test_all_of_them_together() -> None:
    """On a hosted server they take at most 200 MiB, as its document says."""
    assert sum(most for most, _ in BOUNDS.values()) <= 200 * MIB
