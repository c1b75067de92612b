"""Cases about sizes: tables above 2^31 numbers, and one-hot rows that do not fit in memory."""

from embviz.limits.case import LOOKUP, Case

# Any tensor may be too large; the line above tells which it was.
ALLOCATIONS = (
    "you tried to allocate",
    "defaultcpuallocator: can't allocate memory",
    "defaultcpuallocator: not enough memory",
    "out of memory. tried to allocate",
    "mps backend out of memory",
    "cuda error: out of memory",
    "unable to allocate … for an array with shape",
    "oom when allocating tensor with shape",
)

CASES = (
    Case(
        name="large-tables",
        title="Tables above 2^31 numbers",
        claim="In a table of 30,000,000 × 128 numbers, the position of row 2^24 does not fit into "
        "int32: it becomes negative.",
        why="int32 ends at 2^31 - 1 = 2,147,483,647. PyTorch counts in int64, but some GPU "
        "kernels counted in int32 and lost gradients. In float32 this table takes 15.4 GB, and "
        "with its gradient and Adam's two averages 61.4 GB.",
        differ=2,
        sides=("where rows begin, in int32", "where rows begin"),
        program="""
rows = torch.tensor([0, 2**24 - 1, 2**24, 29_999_999])
left = rows.int() * 128  # 128 numbers a row

right = torch.tensor([0, 2_147_483_520, 2_147_483_648, 3_839_999_872])
""",
        line="rows.int() * 128",
        fix="Compute positions in int64. To know the size before, make the table on the device "
        "`meta` and read its `nbytes`. With `sparse=True`, plain SGD keeps no second table.",
        source=("Meta device", "pytorch issue 188467", "pytorch issue 169930"),
        typed="""
embedding = nn.Embedding(30_000_000, 128, device="meta")  # a shape without memory
embedding.weight.grad = torch.zeros_like(embedding.weight)
adam = torch.optim.Adam(embedding.parameters())
adam.step()
averages = sum(one.nbytes for one in adam.state[embedding.weight].values())
assert round((2 * embedding.weight.nbytes + averages) / 1e9, 1) == 61.4
""",
        messages=tuple(f"nn.embedding(\n{message}" for message in ALLOCATIONS),
        general=(
            *ALLOCATIONS,
            "an illegal memory access was encountered",
            "storage size calculation overflowed",
            "numel: integer multiplication overflow",
            "value cannot be converted to type int32 without overflow",
            "value cannot be converted to type int without overflow",
            "out of bounds for int32",
            "python int too large to convert to c long",
            "canuse32bitindexmath",
            "more than int_max elements",
            "larger than int_max",
        ),
        questions=(
            "How large may an nn.Embedding be?",
            "How much memory does an embedding of 30 million rows need with Adam?",
            "embedding table with more than two billion parameters",
            "illegal memory access with a very big table",
            "row offset overflows in my CUDA or Triton kernel",
            "maximum num_embeddings times embedding_dim",
            "billions of ids in a recommender, does the table fit?",
            "embedding with 30 million rows gives illegal memory access / int overflow",
        ),
        words="int32, overflow, 2**31, 2^31, INT_MAX, 2147483647, huge, billions, elements, numel, "
        "limit, maximum size, illegal memory access, memory of a table, gigabytes, GB, "
        "recommender, Triton, kernel, 64-bit indexing, optimizer state, Adam memory, DLRM",
        see="timing",
    ),
    Case(
        name="one-hot-out-of-memory",
        title="A one-hot that does not fit in memory",
        claim="The one-hot rows of 2 ids among 2^50 need 18 petabytes, and PyTorch raises. A "
        "lookup of the same ids makes no one-hot rows.",
        why="`F.one_hot` stores 8 bytes for each token and word: 16,384 tokens and 200,000 words "
        "are 26 GB, and `.float()` adds half of that. A lookup reads 16,384 rows.",
        raises=("", "RuntimeError: … you tried to allocate 18014398509481984 bytes"),
        sides=(LOOKUP, "one-hot"),
        program="""
ids, words = torch.tensor([0, 2]), 2**50
left = F.embedding(ids, weight[:1].expand(words, 3))  # one row in memory, shown 2**50 times

right = F.one_hot(ids, num_classes=words)
""",
        line="F.one_hot(ids, num_classes=words)",
        fix="Look up. If you need the matrix, make it sparse: then it stores only the ones.",
        source=("F.one_hot", "torch.sparse"),
        typed="""
places = torch.stack([torch.arange(len(ids)), ids])  # row and column of each 1
shape = (len(ids), linear.in_features)
x = torch.sparse_coo_tensor(places, torch.ones(len(ids)), shape, check_invariants=True)
assert torch.equal(linear(x), embedding(ids))
""",
        messages=(
            *(f"one_hot(\n{message}" for message in ALLOCATIONS),
            *(f"to_categorical(\n{message}" for message in ALLOCATIONS),
        ),
        general=ALLOCATIONS,
        questions=(
            "How large is a one-hot matrix of my vocabulary?",
            "F.one_hot runs out of RAM with many classes",
            "CUDA out of memory when I one-hot encode token ids",
            "a lighter alternative to one-hot vectors for a big vocabulary",
            "can I make a sparse one-hot in PyTorch?",
            "np.eye or to_categorical needs too much memory",
            "the kernel dies when I build the one-hot matrix",
            "how to one hot encode a huge vocabulary without running out of RAM",
        ),
        words="unique users, categories, sparse encoder, before the dense layer, eats, "
        "OOM, out of memory, RAM, MemoryError, allocate, DefaultCPUAllocator, memory, large "
        "vocabulary, many classes, np.eye, torch.eye, to_categorical, get_dummies, OneHotEncoder, "
        "dense, sparse, sparse one-hot, bytes, gigabytes, int64, killed, too big",
        see="timing",
    ),
)
