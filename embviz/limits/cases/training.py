"""Cases about training: sparse gradients, weight decay, Adam, a tied output."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="adam-enlarges-rounding",
        title="Adam enlarges rounding",
        claim="Two orders of the same tokens give the same gradient except for rounding. Near the "
        "minimum Adam can enlarge that difference until it is visible.",
        why="Adam divides each step by √v, a moving average of the squared gradients. Near the "
        "minimum v shrinks, so the steps grow until each overshoots further than the one before.",
        differ=3,
        apart=1e-6,
        sides=("row 0 of nn.Embedding", "row 0 of nn.Linear, its tokens in reverse order"),
        program="""
ids = torch.tensor([0, 0, 0, 1, 1, 1])
reverse = F.one_hot(ids).float().flip(0)
goals = torch.tensor([[0.11], [0.23], [-0.07]] * 2).expand(6, 3)
table = nn.Parameter(torch.arange(6.0).reshape(2, 3) / 20)
linear = nn.Parameter(table.detach().T.clone())
rates = {"lr": 0.1, "betas": (0.9, 0.95)}
adam = torch.optim.Adam([table, linear], eps=1e-8, **rates)
for _ in range(250):
    adam.zero_grad()
    F.mse_loss(F.embedding(ids, table), goals).backward()
    F.mse_loss(F.linear(reverse, linear), goals.flip(0)).backward()
    adam.step()
left = table[0]

right = linear[:, 0]
""",
        line="adam = torch.optim.Adam([table, linear], eps=1e-8, **rates)",
        fix="Use a larger `eps`, here 0.01, which limits the division.",
        typed="""
both, ids = [embedding.weight, linear.weight], torch.tensor([0, 0, 0])
goals, hot = torch.tensor([[0.11], [0.23], [-0.07]]), F.one_hot(ids, num_classes=4)
adam = torch.optim.Adam(both, lr=0.1, betas=(0.9, 0.95), eps=0.01)
for _ in range(250):
    adam.zero_grad()
    (embedding(ids) - goals).pow(2).mean().backward()
    (linear(hot.float()) - goals.flip(0)).pow(2).mean().backward()
    adam.step()
far = (embedding.weight - linear.weight.T).abs().max()
assert far < 1e-6
""",
        source=("torch.optim.Adam", "Numerical accuracy"),
        questions=(
            "Shuffling the data inside a batch changes the final result.",
            "Two identical models drift apart in training with Adam.",
            "Same seed, same data, other order: results diverge after many steps.",
            "Does the eps of Adam matter for reproducibility?",
            "A tiny rounding difference grows during training.",
            "Loss spikes when Adam is near the minimum.",
            "shuffling inside batch changes final result, adam amplifies float error",
        ),
        words="AdamW, optimizer, converge, convergence, epsilon, beta2, loss spike, reproducible, "
        "drift apart, amplify, numerical stability",
        see="training",
    ),
    Case(
        name="adam-needs-dense",
        title="Sparse gradients and Adam",
        claim="Adam raises on the sparse gradient of `sparse=True`. With a dense gradient both "
        "layers take the same step.",
        why="Adam keeps averages of the gradients of every weight and updates all of them at "
        "each step; a sparse gradient lists the looked-up rows only. So other optimizers and "
        "weight decay refuse a sparse gradient too. SparseAdam takes only sparse gradients, and "
        "only of dense weights.",
        raises=("RuntimeError: Adam does not support sparse gradients", ""),
        sides=("nn.Embedding after a step", "nn.Linear after it, transposed"),
        program="""
ids = torch.tensor([1, 2])
F.embedding(ids, table, sparse=True).sum().backward()
torch.optim.Adam([table], lr=0.5).step()
left = table

F.linear(one_hot(ids), linear).sum().backward()
torch.optim.Adam([linear], lr=0.5).step()
right = linear.T
""",
        line="torch.optim.Adam([table], lr=0.5).step()",
        fix="Use `sparse=False`, or SparseAdam for the table only.",
        typed="""
embedding = nn.Embedding(4, 3, sparse=True)
before = embedding.weight.clone()
embedding(ids).sum().backward()
torch.optim.SparseAdam(embedding.parameters(), lr=0.5).step()
moved = (embedding.weight != before).all(dim=1)
assert moved.tolist() == [True, False, True, False]
""",
        source=(
            "torch.optim.Adam",
            "torch.optim.SparseAdam",
            "pytorch issue 1285",
            "pytorch issue 84537",
        ),
        messages=(
            "does not support sparse gradients",
            "option is not compatible with sparse gradients",
            "sparseadam does not support dense gradients",
            "sparseadam requires dense parameter tensors",
            "could not run 'aten::addc… with arguments from the 'sparse",
            "weight_decay…add(sparse, dense) is not supported",
        ),
        general=("add(sparse, dense) is not supported",),
        questions=(
            "Which optimizers work with sparse=True, with sparse gradients?",
            "Adam fails on a sparse embedding.",
            "How do I use SparseAdam for the embedding and Adam for the rest, two optimizers?",
            "weight decay with sparse gradients",
            "which optimizers work with sparse embeddings",
            "Adam complains about sparse gradients please use SparseAdam",
        ),
        words="sparse=True, AdamW, RMSprop, optimizers, consider SparseAdam, two optimizers, "
        "momentum, weight decay, L2, regularization",
    ),
    Case(
        name="input-gradient",
        title="Differentiable in what: the weight, or the input?",
        claim="Ids refuse `requires_grad_()`. A soft row, which has continuous numbers, gets a "
        "gradient from `nn.Linear`. The output is a mixture of the table's rows.",
        why="Ids are integers, and PyTorch gives gradients to floating-point and complex tensors "
        "only. `nn.Linear` works on continuous data: each number of the input multiplies one "
        "row. Both routes are differentiable in the weight.",
        raises=(
            "RuntimeError: only Tensors of floating point … can require gradients",
            "",
        ),
        sides=("gradient of the ids", "gradient of a soft row"),
        program="""
ids = torch.tensor([1])
ids.requires_grad_()
left = ids.grad

soft_row = torch.tensor([0.25, 0.75, 0.0, 0.0]).requires_grad_()
F.linear(soft_row, linear).sum().backward()
right = soft_row.grad
""",
        line="ids.requires_grad_()",
        fix="Use a soft row, such as a softmax: its output is the mixture computed by hand.",
        typed="""
soft_row = torch.tensor([0.25, 0.75, 0.0, 0.0]).requires_grad_()
mixture = linear(soft_row)
mixture.sum().backward()
assert torch.allclose(mixture, soft_row @ embedding.weight)
assert torch.allclose(soft_row.grad, embedding.weight.sum(dim=1))
""",
        source=("Tensor.requires_grad_", "F.gumbel_softmax"),
        messages=(
            "the derivative for 'indices' is not implemented",
            "ids.requires_grad…only tensors of floating point … can require gradients",
            "tokens.requires_grad…only tensors of floating point … can require gradients",
        ),
        general=(
            "the derivative for 'index' is not implemented",
            "the derivative for 'self' is not implemented",
        ),
        questions=(
            "Can an embedding take a probability distribution instead of an id?",
            "Is nn.Embedding differentiable with respect to its input, the ids?",
            "How do I backpropagate through argmax or sampling into an embedding?",
            "Feed a softmax or Gumbel-softmax, a soft one-hot, to an embedding.",
            "Gradient with respect to the tokens: saliency, adversarial examples",
            "Ids cannot require grad.",
            "how to get gradient with respect to input tokens, for saliency/adversarial attack",
            "is embedding lookup differentiable? gumbel softmax soft tokens through embedding",
        ),
        words="differentiable, trainable, continuous, discrete, soft one-hot, softmax, "
        "temperature, relaxation, Gumbel-softmax, requires_grad, input gradient, backpropagate "
        "into the input",
    ),
)
