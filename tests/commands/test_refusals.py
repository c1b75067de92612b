"""Every command refuses bad input with one printable sentence on stderr, and exit code 2.

`runs` reads files; `test_runs` has its refusals.
"""

import io
import shlex
import signal
import sys

import pytest

from embviz.timing.measure.sweep import Engine
from tests.commands import refusal


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("compare", "either a text or ids"),
        ("compare a --ids 1", "either a text or ids"),
        ("compare a --what", "--what"),
        ("compare a --dim 1025", "dim='1025' is not a whole number from 1 to 1,024."),
        ("compare --ids [[1,2],[3]]", "ragged"),
        ("bag --x-train nowhere.npz", "cannot read 'nowhere.npz': No such file"),
        ("bag --x-train [[1]] --linear-weight nowhere.npy", "cannot read 'nowhere.npy'"),
        ("bag --x-train [[1]] --row −1", "--row -1 is not a whole number from 0 to 0"),
        ("bag", "--x-train --documents is required"),
        ("bag --x-train [[1,2],[3]]", "Row 1 has 1 number and"),
        ("bag --x-train [[1]] --linear-weight [[1,2]]", "The weight has shape (1, 2)"),
        ("bag --x-train [[1]] --seed x", "seed='x' is not a whole number from 0 to 4,294,967,295."),
        ("context", "give a text, --sentences with --word, or both"),
        ("context a --word b", "give a text, --sentences with --word, or both"),
        ("context a --dim 2000", "dim='2000' is not a whole number from 1 to 1,024."),
        ("context a --sentences no/such/file --word b", "no/such/file"),
        (f"context --sentences {__file__} --word bank", "nobody/no-such-model"),
        ("train --steps 0", "--steps 0 is not a whole number from 1"),
        ("train --vocab bpe --merges 2001", "merges='2001' is not a whole number"),
        ("train --target one", "The target 'one' is not one or more finite numbers"),
        ("train --text - --rate 10x --dim 1", "diverges here"),
        ("time --methods lookup sparse_matmul --mode sgd", "sparse_matmul"),
        ("time --methods", "--methods: expected at least one argument"),
        ("time --dtype float8", "dtype='float8' is not one of float32, float64"),
        ("time --values 1,024", "num_embeddings='1,024' is not a whole number"),
        ("time --threads 1000", "at most"),
        ("time --repeat 0", "--repeat 0 is not 1, or from 5 to 100"),
        ("time --repeat 4", "--repeat 4"),
        ("time --repeat 101", "--repeat 101"),
        ("time --out /nowhere/at/all/r.jsonl", "'/nowhere/at/all/r.jsonl'"),
        (f"time --out {__file__}", "another name"),
        ("time --out=", "--out '' names no file"),
        ("time --machines one", "--cluster"),
        ("time --cluster tcp://192.0.2.1:8786", "tls://"),
    ],
)
def test_bad_input_is_one_sentence(
    given: str, part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It quotes the fault, and nothing is measured."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"aaaa")))
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # Ctrl+C stays what it is.
    monkeypatch.setattr(Engine, "_run", lambda *_: pytest.fail("it measures"))
    said = refusal(capsys, *shlex.split(given))
    assert part in said
    assert len(said) < 400
