"""Cases about training: sparse gradients, weight decay, Adam, a tied output."""

from embviz.limits.case import TRAIN, Case, docs, issue

ADAM = docs("torch.optim.Adam")
SPARSE_ADAM = docs("torch.optim.SparseAdam")
EMBEDDING = docs("nn.Embedding")
BEFORE_AFTER = ("rows of absent ids before the step", "after it")
# Programs of which one place differs after the fix.
DECAY = """
F.embedding(torch.tensor([1, 2]), table).sum().backward()
torch.optim.SGD([table], lr=0.5, weight_decay={decay}).step()
left = weight[[0, 3]]

right = table[[0, 3]]
"""
ROW_0 = """
def row_0(optimizer, sparse):
    table = nn.Parameter(weight.clone())
    rule = optimizer([table], lr=0.1)
    for id in (0, 3, 3, 3):  # id 0 occurs once
        rule.zero_grad()
        F.embedding(torch.tensor([id]), table, sparse=sparse).sum().backward()
        rule.step()
    return table[0]
left = row_0(torch.optim.Adam, sparse=False)

right = row_0(torch.optim.{other})
"""
IN_REVERSE = """
ids = torch.tensor([0, 0, 0, 1, 1, 1])
reverse = F.one_hot(ids).float().flip(0)
goals = torch.tensor([[0.11], [0.23], [-0.07]] * 2).expand(6, 3)
table = nn.Parameter(torch.arange(6.0).reshape(2, 3) / 20)
linear = nn.Parameter(table.detach().T.clone())
rates = {{"lr": 0.1, "betas": (0.9, 0.95)}}
adam = torch.optim.Adam([table, linear], eps={eps}, **rates)
for _ in range(250):
    adam.zero_grad()
    F.mse_loss(F.embedding(ids, table), goals).backward()
    F.mse_loss(F.linear(reverse, linear), goals.flip(0)).backward()
    adam.step()
left = table[0]

right = linear[:, 0]
"""
TIED = """
table = nn.Parameter(weight / 12)
output = {output}
logits = F.linear(F.embedding(torch.tensor([1, 2]), table), output)
F.cross_entropy(logits, torch.tensor([2, 1])).backward()
torch.optim.SGD([table], lr=0.5).step()
left = weight[[0, 3]] / 12

right = table[[0, 3]]
"""

CASES = (
    Case(
        name="weight-decay-unseen",
        title="Weight decay shrinks rows that are not looked up",
        claim="With weight decay, a step of SGD also moves the rows of ids that did not occur.",
        why="Their gradient is zero, but weight decay adds a part of the weight to it. So rare "
        "words shrink between two occurrences, on both routes alike.",
        differ=5,
        sides=BEFORE_AFTER,
        breaks=DECAY.format(decay=0.5),
        line="torch.optim.SGD([table], lr=0.5, weight_decay=0.5).step()",
        fix="Give the table a parameter group with `weight_decay=0`.",
        mends=DECAY.format(decay=0),
        typed="""
before = embedding.weight.clone()
table = {"params": embedding.parameters(), "weight_decay": 0}
others = {"params": linear.parameters()}
embedding(ids).sum().backward()
torch.optim.SGD([table, others], lr=0.5, weight_decay=0.5).step()
assert torch.equal(embedding.weight[[1, 3]], before[[1, 3]])
""",
        source=(docs("torch.optim", "optim"), issue(1285)),
        questions=(
            "Does weight decay change rows of words that are not in the batch?",
            "Vectors of rare words shrink during training with AdamW.",
            "Should the embedding be excluded from weight decay, L2 regularisation?",
            "The padding row or an unused row changes although its gradient is zero.",
            "Parameter groups: no weight decay for the embedding",
            "rare words vectors go toward zero even if they never occur in the batch",
            "L2 regularization on embeddings affects all rows?",
        ),
        words="regularization, L2, rare words, zero gradient, AdamW, optimizer, my weight is "
        "changing by itself",
        see=TRAIN,
    ),
    Case(
        name="adam-and-sparse-adam",
        title="Adam and SparseAdam",
        claim="Adam keeps moving a row after its id has stopped occurring; SparseAdam does not.",
        why="Adam keeps averages of past gradients and moves a row by them, even if the new "
        "gradient is zero. SparseAdam changes only the rows that the batch looked up.",
        differ=3,
        sides=("row 0 with Adam", "row 0 with SparseAdam"),
        breaks=ROW_0.format(other="SparseAdam, sparse=True"),
        line="row_0(torch.optim.SparseAdam, sparse=True)",
        fix="Use one optimizer for both routes: Adam with dense gradients.",
        mends=ROW_0.format(other="Adam, sparse=False"),
        typed="""
adam = torch.optim.Adam([embedding.weight, linear.weight], lr=0.1)
for ids in torch.tensor([[0], [3], [3]]):
    adam.zero_grad()
    embedding(ids).sum().backward()
    linear(F.one_hot(ids, num_classes=4).float()).sum().backward()
    adam.step()
far = (embedding.weight - linear.weight.T).abs().max()
assert far < 1e-6
""",
        fixed_sides=("row 0 with Adam", "row 0 with Adam, the second time"),
        source=(SPARSE_ADAM, issue(18404)),
        questions=(
            "Why does Adam move rows whose gradient is zero?",
            "Words that are not in a batch are updated.",
            "nn.Embedding changes even though its gradient is zero.",
            "What is the difference between Adam and SparseAdam?",
            "Momentum keeps moving vectors of words that no longer occur.",
            "why do embeddings of words not in the batch still change with Adam",
            "SparseAdam vs Adam difference momentum",
        ),
        words="epoch, no longer occurs, different afterwards, still moves, unused, "
        "lazy, momentum, moments, unseen rows, zero gradient, optimizer, my weight is "
        "changing by itself",
        see=TRAIN,
    ),
    Case(
        name="adam-enlarges-rounding",
        title="Adam enlarges rounding",
        claim="Two orders of the same tokens give the same gradient except for rounding. Near the "
        "minimum Adam can enlarge that difference until it is visible.",
        why="Adam divides each step by √v, a moving average of the squared gradients. Near the "
        "minimum v shrinks, so the steps grow until each overshoots further than the one before.",
        differ=3,
        tolerance=1e-6,
        sides=("row 0 of nn.Embedding", "row 0 of nn.Linear, its tokens in reverse order"),
        breaks=IN_REVERSE.format(eps="1e-8"),
        line="adam = torch.optim.Adam([table, linear], eps=1e-8, **rates)",
        fix="Use a larger `eps`, here 0.01, which limits the division.",
        mends=IN_REVERSE.format(eps=0.01),
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
        source=(ADAM, docs("Numerical accuracy", "notes/numerical_accuracy")),
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
        see=TRAIN,
    ),
    Case(
        name="adam-needs-dense",
        title="Sparse gradients and Adam",
        claim="Adam raises on the sparse gradient of `sparse=True`. With a dense gradient both "
        "layers take the same step.",
        why="Adam keeps averages of the gradients of every weight and updates all of them at each "
        "step; a sparse gradient lists the looked-up rows only.",
        raises=("RuntimeError: Adam does not support sparse gradients", ""),
        sides=("nn.Embedding after a step", "nn.Linear after it, transposed"),
        breaks="""
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
        mends="""
ids = torch.tensor([1, 2])
F.embedding(ids, table, sparse=False).sum().backward()
torch.optim.Adam([table], lr=0.5).step()
left = table

F.linear(one_hot(ids), linear).sum().backward()
torch.optim.Adam([linear], lr=0.5).step()
right = linear.T
""",
        typed="""
embedding = nn.Embedding(4, 3, sparse=True)
before = embedding.weight.clone()
embedding(ids).sum().backward()
torch.optim.SparseAdam(embedding.parameters(), lr=0.5).step()
moved = (embedding.weight != before).all(dim=1)
assert moved.tolist() == [True, False, True, False]
""",
        source=(ADAM, SPARSE_ADAM, issue(1285), issue(84537)),
        messages=(
            "does not support sparse gradients",
            "add(sparse, dense) is not supported",
            "option is not compatible with sparse gradients",
            "sparseadam does not support dense gradients",
            "sparseadam requires dense parameter tensors",
            "could not run 'aten::addc… with arguments from the 'sparse",
        ),
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
        name="tied-output",
        title="A tied output layer moves rows that nobody looked up",
        claim="If the output layer shares the table (`linear.weight = embedding.weight`), a step "
        "moves every row, also the rows of ids that did not occur.",
        why="The output layer multiplies by the whole table to give each id a score, and the loss "
        "lowers the scores of all wrong ids. So every row gets a gradient.",
        differ=6,
        sides=BEFORE_AFTER,
        breaks=TIED.format(output="table  # as linear.weight = embedding.weight"),
        line="output = table  # as linear.weight = embedding.weight",
        fix="Give the output layer a weight of its own.",
        mends=TIED.format(output="nn.Parameter(weight / 12)"),
        typed="""
before = embedding.weight.clone()
output = nn.Linear(3, 4, bias=False)  # a weight of its own
F.cross_entropy(output(embedding(ids)), torch.tensor([2, 0])).backward()
torch.optim.SGD(embedding.parameters(), lr=0.5).step()
assert torch.equal(embedding.weight[[1, 3]], before[[1, 3]])
""",
        source=(docs("nn.Linear"), EMBEDDING),
        questions=(
            "Why do all rows move when input and output embedding are shared?",
            "Tokens that never occur change with a tied lm_head.",
            "With weight tying every row of the table gets a gradient.",
            "What does sharing the weight with the softmax layer do to unseen words?",
            "lm head shares weights with input embeddings, unseen tokens change",
        ),
        words="weight tying, tied weights, shared weight, language model, output head, lm_head, "
        "unseen rows, optimizer, my weight is changing by itself",
    ),
    Case(
        name="input-gradient",
        title="Differentiable in what? the weight, or the input",
        claim="Ids refuse `requires_grad_()`. A row of continuous numbers, a soft row, gets a "
        "gradient from `nn.Linear`, and its output is a mixture of the table's rows.",
        why="Ids are integers, and PyTorch gives gradients to floating-point and complex tensors "
        "only. `nn.Linear` works on continuous data: each number of the input weighs one row. Both "
        "routes are differentiable in the weight.",
        raises=(
            "RuntimeError: only Tensors of floating point … can require gradients",
            "",
        ),
        sides=("gradient of the ids", "gradient of a soft row"),
        breaks="""
ids = torch.tensor([1])
ids.requires_grad_()
left = ids.grad

soft_row = torch.tensor([0.25, 0.75, 0.0, 0.0]).requires_grad_()
F.linear(soft_row, linear).sum().backward()
right = soft_row.grad
""",
        line="ids.requires_grad_()",
        fix="Use a soft row, such as a softmax: its output is the mixture computed by hand.",
        mends="""
left = 0.25 * weight[0] + 0.75 * weight[1]

soft_row = torch.tensor([0.25, 0.75, 0.0, 0.0]).requires_grad_()
right = F.linear(soft_row, linear)
""",
        typed="""
soft_row = torch.tensor([0.25, 0.75, 0.0, 0.0]).requires_grad_()
mixture = linear(soft_row)
mixture.sum().backward()
assert torch.allclose(mixture, soft_row @ embedding.weight)
assert torch.allclose(soft_row.grad, embedding.weight.sum(dim=1))
""",
        fixed_sides=("a mixture of rows 0 and 1", "nn.Linear, given a soft row"),
        source=(docs("Tensor.requires_grad_"), docs("F.gumbel_softmax")),
        messages=(
            "the derivative for 'indices' is not implemented",
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
