"""`python -m embviz compare`: the documented JSON, the readable form, and its refusals."""

import json
import string
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from embviz.fact.layers import TiedLayers, tie
from embviz.fact.routes import run_both
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary
from tests.commands import as_json, call, refusal


def test_json_is_what_both_routes_gave(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON holds the documented fields, with the numbers of `run_both`."""
    result = as_json(capsys, "compare", "do?", "--dim", "3", "--init", "uniform", "--seed", "9")
    table = Table(embedding_dim=3, init="uniform", seed=9)
    fields = "ids ids_shape output_shape lookup matmul bitwise_equal max_abs_error ids_bytes"
    assert list(result) == [*fields.split(), "one_hot_bytes", "nearest", "table"]
    assert result["ids"] == [[string.printable.index(one) for one in "do?"]]
    both = run_both(table, torch.tensor(result["ids"]), tie(table))
    assert result == json.loads(both.to_json(Vocabulary(string.printable).label))


def test_the_readable_form(capsys: pytest.CaptureFixture[str]) -> None:
    """Without `--json`: shapes and verdict, costs, and the first 20 rows of 8 columns."""
    code, out, err = call(capsys, "compare", "WTF does nn.Embedding do?")
    assert (code, err) == (0, "")
    verdict, cost, *rows, more = out.splitlines()
    assert verdict.startswith("(1, 25) -> (1, 25, 10): lookup and matmul are bitwise equal")
    assert ("24,750 of them by zero" in cost, "5 more tokens" in more) == (True, True)
    torch.manual_seed(123)
    row = torch.nn.Embedding(100, 10).weight[58].tolist()  # 'W'
    assert rows[0].split() == ["id", "58", "W", *(f"{one:.4f}" for one in row[:8]), "..."]
    assert len(rows) == 20


def test_a_difference_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs that differ are reported as different, in both forms."""

    def untied(table: Table, weights: torch.Tensor | None = None) -> TiedLayers:
        layers = tie(table, weights)
        torch.nn.init.zeros_(layers.linear.weight[:1])
        return layers

    monkeypatch.setattr("embviz.playground.compare.tie", untied)
    assert as_json(capsys, "compare", "ab", "--dim", "2")["bitwise_equal"] is False
    _, out, _ = call(capsys, "compare", "ab", "--dim", "2")
    assert "NOT bitwise equal: 2 of 4 values" in out


def test_unknown_characters_are_named_on_stderr(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Also those without ink, on every command that reads a text; `<unk>` is one row more."""
    text, file = "aa\xa0é", tmp_path / "text.txt"
    file.write_text(text, encoding="utf-8")
    for command in (["compare", text], ["context", text], ["train", "--steps", 1, "--text", file]):
        code, out, err = call(capsys, *command)
        assert (code, bool(out)) == (0, True)
        said = "no id for no-break space (U+00A0), 'é': all <unk>, with one and the same row."
        assert err.startswith(f"embviz: {said} This is no error, but")
        assert err.count("\n") == 1
    assert "id    100  <unk> " in call(capsys, "compare", text)[1]


def test_the_table_is_written_for_the_projector(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Both files have a line for each row, in a folder that is made; a file as folder is refused.

    What is written is read back, also where the first row counts: as numbers, as they were.
    """
    table, folder = "[[0, 1], [0.5, 0.25], [-0.5, 2e-7]]", tmp_path / "new" / "folder"
    asked = "compare", "--ids", "0 1 2", "--weights"
    call(capsys, *asked, table, "--tsv", folder)
    again = as_json(capsys, *asked, folder / "vectors.tsv")
    assert np.array(again["lookup"]) == pytest.approx(np.array(json.loads(table)))
    said = refusal(capsys, *asked, table, "--tsv", folder / "vectors.tsv" / "x")
    assert "cannot make the folder" in said
    named = "compare", "ab", "--vocab", "custom", "--chars", "abc", "--rows", 4, "--dim", 2
    assert call(capsys, *named, "--tsv", folder)[0] == 0
    metadata = (folder / "metadata.tsv").read_text("utf-8")
    assert metadata == "symbol\tid\na\t0\nb\t1\nc\t2\nrow 3\t3\n"


@pytest.mark.parametrize("save", [np.save, np.savetxt])
def test_a_path_that_exists_is_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, save: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its name, and whichever option names it; what it is its first bytes say."""
    monkeypatch.chdir(tmp_path)
    with Path("0 1").open("wb") as file:
        save(file, [[0.5, 0.25], [1.5, -2]])
    found = as_json(capsys, "compare", "--ids", "1 0", "--weights", "0 1")
    assert found["lookup"] == [[1.5, -2], [0.5, 0.25]]
    found = as_json(capsys, "bag", "--x-train", "0 1", "--linear-weight", "0 1", "--row", "1")
    assert found["dense_linear"]["output"] == [0.25, 2.75 + 3.5]


def test_folded_letters_are_named_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Learnt words have no capital letters; the output has the width of their rows."""
    asked = "compare", "King queen", "--vocab", "words", "--init", "trained", "--json"
    _, out, err = call(capsys, *asked)
    assert json.loads(out)["output_shape"] == [1, 2, 384]
    assert err == "embviz: capital letters count as small ones.\n"
