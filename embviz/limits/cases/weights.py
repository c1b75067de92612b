"""Cases about the weight: -0.0, inf, subnormals, a bias, its place in memory, its seed."""

import torch

from embviz.limits.case import LOOKUP, Case


def _cannot_flush() -> str:
    able = torch.set_flush_denormal(False)
    return "" if able else "this processor cannot flush subnormal numbers"


CASES = (
    Case(
        name="minus-zero",
        title="-0.0 in the weight",
        claim="The lookup returns -0.0 unchanged. The matmul returns 0.0: the same number with "
        "another sign bit.",
        why="The matmul adds the zeros of the other rows, and -0.0 + 0.0 is 0.0. `torch.equal` "
        "calls the two equal, but their bits differ, and so does 1 / x.",
        differ=1,
        program="""
ids = torch.tensor([0, 1, 2, 3])
weight[1, 1] = -0.0
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="weight[1, 1] = -0.0",
        fix="Add 0.0 to the weight once, inside `torch.no_grad()`: it turns -0.0 into 0.0 and "
        "changes nothing else.",
        typed="""
with torch.no_grad():
    embedding.weight[0, 1] = -0.0
    embedding.weight.add_(0.0)
assert 1 / embedding.weight[0, 1] == torch.inf  # of -0.0 it is -inf
""",
        source=("nn.Linear", "torch.signbit"),
        questions=(
            "Why does the lookup return -0.0 and the matmul 0.0?",
            "Do negative zeros survive a matmul with a one-hot vector?",
            "The two outputs are equal, yet their bits or signs differ.",
            "negative zero turns into positive zero after matmul",
            "torch.equal says same but the bytes are not same, sign of zero",
        ),
        words="negative zero, signed zero, signbit, sign, accumulator",
    ),
    Case(
        name="inf-in-unseen-row",
        title="Inf or NaN in a row that is not looked up",
        claim="An inf in row 2 gives NaN in the matmul's output for a token of row 0, in the "
        "column of the inf. The lookup of that token never reads row 2.",
        why="The matmul multiplies row 2 by 0, and both 0 · inf and 0 · NaN are NaN. A token that "
        "looks up row 2 gets the inf from both routes.",
        differ=1,
        program="""
ids = torch.tensor([0, 2])
weight[2, 1] = torch.inf
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="weight[2, 1] = torch.inf",
        fix="Replace inf and NaN in the weight before the matmul, inside `torch.no_grad()`.",
        typed="""
with torch.no_grad():
    linear.weight[1, 2] = torch.inf  # of id 2
    linear.weight.nan_to_num_()
hot = F.one_hot(torch.tensor([0]), num_classes=4).float()
assert torch.equal(linear(hot), embedding(torch.tensor([0])))
""",
        source=("torch.nan_to_num",),
        general=("mmbackward0' returned nan values",),
        questions=(
            "Why is the loss NaN although my words have finite vectors?",
            "One row of the table is inf or nan: does it spoil the others?",
            "The matmul with one-hot is nan, the lookup is not.",
            "Exploding weights: one overflow makes every output of the linear layer nan.",
            "one hot times matrix gives nan although the row i select has no nan in it",
            "0 * inf = nan selecting row with matrix multiplication",
        ),
        words="infinity, NaN, loss is nan, 0 * inf, overflow, nan_to_num",
    ),
    Case(
        name="flush-to-zero",
        title="flush-to-zero switched on",
        claim="After `torch.set_flush_denormal(True)`, a matmul turns subnormal weights, the "
        "numbers closest to 0, into 0. The lookup still returns them.",
        why="The switch tells the processor to read subnormals as 0 when it computes. A lookup "
        "copies and computes nothing. The switch acts on its thread, and on those that it starts "
        "later.",
        differ=11,
        program="""
ids = torch.tensor([0, 1, 2, 3])
weight = weight / 16 * torch.finfo(torch.float32).smallest_normal
torch.set_flush_denormal(True)
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="torch.set_flush_denormal(True)",
        fix="Leave the switch off if the bits must agree.",
        typed="""
torch.set_flush_denormal(False)  # the default
with torch.no_grad():
    embedding.weight[0] = 1e-40
    linear.weight[:, 0] = 1e-40
products = linear(F.one_hot(ids, num_classes=4).float())
assert torch.equal(products, embedding(ids)) and products[0].all()
""",
        source=("torch.set_flush_denormal",),
        questions=(
            "What does set_flush_denormal change for a lookup and a matmul?",
            "Denormal, very small weights become 0 in a matmul.",
            "Are subnormal numbers kept by an embedding?",
            "very tiny numbers like 1e-40 vanish after multiplication",
            "set_flush_denormal effect on results of linear layer vs table lookup",
        ),
        words="denormal, subnormal, DAZ, FTZ, set_flush_denormal, underflow, tiny, 1e-40, very "
        "small numbers, per thread",
        lacks=_cannot_flush,
    ),
    Case(
        name="bias",
        title="A Linear with bias",
        claim="`nn.Linear` has a bias unless you pass `bias=False`, and adds it to every row. "
        "`nn.Embedding` has no bias.",
        why="A Linear multiplies and then adds. The bias is the same for every id, so a Linear "
        "with bias is still a lookup, in a table with the bias added to each row.",
        differ=4,
        sides=(LOOKUP, "one-hot × nn.Linear with bias"),
        program="""
ids, bias = torch.tensor([0, 2]), torch.tensor([0.5, 0.0, -0.5])
left = F.embedding(ids, weight)

right = F.linear(one_hot(ids), linear, bias)
""",
        line="F.linear(one_hot(ids), linear, bias)",
        fix="Use `bias=False`, or make a table of `weight.T + bias`, as here.",
        typed="""
linear = nn.Linear(4, 3)  # bias=True is the default
rows = (linear.weight.T + linear.bias).detach()
embedding = nn.Embedding.from_pretrained(rows)
hot = F.one_hot(ids, num_classes=4).float()
assert torch.allclose(linear(hot), embedding(ids))
""",
        source=("nn.Linear",),
        messages=("'embedding' object has no attribute 'bias'",),
        general=(
            'key(s) in state_dict: "….bias"',
            'key(s) in state_dict: "bias"',
        ),
        questions=(
            "The linear layer's outputs differ from the embedding's by a constant offset.",
            "Does an embedding have a bias as a linear layer has?",
            "My nn.Linear has a bias: is it still the same as an embedding?",
            "How do I load a Linear with bias into an Embedding?",
            "Is adding a bias to each looked-up row the same as a dense layer?",
            "does nn.Embedding have a bias term?",
            "my Linear on onehot doesnt match the embedding, constant offset on all rows",
        ),
        words="bias=False, offset, multiplication and addition",
    ),
    Case(
        name="shared-storage",
        title="Transposed and shared: Parameter(weight.T)",
        claim="`nn.Parameter(weight.T)` makes no copy, and neither does `.detach()`. Training the "
        "Linear also changes the Embedding, here row 0 without `.detach()` and row 1 with it.",
        why="`.T` is another view of the same memory, and `nn.Parameter` keeps that memory. Two "
        "layers that share memory always agree, so comparing them proves nothing. `.T.view(-1)` "
        "raises, because the numbers are not in memory in the order of that view; `reshape` "
        "copies them.",
        differ=6,
        sides=("Embedding before training the Linears", "Embedding after it"),
        program="""
pair = nn.Parameter(table.T), nn.Parameter(table.T.detach())
left = weight

for row, tied in enumerate(pair):
    F.linear(one_hot(torch.tensor([row])), tied).sum().backward()
    torch.optim.SGD([tied], lr=0.5).step()
right = table
""",
        line="pair = nn.Parameter(table.T), nn.Parameter(table.T.detach())",
        fix="Copy with `.T.clone()`, and make the `nn.Parameter` of the copy.",
        typed="""
linear.weight = nn.Parameter(embedding.weight.detach().T.clone())
with torch.no_grad():
    linear.weight.zero_()
assert embedding.weight.any() and not linear.weight.any()
""",
        source=("Tensor views", "nn.parameter.Parameter"),
        messages=(
            "weight.t.view(…view size is not compatible with input tensor's size and stride",
        ),
        general=("view size is not compatible with input tensor's size and stride",),
        questions=(
            "Is weight.T a copy or a view of the same memory?",
            "Training the linear layer also changes my embedding.",
            "nn.Parameter(embedding.weight.T): do both layers share the numbers?",
            "Does detach() make a copy of the weight?",
            "How do I copy a weight so that the two layers are independent, clone or detach?",
            "does nn.Parameter(w.t()) make a copy or is memory the same",
        ),
        words="weight tying, view, contiguous, reshape, memory, data_ptr, transpose, storage, "
        "detach, optimizer, my weight is changing by itself",
    ),
    Case(
        name="forgotten-transpose",
        title="A forgotten transpose",
        claim="`nn.Linear` stores its weight transposed, as (outputs, inputs). Give it an "
        "Embedding's square weight as it is, and it returns columns instead of rows, without any "
        "error.",
        why="`nn.Linear` computes x @ weight.T. If the table is not square, PyTorch says that "
        "shapes cannot be multiplied: (2x4 and 3x4) are 2 one-hot rows of 4 numbers and the "
        "transpose of a 4 x 3 table. One-hot rows that are too narrow can raise the same error, "
        "with (2x3 and 4x3): that is another case.",
        differ=4,
        program="""
ids, square = torch.tensor([0, 1]), torch.arange(9.0).reshape(3, 3)
left = F.embedding(ids, square)

right = F.linear(F.one_hot(ids, num_classes=3).float(), square)
""",
        line="F.linear(F.one_hot(ids, num_classes=3).float(), square)",
        fix="Give the Linear the transposed weight: `copy_` it inside `torch.no_grad()`.",
        typed="""
embedding, linear = nn.Embedding(3, 3), nn.Linear(3, 3, bias=False)
with torch.no_grad():
    linear.weight.copy_(embedding.weight.T)
hot = F.one_hot(ids, num_classes=3).float()
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("nn.Linear",),
        messages=(
            "embedding.weight)\nmat1 and mat2 shapes cannot be multiplied (…x<n> and …x<n>)",
            "emb.weight)\nmat1 and mat2 shapes cannot be multiplied (…x<n> and …x<n>)",
        ),
        general=(
            "shapes cannot be multiplied (…x<n> and …x<n>)",
            "size mismatch, m1: [… x <n>], m2: [… x <n>]",
            "mat1 and mat2 shapes cannot be multiplied",
            "size mismatch, m1",
            "mat1 dim 1 must match mat2 dim 0",
        ),
        questions=(
            "An nn.Embedding with the weights of a Linear gives a different result.",
            "Why is the weight of nn.Linear stored as (out_features, in_features)?",
            "How do I copy the embedding's weight into a linear layer: must it be transposed?",
            "I put the embedding matrix into nn.Linear and get columns, without an error.",
            "What are the shapes of the two weights?",
            "copied emb.weight to linear.weight, same shape, no error, but output is wrong",
            "why is the weight of Linear (out, in) and not (in, out)",
        ),
        words="transposed, square, columns, wrong shape, shapes cannot be multiplied",
    ),
    Case(
        name="rank-of-the-input",
        title="One row or a matrix of one row",
        claim="`linear(x[0])` has shape (3,), and `linear(x[0:1])` has shape (1, 3).",
        why="`nn.Linear` replaces the last dimension and keeps all others. A lookup adds a "
        "dimension: a single id gives (3,), ids of shape (1,) give (1, 3).",
        differ=1,
        sides=("shape for a row", "shape for a matrix of one row"),
        program="""
x = one_hot(torch.tensor([1, 3]))
left = F.linear(x[0], linear).shape

right = F.linear(x[0:1], linear).shape
""",
        line="F.linear(x[0], linear).shape",
        fix="Keep the dimension with `x[0:1]`, or add it with `[None]`.",
        typed="""
x = F.one_hot(ids, num_classes=4).float()
assert linear(x[0]).shape == (3,)
assert linear(x[0:1]).shape == linear(x[0])[None].shape == (1, 3)
""",
        source=("nn.Linear",),
        general=(
            "that is different to the input size",
            "tensors must have same number of dimensions: got",
            "dimension out of range (expected to be in range of",
            "input must have 3 dimensions, got",
            "for unbatched 2-d input, hx",
            "expected 2d or 3d input",
            "lstm: expected input to be 2d or 3d",
            "gru: expected input to be 2d or 3d",
            "rnn: expected input to be 2d or 3d",
            "stack expects each tensor to be equal size",
        ),
        questions=(
            "Why has the output one dimension less when I pass a single id?",
            "What is the shape of the output of nn.Embedding for a batch of sequences?",
            "A vector or a matrix with one row: how do I keep or add the batch dimension?",
            "x[0] or x[0:1], unsqueeze or squeeze before the linear layer?",
            "LSTM wants three dimensions, my embedded word has two.",
            "x[0] vs x[0:1] pytorch shape with batch dimension",
        ),
        words="rank, dimension, unsqueeze, squeeze, vector, x[0, :], batch of one, getrow",
    ),
    Case(
        name="seed-of-another-cell",
        title="Random numbers from a cell that sets no seed",
        claim="A cell that draws weights without a seed of its own depends on the draws before it. "
        "Run twice, it shows other numbers.",
        why="PyTorch's layers draw from one generator, and each draw moves it on. The numbers in "
        "brackets beside a notebook's cells tell the order in which they ran.",
        differ=12,
        sides=("weight of cell 2", "weight of cell 2, run again"),
        program="""
random = torch.Generator().manual_seed(123)  # cell 1
left = torch.randn(4, 3, generator=random)  # cell 2

right = torch.randn(4, 3, generator=random)  # cell 2
""",
        line="torch.randn(4, 3, generator=random)  # cell 2",
        fix="Set the seed in the cell that draws.",
        typed="""
torch.manual_seed(123)
embedding = nn.Embedding(4, 3)
torch.manual_seed(123)
again = nn.Embedding(4, 3)
assert torch.equal(again.weight, embedding.weight)
""",
        source=("Reproducibility", "torch.manual_seed"),
        questions=(
            "Why do I get other random weights each time I run the notebook cell?",
            "I set torch.manual_seed once, but the embedding differs from run to run.",
            "Two layers made after one seed have different weights.",
            "How do I make the random initialisation reproducible?",
            "reproducible weights jupyter, run cell twice other numbers",
        ),
        words="random, reproducible, hidden state, Jupyter, kernel, manual_seed, different "
        "numbers every time",
    ),
)
