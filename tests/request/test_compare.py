import re

import pytest
import torch

from embviz.request.compare import compare
from tests.commands import as_json


def test_the_numbers_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Keywords give what the command's options of the same names give."""
    printed = as_json(capsys, "compare", "hello", "--dim", "4", "--seed", "7", "--init", "uniform")
    result = compare("hello", dim=4, seed=7, init="uniform")
    assert result.lookup.tolist() == result.matmul.tolist() == printed["lookup"]
    assert repr(result) == result.verdict
    assert result.verdict.startswith("(1, 5) -> (1, 5, 4): lookup and matmul are bitwise equal: 20")


def test_ids_and_weights_may_be_lists_tensors_or_text() -> None:
    """Ids and weights are read from a text, from lists and from a tensor."""
    ids, weight = torch.tensor([[1, 3], [0, 1]]), torch.arange(8.0).reshape(4, 2)
    for read in (torch.Tensor.clone, torch.Tensor.tolist, lambda tensor: str(tensor.tolist())):
        assert torch.equal(compare(ids=read(ids), weights=read(weight)).lookup, weight[ids])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "either a text or ids"),
        ({"text": 5}, "text='5' is not text."),
        ({"text": "a", "dim": 2.5}, "dim='2.5' is not a whole number."),
        ({"text": "a", "vocab": "klingon"}, "vocab='klingon' is not one of printable"),
        ({"text": "ab", "rows": 4}, "need 100 rows"),
        ({"text": "a", "merges": 3}, "merges has no effect with vocab=printable."),
        ({"ids": [object()]}, "list holds no list of numbers."),
        ({"text": "a", "init": "own"}, "No weights were given."),
    ],
)
def test_bad_input_is_the_sentence_of_the_page(given: dict[str, object], words: str) -> None:
    """Bad input raises a ValueError with a sentence that quotes it."""
    with pytest.raises(ValueError, match=re.escape(words)):
        compare(**given)


def test_a_notebook_shows_a_sentence_for_what_no_file_holds() -> None:
    """A result too large for one file is its verdict and the reason, without a frame."""
    shown = compare("a" * 3000, dim=1)._repr_html_()
    assert "<iframe" not in shown
    assert "bitwise equal" in shown
    assert "3,000 tokens are more than the 2,000 that one file takes." in shown
