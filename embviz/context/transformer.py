"""The tiny transformer learns English a few steps at a time; the bigram model is its reference.

The first nine tenths of a text are learned from; the last tenth is held out, and both models are
judged on the same held-out characters. A `Learner` draws from private generators: one seed is one
training. It keeps about 1 MB of weights, gradients and moments beside the text's ids, and trains on
the CPU only. It draws no page: `advance` returns after its budget.
"""

from __future__ import annotations

import math
import string
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch.nn import functional as F

from embviz.context.bigram import bigram_loss
from embviz.context.letters import Place, Separation, places_of, separation
from embviz.context.similarity import MAX_POSITIONS
from embviz.context.tiny import CONTEXT, TinyTransformer
from embviz.core.vocabulary import Vocabulary
from embviz.training.sampling import sample
from embviz.training.text import TextError, prepare

BUDGET_STEPS = 1_000
BATCH = 12
LEARNING_RATE = 8e-3
WARM_UP = 50  # steps until the learning rate is full
EVERY = 100  # steps between evaluations on the held-out text
MIN_TEXT = 1_000
MAX_HELD_OUT = 20_000  # characters
_BEFORE = 23  # characters before a letter in the held-out contexts
_CHUNK = 64  # windows evaluated at a time


@dataclass(frozen=True)
class Evaluation:
    """The loss on the held-out text after `step` steps.

    Attributes:
        step: steps taken.
        held_out: mean cross-entropy in nats.
    """

    step: int
    held_out: float


class Learner:
    """A tiny transformer and how far it is trained.

    Args:
        seed: of the weights and the batches.
        text: 1,000 to 1,000,000 characters, of which those without an id are left out; or its
            ids, as `embviz.training.text.prepare` gives them.
        vocabulary: gives the ids.
        budget_steps: the last step; the learning rate falls towards it.

    Attributes:
        steps: steps taken.
        losses: of each step's batch, in nats.
        evaluations: before the first step, every 100 steps and at the end.
        seconds: time spent in `advance`, evaluations included.

    Raises:
        TextError: too little text, or nothing to learn.
        ValueError: a vocabulary of more than 2,048 ids.
    """

    def __init__(
        self,
        seed: int,
        text: str | torch.Tensor,
        vocabulary: Vocabulary | None = None,
        budget_steps: int = BUDGET_STEPS,
    ) -> None:
        self.seed, self.budget_steps = seed, budget_steps
        self.vocabulary = vocabulary or Vocabulary(string.printable)
        ids = prepare(text, self.vocabulary) if isinstance(text, str) else text
        if len(ids) < MIN_TEXT:
            raise TextError(
                f"{len(ids):,} characters are too few for the transformer to learn from; "
                f"it takes {MIN_TEXT:,} or more."
            )
        cut = len(ids) - len(ids) // 10
        self.train, self.held_out = ids[:cut], ids[cut : cut + MAX_HELD_OUT]
        self._generator = torch.Generator().manual_seed(seed)
        self.model = TinyTransformer(len(self.vocabulary), self._generator)
        self._optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.99)
        )
        self.steps, self.seconds = 0, 0.0
        self.losses: list[float] = []
        self.evaluations: list[Evaluation] = []

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past `budget_s` seconds.

        Returns:
            Steps taken: fewer at the end of the budget or of the training.
        """
        started, before = time.perf_counter(), self.steps
        if steps and not self.evaluations:  # not in __init__: many visitors never press Learn
            self.evaluations.append(Evaluation(0, self.held_out_loss()))
        while self.steps - before < steps and not self.finished:
            self._one_step()
            if self.steps % EVERY == 0 or self.finished:
                self.evaluations.append(Evaluation(self.steps, self.held_out_loss()))
            if time.perf_counter() - started >= budget_s:
                break
        self.seconds += time.perf_counter() - started
        return self.steps - before

    @property
    def finished(self) -> bool:
        """Whether the last step is taken."""
        return self.steps >= self.budget_steps

    @cached_property
    def bigram_loss(self) -> float:
        """The bigram model's loss on the same pairs, counted in the part that is learned from."""
        return bigram_loss(self.train, self.held_out, len(self.vocabulary))

    @property
    def num_parameters(self) -> int:
        """Number of trained numbers."""
        return sum(p.numel() for p in self.model.parameters())

    @torch.no_grad()
    def _logits(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits of what follows each position, float64 (N, V)."""
        self.model.check(ids)
        logits: torch.Tensor = self.model(ids.unsqueeze(0))[0].double()
        return logits

    def sample(
        self, prefix: Sequence[int], length: int, temperature: float = 1.0, seed: int = 0
    ) -> list[int]:
        """`length` ids that the model writes after a text.

        Args:
            prefix: ids to continue, one or more; the last 48 are read.
            length: 0 to 1,000.
            temperature: logits are divided by it; 0 always takes the most likely id.
            seed: of a private generator.

        Raises:
            ValueError: a length or temperature out of range, or an empty prefix.
            IndexError: an id without a row.
        """

        def next_logits(written: Sequence[int]) -> torch.Tensor:
            return self._logits(torch.tensor(written[-CONTEXT:], dtype=torch.int64))[-1]

        return sample(next_logits, prefix, length, seed, temperature)

    def separation(self, letter: str, contexts: Sequence[str] | None = None) -> Separation:
        """One letter's vectors at its places, compared by what follows.

        Args:
            letter: one character of the vocabulary.
            contexts: texts with the letter, each up to 48 characters; by default at most 256
                places of the held-out text, each with the 23 characters before it.

        Raises:
            ValueError: a text that is too long, or no text has the letter.
            UnknownCharacterError: (a ValueError) a character that the vocabulary lacks.
        """
        token = self.vocabulary.encode(letter)[0]
        if contexts is None:
            places = self._held_out_places(token)
        else:
            given = [torch.tensor(self.vocabulary.encode(text)) for text in contexts]
            places = places_of(token, given)
        return separation(self._vectors_at(places), token, places)

    def _vectors_at(self, places: Sequence[Place]) -> list[torch.Tensor]:
        """For each layer the vectors at the places, (M, D); texts of one length form a batch."""
        found: dict[int, torch.Tensor] = {}  # of each place, (layers, D)
        for length in {len(place.context) for place in places}:
            at = [k for k, place in enumerate(places) if len(place.context) == length]
            layers = self.model.layers(torch.stack([places[k].context for k in at]))
            positions = torch.tensor([places[k].position for k in at])
            here = torch.stack([layer[torch.arange(len(at)), positions] for layer in layers], dim=1)
            found |= dict(zip(at, here, strict=True))
        return list(torch.stack([found[k] for k in range(len(places))], dim=1)) if places else []

    def _held_out_places(self, token: int) -> list[Place]:
        """Places at equal distances, so that they are not all from the beginning of the text."""
        where = (self.held_out[:-1] == token).nonzero().flatten()
        where = where[where >= _BEFORE]
        every = max(1, -(-len(where) // MAX_POSITIONS))
        return [Place(self.held_out[p - _BEFORE : p + 2], _BEFORE) for p in where[::every].tolist()]

    def _one_step(self) -> None:
        start = torch.randint(len(self.train) - CONTEXT, (BATCH,), generator=self._generator)
        window = self.train[start.unsqueeze(1) + torch.arange(CONTEXT + 1)]
        loss = self._loss(window, "mean")
        self.losses.append(float(loss.detach()))
        for group in self._optimizer.param_groups:
            group["lr"] = LEARNING_RATE * _share_of_rate(self.steps, self.budget_steps)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self.steps += 1

    @torch.no_grad()
    def held_out_loss(self) -> float:
        """Mean cross-entropy over all pairs of the held-out text, in nats; each counts once."""
        pairs = len(self.held_out) - 1
        whole = pairs // CONTEXT * CONTEXT
        total = 0.0
        if whole:
            windows = self.held_out[: whole + 1].unfold(0, CONTEXT + 1, CONTEXT)
            for start in range(0, len(windows), _CHUNK):
                total += float(self._loss(windows[start : start + _CHUNK], "sum"))
        if whole < pairs:
            total += float(self._loss(self.held_out[whole:].unsqueeze(0), "sum"))
        return total / pairs

    def _loss(self, window: torch.Tensor, reduction: str) -> torch.Tensor:
        logits = self.model(window[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten(), reduction=reduction)


def _share_of_rate(step: int, last: int) -> float:
    """The learning rate's share: a linear warm-up, then a cosine down to a tenth.

    >>> [round(_share_of_rate(step, 1000), 2) for step in (0, 49, 500, 1000)]
    [0.02, 0.99, 0.55, 0.1]
    """
    return min(1.0, (step + 1) / WARM_UP) * (0.55 + 0.45 * math.cos(math.pi * step / last))
