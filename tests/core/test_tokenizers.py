"""Vocabularies by name: ids of pieces are those of the libraries, and the text comes back."""

import hashlib
import importlib.util
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from embviz.core import o200k
from embviz.core.merges import MERGES, MOST_MERGES, bpe
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import UNK, UnknownCharacterError, VocabularyError
from embviz.training.text import library_text
from tests.core.tokenizer_files import head, learn_merges

TEXTS = [
    "WTF does nn.Embedding do?",
    "Über größere Straßen läuft der Fuchs, 2.718-mal schneller.",
    "👩‍👩‍👧 family, flag 🇩🇪, skin 👍🏽!",
    "",
    "lookup == one_hot @ weight; " * 179,
    "  two  spaces\r\nand \x00 a null, a combining é, <|endoftext|>",
]
SETTINGS = {"chars": "abc", "merges": 300, "unknown": "error"}


def own_bpe(merges: int) -> Tokenizer:
    """Hugging Face's tokenizer of the first merges, with ids of its own."""
    lines = MERGES.read_text("utf-8").splitlines()[1 : 1 + merges]
    pairs = [(line.split(" ")[0], line.split(" ")[1]) for line in lines]
    spellings = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *("".join(pair) for pair in pairs)]
    made = Tokenizer(models.BPE({text: place for place, text in enumerate(spellings)}, pairs))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made


@pytest.mark.parametrize("merges", [0, 300, MOST_MERGES])
def test_bpe_cuts_as_its_library_does(merges: int) -> None:
    """The pieces, byte for byte, are those of `tokenizers`; ids below 256 are bytes."""
    ours, theirs = bpe(merges), own_bpe(merges)
    for text in TEXTS:
        ids, cut = ours.encode(text), theirs.encode(text)
        spelled = [theirs.decoder.decode([token]) for token in cut.tokens]
        assert [ours.decode([token]) for token in ids] == spelled
        assert [token for token in ids if token >= 256] == [i for i in cut.ids if i >= 256]
        assert ours.decode(ids) == text
    assert len(ours) == 256 + merges
    assert bpe(0).encode("é\n") == [0xC3, 0xA9, 0x0A]


def test_merges_are_of_the_library_text() -> None:
    """The shipped merges are what the recorded text gives, where this Python has it."""
    text = library_text()
    first, *lines = MERGES.read_text("utf-8").splitlines()
    assert len(lines) == MOST_MERGES
    if hashlib.sha256(text.encode()).hexdigest() not in first:
        pytest.skip("this Python's docstrings are others than the recorded ones")
    assert [" ".join(pair) for pair in learn_merges(text)] == lines
    assert first.endswith(head(text)[-64:])


@given(strategies.text(max_size=40), strategies.sampled_from([0, 1, 300, MOST_MERGES]))
def test_pieces_lose_nothing(text: str, merges: int) -> None:
    """Every text with UTF-8 comes back from its pieces."""
    known = bpe(merges)
    assert known.decode(known.encode(text)) == text


def test_pieces_are_shown() -> None:
    """Spaces stay visible, half characters are bytes, and a name says how many bytes."""
    known = bpe(300)
    token = known.encode(" the")[0]
    assert known.label(token) == "·the"
    assert known.is_stand_in(token)
    assert known.name(token) == "piece ' the', 4 bytes"
    assert known.label(0xC3) == "C3"
    assert known.name(0xC3) == "piece of 1 byte, C3: a part of a character"
    assert (known.label(ord("a")), known.is_stand_in(ord("a"))) == ("a", False)
    assert known.label(10_000) == ""
    assert known.name(10_000) == "a row that no piece uses"
    with_unk = bpe(300, unk=True)
    assert (len(with_unk), with_unk.label(556), with_unk.unk_id) == (557, UNK, 556)
    assert with_unk.name(556) == "any unknown character"


def test_pieces_refuse() -> None:
    """A lone surrogate has no bytes; merges run from 0 to 2,000; an id must have a symbol."""
    with pytest.raises(UnknownCharacterError, match=r"lone surrogate .* has no UTF-8 bytes"):
        bpe(1).encode("a\ud800")
    with pytest.raises(VocabularyError, match="merges=2001"):
        bpe(2001)
    with pytest.raises(ValueError, match="Id 256 at position 0"):
        bpe(0).decode([256])


@pytest.mark.skipif(
    importlib.util.find_spec("bpe_openai") is None, reason="bpe-openai is not installed"
)
@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")
def test_o200k_is_its_library() -> None:
    """The ids are those of the library, for every text; the texts come back."""
    import bpe_openai

    known, own = o200k.o200k(), bpe_openai.get_encoding("o200k_base")
    for text in TEXTS:
        assert known.encode(text) == own.encode_ordinary(text)
        assert known.decode(known.encode(text)) == text
    assert known.encode(TEXTS[0]) == [54, 19065, 2226, 17674, 13, 182256, 621, 30]
    assert len(known) == 200_019
    assert known.label(182256) == "Embedding"
    assert known.name(200_005) == "a row that no piece uses"


def test_o200k_without_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a library, one sentence says what to install."""
    monkeypatch.setattr(o200k, "LIBRARIES", ("no_such_library",))
    monkeypatch.setattr(o200k, "_kept", [])
    assert "pip install bpe-openai" in VOCABULARIES["o200k"].missing()
    with pytest.raises(VocabularyError, match="pip install bpe-openai"):
        o200k._load()


def test_o200k_that_cannot_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library without its tables is named with its reason; a text that it refuses too."""
    tried = []

    def fails(name: str) -> None:
        tried.append(name)
        raise OSError("no network\nmore")

    monkeypatch.setitem(sys.modules, "json.broken", SimpleNamespace(get_encoding=fails))
    monkeypatch.setattr(o200k, "LIBRARIES", ("json.broken",))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
    monkeypatch.setattr(o200k, "_failed", [])
    for _ in range(2):  # not every key tries a download again
        with pytest.raises(VocabularyError, match=r"json\.broken: no network\)"):
            o200k._load()
    assert tried == ["o200k_base"]

    def too_long(_text: str) -> None:
        raise ValueError("too long")

    with pytest.raises(VocabularyError, match="cannot encode this text: too long"):
        o200k._encode(SimpleNamespace(encode_ordinary=too_long), "a")


@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_record_makes_its_vocabulary(name: str) -> None:
    """Each vocabulary has distinct symbols, visible labels, and `<unk>` only where it is asked."""
    if VOCABULARIES[name].missing():
        pytest.skip(VOCABULARIES[name].missing())
    sizes = {"printable": 100, "letters": 52, "digits": 10, "bytes": 256, "custom": 3, "bpe": 556}
    for unknown in ("error", "unk"):
        made = vocabulary({**SETTINGS, "vocab": name, "unknown": unknown})
        assert made.unk == (unknown == "unk")
        assert len(made) == sizes.get(name, 200_019) + made.unk
        tokens = range(min(len(made), 300))
        assert len({made.symbol(token) for token in tokens}) == len(tokens)
        for label in map(made.label, tokens):
            assert label.isprintable()
            assert label
    assert vocabulary({**SETTINGS, "vocab": "printable"}).encode("a") == [10]
    assert vocabulary({**SETTINGS, "vocab": "custom"}).encode("cab") == [2, 0, 1]


def test_unknown_name() -> None:
    """A name that no record has is refused with the names there are."""
    with pytest.raises(VocabularyError, match=r"vocab='nope' is not one of: printable, .*o200k"):
        vocabulary({**SETTINGS, "vocab": "nope"})
