"""The update rules on offer, one optimizer for each route, and what to expect of them.

Six dense rules do the same arithmetic on `Embedding.weight` (V, D) and on `Linear.weight` (D, V):
they are elementwise, so a transpose changes nothing but the rounding of the gradients. SGD with
sparse gradients is the same rule with its sums in another order; SparseAdam is another
algorithm. PyTorch's own optimizers; nothing here reimplements one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, SparseAdam

# Same rule, same batches: the weights of the two routes differ by at most this (float32).
TOLERANCE = 1e-5
MOMENTUM = 0.9
WEIGHT_DECAY = 0.01
MAX_LR = 1e6
# SparseAdam adds eps to sqrt(v) before its bias is corrected, Adam after. With the 1e-8 that both
# have by default this alone drove the two 5e-5 to 1e-3 apart in 200 steps on 25 tokens (in float64
# too, in proportion to eps); with 1e-12 1.4e-6 remain, and what differs is which rows move.
SPARSE_ADAM_EPS = 1e-12

Maker = Callable[[nn.Parameter, float], Optimizer]


@dataclass(frozen=True)
class Rule:
    """How both routes are updated.

    Attributes:
        label: its name, as the page shows it.
        why: one sentence on what the two sides have in common, or not.
        lr: the learning rate it starts with.
        sparse: whether the embedding's gradient is a sparse tensor.
        same: whether both sides do the same arithmetic, so that `TOLERANCE` is promised.
        relation: how the sides are related, in a few words.
        embedding: makes the optimizer of `Embedding.weight`.
        linear: makes the optimizer of `Linear.weight`.
    """

    label: str
    why: str
    lr: float
    sparse: bool
    same: bool
    embedding: Maker
    linear: Maker
    relation: str = "the same rule on both sides"

    def make(
        self, embedding: nn.Parameter, linear: nn.Parameter, lr: float | None = None
    ) -> tuple[Optimizer, Optimizer]:
        """One optimizer for each side, with nothing remembered yet.

        Args:
            embedding: `Embedding.weight`, shape (V, D).
            linear: `Linear.weight`, shape (D, V).
            lr: the learning rate; this rule's own if None.

        Raises:
            ValueError: the learning rate is no number above 0 and up to `MAX_LR`.
        """
        rate = check_lr(self.lr if lr is None else lr)
        return self.embedding(embedding, rate), self.linear(linear, rate)


def rule(name: str) -> Rule:
    """The rule of that name.

    Raises:
        ValueError: there is none, and which there are.
    """
    if name not in OPTIMIZERS:
        raise ValueError(f"optimizer={name!r} is not one of: {', '.join(OPTIMIZERS)}.")
    return OPTIMIZERS[name]


def check_lr(lr: float) -> float:
    """The learning rate, if it can be used.

    Raises:
        ValueError: it is NaN, not above 0 or over `MAX_LR`.
    """
    if not 0 < lr <= MAX_LR:
        raise ValueError(
            f"A learning rate of {lr} is not a number above 0 and up to {MAX_LR:,.0f}."
        )
    return float(lr)


def _both(label: str, why: str, lr: float, make: Maker) -> Rule:
    return Rule(label, why, lr, False, True, make, make)


def _sgd(weight: nn.Parameter, lr: float) -> Optimizer:
    return SGD([weight], lr=lr)


def _momentum(weight: nn.Parameter, lr: float) -> Optimizer:
    return SGD([weight], lr=lr, momentum=MOMENTUM)


def _weight_decay(weight: nn.Parameter, lr: float) -> Optimizer:
    return SGD([weight], lr=lr, weight_decay=WEIGHT_DECAY)


def _adam(weight: nn.Parameter, lr: float) -> Optimizer:
    return Adam([weight], lr=lr)


def _adamw(weight: nn.Parameter, lr: float) -> Optimizer:
    return AdamW([weight], lr=lr, weight_decay=WEIGHT_DECAY)


def _adagrad(weight: nn.Parameter, lr: float) -> Optimizer:
    return Adagrad([weight], lr=lr)


def _sparse_adam(weight: nn.Parameter, lr: float) -> Optimizer:
    return SparseAdam([weight], lr=lr, eps=SPARSE_ADAM_EPS)


def _adam_beside_sparse(weight: nn.Parameter, lr: float) -> Optimizer:
    return Adam([weight], lr=lr, eps=SPARSE_ADAM_EPS)


OPTIMIZERS: dict[str, Rule] = {
    "sgd": _both("SGD", "w - lr · g: a row with gradient 0 stays exactly where it is.", 0.5, _sgd),
    "momentum": _both(
        f"SGD, momentum {MOMENTUM}",
        "The velocity outlives the gradient: a row coasts on after its last lookup.",
        0.5,
        _momentum,
    ),
    "weight_decay": _both(
        f"SGD, weight decay {WEIGHT_DECAY}",
        "Every row shrinks by lr · decay in every step, looked up or not.",
        0.5,
        _weight_decay,
    ),
    "adam": _both(
        "Adam",
        "Both moments decay in every step for every row: one looked up once keeps moving.",
        0.01,
        _adam,
    ),
    "adamw": _both(
        f"AdamW, weight decay {WEIGHT_DECAY}",
        "Adam, and every row shrinks by lr · decay in every step.",
        0.01,
        _adamw,
    ),
    "adagrad": _both(
        "Adagrad",
        "It adds up squared gradients and forgets none: a row with gradient 0 stays.",
        0.1,
        _adagrad,
    ),
    "sparse_adam": Rule(
        "SparseAdam on the embedding, Adam on the linear layer",
        "A different algorithm: SparseAdam's moments decay, and its rows move, only in steps that "
        "look the row up; Adam's do so in every step. Where every step looks up the same rows, "
        f"the two agree (with eps {SPARSE_ADAM_EPS:g} on both sides).",
        0.01,
        True,
        False,
        _sparse_adam,
        _adam_beside_sparse,
        "a different algorithm",
    ),
    "sgd_sparse": Rule(
        "SGD, sparse gradients on the embedding",
        "SGD remembers nothing, so leaving out the zeros changes no sum. But each token's share is "
        "added to the weight on its own and rounded there: the more often a token stands in a "
        "batch, the more the rounding differs.",
        0.5,
        True,
        False,
        _sgd,
        _sgd,
        "the same rule, added up in another order",
    ),
}
