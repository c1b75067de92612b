"""Six letters learn as plain PyTorch trains them; rows are near if the same letters follow."""

from ast import literal_eval
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise

import pytest
import torch
from scipy.stats import spearmanr

from embviz.fact import letters
from embviz.fact.export import script
from embviz.fact.inits import INITS
from embviz.fact.layers import tie
from embviz.fact.letters import WORDS
from embviz.fact.next_token import Learnt
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary

SEEDS = range(10)
B_AND_C = letters.LETTERS.index("b"), letters.LETTERS.index("c")


def run(source: str) -> list[str]:
    """The lines that a script prints; `test_export` runs scripts without embviz."""
    printed = StringIO()
    with redirect_stdout(printed), torch.random.fork_rng(), torch.enable_grad():
        exec(source, {})  # noqa: S102 - ours
    return printed.getvalue().splitlines()


@pytest.fixture(scope="module")
def trainings() -> list[Learnt]:
    """The trainings of all seeds."""
    return [*map(letters.learn, SEEDS)]


def test_rows_are_as_near_as_what_follows_is_alike(trainings: list[Learnt]) -> None:
    """All fifteen pairs, by rank; *b* and *c* are the nearest in all trainings.

    The rows at the start know nothing of it.
    """
    counts = letters.following().double()
    roots = (counts / counts.sum(1, keepdim=True)).sqrt()  # their distance is Hellinger's
    pairs = torch.triu_indices(6, 6, offset=1)

    def distances(rows: torch.Tensor) -> torch.Tensor:
        return torch.cdist(rows, rows)[pairs[0], pairs[1]]

    def agreement(state: int, learnt: Learnt) -> float:
        rows = learnt.rows[state].double()
        return float(spearmanr(distances(rows), distances(roots)).statistic)

    assert min(agreement(-1, learnt) for learnt in trainings) > 0.8
    assert abs(sum(agreement(0, learnt) for learnt in trainings) / len(SEEDS)) < 0.3
    assert {learnt.nearest()[-1] for learnt in trainings} == {B_AND_C}
    assert [learnt.nearest()[0] for learnt in trainings].count(B_AND_C) <= 2


def test_what_follows_is_counted_in_the_words() -> None:
    """Each pair of neighbours once; the words have the six letters alone, each word once.

    After the training the model expects about these shares.
    """
    counted = Counter(pair for word in WORDS for pair in pairwise(word))
    found = letters.following()
    assert {
        (letters.LETTERS[this], letters.LETTERS[after]): int(found[this, after])
        for this, after in found.nonzero().tolist()
    } == counted
    assert {*"".join(WORDS)} == {*letters.LETTERS}
    assert len({*WORDS}) == len(WORDS)
    learnt, shares = letters.learn(123), found / found.sum(1, keepdim=True)
    before, after = ((learnt.expected()[step] - shares).abs().max() for step in (0, -1))
    assert after < 0.1 < before


def test_plain_pytorch_trains_the_same_model() -> None:
    """The script that is shown has its start, its end and its scores."""
    learnt, ids = letters.learn(7), torch.tensor([2, 0, 1])
    parts = "embedding.weight", "linear.weight", "linear.bias"
    shown = [f"model.{part}.tolist()" for part in parts]
    lines = run(letters.program(7, *shown, f"model(torch.tensor({ids.tolist()})).tolist()"))
    wanted = []
    for state in (0, letters.STEPS):
        tensors = learnt.rows[state], learnt.weights[state], learnt.biases[state]
        wanted += [*tensors, learnt.scores(ids, state)]
    for line, numbers in zip(lines, wanted, strict=True):
        torch.testing.assert_close(torch.tensor(literal_eval(line)), numbers)


@pytest.mark.parametrize(("text", "dtype"), [("cab", "float64"), ("cax", "float32")])
def test_the_script_of_a_table_makes_the_learnt_rows_again(text: str, dtype: str) -> None:
    """Each letter has the row that it has learnt; `<unk>` has a random one."""
    known, unk = Vocabulary(letters.LETTERS), text == "cax"
    table = Table(6 + unk, 3, 7, "learnt", dtype, unk=unk)
    weight = tie(table).embedding.weight.detach()
    assert weight[:6].equal(letters.learn(7).rows[-1].to(table.torch_dtype))
    ids = torch.tensor([known.encode(text, table.unk_id)])
    source = script(table, ids=ids, text=text, vocabulary=known)
    printed = run(f"{source}\nprint(table.tolist())")
    assert "every bit equal: True" in printed
    made = torch.tensor(literal_eval(printed[-1]))
    assert made.allclose(weight.float(), rtol=1e-4, atol=1e-4)


def test_learnt_rows_are_those_of_their_letters() -> None:
    """In another order, or of another vocabulary, they are no rows."""
    init = INITS["learnt"]
    assert init.fits({"vocab": "custom", "chars": "abcdef"})
    assert not init.fits({"vocab": "custom", "chars": "fedcba"})
    assert not init.fits({"vocab": "printable", "chars": "abcdef"})
