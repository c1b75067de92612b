"""The headless twins of the bag of words and of the training page."""

import io
import json
import sys
from pathlib import Path

import pytest

from embviz.__main__ import main

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))[
    "bag_of_words"
]
RIGHT = ["dense_linear", "weighted_embedding_sum", "embedding_bag", "sparse_matmul"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """One command's JSON."""
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, object] = json.loads(out)
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """One command's refusal: exit 2, one sentence, nothing on stdout."""
    assert main([*arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_the_article_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The headless twin would give other numbers than the article and the page."""
    found = run(
        capsys,
        "bag",
        "--x-train",
        json.dumps(FACTS["x_train"]),
        "--row",
        "0",
        "--linear-weight",
        json.dumps(FACTS["linear_weight"]),
    )
    assert found["row_indices"] == FACTS["row_indices"]
    for name in [*RIGHT, "embedding_sum"]:
        assert found[name]["output"] == pytest.approx(FACTS["output"], abs=1e-6)  # type: ignore[index]
        assert found[name]["max_abs_error"] < 1e-6  # type: ignore[index]


def test_a_count_of_two_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The one wrong route would be called right."""
    found = run(capsys, "bag", "--x-train", "[[1,0,2]]", "--outputs", "2", "--seed", "5")
    assert found["row_data"] == [1.0, 2.0]
    assert [found[name]["right"] for name in RIGHT] == [True] * 4  # type: ignore[index]
    assert found["embedding_sum"]["right"] is False  # type: ignore[index]


def test_documents_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file of documents would not be read, or be counted as another vectorizer would."""
    path = tmp_path / "documents.txt"
    path.write_text("cat cat dog\ndog", encoding="utf-8")
    counted = run(capsys, "bag", "--documents", str(path))
    assert counted["row_data"] == [2.0, 1.0]
    ones = run(capsys, "bag", "--documents", str(path), "--vectorizer", "binary")
    assert ones["row_data"] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bag"], "give either --x-train or --documents"),
        (["bag", "--x-train", "[[1,2],[3]]"], "Row 1 has 1 numbers"),
        (["bag", "--x-train", "[[1]]", "--row", "1"], "--row 1 is not a whole number from 0 to 0"),
        (
            ["bag", "--x-train", "[[1]]", "--linear-weight", "[[1,2]]"],
            "The weight has shape (1, 2)",
        ),
        (["bag", "--x-train", "[[1]]", "--dtype", "float16"], "'float16' is not one of"),
        (["bag", "--documents", "/nowhere", "--vectorizer", "count"], "cannot be read"),
        (["bag", "--documents", "-", "--vectorizer", "best"], "'best' is not one of: binary"),
        (["train", "--optimizer", "best"], "optimizer='best' is not one of: sgd"),
        (["train", "--steps", "0"], "--steps 0 is not a whole number from 1"),
        (["train", "--loss", "best"], "'best' is not one of: next, mse"),
        (["train", "--batch", "-1"], "--batch -1 is not a whole number from 0"),
        (["train", "--lr", "nan"], "A learning rate of nan"),
        (["train", "--text", "/nowhere"], "cannot be read"),
        (["train", "--loss", "mse", "--lr", "1e6"], "diverges here"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Bad input would end in a traceback, or with an exit code that says all is well."""
    assert words in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("optimizer", "same"),
    [("sgd", True), ("adam", True), ("adagrad", True), ("sparse_adam", False)],
)
def test_both_routes_train_alike(
    capsys: pytest.CaptureFixture[str], optimizer: str, same: bool
) -> None:
    """A rule would be called the same where it is another, or the other way round."""
    found = run(capsys, "train", "--optimizer", optimizer, "--steps", "50", "--batch", "4")
    assert found["steps"] == 50
    assert (found["max_abs_weight_difference"] <= 1e-5) is same  # type: ignore[operator]
    assert found["rows_never_looked_up"] >= 84  # type: ignore[operator]
    assert found["max_drift_of_unseen_rows"] == 0.0
    assert found == run(capsys, "train", "--optimizer", optimizer, "--steps", "50", "--batch", "4")


def test_a_text_on_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text could not be piped in, or one without a lesson would be trained on."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abcabcabd")))
    found = run(capsys, "train", "--text", "-", "--steps", "5", "--batch", "0")
    assert found["steps"] == 5
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"aaaa")))
    assert "nothing to learn" in refused(capsys, "train", "--text", "-")
