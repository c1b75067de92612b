"""Cases about training: sparse gradients, weight decay, Adam, repeated tokens."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, Both, Case, Input, Value, docs, issue

ADAM = docs("torch.optim.Adam")
SPARSE_ADAM = docs("torch.optim.SparseAdam")
EMBEDDING = docs("nn.Embedding")
SIDES = ("nn.Embedding after a step", "nn.Linear after it, transposed")
TRAIN = ("training", "Train both routes in lockstep")


def _decay_sparse(dtype: torch.dtype, sparse: bool = True) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    F.embedding(ids, table, sparse=sparse).sum().backward()  # type: ignore[no-untyped-call]
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    F.linear(one_hot, linear).sum().backward()  # type: ignore[no-untyped-call]
    torch.optim.SGD([linear], lr=0.5, weight_decay=0.5).step()
    try:
        torch.optim.SGD([table], lr=0.5, weight_decay=0.5).step()
        after: Value = table.detach()
    except RuntimeError as error:
        after = error
    return after, linear.detach().T


DECAY_SPARSE = Case(
    name="weight-decay-sparse",
    title="weight decay with sparse gradients",
    claim="Weight decay pulls all weights towards 0. With it, `torch.optim.SGD` and `Adagrad` "
    "raise on a sparse gradient, which lists the looked-up rows only. With a dense gradient both "
    "layers take the same step.",
    reason="Both optimizers decay by adding a part of each weight to its gradient, so the gradient "
    "would no longer be sparse. PyTorch refuses; it does not decay only the rows that were "
    "looked up.",
    sides=SIDES,
    expected="raises",
    problem=_decay_sparse,
    fix=partial(_decay_sparse, sparse=False),
    fix_title="Use a dense gradient (`sparse=False`), or no weight decay.",
    source=(issue(1285), issue(30402)),
    errors=(
        r"add\(sparse, dense\) is not supported",
        r"weight_decay option is not compatible with sparse gradients",
    ),
    words="regularization, L2, momentum, Adagrad, sparse=True, optimizer",
    see=TRAIN,
)


def _decay_unseen(dtype: torch.dtype, optimizer: str, decay: float = 0.5) -> Both:
    weight = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    table = nn.Parameter(weight.clone())
    rule = getattr(torch.optim, optimizer)
    steps = rule([table], lr=0.5, weight_decay=decay)
    F.embedding(torch.tensor([1, 2]), table).sum().backward()  # type: ignore[no-untyped-call]
    steps.step()
    unseen = torch.tensor([0, 3])  # rows of ids that did not occur
    return weight[unseen], table.detach()[unseen]


DECAY_UNSEEN = Case(
    name="weight-decay-unseen",
    title="weight decay shrinks rows that are not looked up",
    claim="Weight decay pulls all weights towards 0. With a dense gradient it moves every row of "
    "the table at every step, also the rows of ids that did not occur.",
    reason="The rows of absent ids have a gradient of zero, but SGD and Adam add a part of the "
    "weight to it. AdamW makes the weight itself smaller. So rare words shrink between two "
    "occurrences, on both routes alike.",
    sides=("rows of absent ids before the step", "after it"),
    expected="differ",
    problem=_decay_unseen,
    fix=partial(_decay_unseen, decay=0.0),
    fix_title="Give the table a parameter group with `weight_decay=0`.",
    source=(docs("torch.optim", "optim"), issue(1285)),
    inputs=(Input("optimizer", "Optimizer", "SGD", options=("SGD", "Adam", "AdamW")),),
    words="regularization, L2, rare words, zero gradient, AdamW, optimizer, my weight is changing "
    "by itself",
    see=TRAIN,
)


def _adams(dtype: torch.dtype, steps: int) -> Both:
    weight = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    dense = nn.Parameter(weight.clone())
    lazy = nn.Parameter(weight.clone())
    adam = torch.optim.Adam([dense], lr=0.1)
    sparse_adam = torch.optim.SparseAdam([lazy], lr=0.1)
    for step in range(steps):
        ids = torch.tensor([0 if step == 0 else 3])  # id 0 occurs once
        adam.zero_grad()
        sparse_adam.zero_grad()
        F.embedding(ids, dense).sum().backward()  # type: ignore[no-untyped-call]
        F.embedding(ids, lazy, sparse=True).sum().backward()  # type: ignore[no-untyped-call]
        adam.step()
        sparse_adam.step()  # type: ignore[no-untyped-call]
    return dense.detach()[0], lazy.detach()[0]


def _adams_fixed(dtype: torch.dtype, steps: int) -> Both:
    weight = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    adam = torch.optim.Adam([table, linear], lr=0.1)  # one rule for both
    for step in range(steps):
        ids = torch.tensor([0 if step == 0 else 3])
        adam.zero_grad()
        F.embedding(ids, table).sum().backward()  # type: ignore[no-untyped-call]
        one_hot = F.one_hot(ids, num_classes=4).to(dtype)
        F.linear(one_hot, linear).sum().backward()  # type: ignore[no-untyped-call]
        adam.step()
    return table.detach()[0], linear.detach().T[0]


ADAMS = Case(
    name="adam-and-sparse-adam",
    title="Adam and SparseAdam",
    claim="Adam keeps moving a row after its id has stopped occurring; SparseAdam does not. So the "
    "two tables differ from the first step without that id.",
    reason="Adam keeps averages of past gradients and moves a row by them, even if the new "
    "gradient is zero. SparseAdam changes neither the rows that the batch did not look up nor "
    "their averages.",
    sides=("row 0 with Adam", "row 0 with SparseAdam"),
    expected="differ",
    problem=_adams,
    fix=_adams_fixed,
    fix_title="Use one optimizer for both routes: Adam with dense gradients.",
    fix_sides=("row 0 of nn.Embedding with Adam", "row 0 of nn.Linear, transposed, with Adam"),
    source=(SPARSE_ADAM, issue(18404)),
    inputs=(Input("steps", "Steps (id 0 occurs in the first only)", 5, low=2, high=20),),
    words="lazy, momentum, moments, unseen rows, zero gradient, optimizer, my weight is changing "
    "by itself",
    tolerance=1e-6,
    see=TRAIN,
)


def _adam_rounds(dtype: torch.dtype, steps: int, eps: float = 1e-8) -> Both:
    weight = torch.arange(6, dtype=dtype).reshape(2, 3) / 20
    ids = torch.tensor([0, 0, 0, 1, 1, 1])
    goals = torch.tensor([[0.11], [0.23], [-0.07]] * 2, dtype=dtype)
    goals = goals.expand(6, 3)
    one_hot = F.one_hot(ids, num_classes=2).to(dtype)
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    betas = 0.9, 0.95
    adam = torch.optim.Adam([table, linear], lr=0.1, betas=betas, eps=eps)
    for _ in range(steps):
        adam.zero_grad()
        F.mse_loss(F.embedding(ids, table), goals).backward()  # type: ignore[no-untyped-call]
        product = F.linear(one_hot.flip(0), linear)  # in reverse order
        F.mse_loss(product, goals.flip(0)).backward()  # type: ignore[no-untyped-call]
        adam.step()
    return table.detach(), linear.detach().T


ADAM_ROUNDS = Case(
    name="adam-enlarges-rounding",
    title="Adam enlarges rounding",
    claim="Two orders of the same tokens give the same gradient except for rounding. Near the "
    "minimum Adam can enlarge that difference until it is visible. In float64 it grows too, but "
    "from a far smaller one; with SGD it does not grow here.",
    reason="Adam divides each step by √v, and v is a moving average of the squared gradients. "
    "Near the minimum v shrinks, so the steps grow until each overshoots further than the one "
    "before. Here beta2 is 0.95; with the default 0.999 v shrinks more slowly.",
    sides=("nn.Embedding after Adam", "nn.Linear after Adam, its tokens in reverse order"),
    expected="differ",
    problem=_adam_rounds,
    fix=partial(_adam_rounds, eps=0.01),
    fix_title="Use a larger `eps`, here 0.01, which limits the division; or SGD.",
    source=(ADAM, docs("Numerical accuracy", "notes/numerical_accuracy")),
    inputs=(
        Input(
            "steps",
            "Steps",
            250,
            low=100,
            high=600,
            help="At 100 steps the difference still is of rounding size.",
        ),
    ),
    words="AdamW, optimizer, converge, convergence, epsilon, beta2, loss spike, reproducible, "
    "drift apart, float64, double, amplify, numerical stability",
    tolerance=1e-6,
    see=TRAIN,
)


def _adam_sparse(dtype: torch.dtype, optimizer: str, sparse: bool = True) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    F.embedding(ids, table, sparse=sparse).sum().backward()  # type: ignore[no-untyped-call]
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    F.linear(one_hot, linear).sum().backward()  # type: ignore[no-untyped-call]
    getattr(torch.optim, optimizer)([linear], lr=0.5).step()
    try:
        getattr(torch.optim, optimizer)([table], lr=0.5).step()
        after: Value = table.detach()
    except RuntimeError as error:
        after = error
    return after, linear.detach().T


ADAM_SPARSE = Case(
    name="adam-needs-dense",
    title="Adam with sparse gradients",
    claim="`Adam`, `AdamW` and `RMSprop` raise on the sparse gradient of `sparse=True`, which "
    "lists the looked-up rows only. With a dense gradient both layers take the same step.",
    reason="They keep averages of the past gradients of every weight and update all of them at "
    "each step. A sparse gradient is meant to avoid that. `SGD`, `Adagrad` and `SparseAdam` take "
    "sparse gradients.",
    sides=SIDES,
    expected="raises",
    problem=_adam_sparse,
    fix=partial(_adam_sparse, sparse=False),
    fix_title="Use `sparse=False`, or SparseAdam for the table only.",
    source=(EMBEDDING, ADAM),
    inputs=(Input("optimizer", "Optimizer", "Adam", options=("Adam", "AdamW", "RMSprop")),),
    errors=(
        r"adam does not support sparse gradients",
        r"rmsprop does not support sparse gradients",
        r"does not support sparse gradients",
    ),
    words="sparse=True, AdamW, consider SparseAdam, optimizer",
    tolerance=1e-6,
)


def _sparse_adam_dense(dtype: torch.dtype, rule: str = "SparseAdam") -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    F.embedding(ids, table, sparse=True).sum().backward()  # type: ignore[no-untyped-call]
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    F.linear(one_hot, linear).sum().backward()  # type: ignore[no-untyped-call]
    torch.optim.SparseAdam([table], lr=0.5).step()  # type: ignore[no-untyped-call]
    try:
        getattr(torch.optim, rule)([linear], lr=0.5).step()
        after: Value = linear.detach().T
    except RuntimeError as error:
        after = error
    return table.detach(), after


SPARSE_ADAM_DENSE = Case(
    name="sparse-adam-needs-sparse",
    title="SparseAdam with dense gradients",
    claim="`SparseAdam` takes sparse gradients only, which list the looked-up rows. For a Linear, "
    "or an Embedding without `sparse=True`, it raises.",
    reason="It reads from the sparse gradient which rows to change, and a dense gradient lists "
    "none. Give it the parameters of sparse embeddings only, and give Adam the rest.",
    sides=SIDES,
    expected="raises",
    problem=_sparse_adam_dense,
    fix=partial(_sparse_adam_dense, rule="Adam"),
    fix_title="Use SparseAdam for the table and Adam for the Linear: their first steps agree.",
    fix_sides=(
        "nn.Embedding after a step of SparseAdam",
        "nn.Linear after one of Adam, transposed",
    ),
    source=(SPARSE_ADAM, issue(84537)),
    errors=(
        r"sparseadam does not support dense gradients",
        r"sparseadam requires dense parameter tensors",
    ),
    words="consider Adam, dense, sparse=True, two optimizers, optimizer",
    tolerance=1e-6,
)


def _repeated(dtype: torch.dtype, repeats: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1] * repeats + [2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _repeated_fixed(dtype: torch.dtype, repeats: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1] * repeats + [2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    # Each token adds its gradient, here (1, 1, 1), to the row of its id.
    by_hand = torch.zeros_like(weight)
    by_hand.index_add_(0, ids, torch.ones(len(ids), 3, dtype=dtype))
    return table_gradient, by_hand


REPEATED = Case(
    name="repeated-tokens",
    title="a token that occurs several times",
    claim="An id that occurs several times in a batch gets the sum of its tokens' gradients, on "
    "both routes alike.",
    reason="The Linear's gradient is by definition a sum over all tokens. The lookup's backward "
    "pass adds each token's gradient to the row of its id. The routes may add fractions in "
    "different orders, so the last digits may differ.",
    sides=GRADIENTS,
    expected="same",
    problem=_repeated,
    fix=_repeated_fixed,
    fix_title="Check it by hand: add each token's gradient to its row.",
    fix_sides=("gradient of nn.Embedding", "gradient by hand"),
    source=(EMBEDDING, docs("Tensor.index_add_")),
    inputs=(Input("repeats", "How often id 1 occurs", 3, low=1, high=100),),
    words="duplicate, accumulate, frequency, scatter",
    see=TRAIN,
)


def _inputs(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1])
    one_hot = F.one_hot(ids, num_classes=4).to(dtype).requires_grad_()
    matmul = F.linear(one_hot, weight.T)
    (gradient,) = torch.autograd.grad(matmul.sum(), one_hot)
    try:
        lookup = F.embedding(ids.requires_grad_(), weight)
        of_ids: Value = torch.autograd.grad(lookup.sum(), ids)[0]
    except RuntimeError as error:
        of_ids = error
    return of_ids, gradient


def _inputs_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    logits = torch.tensor([[0.0, 2.0, 1.0, 0.0]], dtype=dtype)
    soft_row = torch.softmax(logits, dim=1).requires_grad_()
    output = F.linear(soft_row, weight.T)
    of_output = torch.tensor([[1.0, -2.0, 3.0]], dtype=dtype)  # G
    (gradient,) = torch.autograd.grad(output, soft_row, of_output)
    return of_output @ weight.T, gradient


INPUTS = Case(
    name="input-gradient",
    title="differentiable in what? the weight, or the input",
    claim="Both routes are differentiable in the weight; only `nn.Linear` is differentiable in its "
    "input. A one-hot row has a gradient; ids refuse `requires_grad_()`.",
    reason="Ids are integers, and PyTorch gives gradients to floating-point and complex tensors "
    "only. A one-hot row consists of floats; its gradient is G Wᵀ, with G the output's gradient. "
    "So a soft one-hot row, such as a softmax of logits, can be trained.",
    sides=("gradient of the ids", "gradient of the one-hot row"),
    expected="raises",
    problem=_inputs,
    fix=_inputs_fixed,
    fix_title="Multiply a soft one-hot row; its gradient is the one computed by hand.",
    fix_sides=("G Wᵀ by hand", "gradient of the soft one-hot row"),
    source=(docs("Tensor.requires_grad_"), docs("F.gumbel_softmax")),
    errors=(r"only tensors of floating point (?:and complex )?dtype can require gradients",),
    words="differentiable, continuous, discrete, soft one-hot, softmax, temperature, relaxation, "
    "Gumbel-softmax, requires_grad, input gradient, backpropagate into the input",
    see=("training", "Train a soft one-hot row (lesson inputs)"),
)
