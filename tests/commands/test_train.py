import io
import sys

import pytest

from tests.commands import as_json, refusal


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--optimizer", "best"], "invalid choice: 'best'"),
        (["--steps", "0"], "--steps 0 is not a whole number from 1"),
        (["--learn-on", "words"], "invalid choice: 'words'"),
        (["--learn-on", "pieces", "--merges", "2001"], "merges=2001 is not a whole number"),
        (["--loss", "best"], "invalid choice: 'best'"),
        (["--batch", "-1"], "--batch -1 is not a whole number from 0"),
        (["--lr", "nan"], "A learning rate of nan"),
        (["--text", "/nowhere"], "cannot be read"),
        (["--loss", "mse", "--lr", "1e6"], "diverges here"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Bad input gives exit code 2 and one sentence that names the fault."""
    assert words in refusal(capsys, "train", *arguments)


@pytest.mark.parametrize(
    ("optimizer", "same"),
    [("sgd", True), ("adam", True), ("adagrad", True), ("sparse_adam", False)],
)
def test_both_routes_train_alike(
    capsys: pytest.CaptureFixture[str], optimizer: str, same: bool
) -> None:
    """Both routes keep the same weight exactly where their optimizers are the same rule."""
    command = ["train", "--optimizer", optimizer, "--steps", "50", "--batch", "4"]
    found = as_json(capsys, *command)
    assert found["steps"] == 50
    assert (found["max_abs_weight_difference"] <= 1e-5) is same
    assert found["rows_never_looked_up"] >= 84
    assert found["max_drift_of_unseen_rows"] == 0.0
    assert found == as_json(capsys, *command)


def test_a_training_on_pieces_has_a_loss_per_character(capsys: pytest.CaptureFixture[str]) -> None:
    """The losses of characters and of pieces are compared by what each character costs."""
    command = ["train", "--steps", "2", "--dim", "2", "--json"]
    found = as_json(capsys, *command)
    assert found["loss_per_character"] == found["loss_embedding"]
    found = as_json(capsys, *command, "--learn-on", "pieces", "--merges", "300")
    assert found["loss_per_character"] == pytest.approx(found["loss_embedding"] * 16 / 25)


def test_a_text_on_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text can be piped in; a text with one character only is refused."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abcabcabd")))
    found = as_json(capsys, "train", "--text", "-", "--steps", "5", "--batch", "0")
    assert found["steps"] == 5
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"aaaa")))
    assert "nothing to learn" in refusal(capsys, "train", "--text", "-")
