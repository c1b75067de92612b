"""The exported script: the page's numbers bit for bit, and no typed text that becomes code."""

import ast
import string
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.core.comparison import Comparison
from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.export import script
from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.core.routes import run_both
from embviz.core.tokenizers import bpe
from embviz.core.vocabulary import BYTES, Symbols, Vocabulary

# Runs every source in one interpreter, each in a namespace of its own.
RUNNER = """
import contextlib, io, sys, torch
results = []
for source in torch.load("sources"):
    torch.set_grad_enabled(True)
    names, printed = {"text": None}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "exported", "exec"), names)
    tensors = [names[name] for name in ("ids", "lookup", "matmul")]
    tensors += [names[name].weight for name in ("embedding", "linear")]
    results.append([names["text"], printed.getvalue(), tensors])
assert "embviz" not in sys.modules
torch.save(results, "results")
"""
Given = tuple[Config, dict[str, Any]]


def of_text(text: str, known: Symbols | None = None, more: int = 0, **given: Any) -> Given:
    """Ids that encode a text, of its own characters if no vocabulary is given."""
    known = known or Vocabulary("".join(dict.fromkeys(text)))
    config = Config(known.characters, len(known) + more, **given)
    ids = torch.tensor([known.encode(text, config.unk_id)])
    return config, {"ids": ids, "text": text, "known": known}


def of_ids(ids: Any, rows: int = 10, **given: Any) -> Given:
    """Ids of any shape."""
    return Config("", rows, **given), {"ids": torch.tensor(ids, dtype=torch.int64)}


def of_table(values: Any, dtype: str = "float32") -> Given:
    """Own weights; all rows are looked up."""
    table = torch.as_tensor(values, dtype=torch.float64)
    config = Config("", len(table), table.shape[1], dtype=dtype, init="own")
    return config, {"ids": torch.arange(len(table)), "table": table}


UNUSUAL = "the n\u00e4ive W\u00f6rd \U0001f44d\n\t'\\\"#"
ALL = [
    of_text("WTF does nn.Embedding do?", Vocabulary(string.printable)),
    of_text("hé!", Vocabulary(string.ascii_letters), 49, unk=True),
    of_text(UNUSUAL, BYTES),
    of_text("a?\udc80é", Vocabulary("\"'\\{}\né"), 1, unk=True),
    of_text(UNUSUAL, bpe(300)),
    of_text("is of " * 300, bpe(300), dtype="float64"),
    of_ids([[0, 299_999]], 300_000),
    of_table([[-0.0, 1.0], [-2.0, 3.0]]),
    *map(of_text, ["'''", "\\'\"", "\r\n\x00\u2028", "{text!r}%s#", "\\N{BULLET}\udc80"]),
    *map(of_ids, [0, [], [[], [], []], [[[1] * 4] * 3] * 2]),
    *(of_table([[-12345.678, 1 / 3, 0.1], [6e4, 1e-4, -7]], dtype) for dtype in DTYPES),
]
for dtype, init in product(DTYPES, [name for name, one in INITS.items() if one.draw]):
    ALL.append(
        of_text("12é", Vocabulary(string.digits), 24, unk=True, init=init, dtype=dtype, seed=2**31)
    )


def test_every_script_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    """Run without embviz and with warnings as errors, each gives ids, outputs and verdict."""
    torch.save([script(config, **more) for config, more in ALL], tmp_path / "sources")
    subprocess.run([sys.executable, "-W", "error", "-c", RUNNER], cwd=tmp_path, check=True)
    results = torch.load(tmp_path / "results")
    for (config, more), (text, printed, found) in zip(ALL, results, strict=True):
        layers = tie(config, more.get("table"))
        both = run_both(config, more["ids"], lambda _, layers=layers: layers)
        compared, (one, other) = both.comparison, (layers.embedding.weight, layers.linear.weight)
        assert text == more.get("text")
        assert printed == (
            f"ids: {both.ids_shape} weight: {tuple(other.shape)}\n"
            f"lookup: {both.output_shape} matmul: {both.output_shape}\n"
            f"every bit equal: {compared.bitwise_equal}\n"
            f"max |difference|: {compared.max_abs_error}\n"
        )
        expected = both.ids, compared.lookup, compared.matmul, one, other
        assert all(pair.bitwise_equal for pair in map(Comparison, found, expected)), config
        assert found[3].data_ptr() != found[4].data_ptr()


def test_a_script_for_a_gpu_draws_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are cast, then moved; outputs come back: Apple's GPU has no float64."""
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "cuda"])
    config, more = of_ids([0, 3], device="cuda")
    made = script(config, **more)
    assert 'device, dtype = "cuda", torch.float32' in made
    assert (made.count("table.to(dtype).to(device)"), made.count(".cpu()")) == (1, 2)


@given(st.text(st.characters()))
def test_nothing_that_is_typed_becomes_code(text: str) -> None:
    """A typed text and its characters are literals of an ASCII source, which is otherwise equal."""
    trees = []
    for one in (text + "é", "é"):
        config, more = of_text(one)
        made = script(config, **more)
        assert made.isascii()
        assert f"\ntext = {one!a}\n" in made
        trees.append([*map(type, ast.walk(ast.parse(made)))])
    assert trees[0] == trees[1]


LONG = "".join(map(chr, range(0x4E00, 0x4E00 + 10_001)))


@pytest.mark.parametrize(
    ("fits", "refused", "said"),
    [
        (of_ids([0] * 2_000), of_ids([0] * 2_001), "at most 2,000 ids; here are 2,001"),
        (of_text(" " * 10_000, bpe()), of_text(" " * 10_001, bpe()), "characters of text"),
        (of_table(torch.ones(100, 100)), of_table(torch.ones(101, 100)), "weights of your own"),
        (of_table([[65_504.0]], "float16"), of_table([[70_000.0]], "float16"), "in float16"),
        (of_table([[0.0]]), of_table([[torch.nan]]), "finite weights only"),
        (of_ids([0]), of_ids([0], init="own"), "init='own' needs a table"),
        (of_text("一", Vocabulary(LONG[:-1])), of_text("一", Vocabulary(LONG)), "of your own; here"),
        (of_ids([0] * 64, 2**19), of_ids([0] * 64, 2**19 + 1), "at most 256.0 MiB"),
    ],
)
def test_what_would_be_no_short_script_is_refused(fits: Given, refused: Given, said: str) -> None:
    """Too long, too large and infinite input is refused; the largest is exported."""
    config, more = fits
    assert script(config, **more)
    config, more = refused
    with pytest.raises(Refused, match=said):
        script(config, **more)
