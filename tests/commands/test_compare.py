"""`python -m embviz compare`: the documented JSON, the readable form, and its refusals."""

import json
import string
from pathlib import Path

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
    both = run_both(table, torch.tensor(result["ids"]))
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
    result = as_json(capsys, "compare", "ab", "--dim", "2", "--dtype", "float64")
    assert result["bitwise_equal"] is False
    assert result["max_abs_error"] == max(abs(row[0]) for row in result["lookup"][0])
    _, out, _ = call(capsys, "compare", "ab", "--dim", "2")
    assert "NOT bitwise equal: 2 of 4 values" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "either a text or ids"),
        (["a", "--ids", "1"], "either a text or ids"),
        (["a", "--what"], "--what"),
        (["a", "--dim", "1025"], "dim='1025' is not a whole number from 1 to 1,024."),
        (["a", "--rows", "1" + "0" * 5000], "rows='1000"),
        (["--ids", "[[1,2],[3]]"], "ragged"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input gives exit code 2 and one printable sentence that quotes the fault."""
    assert words in refusal(capsys, "compare", *arguments)


@pytest.mark.parametrize("command", [("compare",), ("context",), ("train", "--steps", "1")])
def test_unknown_characters_are_named_on_stderr(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], tmp_path: Path
) -> None:
    """Also those without ink, on every command that reads a text."""
    text, file = "aa\xa0é", tmp_path / "text.txt"
    file.write_text(text, encoding="utf-8")
    given = ["--text", str(file)] if command[0] == "train" else [text]
    code, out, err = call(capsys, *command, *given)
    assert (code, bool(out)) == (0, True)
    said = "no id for no-break space (U+00A0), 'é': all <unk>, with one and the same row."
    assert err.startswith(f"embviz: {said} This is no error, but")
    assert err.count("\n") == 1


def test_an_unknown_character_is_said_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """The default shows it as `<unk>`, one row more."""
    code, out, err = call(capsys, "compare", "aé", "--dim", 2, "--json")
    assert (code, json.loads(out)["ids"]) == (0, [[10, 100]])
    assert ("'é'" in err, "<unk>" in err) == (True, True)
    assert "id    100  <unk> " in call(capsys, "compare", "aé")[1]


def test_the_table_is_written_for_the_projector(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Both files have a line for each row, in a folder that is made; a file as folder is refused.

    What is written is read back, also where the first row counts: as numbers, as they were.
    """
    asked = "compare", "ab", "--vocab", "custom", "--chars", "abc", "--rows", "4", "--dim", "2"
    folder = tmp_path / "new" / "folder"
    assert call(capsys, *asked, "--tsv", str(folder))[0] == 0
    vectors = (folder / "vectors.tsv").read_text("utf-8")
    metadata = (folder / "metadata.tsv").read_text("utf-8")
    assert [len(line.split("\t")) for line in vectors.splitlines()] == [2] * 4
    assert metadata == "symbol\tid\na\t0\nb\t1\nc\t2\nrow 3\t3\n"
    said = refusal(capsys, *asked, "--tsv", str(folder / "vectors.tsv" / "x"))
    assert "cannot make the folder" in said
    again = as_json(capsys, "compare", "--ids", "0 1 2 3", "--weights", folder / "vectors.tsv")
    written = [[float(cell) for cell in line.split("\t")] for line in vectors.splitlines()]
    assert np.array(again["lookup"]) == pytest.approx(np.array(written))
    counting = "[[0, 1], [0.5, 0.25], [-0.5, 2e-7]]"
    call(capsys, "compare", "--ids", "0", "--weights", counting, "--tsv", tmp_path)
    again = as_json(capsys, "compare", "--ids", "0 1 2", "--weights", tmp_path / "vectors.tsv")
    assert np.array(again["lookup"]) == pytest.approx(np.array([[0, 1], [0.5, 0.25], [-0.5, 2e-7]]))


@pytest.mark.parametrize("name", ["w.npy", "w", "w.dat", "0 1"])
def test_a_path_that_exists_is_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its ending, and whichever option names it; what it is its first bytes say."""
    table = np.array([[0.5, 0.25], [1.5, -2]])
    monkeypatch.chdir(tmp_path)
    savers = [np.save] if name.endswith(".npy") else [np.save, np.savetxt]
    for save in savers:
        with Path(name).open("wb") as file:
            save(file, table)
        found = as_json(capsys, "compare", "--ids", "1 0", "--weights", name)
        assert found["lookup"] == table[::-1].tolist()
        found = as_json(capsys, "bag", "--x-train", name, "--linear-weight", name, "--row", "1")
        assert found["dense_linear"]["output"] == [0.25, 2.75 + 3.5]
    assert "cannot read 'nowhere.tsv'" in refusal(
        capsys, "compare", "--ids", "0", "--weights", "nowhere.tsv"
    )


def test_learnt_rows_and_their_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON has the five nearest rows of each distinct word; folded case is said."""
    asked = "compare", "King, queen king", "--vocab", "words", "--init", "trained", "--json"
    code, out, err = call(capsys, *asked)
    found = json.loads(out)
    assert code == 0
    assert found["bitwise_equal"]
    assert found["output_shape"] == [1, 4, 384]
    assert [one["symbol"] for one in found["nearest"]] == ["king", "<unk>", "queen"]
    assert [len(one["nearest"]) for one in found["nearest"]] == [5, 5, 5]
    assert found["nearest"][0]["nearest"][0]["symbol"] == "queen"
    assert "no id for ',': all <unk>" in err
    assert "capital letters count as small ones" in err
