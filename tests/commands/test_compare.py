import json
import string
from pathlib import Path

import pytest
import torch

from embviz.core import o200k
from embviz.core.config import BUDGET_VARIABLE, Config
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import run_both
from embviz.core.tokenizers import VOCABULARIES
from embviz.core.vocabulary import Named, Vocabulary
from tests.commands import as_json, call, refusal

FIELDS = [
    "ids",
    "ids_shape",
    "output_shape",
    "lookup",
    "matmul",
    "bitwise_equal",
    "max_abs_error",
    "ids_bytes",
    "one_hot_bytes",
    "config",
]


def test_json_is_what_both_routes_gave(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON holds the documented fields, with the numbers of `run_both`."""
    result = as_json(capsys, "compare", "do?", "--dim", "3", "--init", "uniform", "--seed", "9")
    config = Config(string.printable, embedding_dim=3, init="uniform", seed=9)
    both = run_both(config, torch.tensor([Vocabulary(config.characters).encode("do?")]))
    assert list(result) == FIELDS
    assert result["ids"] == both.ids.tolist()
    assert result["ids_shape"] == [1, 3]
    assert result["output_shape"] == [1, 3, 3]
    assert result["lookup"] == both.comparison.lookup.tolist()
    assert result["matmul"] == both.comparison.matmul.tolist()
    assert result["bitwise_equal"] is True
    assert result["max_abs_error"] == 0.0
    assert (result["ids_bytes"], result["one_hot_bytes"]) == (3 * 8, 3 * 100 * 4)
    assert Config(**result["config"]) == config


@pytest.mark.parametrize(
    ("arguments", "ids", "rows"),
    [
        ([""], [[]], 100),
        (["--ids", ""], [], 100),
        (["ab", "--vocab", "letters"], [[0, 1]], 100),
        (["7", "--vocab", "digits", "--rows", "10"], [[7]], 10),
        (["é", "--vocab", "bytes"], [[0xC3, 0xA9]], 256),
        (["ba", "--vocab", "custom", "--chars", "ab", "--rows", "2"], [[1, 0]], 2),
        (["aé", "--unknown", "unk"], [[10, 100]], 101),
        ([r"a\n", "--escapes"], [[10, 96]], 100),
        (["--", "-1"], [[74, 1]], 100),
        (["the letters", "--vocab", "bpe"], [[587, 621, 116, 930]], 2256),
        (["the é", "--vocab", "bpe", "--merges", "0"], [[*b"the ", 0xC3, 0xA9]], 256),
    ],
)
def test_options_choose_the_ids_and_the_rows(
    arguments: list[str], ids: list[object], rows: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text, ids and vocabulary options give these ids and this number of rows."""
    result = as_json(capsys, "compare", "--dim", "2", *arguments)
    assert result["ids"] == ids
    assert result["config"]["num_embeddings"] == rows
    assert result["config"]["embedding_dim"] == 2


@pytest.mark.parametrize(
    "arguments", [["bpe", "--merges", "300"], ["bpe", "--unknown", "unk"], ["o200k"]]
)
def test_pieces_are_rebuilt_from_the_config(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The config in the JSON gives the table of a vocabulary of pieces."""
    if why := VOCABULARIES[arguments[0]].missing():
        pytest.skip(why)
    result = as_json(capsys, "compare", "größere 👍", "--dim", "2", "--vocab", *arguments)
    fields = result["config"]
    config = Config(**fields | {"characters": Named(**fields["characters"])})
    assert config.num_embeddings == max(100, config.num_symbols)
    assert json.loads(run_both(config, torch.tensor(result["ids"])).to_json()) == result


def test_o200k_without_its_library_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the optional library, the refusal says what to install."""
    monkeypatch.setattr(o200k, "LIBRARIES", ())
    assert "pip install bpe-openai" in refusal(capsys, "compare", "a", "--vocab", "o200k")


def test_pieces_stand_beside_their_ids(capsys: pytest.CaptureFixture[str]) -> None:
    """The text form shows each id's piece, padded to the longest; typed ids have none."""
    _, out, _ = call(capsys, "compare", "the letters", "--vocab", "bpe", "--dim", "1")
    shown = [line[:15] for line in out.splitlines()[2:]]
    assert shown == ["id    587  the ", "id    621  ·le ", "id    116  t   ", "id    930  ters"]
    _, out, _ = call(capsys, "compare", "--ids", "116", "--rows", "300", "--dim", "1")
    assert out.splitlines()[2].split()[:2] == ["id", "116"]
    assert len(out.splitlines()[2].split()) == 3


def test_without_json_the_verdict_is_one_readable_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The text form states shapes, verdict, costs and the first 20 rows."""
    code, out, err = call(capsys, "compare", "WTF does nn.Embedding do?")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("(1, 25) -> (1, 25, 10): lookup and matmul are bitwise equal")
    assert "250 of 250 values" in lines[0]
    assert "24,750 of them by zero" in lines[1]
    torch.manual_seed(123)
    first = torch.nn.Embedding(100, 10).weight[58].tolist()  # 'W'
    assert lines[2].split()[:4] == ["id", "58", "W", f"{first[0]:.4f}"]
    assert lines[-1].startswith("... 5 more tokens")
    assert len(lines) == 2 + 20 + 1


def test_a_difference_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs that differ are reported as different, in both forms."""

    def untied(config: Config, table: torch.Tensor | None = None) -> TiedLayers:
        layers = tie(config, table)
        torch.nn.init.zeros_(layers.linear.weight[:1])
        return layers

    monkeypatch.setattr("embviz.request.compare.tie", untied)
    result = as_json(capsys, "compare", "ab", "--dim", "2", "--dtype", "float64")
    assert result["bitwise_equal"] is False
    assert result["lookup"] != result["matmul"]
    assert result["max_abs_error"] == max(abs(row[0]) for row in result["lookup"][0])
    _, out, _ = call(capsys, "compare", "ab", "--dim", "2")
    assert "NOT bitwise equal: 2 of 4 values" in out


REFUSED = [
    ([], "either a text or --ids"),
    (["a", "--what"], "--what"),
    (["a", "--dim", "1025"], "embedding_dim=1025"),
    (["a", "--dim", "1.5"], "'1.5'"),
    (["a", "--dim"], "--dim"),
    (["a", "--rows", "1" + "0" * 5000], "--rows"),
    (["7", "--vocab", "digits", "--rows", "4"], "need 10 rows"),
    (["a", "--rows", "1000000", "--dim", "1024"], "over the budget"),
    (["a", "--init", "zeros"], "init='zeros'"),
    (["a", "--dtype", "int8"], "dtype='int8'"),
    (["a", "--device", "tpu"], "device='tpu'"),
    (["a", "--vocab", "<script>"], "vocab='<script>'"),
    (["a", "--vocab", "custom"], "at least one character"),
    (["a", "--vocab", "bpe", "--merges", "2001"], "merges=2001 is not a whole number from 0 to"),
    (["a", "--merges", "300"], "merges has no effect with vocab=printable"),
    (["a", "--unknown", "maybe"], "'maybe'"),
    (["a\u200b"], "zero width space (U+200B) at position 1"),
    (["a\udc80", "--vocab", "bytes"], "U+DC80"),
    ([r"a\q", "--escapes"], r"'\q' at position 1"),
    (["€" * 40_000, "--vocab", "bytes"], "120,000 tokens"),
    (["--ids", "[[1,2],[3]]"], "ragged"),
    (["--ids", "100"], "Id 100"),
    (["--ids", "1,\n,2"], "cannot be read"),
]


@pytest.mark.parametrize(
    ("arguments", "words"), REFUSED, ids=[" ".join(words)[:40] for words, _ in REFUSED]
)
def test_bad_input_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input gives exit code 2 and one printable sentence that quotes the fault."""
    assert words in refusal(capsys, "compare", *arguments)


def test_a_nonsensical_budget_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget that is not a number is refused with the variable's name and value."""
    monkeypatch.setenv(BUDGET_VARIABLE, "lots")
    assert f"{BUDGET_VARIABLE}='lots'" in refusal(capsys, "compare", "a")


def test_html_writes_the_page_beside_the_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`--html` writes one file with the stage, and prints the same as without it."""
    file = tmp_path / "hello.html"
    without = call(capsys, "compare", "hello", "--dim", "4")
    assert call(capsys, "compare", "hello", "--dim", "4", "--html", file) == without
    assert "<code>&#x27;hello&#x27;</code>" in file.read_text(encoding="utf-8")
    assert "no folder" in refusal(capsys, "compare", "a", "--html", tmp_path / "none" / "a.html")
    assert "that one file takes" in refusal(capsys, "compare", "a" * 2001, "--html", file)
