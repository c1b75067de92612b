import ast
import re
import string
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from embviz.core.config import MAX_SEED, Config, available_devices
from embviz.core.dtypes import DTYPES
from embviz.core.export import (
    MAX_SCRIPT_CHARACTERS,
    MAX_SCRIPT_NUMBERS,
    MAX_SCRIPT_TOKENS,
    ExportError,
    notebook,
    script,
)
from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.core.vocabulary import Vocabulary
from tests.core.scripts import run_sources

QUICK = settings(deadline=None, max_examples=60)
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
BYTES = bytes(range(256))
DRAWN = [init for init in INITS if init != "own"]
CLAIM = "WTF does nn.Embedding do?"
HOSTILE = [
    "'''",
    '"""',
    "'",
    "\\",
    "\\'",
    "\n",
    "\r\n",
    "\x00",
    "\u202e",
    "\u2028",
    "{}",
    "{text!r}",
    "%s",
    "#",
    "🤦🏽‍♂️",
    "'''\nimport os\n'''",
    "\\N{BULLET}",
    "\x1b[2J",
    "\ufeff",
    "",
]

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
    told = {"printed": printed.getvalue(), "shape": list(names["ids"].shape)}
    told["ids"], told["text"] = names["ids"].flatten().tolist(), names.get("text")
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
    table: torch.Tensor | None = None

    def export(self, writer: Callable[..., str]) -> str:
        """The script or the notebook of this case."""
        return writer(self.config, text=self.text, ids=self.ids, table=self.table)


def of_text(text: str, characters: str | bytes, flat: bool = False, **settings: Any) -> Case:
    """A case whose ids encode a text, of shape (1, N) as on the page, or (N,)."""
    unk = settings.get("unk", False)
    rows = settings.pop("num_embeddings", len(characters) + unk)
    encoded = Vocabulary(characters, unk).encode(text)
    ids = torch.tensor(encoded if flat else [encoded], dtype=torch.int64)
    return Case(Config(characters, rows, **settings), ids, text)


def of_ids(ids: Any, rows: int = 10, dim: int = 4, **settings: Any) -> Case:
    """A case with given ids."""
    return Case(Config("", rows, dim, **settings), torch.as_tensor(ids, dtype=torch.int64))


def of_table(table: torch.Tensor, dtype: str = "float32", **settings: Any) -> Case:
    """A case of own weights; all rows are looked up, the first one twice."""
    rows, dim = table.shape
    settings.setdefault("init", "own")
    ids = torch.tensor([[*range(rows), 0]])
    return Case(Config("", rows, dim, dtype=dtype, **settings), ids, table=table)


def odd_table(rows: int, dim: int, dtype: str) -> torch.Tensor:
    """Numbers of every size and sign of the dtype, with both zeros."""
    values = [-0.0, 0.1, -1e-30, 1e-41, -12345.678, 3e38, 1 / 3, 0.0, 6e-6, -7.0]
    repeated = torch.tensor(values, dtype=torch.float64).repeat(rows * dim)
    most = torch.finfo(DTYPES[dtype].torch).max
    return repeated[: rows * dim].reshape(rows, dim).clamp(-most, most)


def of_vocabulary(name: str, text: str, unknown: str = "error", **settings: Any) -> Case:
    """A case of a vocabulary by its name, with as many rows as it has ids."""
    asked = {"vocab": name, "chars": "abc", "rows": 500, "merges": 300, "unknown": unknown}
    known = vocabulary(asked)
    ids = torch.tensor([known.encode(text)], dtype=torch.int64)
    return Case(Config(known.characters, len(known), 4, unk=known.unk, **settings), ids, text)


SMALL = [[0, 3, 3], [9, 1, 0]]
CASES: dict[str, Case] = {
    "page": of_text(CLAIM, string.printable),
    "letters": of_text("nnEmbedding", string.ascii_letters, num_embeddings=60),
    "digits": of_text("20260", string.digits),
    "flat": of_text("hello", string.printable, flat=True),
    "bytes": of_text("naïve 🤦🏽‍♂️", BYTES),
    "bytes, flat": of_text("é", BYTES, flat=True),
    "custom": of_text("\\'\"{é", "\"'\\{}\né\x00"),
    "unk": of_text("a?\udc80b", "abc", unk=True),
    "bytes, unk": of_text("a?", BYTES, unk=True),
    "printable, unk": of_text("hé", string.printable, unk=True),
    "surrogates": of_text("\udc80a", "a\udc80"),
    "distinct": of_ids(torch.arange(240).reshape(2, 120) * 1250, 300_000, 2),
    "distinct, in slices": of_ids(torch.arange(120).flip(0) * 2_500, 300_000, 2, dtype="float64"),
    "thousands of ids": of_ids(torch.arange(MAX_SCRIPT_TOKENS), MAX_SCRIPT_TOKENS, 1),
    "one number": of_ids([[0]], 1, 1),
    "largest dim": of_ids([[0, 1]], 2, 1024),
}
UNUSUAL = "the n\u00e4ive W\u00f6rd \U0001f44d\n\t'\\\"#"
for name in ("bpe", "words", "o200k"):
    if not VOCABULARIES[name].missing():
        CASES[name] = of_vocabulary(name, UNUSUAL)
for name in ("bpe", "words"):
    CASES[f"{name}, nothing"] = of_vocabulary(name, "")
    CASES[f"{name}, unk"] = of_vocabulary(name, "the a", "unk", dtype="float64")
    CASES[f"{name}, many"] = of_vocabulary(name, "is of " * 900)
CASES |= {f"hostile {t!a}": of_text(t, BYTES, embedding_dim=2) for t in HOSTILE}
CASES |= {
    f"hostile {t!a} and its characters": of_text(
        t, "".join(dict.fromkeys(f"{t}a")), embedding_dim=2
    )
    for t in HOSTILE
}
CASES |= {
    f"{init} {dtype} {rows}x{dim}": of_ids(
        [[n % rows for n in row] for row in SMALL], rows, dim, init=init, dtype=dtype
    )
    for init in DRAWN
    for dtype in DTYPES
    for rows, dim in [(10, 4), (1, 5), (33, 17)]
}
CASES |= {
    f"{init} seed {seed}": of_ids(SMALL, init=init, seed=seed)
    for init in DRAWN
    for seed in (0, 123, MAX_SEED)
}
CASES |= {
    f"shape {shape}": of_ids(torch.arange(torch.Size(shape).numel()).reshape(shape) % 10)
    for shape in [(), (0,), (1, 0), (3, 0), (0, 3), (5,), (1, 5), (2, 3), (2, 3, 4), (1, 1, 2, 1)]
}
CASES |= {
    f"own {rows}x{dim} {dtype}": of_table(odd_table(rows, dim, dtype), dtype)
    for dtype in DTYPES
    for rows, dim in [(1, 1), (1, 64), (2, 3), (7, 64), (40, 9)]
}
CASES |= {
    f"own plain {dtype}": of_table(
        torch.tensor([[1.5, -0.1], [1e-3, 7.0]]).to(DTYPES[dtype].torch), dtype
    )
    for dtype in DTYPES
}
CASES["own, a long column"] = Case(
    Config("", 10_000, 1, dtype="float64", init="own"),
    torch.arange(2_000),
    table=torch.arange(10_000.0)[:, None] * -0.0,
)
CASES |= {
    f"on {device} {init}": of_ids(SMALL, init=init, device=device, dtype="float16")
    for device in available_devices()[1:]
    for init in DRAWN
}


# Run as notebooks too; of the others the code is compared.
NOTEBOOKS = [
    "page",
    "bytes",
    "custom",
    "bpe, unk",
    "distinct",
    "kaiming_uniform bfloat16 33x17",
    "own 2x3 float16",
]


def expected(case: Case) -> dict[str, Any]:
    """The page's results for a case, in the form of run_sources."""
    both = run_both(case.config, case.ids, partial(tie, table=case.table))
    found = both.comparison
    told = {"shape": list(case.ids.shape), "ids": case.ids.flatten().tolist(), "text": case.text}
    for name, output in (("lookup", found.lookup), ("matmul", found.matmul)):
        output = output.cpu()
        told[name] = output.view(BITS[output.element_size()]).flatten().tolist()
        told[f"{name}_kind"] = [str(output.dtype), *output.shape]
    rows, dim = case.config.num_embeddings, case.config.embedding_dim
    shape = tuple(found.lookup.shape)
    told["printed"] = (
        f"ids: {tuple(case.ids.shape)} weight: {(dim, rows)}\n"
        f"lookup: {shape} matmul: {shape}\n"
        f"every bit equal: {found.bitwise_equal}\n"
        f"max |difference|: {found.max_abs_error}\n"
    )
    return told


def code_of(written: str) -> list[str]:
    """The code cells of a notebook."""
    return [cell.source for cell in nbformat.reads(written, 4).cells if cell.cell_type == "code"]


def assigned(source: str, name: str) -> Any:
    """The literal that a script assigns to a name; the script is not run."""
    values = [
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    (value,) = values
    return ast.literal_eval(value)


def test_every_script_and_notebook_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    """Every script and notebook gives the page's numbers, bit for bit, without warnings."""
    written = {name: case.export(script) for name, case in CASES.items()}
    for name in NOTEBOOKS:
        written[f"{name} (notebook)"] = "\n".join(code_of(CASES[name].export(notebook)))
    results = run_sources(RUNNER, list(written.values()), tmp_path)
    differing = [
        name
        for name, told in zip(written, results, strict=True)
        if told != expected(CASES[name.removesuffix(" (notebook)")])
    ]
    assert differing == []


def test_the_zeros_of_a_one_hot_row_are_counted_right() -> None:
    """A one-hot row has as many zeros and ones as each script and notebook says."""
    case = CASES["page"]
    rows = case.config.num_embeddings
    zeros = int((F.one_hot(case.ids, rows) == 0).sum(-1).unique())
    for writer in (script, notebook):
        words = " ".join(case.export(writer).replace("\n# ", " ").split())
        (count,) = re.findall(r"row of V(?: - (\d+))? zeros", words)
        assert rows - int(count or 0) == zeros
        assert "zeros and a single 1" in words


def test_a_notebook_is_its_script_in_cells() -> None:
    """The code cells of a notebook are the code of its script."""
    for name, case in CASES.items():
        docstring, *code = ast.parse(case.export(script)).body
        assert isinstance(docstring, ast.Expr)
        cells = [ast.parse(cell).body for cell in code_of(case.export(notebook))]
        assert [ast.dump(line) for cell in cells for line in cell] == [*map(ast.dump, code)], name


def test_the_cases_are_not_all_alike() -> None:
    """The cases cover slices of distinct ids and unequal bits."""
    sources = {name: case.export(script) for name, case in CASES.items()}
    distinct = {name for name, source in sources.items() if "torch.unique" in source}
    assert {"distinct", "distinct, in slices", "own 1x64 float32"} <= distinct
    assert "split(" in sources["distinct"]
    assert "split(" not in sources["own 1x64 float32"]
    assert not distinct & {"page", "bytes", "own plain float32", "own plain bfloat16"}
    told = [expected(CASES[f"own {size} {dtype}"]) for size in ("2x3", "7x64") for dtype in DTYPES]
    assert any("equal: False" in one["printed"] for one in told)


def test_a_downloaded_script_runs_as_a_file(tmp_path: Path) -> None:
    """A saved script runs and prints the page's verdict."""
    (tmp_path / "embedding.py").write_text(CASES["page"].export(script), "ascii")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-I", "embedding.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "ids: (1, 25) weight: (10, 100)\nlookup: (1, 25, 10) matmul: (1, 25, 10)\n"
        "every bit equal: True\nmax |difference|: 0.0\n"
    )


def test_a_script_is_short_and_needs_torch_alone() -> None:
    """A script is short and imports torch and the standard library only."""
    for name, case in CASES.items():
        source = case.export(script)
        assert source.isascii(), name
        assert source.endswith(")\n"), name
        imported = {
            alias.name if isinstance(node, ast.Import) else node.module
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert imported - {"string"} == {"torch", "torch.nn"}, name
        assert ("string" in imported) == ("string." in source), name
        if case.table is None and case.ids.numel() < 60:
            lines = [line for line in source.splitlines() if line]
            assert 25 <= len(lines) <= 45, name
            ours = [line for line in lines if not line.startswith(("text = ", "characters = "))]
            assert max(len(line) for line in ours) <= 100, name


def test_a_script_for_a_gpu_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script names the device of the config."""
    monkeypatch.setattr("embviz.core.config.available_devices", lambda: ["cpu", "cuda"])
    for rows, ids in [(10, [0, 3]), (1_000_000, [0] * 40)]:
        source = of_ids(ids, rows, device="cuda").export(script)
        compile(source, "exported", "exec")
        assert 'device, dtype = "cuda", torch.float32' in source
        # Drawn before it is moved; brought back to be compared, for Apple's GPU has no float64.
        assert "nn.Embedding(V, D).to(device, dtype)" in source
        assert source.count(".cpu()") == 2


def test_the_weights_do_not_share_memory() -> None:
    """The script's two weights have separate memory."""
    for name in ("page", "one number", "kaiming_uniform float32 1x5", "own 1x1 float32"):
        names: dict[str, Any] = {}
        with torch.random.fork_rng(), torch.no_grad():
            exec(CASES[name].export(script), names)  # noqa: S102 - our own script
        embedding, linear = names["embedding"].weight, names["linear"].weight
        assert linear.is_contiguous(), name
        assert embedding.untyped_storage().data_ptr() != linear.untyped_storage().data_ptr(), name


@QUICK
@given(st.text())
def test_no_text_breaks_out_of_its_literal(text: str) -> None:
    """No typed text becomes code."""
    source = of_text(text, BYTES).export(script)
    assert source.isascii()
    assert assigned(source, "text") == text
    harmless = of_text("", BYTES).export(script)
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(harmless)).replace(
        "Constant(value='')", f"Constant(value={text!r})", 1
    )


@QUICK
@given(st.text(st.characters(), min_size=1))
def test_no_vocabulary_breaks_out_of_its_literal(text: str) -> None:
    """No typed vocabulary becomes code."""
    characters = "".join(dict.fromkeys(text))
    source = of_text(text, characters).export(script)
    assert source.isascii()
    assert assigned(source, "text") == text
    assert assigned(source, "characters") == characters


@QUICK
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12))
def test_own_weights_are_written_without_loss(values: list[float]) -> None:
    """Own weights keep every bit in the script."""
    table = torch.tensor([values], dtype=torch.float64)
    source = of_table(table, "float64").export(script)
    literal = source.partition("table = torch.tensor(")[2].partition(", dtype=")[0]
    assert [n.hex() for n in ast.literal_eval(literal)[0]] == [n.hex() for n in values]


def test_a_notebook_is_valid_and_always_the_same() -> None:
    """A notebook is valid, and equal for equal arguments."""
    for name, case in CASES.items():
        written = case.export(notebook)
        read = nbformat.reads(written, 4)
        nbformat.validate(read)
        assert nbformat.writes(read) + "\n" == written, name
        assert case.export(notebook) == written, name
        kinds = [cell.cell_type for cell in read.cells]
        assert kinds == ["markdown", *["markdown", "code"] * 4], name
        assert len({cell.id for cell in read.cells}) == len(kinds), name
        assert read.cells[0].source.count(". ") == 1, name  # two sentences


def test_what_is_typed_stays_out_of_the_notebooks_prose() -> None:
    """Typed text never enters a Markdown cell."""
    case = of_text("[x](y)<b>", "[x](y)<b>"[:6] + "<b>")
    cells = nbformat.reads(case.export(notebook), 4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert not any("[x]" in words or "<b>" in words for words in prose)


@pytest.mark.parametrize("writer", [script, notebook])
@pytest.mark.parametrize(
    ("case", "message"),
    [
        (of_ids([0] * (MAX_SCRIPT_TOKENS + 1)), "at most 2,000 ids; here are 2,001"),
        (of_vocabulary("words", "a " * 5001), "at most 10,000 characters; here are 10,002"),
        (of_table(torch.ones(101, 100)), "at most 10,000 weights of your own; here are 10,100"),
        (of_table(torch.tensor([[0.0, torch.nan]])), "finite weights only, in float32"),
        (of_table(torch.tensor([[-torch.inf]])), "finite weights only, in float32"),
        (of_table(torch.tensor([[1e5]]), "float16"), "finite weights only, in float16"),
        (of_ids([0], init="own"), "init='own' needs a table"),
        (
            Case(Config("", 4, 3, init="own"), torch.tensor([0]), table=torch.ones(3, 4)),
            r"The table has shape \(3, 4\), not \(4, 3\)",
        ),
        (
            of_text("a", "".join(map(chr, range(97, 98 + MAX_SCRIPT_CHARACTERS)))),
            "at most 10,000 characters of your own; here are 10,001",
        ),
        (Case(Config("ab", 2, 3), torch.tensor([[0, 1]]), "aa"), "not those of the text"),
        (Case(Config("ab", 2, 3), torch.tensor([[0], [1]]), "ab"), "not those of the text"),
    ],
)
def test_what_would_be_no_short_script_is_refused(
    writer: Callable[..., str], case: Case, message: str
) -> None:
    """Too long input and ids of another text are refused."""
    with pytest.raises(ExportError, match=message):
        case.export(writer)


def test_the_limits_themselves_are_allowed() -> None:
    """Input at the limits is exported."""
    side = int(MAX_SCRIPT_NUMBERS**0.5)
    largest = "".join(map(chr, range(97, 97 + MAX_SCRIPT_CHARACTERS)))
    for case in [
        of_ids([0] * MAX_SCRIPT_TOKENS),
        of_table(torch.ones(side, side)),
        of_text("a", largest),
    ]:
        assert len(case.export(script)) < 200_000
