import json
from pathlib import Path

import pytest
import torch

from embviz.bag.weight import draw_weight
from tests.commands import as_json, refusal

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))[
    "bag_of_words"
]
RIGHT = ["dense_linear", "weighted_embedding_sum", "embedding_bag", "sparse_matmul"]


def test_the_article_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The command gives the numbers of the article."""
    given = ["--x-train", json.dumps(FACTS["x_train"]), "--row", "0"]
    weight = ["--linear-weight", json.dumps(FACTS["linear_weight"])]
    found = as_json(capsys, "bag", *given, *weight)
    assert found["row_indices"] == FACTS["row_indices"]
    for name in [*RIGHT, "embedding_sum"]:
        assert found[name]["output"] == pytest.approx(FACTS["output"], abs=1e-6)
        assert found[name]["max_abs_error"] < 1e-6


def test_a_count_of_two_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The route that ignores counts is called wrong for a count of 2."""
    found = as_json(capsys, "bag", "--x-train", "[[1,0,2]]", "--outputs", "2", "--seed", "5")
    assert found["row_data"] == [1.0, 2.0]
    assert [found[name]["right"] for name in RIGHT] == [True] * 4
    assert found["embedding_sum"]["right"] is False
    expected = draw_weight(3, 2, 5) @ torch.tensor([1.0, 0.0, 2.0])
    assert found["sparse_matmul"]["output"][0] == pytest.approx(float(expected[0]))


def test_documents_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file of documents is counted by the chosen vectorizer."""
    path = tmp_path / "documents.txt"
    path.write_text("cat cat dog\ndog", encoding="utf-8")
    counted = as_json(capsys, "bag", "--documents", path)
    assert counted["row_data"] == [2.0, 1.0]
    ones = as_json(capsys, "bag", "--documents", path, "--vectorizer", "binary")
    assert ones["row_data"] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either --x-train or --documents"),
        (["--x-train", "[[1,2],[3]]"], "Row 1 has 1 numbers"),
        (["--x-train", "[[1]]", "--row", "1"], "--row 1 is not a whole number from 0 to 0"),
        (["--x-train", "[[1]]", "--linear-weight", "[[1,2]]"], "The weight has shape (1, 2)"),
        (["--x-train", "[[1]]", "--dtype", "float16"], "invalid choice: 'float16'"),
        (["--documents", "/nowhere", "--vectorizer", "count"], "cannot be read"),
        (["--documents", "-", "--vectorizer", "best"], "invalid choice: 'best'"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Bad input gives exit code 2 and one sentence that names the fault."""
    assert words in refusal(capsys, "bag", *arguments)
