import string
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from embviz.context.equal import compare_stacks
from embviz.context.moved_rows import shuffled
from embviz.context.shared_word import recorded
from embviz.fact.layers import tie
from embviz.fact.table import Table
from tests.commands import as_json


def test_context_of_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the page's figures of a text, with the table of its options."""
    found = as_json(capsys, "context", "the river bank", "--dim", "4", "--seed", "7")
    ids = torch.tensor([string.printable.index(one) for one in "the river bank"])
    layers = tie(Table(100, 4, 7))
    proof = shuffled(layers, ids, 0)
    assert found == {
        "positions": 14,
        "positions_read_by_the_stacks": 14,
        "rows_moved_by_shuffle": proof.moved,
        "static_max_abs_difference_under_shuffle": 0.0,
        "static_max_abs_difference_under_shuffle_matmul": 0.0,
        "stacks": [
            {**vars(switches), "pairs": equal.pairs, "part": equal.parted}
            for switches, equal in compare_stacks(layers, ids, 7).items()
        ],
    }
    assert [one["part"] for one in found["stacks"]] == [0, 3, 0, 3, 3, 3]


def test_the_report_of_sentences_is_that_of_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command prints the numbers of the page, here of the recorded run; empty lines go."""
    run, file, model = recorded(), tmp_path / "banks.txt", Mock()
    model.run.return_value = run
    monkeypatch.setattr("embviz.context.sentence.load", lambda _: model)
    file.write_text("a bank\n\nbank\n", encoding="utf-8")
    found = as_json(capsys, "context", "--sentences", str(file), "--word", "bank")
    model.run.assert_called_once_with(["a bank", "bank"], "bank")
    assert found["contextual_cosines_by_layer"] == run.word_cosines[1:].tolist()
    for name, cosines in (
        ("static", run.word_cosines[0]),
        ("sentence", run.sentence_cosines),
        ("sentence_bag_of_rows", run.bag_cosines),
    ):
        assert found[f"{name}_cosines"] == cosines.tolist()
    assert found["first_layer_is_one_hot_times_linear"] == {"equal": 5760, "values": 5760}
    assert [one["pieces"] for one in found["sentences"]] == [["bank"]] * 3
