"""The optimizers on offer: one record each, with its learning rate and what to expect of it.

A record makes PyTorch's own optimizer for `Embedding.weight` (V, D) and one for `Linear.weight`
(D, V). The dense rules are elementwise: gradients with the same bits give weights with the same
bits. The two routes may round a gradient differently, and Adam can enlarge that without a limit
that holds for every setting. So no record promises one. Nothing here reimplements an optimizer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, SparseAdam

from embviz.text.records import by_name

MOMENTUM = 0.9
WEIGHT_DECAY = 0.01
# SparseAdam adds eps to sqrt(v) before the bias correction, Adam after it. With the default 1e-8
# this alone moved the two 5e-5 to 1e-3 apart in 200 steps on 25 tokens; with 1e-12 it is 1.4e-6.
SPARSE_ADAM_EPS = 1e-12

Maker = Callable[..., Optimizer]  # (parameters, lr=...) -> an optimizer


@dataclass(frozen=True)
class Rule:
    """How both routes are updated.

    Attributes:
        name: the value of the parameter `optimizer` and of `train --optimizer`.
        label: its name on the page.
        sentence: what the rule does, and whether both sides do the same.
        usual_lr: the learning rate it starts with.
        make: makes the optimizer of `Embedding.weight`.
        for_linear: makes those of `Linear.weight` and of a head; the same one if None.
        sparse: whether the embedding's gradient is a sparse tensor.
    """

    name: str
    label: str
    sentence: str
    usual_lr: float
    make: Maker
    for_linear: Maker | None = None
    sparse: bool = False

    def optimizers(
        self, weight: Any, others: list[Any], lr: float, is_linear: bool
    ) -> list[Optimizer]:
        """New optimizers, without state, of a route's weight and of its head's parameters.

        Args:
            weight: `Embedding.weight` or `Linear.weight`.
            others: the parameters of the loss.
            lr: the learning rate.
            is_linear: whether it is the latter.
        """
        usual = self.for_linear or self.make
        own = usual if is_linear else self.make
        if own is usual:  # one optimizer, because each costs a step some 0.1 ms
            return [usual([weight, *others], lr=lr)]
        return [own([weight], lr=lr), *([usual(others, lr=lr)] if others else [])]


_RULES = (
    Rule(
        "sgd",
        "SGD",
        "w - lr · g: a row with gradient 0 stays exactly where it is.",
        0.5,
        SGD,
    ),
    Rule(
        "momentum",
        f"SGD, momentum {MOMENTUM}",
        "The velocity remains when the gradient is 0: a row moves on after its last lookup.",
        0.5,
        partial(SGD, momentum=MOMENTUM),
    ),
    Rule(
        "weight_decay",
        f"SGD, weight decay {WEIGHT_DECAY}",
        "Every row shrinks by lr · decay in every step, looked up or not.",
        0.5,
        partial(SGD, weight_decay=WEIGHT_DECAY),
    ),
    Rule(
        "adam",
        "Adam",
        "Both moments decay in every step for every row: a row looked up once keeps moving. It "
        "divides its steps by the root of v, which can enlarge rounding.",
        0.01,
        Adam,
    ),
    Rule(
        "adamw",
        f"AdamW, weight decay {WEIGHT_DECAY}",
        "Adam, and every row shrinks by lr · decay in every step.",
        0.01,
        partial(AdamW, weight_decay=WEIGHT_DECAY),
    ),
    Rule(
        "adagrad",
        "Adagrad",
        "It sums all squared gradients and forgets none: a row with gradient 0 stays.",
        0.1,
        Adagrad,
    ),
    Rule(
        "sparse_adam",
        "SparseAdam on the embedding, Adam on the linear layer",
        "A different algorithm: SparseAdam updates moments and rows only in steps that look the "
        "row up; Adam updates them in every step. Where every step looks up the same rows, "
        f"only rounding and the place of eps ({SPARSE_ADAM_EPS:g}) differ.",
        0.01,
        partial(SparseAdam, eps=SPARSE_ADAM_EPS),
        partial(Adam, eps=SPARSE_ADAM_EPS),
        sparse=True,
    ),
    Rule(
        "sgd_sparse",
        "SGD, sparse gradients on the embedding",
        "SGD has no state, so leaving out the zeros changes no sum. But each token's share is "
        "added to the weight on its own and rounded there: the more often a token stands in a "
        "batch, the more the rounding differs.",
        0.5,
        SGD,
        sparse=True,
    ),
)
OPTIMIZERS = by_name(_RULES)
