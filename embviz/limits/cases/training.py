"""Cases about training: sparse gradients, weight decay, Adam, repeated tokens, a tied output."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, Both, Case, Value, docs, issue

ADAM = docs("torch.optim.Adam")
SPARSE_ADAM = docs("torch.optim.SparseAdam")
EMBEDDING = docs("nn.Embedding")
SIDES = ("nn.Embedding after a step", "nn.Linear after it, transposed")
TRAIN = ("training", "Train both routes in lockstep")


def _decay_unseen(decay: float = 0.5) -> Both:
    weight = torch.arange(1.0, 13.0).reshape(4, 3)
    table = nn.Parameter(weight.clone())
    steps = torch.optim.SGD([table], lr=0.5, weight_decay=decay)
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
    words="regularization, L2, rare words, zero gradient, AdamW, optimizer, my weight is changing "
    "by itself",
    see=TRAIN,
)


def _adams(sparse: bool = True) -> Both:
    weight = torch.arange(1.0, 13.0).reshape(4, 3)
    dense = nn.Parameter(weight.clone())
    other = nn.Parameter(weight.clone())
    rule = torch.optim.SparseAdam if sparse else torch.optim.Adam
    optimizers = torch.optim.Adam([dense], lr=0.1), rule([other], lr=0.1)
    for id in (0, 3, 3, 3, 3):  # id 0 occurs once
        F.embedding(torch.tensor([id]), dense).sum().backward()  # type: ignore[no-untyped-call]
        rows = F.embedding(torch.tensor([id]), other, sparse=sparse)
        rows.sum().backward()  # type: ignore[no-untyped-call]
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return dense.detach()[0], other.detach()[0]


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
    fix=partial(_adams, sparse=False),
    fix_title="Use one optimizer for both routes: Adam with dense gradients.",
    fix_sides=("row 0 with Adam", "row 0 with Adam, the second time"),
    source=(SPARSE_ADAM, issue(18404)),
    words="lazy, momentum, moments, unseen rows, zero gradient, optimizer, my weight is changing "
    "by itself",
    tolerance=1e-6,
    see=TRAIN,
)


def _adam_rounds(eps: float = 1e-8) -> Both:
    weight = torch.arange(6.0).reshape(2, 3) / 20
    ids = torch.tensor([0, 0, 0, 1, 1, 1])
    goals = torch.tensor([[0.11], [0.23], [-0.07]] * 2)
    goals = goals.expand(6, 3)
    one_hot = F.one_hot(ids, num_classes=2).float()
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    betas = 0.9, 0.95
    adam = torch.optim.Adam([table, linear], lr=0.1, betas=betas, eps=eps)
    for _ in range(250):
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
    "minimum Adam can enlarge that difference until it is visible; with SGD it does not grow here.",
    reason="Adam divides each step by √v, and v is a moving average of the squared gradients. "
    "Near the minimum v shrinks, so the steps grow until each overshoots further than the one "
    "before. Here beta2 is 0.95; with the default 0.999 v shrinks more slowly.",
    sides=("nn.Embedding after Adam", "nn.Linear after Adam, its tokens in reverse order"),
    expected="differ",
    problem=_adam_rounds,
    fix=partial(_adam_rounds, eps=0.01),
    fix_title="Use a larger `eps`, here 0.01, which limits the division; or SGD.",
    source=(ADAM, docs("Numerical accuracy", "notes/numerical_accuracy")),
    words="AdamW, optimizer, converge, convergence, epsilon, beta2, loss spike, reproducible, "
    "drift apart, float64, double, amplify, numerical stability",
    tolerance=1e-6,
    see=TRAIN,
)


def _adam_sparse(sparse: bool = True) -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    F.embedding(ids, table, sparse=sparse).sum().backward()  # type: ignore[no-untyped-call]
    one_hot = F.one_hot(ids, num_classes=4).float()
    F.linear(one_hot, linear).sum().backward()  # type: ignore[no-untyped-call]
    torch.optim.Adam([linear], lr=0.5).step()
    try:
        torch.optim.Adam([table], lr=0.5).step()
        after: Value = table.detach()
    except RuntimeError as error:
        after = error
    return after, linear.detach().T


ADAM_SPARSE = Case(
    name="adam-needs-dense",
    title="sparse gradients and optimizers",
    claim="Adam raises on the sparse gradient of `sparse=True`, which lists the looked-up rows "
    "only. With a dense gradient both layers take the same step.",
    reason="Adam, as AdamW and RMSprop, keeps averages of the past gradients of every weight and "
    "updates all of them at each step. Weight decay reads all weights too: with it, SGD and "
    "Adagrad raise on sparse gradients. `SparseAdam` reads from a sparse gradient which rows to "
    "change, and raises on a dense one.",
    sides=SIDES,
    expected="raises",
    problem=_adam_sparse,
    fix=partial(_adam_sparse, sparse=False),
    fix_title="Use `sparse=False`, or SparseAdam for the table only.",
    source=(ADAM, SPARSE_ADAM, issue(1285), issue(84537)),
    errors=(
        r"does not support sparse gradients",
        r"add\(sparse, dense\) is not supported",
        r"weight_decay option is not compatible with sparse gradients",
        r"sparseadam does not support dense gradients",
        r"sparseadam requires dense parameter tensors",
    ),
    words="sparse=True, AdamW, consider SparseAdam, consider Adam, two optimizers, momentum, L2, "
    "regularization",
    tolerance=1e-6,
)


def _repeated() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 1, 2])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _repeated_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    # Each token adds its gradient, here (1, 1, 1), to the row of its id.
    by_hand = torch.zeros_like(weight)
    by_hand.index_add_(0, ids, torch.ones(len(ids), 3))
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
    words="duplicate, accumulate, frequency, scatter",
    see=TRAIN,
)


def _tied(tied: bool = True) -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 12
    table = nn.Parameter(weight.clone())
    # Tied as by linear.weight = embedding.weight.
    output = table if tied else nn.Parameter(weight.clone())
    logits = F.linear(F.embedding(torch.tensor([1, 2]), table), output)
    F.cross_entropy(logits, torch.tensor([2, 1])).backward()  # type: ignore[no-untyped-call]
    torch.optim.SGD([table], lr=0.5).step()
    unseen = torch.tensor([0, 3])  # rows that nobody looked up
    return weight[unseen], table.detach()[unseen]


TIED = Case(
    name="tied-output",
    title="a tied output layer moves rows that nobody looked up",
    claim="If the output layer shares the table (`linear.weight = embedding.weight`), each step "
    "moves every row, also the rows of ids that did not occur.",
    reason="The output layer multiplies by the whole table to give each id a score, and the loss "
    "lowers the scores of all wrong ids. So every row gets a gradient, whatever was looked up.",
    sides=("rows of absent ids before the step", "after it"),
    expected="differ",
    problem=_tied,
    fix=partial(_tied, tied=False),
    fix_title="Give the output layer a weight of its own.",
    source=(docs("nn.Linear"), EMBEDDING),
    words="weight tying, tied weights, shared weight, language model, output head, lm_head, "
    "unseen rows, optimizer, my weight is changing by itself",
)


def _inputs() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1])
    one_hot = F.one_hot(ids, num_classes=4).float().requires_grad_()
    matmul = F.linear(one_hot, weight.T)
    (gradient,) = torch.autograd.grad(matmul.sum(), one_hot)
    try:
        lookup = F.embedding(ids.requires_grad_(), weight)
        of_ids: Value = torch.autograd.grad(lookup.sum(), ids)[0]
    except RuntimeError as error:
        of_ids = error
    return of_ids, gradient


def _inputs_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    logits = torch.tensor([[0.0, 2.0, 1.0, 0.0]])
    soft_row = torch.softmax(logits, dim=1).requires_grad_()
    output = F.linear(soft_row, weight.T)
    of_output = torch.tensor([[1.0, -2.0, 3.0]])  # G
    (gradient,) = torch.autograd.grad(output, soft_row, of_output)
    return of_output @ weight.T, gradient


INPUTS = Case(
    name="input-gradient",
    title="differentiable in what? the weight, or the input",
    claim="Both routes are differentiable in the weight; only `nn.Linear` is differentiable in its "
    "input. A one-hot row has a gradient; ids refuse `requires_grad_()`.",
    reason="Ids are integers, and PyTorch gives gradients to floating-point and complex tensors "
    "only. `nn.Linear` works on continuous rows: a soft row, such as a softmax of logits, gives a "
    "mixture of the table's rows, and can be trained. Its gradient is G Wᵀ, with G the output's "
    "gradient.",
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
)


# Many short rows: of 20 runs in a process of low priority on a busy machine 20 differed; with
# 50,000 rows of 32 numbers as few as 7.
def _index_backward(mode: str = "default", runs: int = 30) -> Both:
    ids = torch.arange(400_000) % 4
    weight = torch.zeros(4, 4, requires_grad=True)
    seed = torch.Generator().manual_seed(0)
    fractions = torch.rand(400_000, 4, generator=seed)
    # "error": use_deterministic_algorithms(True), but loads no compiler.
    torch.set_deterministic_debug_mode(mode)
    (first,) = torch.autograd.grad(weight[ids], weight, fractions)
    for _ in range(runs):  # busy threads may keep their order for a while
        (other,) = torch.autograd.grad(weight[ids], weight, fractions)
        if not torch.equal(first, other):
            break
    torch.set_deterministic_debug_mode("default")
    return first, other


INDEX_BACKWARD = Case(
    name="index-backward-varies",
    title="indexing with ids: a gradient that changes from run to run",
    claim="`weight[ids]` is a lookup too. On a CPU with several threads, its float32 gradient with "
    "many repeated ids changes from run to run. That of `nn.Embedding` does not: it has the bits "
    "of the sum in the order of the tokens.",
    reason="Several threads add to the same rows, and their timing decides the order of a rounded "
    "sum. They add by `index_put` with `accumulate=True`, which PyTorch's documentation lists as "
    "nondeterministic on the CPU.",
    sides=("gradient of weight[ids], one run", "a later run"),
    expected="differ",
    problem=_index_backward,
    fix=partial(_index_backward, mode="error", runs=3),
    fix_title="Call `torch.use_deterministic_algorithms(True)`, or use `nn.Embedding`.",
    source=(docs("torch.use_deterministic_algorithms"), docs("Tensor.index_put_")),
    words="use_deterministic_algorithms, reproducible, deterministic, nondeterministic, duplicate, "
    "indexing, fancy index, race, atomic, "
    "seed, same gradient twice",
    needs="threads",
)
