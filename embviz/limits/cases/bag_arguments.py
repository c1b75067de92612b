"""Cases about the arguments of `nn.EmbeddingBag`: where bags end, and the weights of their ids."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="include-last-offset",
        title="include_last_offset, and ids after the last offset",
        claim="With `include_last_offset=True` the last offset is where the last bag ends. Ids "
        "after it are dropped without an error: here id 3.",
        why="The last offset must be the number of ids, as in the row pointers of a CSR matrix. "
        "Without this argument each offset is only a start, and an offset at the end begins an "
        "empty bag of zeros.",
        differ=3,
        sides=("means of bags that end at 2 and 3", "counts / 2 × nn.Linear"),
        program="""
ids, offsets = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 2, 3])
left = F.embedding_bag(ids, weight, offsets, include_last_offset=True)

right = torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]) @ weight
""",
        line="F.embedding_bag(ids, weight, offsets, include_last_offset=True)",
        fix="End `offsets` with `len(ids)`.",
        source=("F.embedding_bag", "pytorch issue 52851", "pytorch issue 76885"),
        typed="""
bag = nn.EmbeddingBag(4, 3, mode="sum", include_last_offset=True)
bag.weight = embedding.weight
offsets = torch.tensor([0, 1, len(ids)])
assert torch.equal(bag(ids, offsets), embedding(ids))
""",
        messages=("include_last_offset: number of offset",),
        questions=(
            "What is the last element of offsets in EmbeddingBag?",
            "How do I use CSR indptr as offsets of nn.EmbeddingBag?",
            "some ids are ignored by EmbeddingBag without a warning",
            "EmbeddingBag returns one bag fewer or one bag more than expected",
            "the last bag of my EmbeddingBag is all zeros",
            "do offsets need the total length at the end?",
            "last words of my list are ignored with include_last_offset",
            "csr indptr to EmbeddingBag offsets",
        ),
        words="offsets, indptr, crow_indices, CSR, row pointers, end, last bag, length, len(ids), "
        "dropped, ignored, missing, silently, empty bag, EmbeddingBag, include_last_offset=True",
        see="bag_of_words",
    ),
    Case(
        name="per-sample-weights",
        title="Shape and dtype of per_sample_weights",
        claim="`per_sample_weights` must have the dtype of the table and the shape of the ids. "
        "Integers raise, and so does one weight too few.",
        why="Each id's row is multiplied by its own weight, and PyTorch converts nothing here. "
        "Counts are integers, and NumPy's numbers are float64.",
        raises=(
            "RuntimeError: Expected tensor for argument #1 'weight' to have the same type as tensor"
            " for argument #1 'per_sample_weights'",
            "ValueError: embedding_bag: If per_sample_weights … is not None, then it must have the "
            "same shape as the input",
        ),
        sides=("counts as integers", "one weight for two ids"),
        program="""
ids, counts = torch.tensor([[1, 3]]), torch.tensor([[3, 1]])
bag = nn.EmbeddingBag.from_pretrained(weight, mode="sum")
left = bag(ids, per_sample_weights=counts)

right = bag(ids, per_sample_weights=torch.ones(1, 1))
""",
        line="bag(ids, per_sample_weights=counts)",
        fix="Convert with `counts.to(weight.dtype)`, and give each id its weight.",
        source=("nn.EmbeddingBag", "F.embedding_bag"),
        typed="""
bag = nn.EmbeddingBag(4, 3, mode="sum")
bag.weight = embedding.weight
counts = torch.tensor([[3, 1]])
rows = bag(ids[None], per_sample_weights=counts.to(bag.weight.dtype))
assert torch.allclose(rows, linear(torch.tensor([[3.0, 0.0, 1.0, 0.0]])))
""",
        messages=(
            "error: … per_sample_weights",
            "same type as tensor for argument … 'per_sample_weights'",
            "same type as tensor for argument #1 'weight'… embedding_bag",
            "if per_sample_weights … then it must have the same shape as the input",
            "expected per_sample_weights to",
            "per_sample_weights… not implemented for",
        ),
        questions=(
            "Why does EmbeddingBag refuse my counts or TF-IDF values as weights?",
            "per_sample_weights from scipy or NumPy are double",
            "EmbeddingBag weighted sum: one weight per bag instead of per id",
            "use half precision EmbeddingBag with float32 weights",
            "does per_sample_weights need the same size as the indices?",
            "word weights for embeddingbag what shape and type",
            "expected per_sample_weights to be same type as weight, got int",
        ),
        words="per_sample_weights, dtype, shape, double, float64, int64, half, convert, TF-IDF, "
        "counts, weighted sum, weighted, scores, EmbeddingBag, same type, same shape, numpy, scipy",
        see="bag_of_words",
    ),
    Case(
        name="offsets-that-fall",
        title="Offsets that get smaller",
        claim="`mode='max'` takes the offsets [0, 2, 1] as if they were sorted, without an error. "
        "So its bags are not `ids[0:2]`, `ids[2:1]` and `ids[1:]`.",
        why="Each offset is the place where a bag starts, so the next bag must start there or "
        "later. On the CPU PyTorch checks only the first and the last offset. `sum` and `mean` "
        "of float32 raise an error that does not name the offset, or return arbitrary numbers.",
        differ=6,
        sides=("bags of [0, 2, 1]", "the slices of ids"),
        program="""
ids, offsets = torch.tensor([0, 1, 2]), torch.tensor([0, 2, 1])
left = F.embedding_bag(ids, weight, offsets, mode="max")

rows = weight[ids]
right = torch.stack([rows[0:2].amax(0), torch.zeros(3), rows[1:].amax(0)])  # rows[2:1] is empty
""",
        line='left = F.embedding_bag(ids, weight, offsets, mode="max")',
        fix="Make the offsets from the lengths: `lengths.cumsum(0) - lengths`. Check others with "
        "`(offsets.diff() >= 0).all()`.",
        typed="""
lengths = torch.tensor([2, 1])
offsets = lengths.cumsum(0) - lengths
bag = nn.EmbeddingBag.from_pretrained(embedding.weight.detach(), mode="sum")
sums = bag(torch.tensor([0, 1, 2]), offsets)
assert torch.allclose(sums[0], embedding.weight[:2].sum(0))
assert torch.equal(sums[1], embedding.weight[2])
""",
        source=("nn.EmbeddingBag", "pytorch issue 55549"),
        messages=(
            "expected i < index_size to be true",
            "the last offset value should be the size of the indices tensor",
            "the sum of lengths values should be the size of the indices tensor",
        ),
        questions=(
            "Must the offsets of nn.EmbeddingBag be sorted?",
            "Expected i < index_size to be true, but got false: what does it mean?",
            "EmbeddingBag returns wrong bags when offsets decrease",
            "How do I make offsets from the lengths of my texts?",
        ),
        words="decreasing, unsorted, monotonic, ascending, cumsum, lengths, order of offsets",
    ),
    Case(
        name="negative-offset",
        title="A negative offset reads memory before the list",
        claim="`mode='max'` raises `IndexError` for the offset -1. On the CPU, `mode='sum'` of "
        "float32 raises no error. It reads the memory before the list, or returns a sum that was "
        "never written. For safety, this program puts an id 3 before the list.",
        why="PyTorch checks the first and the last offset, but here it does not check whether "
        "one is negative. So the sum is arbitrary, an error names an id that you never gave, or "
        "the process ends with *Segmentation fault*. In old versions wrong ids did the same, "
        "because they were not checked.",
        raises=("IndexError: index out of range in self", ""),
        sides=("mode='max'", "shape of mode='sum'"),
        program="""
memory = torch.tensor([3, 0, 1, 2])
ids, offsets = memory[1:], torch.tensor([0, -1])  # an id 3 stands before the list
left = F.embedding_bag(ids, weight, offsets, mode="max")

right = F.embedding_bag(ids, weight, offsets, mode="sum").shape
""",
        line="ids, offsets = memory[1:], torch.tensor([0, -1])",
        fix="Check the offsets before the call: the first is 0, none is smaller than the one "
        "before it, and none is larger than `len(ids)`.",
        typed="""
offsets = torch.tensor([0, 1])
assert offsets[0] == 0 and (offsets.diff() >= 0).all() and offsets[-1] <= len(ids)
bag = nn.EmbeddingBag.from_pretrained(embedding.weight.detach(), mode="sum")
assert torch.equal(bag(ids, offsets), embedding(ids))
""",
        source=("nn.EmbeddingBag", "pytorch issue 175368"),
        messages=(
            "index -1 of input takes value … which is not in the valid range",
            "index -2 of input takes value … which is not in the valid range",
            "embedding_bag\nsegmentation fault",
            "embeddingbag\nsegmentation fault",
            "segmentation fault\nin embedding_bag",
        ),
        questions=(
            "Why does nn.EmbeddingBag end with a segmentation fault?",
            "EmbeddingBag crashes the process without a Python error",
            "What happens if offsets are negative?",
            "Index -1 of input takes value, but none of my ids is that large",
            "Sums of an EmbeddingBag are different at every call, random garbage",
        ),
        words="segfault, SIGSEGV, core dumped, crash, out of bounds read, garbage, undefined "
        "behaviour, negative offsets, memory",
        own_process=True,
    ),
)
