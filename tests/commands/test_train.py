import io
import sys
from pathlib import Path

import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from embviz.request.training import STEPS, side_by_side
from embviz.ui.pages.training import PAGE  # adds its settings
from tests.commands import as_json, refusal


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--optimizer", "best"], "optimizer='best' is not one of sgd, momentum"),
        (["--steps", "0"], "--steps 0 is not a whole number from 1"),
        (["--vocab", "bpe", "--merges", "2001"], "merges='2001' is not a whole number"),
        (["--loss", "best"], "loss='best' is not one of mse, next"),
        (["--rate", "2x"], "rate='2x' is not one of 0.1x, 1x, 10x"),
        (["--target", "one"], "The target 'one' is not one or more finite numbers"),
        (["--target", "inf"], "A target of [inf] is not one or more finite numbers"),
        (["--target", "1 2"], "A target of 2 numbers does not fit rows of 10"),
        (["--text", "/nowhere"], "cannot be read"),
        (["--dtype", "float16"], "takes float32 or float64, not float16"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Bad input gives exit code 2 and one sentence that names the fault."""
    assert words in refusal(capsys, "train", *arguments)


def test_it_trains_what_the_page_trains(capsys: pytest.CaptureFixture[str]) -> None:
    """Without options it is the page's own training, and its numbers are those of the tensors."""
    assert PAGE.name == "training"
    settings = defaults(SETTINGS)
    training = side_by_side(read_inputs(settings), settings.__getitem__)
    training.advance(STEPS)
    found = as_json(capsys, "train")
    assert found["steps"] == STEPS == 100
    assert found["loss_embedding"] == training.points[-1].loss_embedding
    assert found["loss_linear"] == training.points[-1].loss_linear
    assert found["rows_never_looked_up"] == 84
    assert found["max_drift_of_unseen_rows"] == 0.0
    assert found["max_abs_weight_difference"] == 0.0
    assert (training.rule.name, training.lr) == ("sgd", 0.5)
    assert torch.equal(training.start, tie(Config("", 100, 10)).embedding.weight.detach())


@pytest.mark.parametrize(
    ("optimizer", "same"),
    [("sgd", True), ("adam", True), ("adamw", True), ("sparse_adam", False)],
)
def test_both_routes_train_alike(
    capsys: pytest.CaptureFixture[str], optimizer: str, same: bool
) -> None:
    """Both routes keep the same weight exactly where their optimizers are the same rule."""
    command = ["train", "--optimizer", optimizer, "--steps", "50", "--batches", "minibatch"]
    found = as_json(capsys, *command)
    assert (found["max_abs_weight_difference"] <= 1e-5) is same
    assert (found["max_abs_gradient_difference"] <= 1e-5) is same
    assert found["rows_never_looked_up"] >= 84
    assert (found["max_drift_of_unseen_rows"] > 0) is (optimizer == "adamw")
    assert found == as_json(capsys, *command)
    assert found != as_json(capsys, *command, "--seed", "5")


def test_the_rate_and_the_loss_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth of the rate learns less; the loss of the next token starts near ln(100)."""
    losses = [
        as_json(capsys, "train", "--rate", rate, "--steps", "5")["loss_embedding"]
        for rate in ("0.1x", "1x", "10x")
    ]
    assert losses[0] > losses[1] > losses[2]
    found = as_json(capsys, "train", "--loss", "next", "--steps", "1")
    assert 4 < found["loss_embedding"] < 5.5
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"aaaa")))
    command = ["train", "--text", "-", "--rate", "10x", "--dim", "1"]
    assert "diverges here" in refusal(capsys, *command)


def test_a_text_on_stdin_and_pieces_of_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A text can be piped in; a loss of pieces is given per character too."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abcabcabd")))
    found = as_json(capsys, "train", "--text", "-", "--steps", "5")
    assert found["rows_never_looked_up"] == 96
    assert found["loss_per_character"] == found["loss_embedding"]
    (tmp_path / "a.txt").write_text("the cat sat on the mat, the rat sat")
    command = ["train", "--text", str(tmp_path / "a.txt"), "--vocab", "bpe", "--merges", "300"]
    found = as_json(capsys, *command)
    assert found["loss_per_character"] == pytest.approx(found["loss_embedding"] * 16 / 35)
