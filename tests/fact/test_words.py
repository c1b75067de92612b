"""The vocabulary of words and their learnt rows: the model's own, and a text that is cut."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

from embviz.fact.comparison import Pair
from embviz.fact.dtypes import DTYPES
from embviz.fact.layers import tie
from embviz.fact.nearest import nearest
from embviz.fact.table import Table
from embviz.fact.words import ROWS, SIZES, WORDS, words
from embviz.text.refused import Refused
from tests.context.record import model_folder
from tests.fact.record_words import is_plain

TABLE = Table(*SIZES, init="trained", unk=True)
# Words that lessons name, and the nearest row to some of them.
NAMED = "cat dog apple monday five blue june prince car france london lion hello".split()  # noqa: SIM905
NEAREST = {"king": "queen", "red": "blue", "three": "four", "paris": "france", "car": "cars"}


def test_the_words_are_plain_and_few() -> None:
    """Each is once there, in letters from a to z; both files stay small."""
    spelled = WORDS.read_text("utf-8").split()
    assert len({*spelled}) == len(spelled) == len(words()) == SIZES[0] - 1
    assert [one for one in spelled if not is_plain(one)] == []
    assert {*NAMED, *NEAREST, *NEAREST.values()} <= {*spelled}
    assert ROWS.stat().st_size + WORDS.stat().st_size < 2_300_000


def test_the_rows_are_the_models_own() -> None:
    """The rows have the order of the model's list, in float16; that of `[UNK]` is the last."""
    folder, spelled = Path(model_folder()), WORDS.read_text("utf-8").split()
    listed = (folder / "vocab.txt").read_text("utf-8").splitlines()
    places = {word: place for place, word in enumerate(listed)}
    ids = [places[word] for word in [*spelled, "[UNK]"]]
    assert ids[:-1] == sorted(ids[:-1])
    with safe_open(folder / "model.safetensors", "numpy") as file:
        own = file.get_tensor("embeddings.word_embeddings.weight")[ids].astype(np.float16)
    found = np.load(ROWS)
    assert (found.dtype, found.shape) == (np.float16, SIZES)
    assert found.tobytes() == own.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_table_is_the_file_in_every_dtype(dtype: str) -> None:
    """Both layers have its rows, whatever the seed."""
    layers = tie(Table(*SIZES, seed=7, init="trained", unk=True, dtype=dtype))
    rows = torch.from_numpy(np.load(ROWS)).to(DTYPES[dtype].torch)
    assert Pair(layers.embedding.weight.detach(), rows).bitwise_equal
    assert Pair(layers.linear.weight.detach(), rows.t()).bitwise_equal


def test_a_table_of_other_sizes_has_no_learnt_rows() -> None:
    """It is refused, with both sizes."""
    with pytest.raises(Refused, match="is a table of 2,801 × 384, not of 5 × 3"):
        Table(5, 3, init="trained")


def test_a_text_is_cut_at_blanks_and_around_punctuation() -> None:
    """Case is folded, and what is no word of the list is unknown, each once."""
    known, text = words(), " Don't  GO,\tcat_dog 12 na\u00efve \udc80 go"
    tokens = ["don", "'", "t", "go", ",", "cat", "_", "dog", "12", "na\u00efve", "\udc80", "go"]
    lacks = ["don", "'", "t", ",", "_", "12", "na\u00efve", "\udc80"]
    assert (known.tokens(text), known.unknown(text)) == (tokens, lacks)
    ids = known.encode(text, unk_id=2800)
    shown = " ".join("<unk>" if one in lacks else one for one in tokens)
    assert known.decode(ids) == shown
    assert known.encode("") == []
    assert known.symbol(-1) == known.symbol(2800) == ""
    with pytest.raises(Refused, match=r"'don' is not among the 2,800 words .* 7 more are unknown"):
        known.encode(text)


def test_the_nearest_rows_are_words_of_a_kind() -> None:
    """What is used alike is near; `test_nearest` compares with PyTorch."""
    known = words()
    found = nearest(tie(TABLE).embedding.weight, known.encode(" ".join(NEAREST)), 1)
    assert [known.label(near[0].id) for near in found if near] == [*NEAREST.values()]
