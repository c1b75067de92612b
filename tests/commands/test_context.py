import json
import string
from pathlib import Path

import pytest
import torch

from embviz.__main__ import main
from embviz.commands.context import report, sentences_report
from embviz.context.equal import compare
from embviz.context.run import recorded
from embviz.context.stack import Stack, Switches
from embviz.context.static import shuffled
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
    assert [one["pairs"] for one in found["stacks"]] == [3] * 6
    assert [one["part"] for one in found["stacks"]] == [0, 3, 0, 3, 3, 3]
    assert main(["context", "the river bank"]) == 0
    said = capsys.readouterr().out
    assert "rows_moved_by_shuffle: 14" in said
    assert "'mask': 'causal', 'pairs': 3, 'part': 3}" in said


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


def test_the_report_is_that_of_the_page() -> None:
    """The report has the facts that the page shows, from the same functions."""
    state = torch.random.get_rng_state()
    found = report(LAYERS, IDS, 7)
    assert torch.equal(torch.random.get_rng_state(), state)
    proof = shuffled(LAYERS, IDS, 0)
    assert found["rows_moved_by_shuffle"] == proof.moved == 24
    assert found["static_max_abs_difference_under_shuffle"] == 0.0
    assert found["static_max_abs_difference_under_shuffle_matmul"] == proof.matmul.max_abs_error
    for one in found["stacks"]:
        switches = Switches(one["places"], one["attention"], one["mask"])
        equal = compare(IDS, Stack(LAYERS, switches, 7).trace(IDS))
        assert (one["pairs"], one["part"]) == (equal.pairs, equal.parted)


@pytest.mark.parametrize(
    ("text", "read", "pairs"), [("", 0, []), ("a", 1, [0]), ("ab" * 200, 256, [16_256])]
)
def test_short_and_long_texts_have_a_report(text: str, read: int, pairs: list[int]) -> None:
    """The stacks read the first 256 of a long text, and none of an empty one."""
    ids = torch.tensor(PRINTABLE.encode(text), dtype=torch.int64)
    found = report(LAYERS, ids, 0)
    assert (found["positions"], found["positions_read_by_the_stacks"]) == (len(text), read)
    assert [one["pairs"] for one in found["stacks"]] == pairs * 6


def test_the_report_of_sentences_is_that_of_the_run() -> None:
    """The command prints the numbers of the page, here of the recorded run."""
    run = recorded()
    found = json.loads(json.dumps(sentences_report(run)))
    assert found["static_cosines"] == run.static.tolist()
    assert found["contextual_cosines"] == run.layers[-1].tolist()
    assert found["contextual_cosines_by_layer"] == run.layers.tolist()
    assert found["sentence_cosines"] == run.whole.tolist()
    assert found["sentence_bag_of_rows_cosines"] == run.bags.tolist()
    assert found["first_layer_is_one_hot_times_linear"] == {"equal": 4224, "values": 4224}
    assert [one["pieces"] for one in found["sentences"]] == [["bank"]] * 2
