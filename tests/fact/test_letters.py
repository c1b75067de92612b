"""Six letters learn as plain PyTorch trains them; rows are near if the same letters follow."""

import subprocess
import sys
from ast import literal_eval
from collections import Counter
from itertools import pairwise, product

import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from embviz.fact import letters
from embviz.fact.export import script
from embviz.fact.inits import INITS
from embviz.fact.layers import tie
from embviz.fact.letters import WORDS
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary

SEEDS = range(20)
END = "the end of a script"
B_AND_C = letters.LETTERS.index("b"), letters.LETTERS.index("c")


def run(*sources: str) -> list[list[str]]:
    """The lines that each script prints, with names of its own. PyTorch is imported once."""
    each = f"for source in {sources!r}:\n    exec(source, {{}})\n    print({END!r})"
    command = [sys.executable, "-W", "error", "-c", each]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [printed.splitlines() for printed in done.stdout.split(f"{END}\n")[:-1]]


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


@pytest.mark.parametrize("seed", SEEDS)
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


def test_the_program_prints_the_rows() -> None:
    """It runs alone, as it is shown."""
    (printed,) = run(letters.program(123, "model.embedding.weight.tolist()"))
    rows = letters.learn(123).rows
    for line, expected in zip(printed, (rows[0], rows[-1]), strict=True):
        torch.testing.assert_close(torch.tensor(literal_eval(line)), expected)


def test_b_and_c_become_the_nearest_rows() -> None:
    """In all of twenty trainings, and hardly ever before: by what follows them."""
    assert Counter(letters.learn(seed).nearest()[-1] for seed in SEEDS) == {B_AND_C: 20}
    assert Counter(letters.learn(seed).nearest()[0] for seed in SEEDS)[B_AND_C] <= 4


def test_rows_are_as_near_as_what_follows_is_alike() -> None:
    """All fifteen pairs, by rank; the rows at the start know nothing of it."""
    counts = letters.following().double()
    roots = (counts / counts.sum(1, keepdim=True)).sqrt()  # their distance is Hellinger's
    pairs = torch.triu_indices(6, 6, offset=1)

    def distances(rows: torch.Tensor) -> torch.Tensor:
        return torch.cdist(rows, rows)[pairs[0], pairs[1]]

    def agreement(state: int, seed: int) -> float:
        rows = letters.learn(seed).rows[state].double()
        return float(spearmanr(distances(rows), distances(roots)).statistic)

    assert min(agreement(-1, seed) for seed in SEEDS) > 0.8
    assert abs(sum(agreement(0, seed) for seed in SEEDS) / len(SEEDS)) < 0.3


def test_what_follows_is_counted_in_the_words() -> None:
    """Each pair of neighbours once; the words have the six letters alone, each word once."""
    counted = Counter(pair for word in WORDS for pair in pairwise(word))
    found = letters.following()
    assert {
        (letters.LETTERS[this], letters.LETTERS[after]): int(found[this, after])
        for this, after in found.nonzero().tolist()
    } == counted
    assert {*"".join(WORDS)} == {*letters.LETTERS}
    assert len({*WORDS}) == len(WORDS)


def test_training_lowers_the_loss_towards_what_follows() -> None:
    """After it the model expects about the shares that were counted."""
    learnt, counts = letters.learn(123), letters.following().float()
    shares = counts / counts.sum(1, keepdim=True)
    expected = learnt.expected()
    before, after = ((expected[step] - shares).abs().max() for step in (0, letters.STEPS))
    assert after < 0.1 < before


def test_the_learnt_table_is_one_init() -> None:
    """Six rows, and a random one for `<unk>`; its script makes both again."""
    known, weights, sources = Vocabulary(letters.LETTERS), list[torch.Tensor](), list[str]()
    for text, dtype in product(("cab", "cax"), ("float32", "float64")):
        unk = text == "cax"
        table = Table(6 + unk, 3, 7, "learnt", dtype, unk=unk)
        weights.append(tie(table).embedding.weight.detach())
        assert weights[-1][:6].equal(letters.learn(7).rows[-1].to(table.torch_dtype))
        ids = torch.tensor([known.encode(text, table.unk_id)])
        source = script(table, ids=ids, text=text, vocabulary=known)
        sources.append(f"{source}\nprint(table.tolist())")
    for printed, weight in zip(run(*sources), weights, strict=True):
        assert "every bit equal: True" in printed
        made = torch.tensor(literal_eval(printed[-1]))
        assert made.allclose(weight.float(), rtol=1e-4, atol=1e-4)


def test_it_fits_its_letters_alone() -> None:
    """Its rows are named after the letters that it has learnt."""
    init = INITS["learnt"]
    assert init.fits({"vocab": "custom", "chars": "abcdef"})
    assert not init.fits({"vocab": "custom", "chars": "fedcba"})
    assert not init.fits({"vocab": "printable", "chars": "abcdef"})
