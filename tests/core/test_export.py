"""The exported script: the page's numbers bit for bit, and no typed text that becomes code."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.core.comparison import bits
from embviz.core.config import MAX_SEED, Config
from embviz.core.dtypes import DTYPES
from embviz.core.export import MAX_CHARACTERS, MAX_NUMBERS, MAX_TOKENS, script
from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.core.routes import run_both
from embviz.core.tokenizers import vocabulary
from embviz.core.vocabulary import Symbols, Vocabulary

# Runs every source in one interpreter, each in a namespace of its own, and tells the bits.
RUNNER = """
import contextlib, io, json, sys
import torch
kinds = {2: torch.int16, 4: torch.int32, 8: torch.int64}
results = []
for source in json.load(sys.stdin):
    torch.set_grad_enabled(True)
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "exported", "exec"), names)
    one, other = names["embedding"].weight, names["linear"].weight
    assert one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr()
    outputs = [names[name].contiguous() for name in ("lookup", "matmul")]
    told = [found.view(kinds[found.element_size()]).tolist() for found in outputs]
    told += [list(found.shape) for found in (outputs[0], one, other)]
    results.append([names["ids"].tolist(), names.get("text"), *told, printed.getvalue()])
assert "embviz" not in sys.modules
json.dump(results, sys.stdout)
"""


class Case:
    """One export, with what its script must tell."""

    def __init__(self, config: Config, ids: torch.Tensor, **given: Any) -> None:
        self.config, self.ids, self.given = config, ids, given

    def source(self) -> str:
        """The exported script."""
        return script(self.config, ids=self.ids, **self.given)

    def expected(self) -> list[Any]:
        """What the runner tells of it."""
        config, table = self.config, self.given.get("table")
        both = run_both(config, self.ids, lambda config: tie(config, table))
        found, weight = both.comparison, (config.embedding_dim, config.num_embeddings)
        printed = (
            f"ids: {both.ids_shape} weight: {weight}\n"
            f"lookup: {both.output_shape} matmul: {both.output_shape}\n"
            f"every bit equal: {found.bitwise_equal}\n"
            f"max |difference|: {found.max_abs_error}\n"
        )
        told = [bits(found.lookup).tolist(), bits(found.matmul).tolist()]
        told += [[*both.output_shape], [*weight[::-1]], [*weight]]
        return [self.ids.tolist(), self.given.get("text"), *told, printed]


def of_text(text: str, known: Symbols, rows: int = 0, unk: bool = False, **more: Any) -> Case:
    """A case whose ids encode a text."""
    config = Config(known.characters, (rows or len(known)) + unk, unk=unk, **more)
    return Case(config, torch.tensor([known.encode(text, config.unk_id)]), text=text, known=known)


def of_name(name: str, text: str, **more: Any) -> Case:
    """The same of a vocabulary with a name."""
    return of_text(text, vocabulary({"vocab": name, "chars": "\"'\\{}\né", "merges": 300}), **more)


def of_ids(ids: Any, rows: int = 10, dim: int = 4, **more: Any) -> Case:
    """A case with given ids."""
    return Case(Config("", rows, dim, **more), torch.as_tensor(ids, dtype=torch.int64))


def of_table(values: Any, dtype: str = "float32") -> Case:
    """A case of own weights; all rows are looked up."""
    table = torch.as_tensor(values, dtype=torch.float64)
    config = Config("", len(table), table.shape[1], dtype=dtype, init="own")
    return Case(config, torch.arange(len(table)), table=table)


UNUSUAL = "the n\u00e4ive W\u00f6rd \U0001f44d\n\t'\\\"#"
CASES = {
    "page": of_name("printable", "WTF does nn.Embedding do?"),
    "more rows, unk": of_name("letters", "hé!", rows=100, unk=True),
    "bytes": of_name("bytes", UNUSUAL),
    "custom": of_name("custom", "\\'\"{é"),
    "custom, unk": of_name("custom", "a?\udc80é", unk=True),
    "bpe": of_name("bpe", UNUSUAL),
    "many": of_name("bpe", "is of " * 300, dtype="float64"),
    "many rows": of_ids([[0, 299_999]], 300_000, 2),
    "-0.0": of_table([[-0.0, 1.0], [-2.0, 3.0]]),
}
for hostile in ["'''", "\\'\"", "\r\n\x00\u2028", "{text!r}%s#", "\\N{BULLET}\udc80"]:
    CASES[ascii(hostile)] = of_text(hostile, Vocabulary("".join(dict.fromkeys(hostile))))
for dtype in DTYPES:
    for init in [name for name, one in INITS.items() if one.draw]:
        given_: dict[str, Any] = {"init": init, "dtype": dtype, "seed": MAX_SEED}
        CASES[f"{init} {dtype}"] = of_ids([[0, 3], [9, 1]], 33, 17, **given_)
        CASES[f"{init} {dtype} unk"] = of_name("digits", "12é", rows=33, unk=True, **given_)
    CASES[f"own {dtype}"] = of_table([[-12345.678, 1 / 3, 0.1], [6e4, 1e-4, -7]], dtype)
for shape in [(), (0,), (3, 0), (2, 3, 4)]:
    CASES[f"shape {shape}"] = of_ids(torch.zeros(shape))


def test_every_script_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    """Run without embviz and with warnings as errors, each gives ids, outputs and verdict."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        cwd=tmp_path,
        input=json.dumps([case.source() for case in CASES.values()]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = dict(zip(CASES, json.loads(done.stdout), strict=True))
    assert [name for name, case in CASES.items() if told[name] != case.expected()] == []


def test_a_script_for_a_gpu_draws_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are cast, then moved; outputs come back: Apple's GPU has no float64."""
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "cuda"])
    source = of_ids([0, 3], device="cuda").source()
    assert 'device, dtype = "cuda", torch.float32' in source
    assert "table.to(dtype).to(device)" in source
    assert source.count(".cpu()") == 2


@given(st.text(st.characters()))
def test_nothing_that_is_typed_becomes_code(text: str) -> None:
    """A typed text and its characters are literals of an ASCII source, which is otherwise equal."""
    source = of_text(text, Vocabulary("".join(dict.fromkeys(f"{text}é")))).source()
    assert source.isascii()
    tree = ast.parse(source)
    found = {ast.unparse(n.targets[0]): n.value for n in tree.body if isinstance(n, ast.Assign)}
    assert ast.literal_eval(found["text"]) == text
    harmless = ast.parse(of_text("", Vocabulary("a")).source())
    kinds = [[type(node) for node in ast.walk(one)] for one in (tree, harmless)]
    assert kinds[0] == kinds[1]


LONG = Vocabulary("".join(map(chr, range(0x4E00, 0x4E00 + MAX_CHARACTERS + 1))))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (of_ids([0] * (MAX_TOKENS + 1)), "at most 2,000 ids; here are 2,001"),
        (of_name("bpe", " " * 10_001), "at most 10,000 characters of text; here are 10,001"),
        (of_table(torch.ones(101, 100)), "10,000 weights of your own; here are 10,100"),
        (of_table([[0.0, torch.nan]]), "finite weights only, in float32"),
        (of_table([[70_000.0]], "float16"), "finite weights only, in float16"),
        (of_ids([0], init="own"), "init='own' needs a table"),
        (of_text("一", LONG), "of your own; here are 10,001"),
        (of_ids([0] * 40, 1_000_000), "a one-hot of at most 256.0 MiB; here it would take 305.2"),
    ],
)
def test_what_would_be_no_short_script_is_refused(case: Case, message: str) -> None:
    """Too long, too large and infinite input is refused."""
    with pytest.raises(Refused, match=message):
        case.source()


def test_input_at_the_limits_is_exported() -> None:
    """The largest ids, tables, one-hots and vocabularies make a script."""
    assert of_ids([0] * MAX_TOKENS).source()
    assert of_table(torch.ones(MAX_NUMBERS // 10, 10)).source()
    assert of_ids([0] * 32, 2**20 - 48_576).source()
    assert of_text("一", Vocabulary(LONG.characters[:-1])).source()
