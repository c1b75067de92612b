"""The stage's bytes: the visible window, exact, and never more."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import Config
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import run_both
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.parameters import DEFAULTS
from embviz.request.payload import DIMS, ROWS, TOKENS, Window, pack
from embviz.server.tables import run_both_cached


def unpack(raw: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Read the bytes as payload.js does."""
    length = int.from_bytes(raw[:4], "little")
    header = json.loads(raw[4 : 4 + length])
    arrays, offset = {}, 4 + length
    for name, dtype, size in header["arrays"]:
        assert offset % 8 == 0, "typed arrays need alignment"
        arrays[name] = np.frombuffer(raw, np.dtype(dtype), size, offset)
        offset += -(-arrays[name].nbytes // 8) * 8
    assert offset == len(raw)
    arrays.setdefault("matmul", arrays["lookup"])
    return header, arrays


def send(
    config: Config, ids: torch.Tensor, window: Window | None = None, **more: Any
) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Pack and unpack one result for typed ids."""
    both = run_both(config, ids, **more)
    given = Inputs({**DEFAULTS, "input": "ids"}, config=config, ids=ids)
    return unpack(pack(both, given, window or Window()))


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_the_numbers_sent_are_the_numbers_computed(data: st.DataObject) -> None:
    """The sent numbers are the computed ones, for every dtype and window."""
    rows, dim = data.draw(st.integers(1, 600)), data.draw(st.integers(1, 150))
    ids = torch.tensor(data.draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=50)))
    dtype = data.draw(st.sampled_from(["float32", "float64", "bfloat16", "float16"]))
    config = Config("", rows, dim, dtype=dtype)
    asked = Window(data.draw(st.integers(0, 60)), data.draw(st.integers(0, 200)))
    header, arrays = send(config, ids, asked)
    layers = tie(config)
    d0, d1 = header["firstDim"], header["firstDim"] + header["dimsLoaded"]
    for place, token in enumerate(ids.tolist()):
        row = layers.embedding.weight[token, d0:d1].detach().double().numpy()
        slot = arrays["slot"][place]
        for route in ("lookup", "matmul"):
            sent = arrays[route].reshape(-1, header["dimsLoaded"])[slot]
            assert np.array_equal(sent.astype(np.float64), row)
    v0, count = header["firstRow"], header["rowsLoaded"]
    table = layers.embedding.weight[v0 : v0 + count, d0:d1].detach().double().numpy()
    assert np.array_equal(arrays["table"].astype(np.float64).reshape(table.shape), table)
    selected = ids[header["selected"]]
    assert v0 <= selected < v0 + count


def test_a_large_result_sends_a_window_only() -> None:
    """A large result sends at most `TOKENS` tokens and `ROWS` x `DIMS` weights."""
    config = Config("", 20_000, 1024)
    ids = torch.randint(0, 20_000, (5_000,), generator=torch.Generator().manual_seed(0))
    header, arrays = send(config, ids, Window(token=4321, dim=700))
    assert header["tokens"] == 5000
    assert len(arrays["ids"]) == TOKENS
    assert header["firstToken"] <= 4321 < header["firstToken"] + TOKENS
    assert arrays["table"].size == ROWS * DIMS
    assert sum(array.nbytes for array in arrays.values()) < 2 * 1024**2


def test_a_difference_travels_with_its_place() -> None:
    """A value that differs is marked at its token and dimension."""

    def poisoned(config: Config) -> TiedLayers:
        layers = tie(config)
        with torch.no_grad():
            layers.embedding.weight[2, 1] = -0.0
            layers.linear.weight[1, 2] = -0.0
        return layers

    header, arrays = send(Config("", 4, 3), torch.tensor([0, 2, 2]), tables=poisoned)
    assert header["verdict"]["bitwiseEqual"] is False
    assert header["verdict"]["equal"] == 7
    assert header["verdict"]["differing"] == [1, 2]
    marks = arrays["differs"].reshape(-1, 3)[arrays["slot"]]
    assert marks.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def header(**changes: Any) -> dict[str, Any]:
    """The header of a rerun with the defaults and some changes."""
    given = read_inputs({**DEFAULTS, **changes})
    assert given.refusal is None
    return unpack(pack(run_both_cached(given), given, Window()))[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"input": "ids", "dtype": "float64"},
            "3 ids, 100 rows: a table of 7.8 KiB; the one-hot of these ids would be 2.3 KiB in "
            "float64, and 2.3 KiB as F.one_hot makes it.",
        ),
        (
            {"vocab": "bpe", "rows": 2256},
            "As characters: 25 ids, 100 rows: a table of 3.9 KiB. As bpe: 14 ids, 2,256 rows: a "
            "table of 88.1 KiB; the one-hot of this text would be 123.4 KiB in float32, and "
            "246.8 KiB as F.one_hot makes it.",
        ),
        ({"vocab": "bpe", "rows": 2256, "text": "é"}, "As bytes: 2 ids, 256 rows: a table of 10.0"),
    ],
)
def test_the_sizes_are_those_of_the_table(changes: dict[str, Any], said: str) -> None:
    """Ids, rows and bytes follow text, dim and dtype; pieces stand beside characters."""
    assert header(**changes)["sizes"].startswith(said)


def test_what_is_lost_is_said() -> None:
    """The round trip is judged by what comes back; what is lost is counted."""
    whole = header(vocab="bpe", rows=2256, text="👍🏽\n")["roundTrip"]
    assert whole == {"equal": True, "why": "the ids hold the whole text.", "back": ""}
    lost = header(unknown="unk", text="hé")["roundTrip"]
    why = "1 character became <unk>. What comes back: "
    assert lost == {"equal": False, "why": why, "back": "h<unk>"}


@pytest.mark.parametrize("vocab", VOCABULARIES)
def test_no_text_and_no_table_fails(vocab: str) -> None:
    """Any text in any vocabulary is packed or refused in a sentence whose fixes mend it."""
    if said := VOCABULARIES[vocab].missing():
        pytest.skip(said)
    rows = len(vocabulary({**DEFAULTS, "vocab": vocab}))
    tables = [{"rows": rows}, {"rows": rows, "unknown": "unk"}, {"init": "own"}]
    for text in ("", "lookup " * 715, "👩‍👩‍👧 e\u0301\x00\r\n", "a\ud800"):
        for table in tables:
            settings = {**DEFAULTS, "vocab": vocab, "text": text, **table}
            given = read_inputs(settings)
            if given.refusal is None:
                shown = unpack(pack(run_both_cached(given), given, Window()))[0]
                assert shown["tokens"] == len(vocabulary(settings).encode(text, 0))
                continue
            assert given.refusal.message.endswith(".")
            for fix in given.refusal.fixes.values():
                mended = read_inputs({**settings, **fix}).refusal
                assert mended is None or mended.message != given.refusal.message


@pytest.mark.parametrize(
    "asked",
    [
        None,
        "1e3",
        -1,
        float("inf"),
        True,
        [],
        {"token": 10**30, "dim": -5},
        {"token": None},
        "٣",
    ],
)
def test_a_forged_window_is_the_start(asked: object) -> None:
    """A window that is not two small whole numbers becomes the start."""
    assert Window.read(asked) == Window(0, 0)
    assert Window.read({"token": 7, "dim": 64.0}) == Window(7, 64)
