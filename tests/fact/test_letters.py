"""Six letters learn as plain PyTorch trains them; rows are near if the same letters follow."""

from ast import literal_eval
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise

import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

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


def trained(seed: int) -> nn.Sequential:
    """The same model, trained by plain PyTorch."""
    pairs = torch.tensor([[ord(x) - 97, ord(y) - 97] for word in WORDS for x, y in pairwise(word)])
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Embedding(6, 3), nn.Linear(3, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, weight_decay=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(pairs[:, 0]), pairs[:, 1]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return model


@pytest.fixture(scope="module")
def trainings() -> list[Learnt]:
    """The trainings of all seeds."""
    return [*map(letters.learn, SEEDS)]


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_the_rows_are_those_of_plain_pytorch(seed: int) -> None:
    """From the same start to the same end, with the same scores."""
    learnt, model, ids = letters.learn(seed), trained(seed), torch.tensor([2, 0, 1])
    ends = learnt.rows[-1], learnt.weights[-1], learnt.biases[-1]
    for ours, theirs in zip(ends, model.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs.detach(), rtol=1e-4, atol=1e-4)
    scores = model(ids).detach()
    torch.testing.assert_close(learnt.scores(ids, letters.STEPS), scores, rtol=1e-4, atol=1e-4)
    torch.manual_seed(seed)
    assert learnt.rows[0].equal(nn.Embedding(6, 3).weight.detach())


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


def test_the_scripts_make_the_learnt_rows_again() -> None:
    """As they are shown, alone: the training, and a table with a random row for `<unk>`.

    The rows are named after the letters that they have learnt.
    """
    known, learnt = Vocabulary(letters.LETTERS), letters.learn(7).rows
    sources, weights = [letters.program(7, "model.embedding.weight.tolist()")], list[torch.Tensor]()
    for text, dtype in (("cab", "float64"), ("cax", "float32")):
        unk = text == "cax"
        table = Table(6 + unk, 3, 7, "learnt", dtype, unk=unk)
        weights.append(tie(table).embedding.weight.detach())
        assert weights[-1][:6].equal(learnt[-1].to(table.torch_dtype))
        ids = torch.tensor([known.encode(text, table.unk_id)])
        source = script(table, ids=ids, text=text, vocabulary=known)
        sources.append(f"{source}\nprint(table.tolist())")
    lines, *scripts = map(run, sources)
    for line, rows in zip(lines, (learnt[0], learnt[-1]), strict=True):
        torch.testing.assert_close(torch.tensor(literal_eval(line)), rows)
    for printed, weight in zip(scripts, weights, strict=True):
        assert "every bit equal: True" in printed
        made = torch.tensor(literal_eval(printed[-1]))
        assert made.allclose(weight.float(), rtol=1e-4, atol=1e-4)
    init = INITS["learnt"]
    assert init.fits({"vocab": "custom", "chars": "abcdef"})
    assert not init.fits({"vocab": "custom", "chars": "fedcba"})
    assert not init.fits({"vocab": "printable", "chars": "abcdef"})
