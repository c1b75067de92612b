"""One run of a Sentence-BERT over a few sentences: live, or recorded in `bank.npz`.

The recorded run is of a real model; the file names the model, the versions and the date. It holds
float16, because float32 would be twice as large: its cosines are right to three decimals. The
special pieces are left out. `tests/context/record.py` records it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

RECORDED = Path(__file__).with_name("bank.npz")
FEW = 4  # Sentences of which every two are compared.


def cosine(vectors: torch.Tensor) -> torch.Tensor:
    """float64 (N, N), the cosine of every two of N vectors; 0 beside a vector of zeros.

    >>> cosine(torch.tensor([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.96, 0.0], [0.96, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    unit = F.normalize(vectors.double(), dim=1)
    return (unit @ unit.t()).clamp(-1.0, 1.0)


@dataclass(frozen=True)
class Sentence:
    """One sentence as the model reads it: N pieces, without the special ones.

    Attributes:
        text: the sentence.
        pieces: their spellings in the vocabulary, such as `##ing`.
        ids: their rows in the model's table.
        word: places of the word's pieces; vectors of several pieces are averaged.
        occurrences: how often the sentence has the word; the first one counts.
        cut: pieces at the end that the model does not read.
        rows: (N, D), of nn.Embedding.
        vectors: (N, D), of the last layer.
        layers: (L + 1, D), the word: after positions and LayerNorm, then after each of L layers.
        whole: (D,), the model's vector of the sentence.
    """

    text: str
    pieces: list[str]
    ids: list[int]
    word: list[int]
    occurrences: int
    cut: int
    rows: torch.Tensor
    vectors: torch.Tensor
    layers: torch.Tensor
    whole: torch.Tensor

    @property
    def static(self) -> torch.Tensor:
        """(D,), the word's row, or the mean of its pieces' rows."""
        return self.rows[self.word].mean(dim=0)


@dataclass(frozen=True, eq=False)  # a run is itself alone: tensors have no one truth of `==`
class SharedWord:
    """S sentences, all with one word.

    Attributes:
        model: its name.
        first_layer: as torch prints it, such as `Embedding(30522, 384, padding_idx=0)`.
        pooling: how vectors become a sentence's, such as `mean`.
        word: the word.
        equal, values: of the pieces' rows, values that one-hot x Linear gives bit for bit, and all.
        sentences: S of them.
        senses: of each sentence, the sense that a person gave the word there; empty if nobody did.
        unrelated: for each of its cosines, that of the word's rows first, what 90 % of many pairs
            of unrelated words get in this model, from and to; empty where nobody measured it.
        unrelated_pairs: how many pairs.
        date: of a recorded run, else `""`.
        made: of a recorded run, the versions of the libraries.
    """

    model: str
    first_layer: str
    pooling: str
    word: str
    equal: int
    values: int
    sentences: list[Sentence]
    senses: Sequence[str] = ()
    unrelated: Sequence[Sequence[float]] = ()
    unrelated_pairs: int = 0
    date: str = ""
    made: str = ""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two of a few sentences; of more, the first with each other one."""
        every = [*combinations(range(len(self.sentences)), 2)]
        return [pair for pair in every if pair[0] == 0 or len(self.sentences) <= FEW]

    def same_sense(self, pair: tuple[int, int]) -> bool | None:
        """Whether the word has one sense in these two sentences; None if nobody said so."""
        return self.senses[pair[0]] == self.senses[pair[1]] if self.senses else None

    @property
    def depth(self) -> int:
        """L, how many layers the model has."""
        return len(self.sentences[0].layers) - 1

    def cosines(self, pair: tuple[int, int]) -> list[float]:
        """The word's cosines in these two sentences, L + 2 as of `word_cosines`."""
        found: list[float] = self.word_cosines[:, *pair].tolist()
        return found

    @cached_property
    def word_cosines(self) -> torch.Tensor:
        """float64 (L + 2, S, S), of the word: of its rows, then as of `Sentence.layers`."""
        vectors = [torch.cat([each.static[None], each.layers]) for each in self.sentences]
        return torch.stack([cosine(layer) for layer in torch.stack(vectors, dim=1)])

    @cached_property
    def sentence_cosines(self) -> torch.Tensor:
        """float64 (S, S): of the model's sentence vectors."""
        return cosine(torch.stack([sentence.whole for sentence in self.sentences]))

    @cached_property
    def bag_cosines(self) -> torch.Tensor:
        """float64 (S, S): of the means of the sentences' rows."""
        return cosine(torch.stack([sentence.rows.mean(dim=0) for sentence in self.sentences]))


# The fields of a sentence that the file has as arrays.
ARRAYS = [field.name for field in fields(Sentence) if field.type == "torch.Tensor"]


@cache
def recorded() -> SharedWord:
    """The run in the package, in float32 made of float16."""
    with np.load(RECORDED, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        for k, sentence in enumerate(about["sentences"]):
            for name in ARRAYS:
                sentence[name] = torch.from_numpy(file[f"{name}{k}"].astype(np.float32))
    return SharedWord(**about | {"sentences": [Sentence(**each) for each in about["sentences"]]})


def with_senses(run: SharedWord) -> SharedWord:
    """The run with the senses of the recorded one, if it has read its sentences.

    A run of the same model has its unrelated words, too.
    """
    known = recorded()
    if run.model == known.model:
        pairs = known.unrelated_pairs
        run = replace(run, unrelated=known.unrelated, unrelated_pairs=pairs)
    texts, same = ([sentence.text for sentence in each.sentences] for each in (run, known))
    return replace(run, senses=known.senses) if (run.word, texts) == (known.word, same) else run
