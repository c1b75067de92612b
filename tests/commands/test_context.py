import math
import string
from pathlib import Path

import pytest
import torch

from embviz.commands.context import report
from embviz.context.proofs import same_character
from embviz.context.stack import Stack, Switches
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary
from tests.commands import as_json, refusal

PRINTABLE = Vocabulary(string.printable)
IDS = torch.tensor(PRINTABLE.encode("WTF does nn.Embedding do?"))
LAYERS = tie(Config(string.printable, 100, 10))


def test_context_of_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the page's figures of a text."""
    found = as_json(capsys, "context", "the river bank")
    assert found["static_max_abs_difference_under_shuffle"] == 0
    assert found["same_character_static_cosine"] == 1
    assert found["same_character_contextual_cosine"] < 0.999
    assert [row["sees_order"] for row in found["permutation"]] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give a text, --sentences with --word, or both"),
        (["--word", "bank"], "--sentences and --word go together"),
        (["é"], "is not among the 100 characters"),
        (["a", "--sentences", "no/such/file", "--word", "b"], "no/such/file"),
        (["a", "--dim", "0"], "embedding_dim"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Bad input gives exit code 2 and one sentence that names the fault."""
    assert words in refusal(capsys, "context", *arguments)


def test_context_of_a_model_that_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A model that cannot be loaded is refused by name, without waiting for a network."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    sentences = tmp_path / "banks.txt"
    sentences.write_text("a bank\nthe bank\n", encoding="utf-8")
    words = refusal(capsys, "context", "--sentences", sentences, "--word", "bank")
    assert "nobody/no-such-model" in words


def test_the_report_of_a_text() -> None:
    """The report has the figures of the proofs that the page shows."""
    state = torch.random.get_rng_state()
    found = report(LAYERS, PRINTABLE, IDS, 7)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert found["static_max_abs_difference_under_shuffle"] == 0.0
    assert found["same_character"] == "d"
    assert found["same_character_positions"] == [4, 16]
    assert found["same_character_static_cosine"] == 1.0
    stack = Stack(LAYERS, Switches(True, True, "causal"), seed=7)
    same = same_character(stack, IDS, 4, 16)
    assert found["same_character_contextual_cosine"] == same.contextual_cosine < 0.99
    assert found["same_character_reason"] is None
    assert [row["sees_order"] for row in found["permutation"]] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("text", "reason"), [("abc", "No character stands twice"), ("a", "twice"), ("", "No text")]
)
def test_a_report_without_a_repetition_says_so(text: str, reason: str) -> None:
    """A text without a repeated character has no cosines, and the reason is given."""
    found = report(LAYERS, PRINTABLE, torch.tensor(PRINTABLE.encode(text), dtype=torch.int64), 0)
    assert found["same_character_static_cosine"] is None
    assert found["same_character_contextual_cosine"] is None
    assert reason in found["same_character_reason"]
    assert found["static_max_abs_difference_under_shuffle"] == 0.0


def test_the_report_of_a_long_text_and_of_emoji() -> None:
    """The stack reads the first 256 of a long text, whatever its characters are."""
    vocabulary = Vocabulary("a😀é")
    ids = torch.tensor(vocabulary.encode("😀é" * 1_000))
    found = report(tie(Config("a😀é", 3, 8)), vocabulary, ids, 0)
    assert (found["positions"], found["positions_read_by_the_stack"]) == (2_000, 256)
    assert found["same_character"] == "😀"
    assert math.isfinite(found["same_character_contextual_cosine"])
