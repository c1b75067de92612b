"""The small model whose rows learn: six letters, in all common words of these letters.

The model of `next_token.py` reads a letter and scores the next one. It learns from the pairs of
neighbours in `WORDS`. Every step is kept, so that a page can show the way. The numbers are those of
plain PyTorch after `torch.manual_seed(seed)`, as `program` trains it.
"""

from __future__ import annotations

from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING

from embviz.system.shared_cache import shared_cache

if TYPE_CHECKING:
    import torch

    from embviz.fact.next_token import Learnt

LETTERS = "abcdef"
SIZES = 6, 3  # Rows, one for each letter, and numbers in each.
STEPS = 200
# Pulls all numbers towards 0, so that rows lie apart only as far as the words ask for it. Without
# it one pair of letters meets in every training, and the others lie as chance has it.
WEIGHT_DECAY = 0.01
KEPT_BYTES = 150_000  # bytes of the trainings that all sessions share; one has 34 KB

# The words of a dictionary of American English (Debian's package wamerican) that have no other
# letters; abbreviations and names of letters are left out.
TEXT = """
abed accede acceded ace aced ad add added baa baaed babe bad bade be bead beaded bed bedded bee beef
beefed cab cabbed cad cede ceded dab dabbed dad dead deaf deb decade decaf deed deeded deface
defaced ebb ebbed efface effaced facade face faced fad fade faded fed fee feed
"""
WORDS = TEXT.split()

# The model as it is shown.
_CLASS = """\
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding({rows}, {dim})  # a row for each id
        self.linear = nn.Linear({dim}, {rows})  # from a row, a score for each next id

    def forward(self, ids):
        return self.linear(self.embedding(ids))
"""
# Its start, and the training with which it has the rows of `learn`.
_START = """\
letters = "{letters}"
words = \"\"\"
{words}
\"\"\".split()
pairs = [(letters.index(a), letters.index(b)) for word in words for a, b in zip(word, word[1:])]
read, following = torch.tensor(pairs).T

torch.manual_seed({seed})
model = Model()
"""
_TRAINING = """\
# The decay pulls all numbers towards 0: rows lie apart only as far as the words ask for it.
optimizer = torch.optim.Adam(model.parameters(), lr=0.1, weight_decay={decay})
for _ in range({steps}):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(read), following)
    loss.backward()
    optimizer.step()
"""
IMPORTS = "import torch\nfrom torch import nn\n"


def pairs() -> torch.Tensor:
    """The ids of all neighbours in `WORDS`, int64 (2, N): letters, and those that follow them."""
    import torch

    neighbours = [pair for word in WORDS for pair in pairwise(word)]
    return torch.tensor([[LETTERS.index(letter) for letter in pair] for pair in neighbours]).T


def following() -> torch.Tensor:
    """How often each letter (columns) follows each (rows) in `WORDS`, int64 (6, 6)."""
    from embviz.fact.next_token import counted_pairs

    read, after = pairs()
    return counted_pairs(read, after, len(LETTERS))


@shared_cache(KEPT_BYTES, lambda learnt: learnt.nbytes, lambda seed: seed)
def learn(seed: int) -> Learnt:
    """The model at the start and after each of `STEPS` steps; about 0.1 s of processor time."""
    from torch.nn.functional import cross_entropy

    from embviz.fact.next_token import begun, train

    read, after = pairs()
    model = begun(*SIZES, seed)

    def loss(model: torch.nn.Sequential) -> torch.Tensor:
        return cross_entropy(model(read), after)

    return train(model, loss, STEPS, every=1, weight_decay=WEIGHT_DECAY)


def model_class(num_embeddings: int, embedding_dim: int) -> str:
    """The lines of the class `Model` with these sizes."""
    return _CLASS.format(rows=num_embeddings, dim=embedding_dim)


def _start(seed: int) -> str:
    return _START.format(letters=LETTERS, words=fill(" ".join(WORDS), 90), seed=seed)


def table_program(seed: int) -> str:
    """The lines that make the learnt `table`, where nothing else needs gradients."""
    return (
        "# Learnt: the rows of a model that scores the next letter.\n"
        f"{model_class(*SIZES)}\n\ntorch.set_grad_enabled(True)\n{_start(seed)}"
        f"{_TRAINING.format(steps=STEPS, decay=WEIGHT_DECAY)}"
        "torch.set_grad_enabled(False)\ntable = model.embedding.weight.detach()"
    )


def program(seed: int, *shown: str) -> str:
    """A script that trains the model with PyTorch alone.

    Args:
        seed: 0 to 2**32 - 1.
        shown: expressions that it prints, before and after the training.
    """
    lines = "".join(f"print({expression})\n" for expression in shown)
    return (
        f"{IMPORTS}\n\n{model_class(*SIZES)}\n\n{_start(seed)}{lines}\n"
        f"{_TRAINING.format(steps=STEPS, decay=WEIGHT_DECAY)}{lines}"
    )
