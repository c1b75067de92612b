"""Cases about sizes: too long a text, too large ids, tables and one-hot rows, a size as an id."""

from embviz.limits.case import LOOKUP, Case, docs, issue

EMBEDDING = docs("nn.Embedding")
ONE_HOT = docs("F.one_hot")
META = docs("Meta device", "meta")
# Rows that the position tables of well-known models have.
LENGTHS = (77, 512, 514, 1024, 2048, 4096)
# What a too long text says there, in a sum and in attention; n is one of LENGTHS.
TOO_LONG = (
    "the size of tensor a … must match the size of tensor b ({n}) at non-singleton dimension 1",
    "the expanded size of the tensor … must match the existing size ({n}) at non-singleton "
    "dimension 1",
    "the size of tensor a … must match the size of tensor b ({n}) at non-singleton dimension 3",
    "the size of tensor a ({n}) must match the size of tensor b (…) at non-singleton dimension 3",
)
# Programs of which one line differs after the fix.
OFFSET = """
rows = torch.tensor([0, 2**24 - 1, 2**24, 29_999_999])
starts = {starts}  # 128 numbers a row
left = starts

right = torch.tensor([0, 2_147_483_520, 2_147_483_648, 3_839_999_872])
"""

CASES = (
    Case(
        name="positions-beyond-the-table",
        title="A text longer than the table of positions",
        claim="A table of 4 positions has no row for the fifth token. Its lookup raises, and so "
        "does adding the whole table to a longer text.",
        why="Position embeddings are a lookup with ids 0, 1, 2 …, and the model was built for a "
        "longest text, often 512 or 1024 tokens. Special tokens count too. So short texts work.",
        raises=(
            "IndexError: index out of range in self",
            "RuntimeError: The size of tensor a (6) must match the size of tensor b (4)",
        ),
        sides=("lookup of 6 positions", "6 tokens + 4 positions"),
        breaks="""
tokens = torch.zeros(6, 3)  # a text of 6; the table has 4 positions
left = tokens + F.embedding(torch.arange(6), weight)

right = tokens + weight
""",
        line="tokens + F.embedding(torch.arange(6), weight)",
        fix="Cut the text, or split it into pieces. More rows help only after training them.",
        mends="""
tokens = torch.zeros(6, 3)[: len(weight)]
left = tokens + F.embedding(torch.arange(len(tokens)), weight)

right = tokens + weight
""",
        fixed_sides=("lookup of 4 positions", "4 tokens + 4 positions"),
        source=(EMBEDDING,),
        typed="""
tokens = torch.zeros(7, 3)  # a text of 7; `embedding` has 4 positions
tokens = tokens[: embedding.num_embeddings]
rows = tokens + embedding(torch.arange(len(tokens)))
assert torch.equal(rows, embedding.weight)
""",
        messages=(
            "sequence length is longer than the specified maximum sequence length",
            "cannot forward sequence of length",
            "model block size is exhausted",
            "sequence length must be less than max_position_embeddings",
            "is too long for context length",
            "since max_positions=",
            "embeddings += position_embeddings … must match the size of tensor b",
            "position_embeddings(… index out of range in self",
            "embed_positions(… index out of range in self",
            "wpe(position_ids) … index out of range in self",
            "must match the size of tensor b (5000) at non-singleton dimension",
            "your absolute positional embedding has a max sequence length of",
            "will exceed the model's predefined maximum length",
            "is longer than the maximum model length",
            *(text.format(n=length) for length in LENGTHS for text in TOO_LONG),
        ),
        questions=(
            "Why does my model fail for long sentences only?",
            "BERT index out of range for more than 512 tokens",
            "input is longer than max_position_embeddings",
            "text longer than the block size or context window of a GPT",
            "How do I extend learned position embeddings to longer sequences?",
            "works for short inputs but IndexError in the positional embedding for long ones",
            "CLIP text encoder: more than 77 tokens",
        ),
        words="position embeddings, positional, positions, max_position_embeddings, block_size, "
        "context length, context window, max length, max_length, truncation, truncate, long text, "
        "long sequence, too long, 512, 1024, 77, BERT, RoBERTa, GPT, wpe, only long texts",
    ),
    Case(
        name="large-float-ids",
        title="Ids above 2^24 that were once floats",
        claim="Float32 cannot tell 16,777,217 from 16,777,216. Ids that were floats look up "
        "another row, without an error.",
        why="Float32 keeps 24 binary digits, so from 2^24 on it has even numbers only. `.long()` "
        "cannot bring the last digit back. float16 is exact up to 2048, bfloat16 up to 256, "
        "float64 up to 2^53.",
        differ=2,
        sides=("ids", "the same ids after float32"),
        breaks="""
ids = torch.tensor([16_777_215, 16_777_216, 16_777_217, 16_777_219])
left = ids

right = ids.float().long()
""",
        line="ids.float().long()",
        fix="Keep ids as int64 from the file on; if they must be floats, as float64.",
        mends="""
ids = torch.tensor([16_777_215, 16_777_216, 16_777_217, 16_777_219])
left = ids

right = ids.double().long()
""",
        fixed_sides=("ids", "the same ids after float64"),
        source=(docs("torch.finfo", "type_info"), docs("torch.Tensor", "tensors")),
        typed="""
hashed = torch.tensor([16_777_216, 16_777_217])  # int64, never float
rows = embedding(hashed % embedding.num_embeddings)
assert torch.equal(rows, embedding.weight[:2])
""",
        questions=(
            "Two different ids look up the same row after conversion from float",
            "Why is 16777217 stored as 16777216?",
            "user ids from a CSV lose precision",
            "large hashed ids change when I build the tensor with torch.Tensor",
            "are float ids exact?",
            "largest integer that float32 or float16 can hold as an id",
        ),
        words="precision, float32, float, collide, collision, hash, hashed, hashing, 2**24, 2^24, "
        "16777216, 16777217, big ids, large ids, last digits, rounding, pandas, CSV, NaN column, "
        "torch.Tensor, half, bfloat16, same row, duplicate",
    ),
    Case(
        name="large-tables",
        title="Tables above 2^31 numbers",
        claim="In a table of 30,000,000 × 128 numbers, the position of row 2^24 does not fit into "
        "int32: it becomes negative.",
        why="int32 ends at 2^31 - 1 = 2,147,483,647. PyTorch counts in int64, but kernels on GPUs "
        "have counted in int32 and lost gradients. In float32 this table takes 15.4 GB, and with "
        "its gradient and Adam's two averages 61.4 GB.",
        differ=2,
        sides=("where rows begin, in int32", "where rows begin"),
        breaks=OFFSET.format(starts="rows.int() * 128"),
        line="rows.int() * 128",
        fix="Compute positions in int64. Make the table on the device `meta` first and ask it for "
        "`nbytes`. With `sparse=True`, plain SGD keeps no second table.",
        mends=OFFSET.format(starts="rows.long() * 128"),
        fixed_sides=("where rows begin, in int64", "where rows begin"),
        source=(META, issue(188467), issue(169930)),
        typed="""
embedding = nn.Embedding(30_000_000, 128, device="meta")  # a shape without memory
embedding.weight.grad = torch.zeros_like(embedding.weight)
adam = torch.optim.Adam(embedding.parameters())
adam.step()
averages = sum(one.nbytes for one in adam.state[embedding.weight].values())
assert round((2 * embedding.weight.nbytes + averages) / 1e9, 1) == 61.4
""",
        messages=(
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
        ),
        words="int32, overflow, 2**31, 2^31, INT_MAX, 2147483647, huge, billions, elements, numel, "
        "limit, maximum size, illegal memory access, memory of a table, gigabytes, GB, "
        "recommender, Triton, kernel, 64-bit indexing, optimizer state, Adam memory, DLRM",
        see=("timing", "Time a large table"),
    ),
    Case(
        name="one-hot-out-of-memory",
        title="A one-hot that does not fit in memory",
        claim="The one-hot rows of 2 ids among 2^50 need 18 petabytes, and PyTorch raises. A "
        "lookup of the same ids does not make them.",
        why="`F.one_hot` stores 8 bytes for each token and word: 16,384 tokens and 200,000 words "
        "are 26 GB, and `.float()` adds half of that. A lookup reads 16,384 rows.",
        raises=("", "RuntimeError: … you tried to allocate 18014398509481984 bytes"),
        sides=(LOOKUP, "one-hot"),
        breaks="""
ids, words = torch.tensor([0, 2]), 2**50
left = F.embedding(ids, weight[:1].expand(words, 3))  # one row in memory, shown 2**50 times

right = F.one_hot(ids, num_classes=words)
""",
        line="F.one_hot(ids, num_classes=words)",
        fix="Look up. If you need the matrix, make it sparse: it stores the ones only.",
        mends="""
ids = torch.tensor([0, 2])
left = F.embedding(ids, weight)

places = torch.stack([torch.arange(len(ids)), ids])  # row and column of each 1
x = torch.sparse_coo_tensor(places, torch.ones(len(ids)), (len(ids), 4), check_invariants=True)
right = F.linear(x, linear)
""",
        fixed_sides=(LOOKUP, "sparse one-hot × nn.Linear"),
        source=(ONE_HOT, docs("torch.sparse", "sparse")),
        typed="""
places = torch.stack([torch.arange(len(ids)), ids])  # row and column of each 1
shape = (len(ids), linear.in_features)
x = torch.sparse_coo_tensor(places, torch.ones(len(ids)), shape, check_invariants=True)
assert torch.equal(linear(x), embedding(ids))
""",
        messages=(
            "you tried to allocate",
            "defaultcpuallocator: can't allocate memory",
            "defaultcpuallocator: not enough memory",
            "posix_memalign(&data, galignment, nbytes) == 0",
            "out of memory. tried to allocate",
            "mps backend out of memory",
            "invalid buffer size",
            "cuda error: out of memory",
            "unable to allocate … for an array with shape",
            "oom when allocating tensor with shape",
        ),
        questions=(
            "How large is a one-hot matrix of my vocabulary?",
            "F.one_hot runs out of RAM with many classes",
            "CUDA out of memory when I one-hot encode token ids",
            "a lighter alternative to one-hot vectors for a big vocabulary",
            "can I make a sparse one-hot in PyTorch?",
            "np.eye or to_categorical needs too much memory",
            "the kernel dies when I build the one-hot matrix",
        ),
        words="OOM, out of memory, RAM, MemoryError, allocate, DefaultCPUAllocator, memory, large "
        "vocabulary, many classes, np.eye, torch.eye, to_categorical, get_dummies, OneHotEncoder, "
        "dense, sparse, sparse one-hot, bytes, gigabytes, int64, killed, too big",
        see=("timing", "Time it"),
    ),
    Case(
        name="long-tensor-of-a-size",
        title="torch.LongTensor(5) is no id 5",
        claim="`torch.LongTensor(5)` makes 5 ids with arbitrary values; `torch.tensor([5])` makes "
        "the one id 5.",
        why="Given a number, the old constructors take it as a size, and leave in the memory what "
        "was there. A lookup of such ids raises, or returns wrong rows. Given a list, they take "
        "its values, and cut floats off.",
        differ=1,
        sides=("shape of torch.LongTensor(5)", "shape of torch.tensor([5])"),
        breaks="""
left = torch.LongTensor(5).shape

right = torch.tensor([5]).shape
""",
        line="torch.LongTensor(5)",
        fix="Write `torch.tensor(ids)`, with a list of ids.",
        mends="""
left = torch.tensor([5])

right = torch.LongTensor([5])
""",
        fixed_sides=("torch.tensor([5])", "torch.LongTensor([5])"),
        source=(docs("torch.Tensor", "tensors"), docs("torch.tensor"), issue(47112)),
        typed="""
number = 3
row = embedding(torch.tensor([number]))
assert torch.equal(row, embedding.weight[3:])
""",
        messages=(
            "new(): data must be a sequence",
            "new(): invalid data type",
            "new() received an invalid combination of arguments - got (float",
            "trying to create tensor with negative dimension",
            "expected tensoroptions(dtype=long int",
            "expected torch.longtensor (got torch.",
            "expected cpu (got cuda)",
            "legacy constructor expects device type",
            "legacy constructor for device type",
            "legacy tensor constructor of the form torch.tensor(tensor, device=device)",
            "legacy tensor new of the form tensor.new(tensor, device=device)",
        ),
        questions=(
            "Why does LongTensor of one integer have several random values?",
            "How do I look up a single id?",
            "difference between torch.tensor and torch.LongTensor",
            "IndexError although my index is small, built by torch.LongTensor(idx)",
            "torch.Tensor(3) gives three garbage numbers",
            "turn a Python int into a tensor for nn.Embedding",
        ),
        words="LongTensor, torch.Tensor, IntTensor, FloatTensor, constructor, uninitialized, "
        "garbage, random values, single id, scalar, one number, integer, size, shape, legacy, "
        "torch.tensor, one word, arbitrary",
    ),
)
