"""Claims about the two layers that are wrong, or not always right."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="order-and-context",
        title="“Embedding understands order and context, Linear does not”",
        claim="Neither does: reordered ids give the same rows, in the new order.",
        why="Each id is looked up alone, and a matmul of one-hot rows picks the same rows. Order "
        "and context come from later steps, such as a vector for each position, or attention.",
        sides=("rows reordered after the lookup", "ids reordered before it"),
        program="""
ids, order = torch.tensor([3, 1, 0]), torch.tensor([2, 0, 1])
left = F.embedding(ids, weight)[order]

right = F.embedding(ids[order], weight)
""",
        line="F.embedding(ids[order], weight)",
        fix="Add a vector for each position: then another order gives other rows.",
        typed="""
places, positions = torch.arange(2), nn.Embedding(2, 3)
rows = embedding(ids) + positions(places)
reordered = embedding(ids.flip(0)) + positions(places)
assert not torch.equal(reordered, rows.flip(0))
""",
        source=("nn.Embedding",),
        questions=(
            "Has the bank of a river another vector than the bank with my account?",
            "Does nn.Embedding know word order or context?",
            "Does an embedding know the position of a word in its sentence?",
            "Does the vector of a word depend on its neighbours, as in BERT?",
            "Words with several meanings, polysemy: do they have one vector?",
            "Shuffling the words changes nothing.",
            "does an embedding layer know the position of word in sentence",
            "why embedding keeps context information and a dense layer doesn't?",
        ),
        words="sentence, meaning, same word, different vector, static, contextual, "
        "context, word order, position, attention, permutation, shuffle",
        see="context",
    ),
    Case(
        name="linear-cannot-replace",
        title="“Linear cannot replace Embedding”",
        claim="It can, forward and backward: with the same weight and one-hot rows, a Linear "
        "without bias trains to the same table.",
        why="The lookup is that matmul without the multiplications by zero. For each token, a "
        "Linear needs as many numbers as the table has rows. Longer sums may round differently.",
        sides=("nn.Embedding after training", "nn.Linear after it, transposed"),
        program="""
ids = torch.tensor([3, 0])
sgd = torch.optim.SGD([table, linear], lr=0.25)
for _ in range(3):
    sgd.zero_grad()
    F.embedding(ids, table).pow(2).sum().backward()
    F.linear(one_hot(ids), linear).pow(2).sum().backward()
    sgd.step()
left = table

right = linear.T
""",
        line="F.linear(one_hot(ids), linear).pow(2).sum().backward()",
        fix="Exchange the layers at any time: `copy_` the transposed weight inside "
        "`torch.no_grad()`.",
        typed="""
linear = nn.Linear(4, 3, bias=False)
with torch.no_grad():
    linear.weight.copy_(embedding.weight.T)
hot = F.one_hot(ids, num_classes=4).float()
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("nn.Embedding", "nn.Linear"),
        questions=(
            "What is the difference between nn.Embedding and nn.Linear?",
            "Is an embedding the same as a linear layer on one-hot vectors without a bias?",
            "Is one_hot @ weight the same as a lookup or gather?",
            "Can I replace nn.Embedding by nn.Linear, and do they learn the same?",
            "How can a lookup table learn, be differentiable?",
            "When should I use an embedding instead of a fully connected, dense layer?",
            "can i use fully connected layer instead of embedding layer",
            "is embedding equivalent to one-hot + dense without bias, also for training",
        ),
        words="fully connected, dense layer, matrix product, lookup table, both exist, "
        "equivalent, difference between Embedding and Linear, one-hot, optimizer",
        see="training",
    ),
    Case(
        name="embedding-cannot-replace",
        title="“Embedding can replace Linear”",
        claim="Only if the inputs are ids or their one-hot rows. An `nn.Linear` takes real "
        "numbers; `nn.Embedding` refuses floats.",
        why="A lookup needs a row for each possible input, and there is none for 0.5. An "
        "`nn.Linear` multiplies D numbers by each input, whatever its value.",
        raises=("RuntimeError: Expected tensor for argument #1 'indices'", ""),
        sides=("nn.Embedding, given real numbers", "nn.Linear, given real numbers"),
        program="""
inputs = torch.tensor([[0.5, 0.0, 2.0, 0.0]])
left = F.embedding(inputs, weight)

right = F.linear(inputs, weight.T)
""",
        line="inputs = torch.tensor([[0.5, 0.0, 2.0, 0.0]])",
        fix="Use the Linear. Its output is the sum of all rows, each times its input. "
        "`nn.EmbeddingBag` can compute this sum too.",
        typed="""
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, mode="sum")
inputs = torch.tensor([[0.5, 0.0, 2.0, 0.0]])
total = bag(torch.tensor([[0, 1, 2, 3]]), per_sample_weights=inputs)
assert torch.allclose(total, linear(inputs))
""",
        source=("nn.Embedding", "nn.Linear"),
        questions=(
            "Can nn.Embedding take real-valued, continuous features?",
            "Embedding or Linear for numbers like age, price or time?",
            "How do I embed numerical columns of a table?",
            "Can an embedding replace every linear layer?",
            "can I swap my Linear for Embedding when features are real values like age, price",
            "use embedding for continuous inputs",
        ),
        words="real-valued, continuous inputs, features, float, regression, replace, when to use",
        see="bag_of_words",
    ),
    Case(
        name="one-hot-inside-linear",
        title="“the one-hot encoding is done in the nn.Linear layer”",
        claim="It is not: the layer multiplies the numbers that it is given. Four ids, given as "
        "floats, are one input row, and the output is one sum of all rows.",
        why="`nn.Linear` computes `input @ weight.T`, plus the bias, and knows nothing of ids. The "
        "encoding is a step of its own. A single id is a number and no row: it raises.",
        differ=1,
        sides=("shape from nn.Embedding, given ids", "shape from nn.Linear, given ids as floats"),
        program="""
ids = torch.tensor([3, 1, 0, 2])
left = F.embedding(ids, weight).shape

right = F.linear(ids.float(), weight.T).shape
""",
        line="F.linear(ids.float(), weight.T).shape",
        fix="Encode the ids before the layer, with `F.one_hot`.",
        typed="""
hot = F.one_hot(ids, num_classes=4).float()
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("nn.Linear", "F.one_hot"),
        messages=("both arguments to linear need to be at least 1d, but they are 0d and",),
        general=(
            "size mismatch, got input (",
            "both arguments to … need to be at least 1d, but they are 0d and",
            "mat1 and mat2 shapes cannot be multiplied",
            "size mismatch, m1",
        ),
        questions=(
            "Does nn.Linear one-hot encode my ids by itself?",
            "Do I need one_hot before a linear layer, or before an embedding?",
            "Ids given to nn.Linear as floats give a wrong shape.",
            "Can I feed token ids or labels directly into a linear layer?",
            "does Linear layer convert the class indices into onehot automatically?",
            "i pass token ids as float to nn.Linear, it trains but badly",
        ),
        words="dummies, categories, straight, directly, convert, category numbers, "
        "encode, encoding, inside, automatic, where, ids into Linear",
    ),
    Case(
        name="same-storage",
        title="“two layers, because they store different things”",
        claim="Both weights hold the same V × D numbers.",
        why="Only the inputs differ: an id is one number, its one-hot row has V numbers.",
        sides=("numbers in nn.Embedding", "numbers in nn.Linear"),
        program="""
left = table.numel()

right = linear.numel()  # 12, as in the table
""",
        line="linear.numel()  # 12, as in the table",
        fix="Compare the inputs: here an id takes 8 bytes, its one-hot row 16.",
        typed="""
hot = F.one_hot(ids, num_classes=4).float()
assert embedding.weight.numel() == linear.weight.numel() == 12
assert (ids.nbytes, hot.nbytes) == (16, 32)  # 2 ids
""",
        source=("nn.Embedding", "nn.Linear"),
        questions=(
            "How many parameters has nn.Embedding, and how many has nn.Linear?",
            "Does an embedding save memory compared with a linear layer?",
            "Which takes more memory, the table or the one-hot input?",
            "Is the embedding's weight smaller than that of a dense layer?",
            "do embedding and linear have the same number of parameters",
            "memory of lookup table versus weight matrix",
        ),
        words="number of parameters, count, weights, footprint, megabytes, "
        "storage, memory, parameters, size, number of weights",
    ),
    Case(
        name="always-faster",
        title="“Embedding is always faster”",
        claim="It always computes less: PyTorch counts no operation for this lookup, and 48 for "
        "this matmul. These counts do not tell the time.",
        why="Time also depends on memory and on the cost of each call, which matters for small "
        "tables. Timing measures both routes on your machine.",
        differ=1,
        sides=("operations of nn.Embedding", "operations of one-hot × nn.Linear"),
        program="""
from torch.utils.flop_counter import FlopCounterMode
ids, counter = torch.tensor([3, 1]), FlopCounterMode(display=False)
with counter:
    F.embedding(ids, weight)
left = counter.get_total_flops()

with counter:
    F.linear(one_hot(ids), weight.T)  # 48 operations
right = counter.get_total_flops()
""",
        line="F.linear(one_hot(ids), weight.T)  # 48 operations",
        fix="Measure at your sizes. The values are the same in any case.",
        typed="""
from timeit import timeit
hot = F.one_hot(ids, num_classes=4).float()
lookup = timeit(lambda: embedding(ids), number=100)
product = timeit(lambda: linear(hot), number=100)
assert torch.equal(linear(hot), embedding(ids)), (lookup, product)
""",
        source=("nn.Embedding",),
        questions=(
            "Is an embedding always faster than one-hot times a matrix?",
            "Why is my embedding layer slow?",
            "Speed of a lookup against matmul for a small vocabulary",
            "How many operations, flops, does a lookup need?",
            "Does it pay to use nn.Embedding for 20 symbols?",
            "how much faster is nn.Embedding than onehot matmul",
            "flops of embedding layer zero?",
            "Is the lookup slower than a dense layer or a matmul for a large table?",
            "nn.Embedding vs nn.Linear: which one is slower?",
        ),
        words="indexing, quicker, multiplying, efficient, cheaper, why use, "
        "speed, slow, slower, performance, benchmark, tiny vocabulary, flops, vs, versus, or, "
        "embedding or linear, linear or embedding, lookup or linear, Dense, gather, tf.gather, "
        "embedding_lookup, tf.nn.embedding_lookup, multi-hot, TPU",
        see="timing",
    ),
    Case(
        name="grad-fn-differs",
        title="“the grad_fn differs, so they differ”",
        claim="The `grad_fn` of the two outputs have different names. The gradients that they "
        "compute are the same.",
        why="`grad_fn` names the function that runs in the backward pass, not its result. One adds "
        "rows into a table, the other multiplies: `MmBackward0`, or `SqueezeBackward4` for one row "
        "without a batch. Sums of fractions may round differently.",
        differ=1,
        sides=("grad_fn of nn.Embedding", "grad_fn of one-hot × nn.Linear"),
        program="""
ids = torch.tensor([3, 3])
left = F.embedding(ids, table).grad_fn.name()

right = F.linear(one_hot(ids), linear).grad_fn.name()
""",
        line="F.embedding(ids, table).grad_fn.name()",
        fix="Compare the gradients instead of the names.",
        typed="""
embedding(ids).sum().backward()
linear(F.one_hot(ids, num_classes=4).float()).sum().backward()
assert torch.equal(linear.weight.grad.T, embedding.weight.grad)
""",
        source=("Autograd mechanics",),
        questions=(
            "Why has one output EmbeddingBackward0 and the other MmBackward0 as grad_fn?",
            "Do different grad_fn mean different gradients or training?",
            "What does grad_fn of an embedding tell?",
            "EmbeddingBackward0 vs MmBackward0 what is the difference",
            "grad_fn=<EmbeddingBackward> printed, is the backprop other than for linear?",
        ),
        words="EmbeddingBackward0, SqueezeBackward4, MmBackward0, UnsafeViewBackward0, "
        "AddmmBackward0, ViewBackward0",
        see="training",
    ),
    Case(
        name="embeddings-start-small",
        title="“embeddings start small”",
        claim="They do not: `nn.Embedding` starts with random numbers of mean 0 and standard "
        "deviation 1. `nn.Linear` starts within ±1/√inputs, here ±0.032.",
        why="An output of a Linear sums over all inputs, so with more inputs its weights are "
        "smaller. A lookup picks one row.",
        differ=1,
        sides=("largest |weight| of nn.Embedding", "largest |weight| of nn.Linear"),
        program="""
random = torch.Generator().manual_seed(123)
weight = torch.empty(1000, 16)
nn.init.normal_(weight, generator=random)  # as nn.Embedding
left = weight.abs().max()

weight = torch.empty(16, 1000)
nn.init.kaiming_uniform_(weight, a=5**0.5, generator=random)  # as nn.Linear
right = weight.abs().max()
""",
        line="nn.init.normal_(weight, generator=random)  # as nn.Embedding",
        fix="To compare their training, start both from one tensor.",
        typed="""
embedding, linear = nn.Embedding(1000, 16), nn.Linear(1000, 16, bias=False)
small = linear.weight.std()
with torch.no_grad():
    linear.weight.copy_(embedding.weight.T)
assert linear.weight.std() > 10 * small
""",
        source=("pytorch issue 3121", "nn.Linear"),
        questions=(
            "How is nn.Embedding initialised, with which distribution?",
            "Why are embedding weights so much larger than those of nn.Linear at the start?",
            "Are the first values of an embedding small, random, normal or uniform?",
            "Should I initialise an embedding with smaller values, std 0.02?",
            "how are embedding weights initialized by default",
            "initial loss much larger with embedding than with linear, init scale",
        ),
        words="first values, default, standard deviation, far bigger, train slowly, "
        "initialization, init, reset_parameters, normal, kaiming, uniform, std",
    ),
    Case(
        name="loss-without-parentheses",
        title="The loss without parentheses: loss = nn.MSELoss",
        claim="`nn.MSELoss` is a class. Called with prediction and target, it takes them for its "
        "old arguments `size_average` and `reduce`, and raises.",
        why="Each of these arguments must be true or false, and a tensor of several numbers is "
        "neither. The Embedding and the Linear do not matter here.",
        raises=(
            "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
            "",
        ),
        sides=("loss(prediction, target)", "mean of the squares by hand"),
        program="""
prediction, target = weight[[3, 1]], torch.zeros(2, 3)
loss = nn.MSELoss
left = loss(prediction, target)

right = (prediction - target).pow(2).mean()
""",
        line="loss = nn.MSELoss",
        fix="Make the loss first: `loss = nn.MSELoss()`.",
        typed="""
loss = nn.MSELoss()
error = loss(embedding(ids), torch.zeros(2, 3))
error.backward()
assert embedding.weight.grad[ids].all()
""",
        source=("nn.MSELoss",),
        messages=(
            "loss' has no attribute 'backward'",
            "size_average and reduce…boolean value of tensor with more than one value is ambiguous",
            "size_average and reduce…bool value of tensor with more than one value is ambiguous",
            "= nn.…loss(…boolean value of tensor with more than one value is ambiguous",
            "loss' object has no attribute 'backward'",
            "loss' object has no attribute 'item'",
        ),
        general=(
            "boolean value of tensor with more than one value is ambiguous",
            "bool value of tensor with more than one value is ambiguous",
            "loss' object has no attribute '",
            "size_average and reduce args will be deprecated",
        ),
        questions=(
            "Why does nn.MSELoss(output, target) fail: do I need parentheses twice?",
            "The loss has no backward.",
            "How do I call CrossEntropyLoss, nn.MSELoss()(a, b)?",
            "Boolean value of Tensor with more than one value is ambiguous when computing loss",
            "criterion = nn.MSELoss then criterion(out, y) raises strange error",
        ),
        words="MSELoss, CrossEntropyLoss, criterion, class, ambiguous",
    ),
)
