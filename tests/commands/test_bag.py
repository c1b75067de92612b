import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from embviz.bag.weight import draw_weight
from tests.commands import as_json

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))[
    "bag_of_words"
]
RIGHT = ["dense_linear", "weighted_embedding_sum", "embedding_bag", "sparse_matmul"]


def test_the_article_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The command gives the numbers of the article."""
    given = ["--x-train", FACTS["x_train"], "--linear-weight", FACTS["linear_weight"]]
    found = as_json(capsys, "bag", *given, "--row", FACTS["row"])
    assert found["row_indices"] == FACTS["row_indices"]
    for name in [*RIGHT, "embedding_sum"]:
        assert found[name]["output"] == pytest.approx(FACTS["output"], abs=1e-6)
        assert found[name]["max_abs_error"] < 1e-6


def test_documents_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file is counted by the chosen vectorizer; a route that ignores counts is called wrong."""
    path = tmp_path / "documents.txt"
    path.write_text("cat cat dog\ndog", encoding="utf-8")
    given = "bag", "--documents", path, "--outputs", 2, "--seed", 5
    found = as_json(capsys, *given)
    assert found["row_data"] == [2.0, 1.0]
    assert [found[name]["right"] for name in [*RIGHT, "embedding_sum"]] == [True] * 4 + [False]
    expected = draw_weight(2, 2, 5) @ torch.tensor([2.0, 1.0])
    assert found["sparse_matmul"]["output"] == pytest.approx(expected.tolist())
    other = as_json(capsys, *given, "--vectorizer", "binary", "--row", 1)
    assert [other["row_data"], other["row_indices"]] == [[1.0], [1]]


def test_files_hold_what_no_argument_can(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A matrix and a weight of 20,000 words come from files, and the weight as text too."""
    counts = scipy.sparse.csr_array(([2.0, 1], ([0, 0], [7, 19_999])), shape=(1, 20_000))
    weight = np.random.default_rng(0).normal(size=(3, 20_000))
    text = "\n".join(";".join(map(repr, row)) for row in weight.tolist()).replace(".", ",")
    scipy.sparse.save_npz(tmp_path / "x.npz", counts)
    np.save(tmp_path / "w.npy", weight)
    expected = weight[:, 7] * 2 + weight[:, 19_999]
    for given in (tmp_path / "w.npy", text):
        asked = "--x-train", tmp_path / "x.npz", "--linear-weight", given, "--dtype", "float64"
        found = as_json(capsys, "bag", *asked)
        assert found["embedding_bag"]["output"] == pytest.approx(expected.tolist(), abs=1e-12)
