"""Cases about rows of counts, in which `nn.EmbeddingBag` and `nn.Linear` differ or code fails."""

from embviz.limits.case import Case

SIDES = ("nn.EmbeddingBag", "counts × nn.Linear")

CASES = (
    Case(
        name="counts-ignored",
        title="Counts that were left out",
        claim="The column numbers of a row of counts show which words occur, but not how often. "
        "A bag of these numbers adds each word's row once. The matmul adds the row as often as "
        "the word occurs.",
        why="The counts are the other half of a sparse row, its `data`. `per_sample_weights` "
        "multiplies each word's row by its count. SciPy's `csr_array` has no `getrow`: write "
        "`X[[i]]` for a row. `nn.Linear` takes a sparse tensor of PyTorch, but not a matrix of "
        "SciPy.",
        differ=3,
        sides=SIDES,
        program="""
counts = torch.tensor([[0.0, 3.0, 1.0, 0.0]])
ids = counts[0].nonzero().T
left = F.embedding_bag(ids, weight, mode="sum")

right = F.linear(counts, weight.T)
""",
        line='F.embedding_bag(ids, weight, mode="sum")',
        fix="Pass the counts as `per_sample_weights`.",
        typed="""
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, mode="sum")
counts = torch.tensor([[0.0, 3.0, 1.0, 0.0]])
ids = counts[0].nonzero().T
total = bag(ids, per_sample_weights=counts[0][ids])
assert torch.allclose(total, linear(counts))
""",
        source=("F.embedding_bag",),
        messages=(
            "linear(): argument 'input' (position … must be tensor, not csr",
            "csr_array' object has no attribute 'getrow'",
        ),
        general=(
            "argument 'input' (position … must be tensor, not csr",
            "object has no attribute 'getrow'",
            "sparse array length is ambiguous",
            "sparse matrix length is ambiguous",
        ),
        questions=(
            "nn.Linear needs dense input: how do I feed a scipy sparse matrix?",
            "How do I feed word counts, a bag of words, to nn.EmbeddingBag?",
            "Rows of a CountVectorizer or TfidfVectorizer with an embedding",
            "Repeated words count only once in my sum.",
            "scipy csr_matrix: indices and data of a row, getrow",
            "A sum weighted by tf-idf of word vectors",
            "Does nn.Linear take sparse rows, a sparse csr tensor?",
            "from CountVectorizer matrix to EmbeddingBag how to keep term frequency",
        ),
        words="bag of words, csr, indices, data, tf-idf, sum(0), per_sample_weights, word count",
        see="bag_of_words",
    ),
    Case(
        name="sum-order",
        title="The order of a sum",
        claim="The same words in another order can give another sum: here 0 or 1, and only 1 is "
        "correct.",
        why="Each addition rounds, and the error depends on what was added before. Several "
        "threads may add in any order, for example in the gradient of `weight[ids]`. Compare "
        "within a tolerance.",
        differ=1,
        sides=("sum of ids 0, 1, 2", "sum of ids 1, 2, 0"),
        program="""
weight = torch.tensor([[1.0], [1e8], [-1e8]])
left = F.embedding_bag(torch.tensor([[0, 1, 2]]), weight, mode="sum")

right = F.embedding_bag(torch.tensor([[1, 2, 0]]), weight, mode="sum")
""",
        line="weight = torch.tensor([[1.0], [1e8], [-1e8]])",
        fix="Add in float64, which keeps more digits.",
        typed="""
embedding = nn.Embedding(3, 1).double()
with torch.no_grad():
    embedding.weight.copy_(torch.tensor([[1.0], [1e8], [-1e8]]))
rows = embedding(torch.tensor([[0, 1, 2], [1, 2, 0]]))
assert rows.sum(dim=1).tolist() == [[1], [1]]
""",
        source=("Numerical accuracy", "torch.use_deterministic_algorithms"),
        general=(
            "tensor-likes are not close",
            "tensor-likes are not equal",
        ),
        questions=(
            "Shuffled words or tokens give a slightly other sum or total.",
            "Why is the sum different when I add the same vectors in another order?",
            "EmbeddingBag and embedding(...).sum() differ in the last digits.",
            "allclose is true, equal is false.",
            "Floating-point addition is not associative: rounding, tolerance.",
            "Results differ slightly between runs or thread counts on the CPU.",
            "Embedding backward is non-deterministic",
            "sum of floats depends on the order of words, results not associative",
        ),
        words="associative, rounding, summation, allclose, tolerance, nondeterministic, "
        "deterministic, reproducible, use_deterministic_algorithms, race, atomic, index_put",
        see="bag_of_words",
    ),
    Case(
        name="mean-with-padding",
        title="The mean of a padded or empty bag",
        claim="With `padding_idx`, the mean of a bag divides by the number of its words without "
        "the padding. A bag with nothing but padding gives zeros. A mean over all ids counts the "
        "padding.",
        why="A padding row of zeros adds nothing to the sum, but each padding id makes the number "
        "of ids larger. By hand, the mean of no words is 0 / 0, which is NaN.",
        differ=6,
        sides=("nn.EmbeddingBag, mode='mean'", "counts × nn.Linear / length"),
        program="""
ids = torch.tensor([[1, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
weight[0] = 0  # the padding row
left = F.embedding_bag(ids, weight, mode="mean", padding_idx=0)

counts = one_hot(ids).sum(dim=1)
right = F.linear(counts, weight.T) / 4  # the padded length
""",
        line="F.linear(counts, weight.T) / 4  # the padded length",
        fix="Divide the sum of each bag by the number of its words without the padding, or by 1 "
        "if there are none.",
        typed="""
ids = torch.tensor([[1, 3, 0, 0], [0, 0, 0, 0]])
is_word = (ids != 0)[:, :, None]
means = (embedding(ids) * is_word).sum(dim=1) / is_word.sum(dim=1).clamp(min=1)
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, mode="mean", padding_idx=0)
assert torch.allclose(bag(ids), means)
""",
        source=("nn.EmbeddingBag", "pytorch issue 3194", "pytorch issue 11739"),
        questions=(
            "How do I average word vectors without the padding?",
            "Mean pooling with a mask, ignoring pad tokens",
            "The mean of an empty bag or document is NaN.",
            "EmbeddingBag with mode='mean' and padding_idx: what does it divide by?",
            "average word vectors but ignore pad tokens",
            "mean of an empty bag is nan or zero?",
        ),
        words="average, padding_idx, mode, length, NaN, empty document, empty bag, division by "
        "zero, loss is nan",
    ),
    Case(
        name="weighted-mean",
        title="per_sample_weights with mean",
        claim="With `mode='mean'`, which is the default, `per_sample_weights` raises.",
        why="A weighted mean could be divided by the number of words or by the sum of their "
        "weights, and PyTorch defines neither. A matmul leaves the choice to you.",
        raises=("NotImplementedError: … per_sample_weights is only supported for mode='sum'", ""),
        sides=("nn.EmbeddingBag, mode='mean'", "scores × nn.Linear / sum of scores"),
        program="""
ids, scores = torch.tensor([[1, 3]]), torch.tensor([[3.0, 1.0]])
left = F.embedding_bag(ids, weight, per_sample_weights=scores)

row = torch.tensor([[0.0, 3.0, 0.0, 1.0]])
right = F.linear(row, weight.T) / row.sum()
""",
        line="F.embedding_bag(ids, weight, per_sample_weights=scores)",
        fix="Sum, then divide by the number you want, here the sum of the weights.",
        typed="""
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, mode="sum")
scores = torch.tensor([[3.0, 1.0]])
mean = bag(ids[None], per_sample_weights=scores) / scores.sum()
assert torch.allclose(mean, linear(torch.tensor([[0.75, 0.0, 0.25, 0.0]])))
""",
        source=("F.embedding_bag", "pytorch issue 4068"),
        messages=("per_sample_weights is only supported for mode='sum'",),
        questions=(
            "Can per_sample_weights be used with mode='mean' or 'max'?",
            "How do I compute a weighted average with EmbeddingBag?",
            "Weighted mean of word vectors, divided by the sum of the weights",
            "weighted average embeddingbag tf-idf weights not supported for mean",
            "per_sample_weights only works with sum?",
        ),
        words="weighted average, tf-idf, mode",
    ),
    Case(
        name="bag-without-offsets",
        title="A flat list of ids without offsets",
        claim="`nn.EmbeddingBag` needs `offsets` for ids in one dimension.",
        why="Ids in one dimension do not show where a bag ends. `offsets` lists the positions "
        "where the bags start: the first is 0, and none is larger than the length of the list. "
        "In two dimensions each row is a bag.",
        raises=("ValueError: offsets has to be a 1D Tensor", ""),
        sides=SIDES,
        program="""
left = F.embedding_bag(torch.tensor([1, 3]), weight, mode="sum")

right = F.linear(torch.tensor([[0.0, 1.0, 0.0, 1.0]]), weight.T)
""",
        line='F.embedding_bag(torch.tensor([1, 3]), weight, mode="sum")',
        fix="Say where each bag starts.",
        typed="""
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, mode="sum")
ids, offsets = torch.tensor([1, 3, 2]), torch.tensor([0, 2])
bags = bag(ids, offsets)  # ids 1 and 3; id 2
assert torch.equal(bags[1], embedding.weight[2])
""",
        source=("nn.EmbeddingBag",),
        messages=(
            "offsets[0] has to be 0",
            "offsets[-1] can not be greater than input's length",
            "if input is 2d, then offsets has to be none",
            "input has to be 1d or 2d tensor, but got tensor of dimension",
            "input has to be a 1d or 2d tensor",
            "offsets has to be a 1d tensor",
            "missing 1 required positional argument: 'offsets'",
        ),
        questions=(
            "What are offsets in nn.EmbeddingBag?",
            "How do I give EmbeddingBag documents of different length?",
            "Where does a bag end in a flat list of ids?",
            "EmbeddingBag with one sentence, a 1D tensor",
            "May the input of EmbeddingBag have two or three dimensions?",
            "why does EmbeddingBag want offsets, I only have a list of word numbers",
            "text classification tutorial offsets has to be 1D tensor but got None",
        ),
        words="include_last_offset, 1D, variable length",
    ),
)
