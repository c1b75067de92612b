"""Cases about rows that a step of training moves though nobody looked them up."""

from embviz.limits.case import Case

BEFORE_AFTER = ("rows of absent ids before the step", "after it")
CASES = (
    Case(
        name="weight-decay-unseen",
        title="Weight decay shrinks rows that are not looked up",
        claim="With weight decay, a step of SGD also moves the rows of ids that did not occur.",
        why="Their gradient is zero, but weight decay adds a part of the weight to it. So rare "
        "words shrink between two occurrences, on both routes alike.",
        differ=5,
        sides=BEFORE_AFTER,
        program="""
F.embedding(torch.tensor([1, 2]), table).sum().backward()
torch.optim.SGD([table], lr=0.5, weight_decay=0.5).step()
left = weight[[0, 3]]

right = table[[0, 3]]
""",
        line="torch.optim.SGD([table], lr=0.5, weight_decay=0.5).step()",
        fix="Give the table a parameter group with `weight_decay=0`.",
        typed="""
before = embedding.weight.clone()
table = {"params": embedding.parameters(), "weight_decay": 0}
others = {"params": linear.parameters()}
embedding(ids).sum().backward()
torch.optim.SGD([table, others], lr=0.5, weight_decay=0.5).step()
assert torch.equal(embedding.weight[[1, 3]], before[[1, 3]])
""",
        source=("torch.optim", "pytorch issue 1285"),
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
        see="training",
    ),
    Case(
        name="momentum-unseen",
        title="Momentum moves rows that are not looked up",
        claim="With momentum, SGD moves row 1 in a step that did not look it up, because the "
        "step before looked it up.",
        why="Momentum adds a part of each past step to the next one, even if the new gradient is "
        "zero. Both routes do so. RMSprop with momentum, Adam and AdamW move such a row too.",
        differ=3,
        sides=("row 1 after a step with id 1", "row 1 after a step without it"),
        program="""
optimizer = torch.optim.SGD([table], lr=0.5, momentum=0.9)
def step(id):
    optimizer.zero_grad()
    F.embedding(torch.tensor([id]), table).sum().backward()
    optimizer.step()
    return table[1].detach().clone()
left = step(1)

right = step(2)
""",
        line="optimizer = torch.optim.SGD([table], lr=0.5, momentum=0.9)",
        fix="Give the table a parameter group with `momentum=0`.",
        typed="""
groups = [
    {"params": embedding.parameters(), "momentum": 0},
    {"params": linear.parameters()},
]
optimizer, seen = torch.optim.SGD(groups, lr=0.5, momentum=0.9), []
for id in (1, 2):
    optimizer.zero_grad()
    embedding(torch.tensor([id])).sum().backward()
    optimizer.step()
    seen.append(embedding.weight[1].detach().clone())
assert torch.equal(*seen)
""",
        source=("torch.optim.SGD",),
        questions=(
            "Does momentum move rows of words that are not in the batch?",
            "An embedding row changes although its gradient is zero, with SGD and momentum",
            "Are unseen rows updated with momentum, Nesterov or heavy ball?",
            "rare words drift between their occurrences",
        ),
        words="momentum, Nesterov, velocity, buffer, moving, drift, unseen, rare words, not in the "
        "batch, zero gradient still updates, dampening, RMSprop",
        see="training",
    ),
    Case(
        name="adam-and-sparse-adam",
        title="Adam and SparseAdam",
        claim="Adam keeps moving a row after its id has stopped occurring; SparseAdam does not.",
        why="Adam keeps averages of past gradients and moves a row by them, even if the new "
        "gradient is zero. SparseAdam changes only the rows that the batch looked up.",
        differ=3,
        sides=("row 0 with Adam", "row 0 with SparseAdam"),
        program="""
def row_0(optimizer, sparse):
    table = nn.Parameter(weight.clone())
    rule = optimizer([table], lr=0.1)
    for id in (0, 3, 3, 3):  # id 0 occurs once
        rule.zero_grad()
        F.embedding(torch.tensor([id]), table, sparse=sparse).sum().backward()
        rule.step()
    return table[0]
left = row_0(torch.optim.Adam, sparse=False)

right = row_0(torch.optim.SparseAdam, sparse=True)
""",
        line="row_0(torch.optim.SparseAdam, sparse=True)",
        fix="Use one optimizer for both routes: Adam with dense gradients.",
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
        source=("torch.optim.SparseAdam", "pytorch issue 18404"),
        questions=(
            "Why does Adam move rows whose gradient is zero?",
            "Which rows of a large vocabulary change in an update, and which do not change?",
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
        see="training",
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
        program="""
table = nn.Parameter(weight / 12)
output = table  # as linear.weight = embedding.weight
logits = F.linear(F.embedding(torch.tensor([1, 2]), table), output)
F.cross_entropy(logits, torch.tensor([2, 1])).backward()
torch.optim.SGD([table], lr=0.5).step()
left = weight[[0, 3]] / 12

right = table[[0, 3]]
""",
        line="output = table  # as linear.weight = embedding.weight",
        fix="Give the output layer a weight of its own.",
        typed="""
before = embedding.weight.clone()
output = nn.Linear(3, 4, bias=False)  # a weight of its own
F.cross_entropy(output(embedding(ids)), torch.tensor([2, 0])).backward()
torch.optim.SGD(embedding.parameters(), lr=0.5).step()
assert torch.equal(embedding.weight[[1, 3]], before[[1, 3]])
""",
        source=("nn.Linear", "nn.Embedding"),
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
)
