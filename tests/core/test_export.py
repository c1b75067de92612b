"""The exported script: the page's numbers bit for bit, and no typed text that becomes code."""

import ast
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import MAX_SEED, Config
from embviz.core.dtypes import DTYPES
from embviz.core.export import MAX_CHARACTERS, MAX_NUMBERS, MAX_TOKENS, ExportError, script
from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.pieces import Symbols
from embviz.core.routes import run_both
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import Vocabulary
from tests.core.scripts import run_sources

QUICK = settings(deadline=None, max_examples=60)
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
BYTES = bytes(range(256))
DRAWN = [init for init in INITS if init != "own"]
HOSTILE = ["'''", "\\'\"", "\r\n\x00\u2028", "{text!r}%s#", "\\N{BULLET}\udc80", ""]

# Runs every source in one interpreter, each in a namespace of its own, and tells the bits.
RUNNER = """
import contextlib, io, json, sys
import torch
bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}
results = []
for source in json.load(sys.stdin):
    torch.set_grad_enabled(True)
    names, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "exported", "exec"), names)
    one, other = names["embedding"].weight, names["linear"].weight
    told = {"printed": printed.getvalue(), "shape": list(names["ids"].shape)}
    told["ids"], told["text"] = names["ids"].flatten().tolist(), names.get("text")
    told["apart"] = one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr()
    for name in ("lookup", "matmul"):
        found = names[name].detach()
        told[name] = found.contiguous().view(bits[found.element_size()]).flatten().tolist()
        told[name + "_kind"] = [str(found.dtype), *found.shape]
    results.append(told)
assert "embviz" not in sys.modules
json.dump(results, sys.stdout)
"""


@dataclass(frozen=True)
class Case:
    """One export: the config, its ids, and a text or a table."""

    config: Config
    ids: torch.Tensor
    text: str | None = None
    known: Symbols | None = None
    table: torch.Tensor | None = None

    def export(self) -> str:
        """The script of this case."""
        more: dict[str, Any] = {"text": self.text, "known": self.known, "table": self.table}
        return script(self.config, ids=self.ids, **more)

    def expected(self) -> dict[str, Any]:
        """The page's results, in the form of RUNNER."""
        both = run_both(self.config, self.ids, partial(tie, table=self.table))
        found, shape = both.comparison, list(self.ids.shape)
        told: dict[str, Any] = {"shape": shape, "ids": self.ids.flatten().tolist()}
        told |= {"text": self.text, "apart": True}
        for name, output in (("lookup", found.lookup), ("matmul", found.matmul)):
            told[name] = output.view(BITS[output.element_size()]).flatten().tolist()
            told[f"{name}_kind"] = [str(output.dtype), *output.shape]
        weight = (self.config.embedding_dim, self.config.num_embeddings)
        told["printed"] = (
            f"ids: {tuple(shape)} weight: {weight}\n"
            f"lookup: {both.output_shape} matmul: {both.output_shape}\n"
            f"every bit equal: {found.bitwise_equal}\n"
            f"max |difference|: {found.max_abs_error}\n"
        )
        return told


def of_text(text: str, known: Symbols, **more: Any) -> Case:
    """A case whose ids encode a text."""
    ids = torch.tensor([known.encode(text)], dtype=torch.int64)
    config = Config(known.characters, len(known), unk=known.unk, **more)
    return Case(config, ids, text, known)


def of_name(name: str, text: str, unknown: str = "error", **more: Any) -> Case:
    """The same of a vocabulary with a name."""
    asked = {"vocab": name, "chars": "\"'\\{}\né\x00", "merges": 300, "unknown": unknown}
    return of_text(text, vocabulary(asked), **more)


def of_ids(ids: Any, rows: int = 10, dim: int = 4, **more: Any) -> Case:
    """A case with given ids."""
    return Case(Config("", rows, dim, **more), torch.as_tensor(ids, dtype=torch.int64))


def of_table(values: Any, dtype: str = "float32") -> Case:
    """A case of own weights; all rows are looked up."""
    table = torch.as_tensor(values, dtype=torch.float64)
    config = Config("", *table.shape, dtype=dtype, init="own")
    return Case(config, torch.arange(len(table)), table=table)


SMALL = [[0, 3, 3], [9, 1, 0]]
UNUSUAL = "the n\u00e4ive W\u00f6rd \U0001f44d\n\t'\\\"#"
CASES = {
    "page": of_name("printable", "WTF does nn.Embedding do?"),
    "bytes": of_name("bytes", UNUSUAL),
    "custom": of_name("custom", "\\'\"{é"),
    "unk": of_name("custom", "a?\udc80é", "unk"),
    "printable, unk": of_name("printable", "hé", "unk"),
    "bpe": of_name("bpe", UNUSUAL),
    "bpe, nothing": of_name("bpe", ""),
    "bpe, many": of_name("bpe", "is of " * 300, "unk", dtype="float64"),
    "many rows": of_ids([[0, 299_999]], 300_000, 2),
}
if not VOCABULARIES["o200k"].missing():
    CASES["o200k"] = of_name("o200k", UNUSUAL, embedding_dim=2)
CASES |= {
    f"hostile {t!a}": of_text(t, Vocabulary("".join(dict.fromkeys(f"{t}a")))) for t in HOSTILE
}
CASES |= {
    f"{init} {dtype} {rows}x{dim}": of_ids(
        [[n % rows for n in row] for row in SMALL], rows, dim, init=init, dtype=dtype, seed=MAX_SEED
    )
    for init in DRAWN
    for dtype in DTYPES
    for rows, dim in [(10, 4), (33, 17)]
}
CASES |= {
    f"shape {shape}": of_ids(torch.zeros(shape)) for shape in [(), (0,), (3, 0), (5,), (2, 3, 4)]
}
CASES |= {
    f"own {dtype}": of_table([[-12345.678, 1 / 3, 0.1], [6e4, 1e-4, -7]], dtype) for dtype in DTYPES
}


def test_every_script_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    """Every script gives the page's numbers bit for bit, with two weights in separate memory."""
    results = run_sources(RUNNER, [case.export() for case in CASES.values()], tmp_path)
    told = dict(zip(CASES, results, strict=True))
    assert [name for name, case in CASES.items() if told[name] != case.expected()] == []


def test_a_script_for_a_gpu_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script names the device of the config."""
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "cuda"])
    source = of_ids([0, 3], device="cuda").export()
    assert 'device, dtype = "cuda", torch.float32' in source
    # Drawn before it is moved; brought back to be compared, for Apple's GPU has no float64.
    assert "nn.Embedding(V, D).to(device, dtype)" in source
    assert source.count(".cpu()") == 2


@QUICK
@given(st.text(st.characters()))
def test_nothing_that_is_typed_becomes_code(text: str) -> None:
    """A typed text and its characters are literals of an ASCII source."""
    characters = "".join(dict.fromkeys(f"{text}a"))
    source = of_text(text, Vocabulary(characters)).export()
    assert source.isascii()
    found = {
        ast.unparse(node.targets[0]): node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
    }
    assert ast.literal_eval(found["text"]) == text
    harmless = of_text("", Vocabulary("a")).export()
    kinds = [type(node) for node in ast.walk(ast.parse(harmless))]
    assert [type(node) for node in ast.walk(ast.parse(source))] == kinds


LONG = "".join(map(chr, range(0x4E00, 0x4E00 + MAX_CHARACTERS + 1)))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (of_ids([0] * (MAX_TOKENS + 1)), "at most 2,000 ids; here are 2,001"),
        (of_name("bpe", " " * 10_001), "at most 10,000 characters of text; here are 10,001"),
        (of_table(torch.ones(101, 100)), "at most 10,000 weights of your own; here are 10,100"),
        (of_table([[0.0, torch.nan]]), "finite weights only, in float32"),
        (of_ids([0], init="own"), "init='own' needs a table"),
        (of_text("一", Vocabulary(LONG)), "of your own; here are 10,001"),
        (of_ids([0] * 40, 1_000_000), "a one-hot of at most 256.0 MiB; here it would take 305.2"),
    ],
)
def test_what_would_be_no_short_script_is_refused(case: Case, message: str) -> None:
    """Too long, too large and infinite input is refused; input at the limits is not."""
    with pytest.raises(ExportError, match=message):
        case.export()
    of_ids([0] * MAX_TOKENS).export()
    of_table(torch.ones(MAX_NUMBERS // 10, 10)).export()
