"""The optimizers on offer: one record each, with its learning rate and what to expect of it.

A record makes PyTorch's own optimizer for `Embedding.weight` (V, D) and one for `Linear.weight`
(D, V). The dense rules are elementwise: gradients with the same bits give weights with the same
bits. The two routes may round a gradient differently, and Adam can enlarge that without a limit
that holds for every setting. So no record promises one. Nothing here reimplements an optimizer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.optim import SGD, Adagrad, Adam, AdamW, SparseAdam

from embviz.core.refused import Refused

MOMENTUM = 0.9
WEIGHT_DECAY = 0.01
MAX_LR = 1e6
RATES = {"0.1x": 0.1, "1x": 1.0, "10x": 10.0}  # factors of an optimizer's usual learning rate
# SparseAdam adds eps to sqrt(v) before the bias correction, Adam after it. With the default 1e-8
# this alone moved the two 5e-5 to 1e-3 apart in 200 steps on 25 tokens; with 1e-12 it is 1.4e-6.
SPARSE_ADAM_EPS = 1e-12

Maker = Callable[[nn.Parameter, float], torch.optim.Optimizer]


@dataclass(frozen=True)
class Optimizer:
    """How both routes are updated.

    Attributes:
        name: the value of the parameter `optimizer` and of `train --optimizer`.
        label: its name on the page.
        sentence: what the rule does, and whether both sides do the same.
        usual_lr: the learning rate it starts with.
        for_embedding: makes the optimizer of `Embedding.weight`.
        for_linear: makes the optimizer of `Linear.weight`; the same one if None.
        embedding_label: the name of the embedding's rule, if the linear layer has another one.
        sparse_gradient: whether the embedding's gradient is a sparse tensor.
        in_lockstep: whether both sides do the same arithmetic on each number, so that gradients
            with the same bits give weights with the same bits.
        moves_unseen_rows: whether a row that no step looks up moves.
        moves_after_lookup: whether a row of the embedding moves on after its last lookup.
    """

    name: str
    label: str
    sentence: str
    usual_lr: float
    for_embedding: Maker
    for_linear: Maker | None = None
    embedding_label: str = ""
    sparse_gradient: bool = False
    in_lockstep: bool = True
    moves_unseen_rows: bool = False
    moves_after_lookup: bool = False

    def make(
        self, embedding: nn.Parameter, linear: nn.Parameter, lr: float
    ) -> tuple[torch.optim.Optimizer, torch.optim.Optimizer]:
        """New optimizers of both sides, without state.

        Args:
            embedding: `Embedding.weight`, shape (V, D).
            linear: `Linear.weight`, shape (D, V).
            lr: the learning rate, checked.
        """
        for_linear = self.for_linear or self.for_embedding
        return self.for_embedding(embedding, lr), for_linear(linear, lr)


def optimizer_named(name: str) -> Optimizer:
    """The record with this name.

    Raises:
        Refused: there is no such optimizer; the message lists all.
    """
    if name not in OPTIMIZERS:
        raise Refused(f"optimizer={name!r} is not one of: {', '.join(OPTIMIZERS)}.")
    return OPTIMIZERS[name]


def check_lr(lr: float) -> float:
    """The learning rate as a float.

    Raises:
        Refused: it is NaN, not above 0 or over `MAX_LR`.
    """
    if not 0 < lr <= MAX_LR:
        raise Refused(f"A learning rate of {lr} is not a number above 0 and up to {MAX_LR:,.0f}.")
    return float(lr)


_RECORDS = (
    Optimizer(
        "sgd",
        "SGD",
        "w - lr · g: a row with gradient 0 stays exactly where it is.",
        0.5,
        lambda weight, lr: SGD([weight], lr=lr),
    ),
    Optimizer(
        "momentum",
        f"SGD, momentum {MOMENTUM}",
        "The velocity remains when the gradient is 0: a row moves on after its last lookup.",
        0.5,
        lambda weight, lr: SGD([weight], lr=lr, momentum=MOMENTUM),
        moves_after_lookup=True,
    ),
    Optimizer(
        "weight_decay",
        f"SGD, weight decay {WEIGHT_DECAY}",
        "Every row shrinks by lr · decay in every step, looked up or not.",
        0.5,
        lambda weight, lr: SGD([weight], lr=lr, weight_decay=WEIGHT_DECAY),
        moves_unseen_rows=True,
        moves_after_lookup=True,
    ),
    Optimizer(
        "adam",
        "Adam",
        "Both moments decay in every step for every row: a row looked up once keeps moving. It "
        "divides its steps by the root of v, which can enlarge rounding.",
        0.01,
        lambda weight, lr: Adam([weight], lr=lr),
        moves_after_lookup=True,
    ),
    Optimizer(
        "adamw",
        f"AdamW, weight decay {WEIGHT_DECAY}",
        "Adam, and every row shrinks by lr · decay in every step.",
        0.01,
        lambda weight, lr: AdamW([weight], lr=lr, weight_decay=WEIGHT_DECAY),
        moves_unseen_rows=True,
        moves_after_lookup=True,
    ),
    Optimizer(
        "adagrad",
        "Adagrad",
        "It sums all squared gradients and forgets none: a row with gradient 0 stays.",
        0.1,
        lambda weight, lr: Adagrad([weight], lr=lr),
    ),
    Optimizer(
        "sparse_adam",
        "SparseAdam on the embedding, Adam on the linear layer",
        "A different algorithm: SparseAdam updates moments and rows only in steps that look the "
        "row up; Adam updates them in every step. Where every step looks up the same rows, "
        f"only rounding and the place of eps ({SPARSE_ADAM_EPS:g}) differ.",
        0.01,
        lambda weight, lr: SparseAdam([weight], lr=lr, eps=SPARSE_ADAM_EPS),
        for_linear=lambda weight, lr: Adam([weight], lr=lr, eps=SPARSE_ADAM_EPS),
        embedding_label="SparseAdam",
        sparse_gradient=True,
        in_lockstep=False,
    ),
    Optimizer(
        "sgd_sparse",
        "SGD, sparse gradients on the embedding",
        "SGD has no state, so leaving out the zeros changes no sum. But each token's share is "
        "added to the weight on its own and rounded there: the more often a token stands in a "
        "batch, the more the rounding differs.",
        0.5,
        lambda weight, lr: SGD([weight], lr=lr),
        sparse_gradient=True,
        in_lockstep=False,
    ),
)
OPTIMIZERS = {record.name: record for record in _RECORDS}
