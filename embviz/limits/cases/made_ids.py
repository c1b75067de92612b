"""Cases about ids that code makes: positions, ids that were floats, a size taken for an id."""

from embviz.limits.case import Case

# Rows that the position tables of well-known models have.
CASES = (
    Case(
        name="positions-beyond-the-table",
        title="A text longer than the table of positions",
        claim="A table of 4 positions has no row for the fifth token. Its lookup raises, and so "
        "does adding the whole table to a longer text.",
        why="Position embeddings are a lookup with ids 0, 1, 2 …, and the model has a largest "
        "length, often 512 or 1024 tokens. Special tokens count too. So only long texts fail.",
        raises=(
            "IndexError: index out of range in self",
            "RuntimeError: The size of tensor a (6) must match the size of tensor b (4)",
        ),
        sides=("lookup of 6 positions", "6 tokens + 4 positions"),
        program="""
tokens = torch.zeros(6, 3)  # a text of 6; the table has 4 positions
left = tokens + F.embedding(torch.arange(6), weight)

right = tokens + weight
""",
        line="tokens + F.embedding(torch.arange(6), weight)",
        fix="Cut the text, or split it into pieces. More rows help only after training them.",
        source=("nn.Embedding",),
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
            "your absolute positional embedding has a max sequence length of",
            "will exceed the model's predefined maximum length",
            "is longer than the maximum model length",
            "position_embeddings(\nindex out of range in self",
            "embed_positions(\nindex out of range in self",
            "wpe(position_ids)\nindex out of range in self",
            "position_embeddings\nthe size of tensor a … must match the size of tensor b",
            "pos_emb\nthe size of tensor a … must match the size of tensor b",
            "positional_embedding\nthe size of tensor a … must match the size of tensor b",
            "self.pe[\nthe size of tensor a … must match the size of tensor b",
            "wpe\nthe size of tensor a … must match the size of tensor b",
            "token_type_ids\nthe expanded size of the tensor … must match the existing size",
        ),
        general=(
            "the size of tensor a … must match the size of tensor b",
            "the expanded size of the tensor … must match the existing size",
        ),
        questions=(
            "Why does my model fail for long sentences only?",
            "BERT index out of range for more than 512 tokens",
            "input is longer than max_position_embeddings",
            "text longer than the block size or context window of a GPT",
            "How do I extend learned position embeddings to longer sequences?",
            "works for short inputs but IndexError in the positional embedding for long ones",
            "CLIP text encoder: more than 77 tokens",
            "gpt model fails when the prompt is longer than block_size",
        ),
        words="position embeddings, positional, positions, max_position_embeddings, block_size, "
        "context length, context window, max length, max_length, truncation, truncate, long text, "
        "long sequence, too long, 512, 1024, 77, BERT, RoBERTa, GPT, wpe, only long texts",
    ),
    Case(
        name="large-float-ids",
        title="Ids above 2^24 that were once floats",
        claim="Float32 cannot tell 16,777,217 from 16,777,216. Ids that were floats before look "
        "up another row, without an error.",
        why="Float32 keeps 24 binary digits, so from 2^24 on it has even numbers only. `.long()` "
        "cannot bring the last digit back. float16 is exact up to 2048, bfloat16 up to 256, "
        "float64 up to 2^53.",
        differ=2,
        sides=("ids", "the same ids after float32"),
        program="""
ids = torch.tensor([16_777_215, 16_777_216, 16_777_217, 16_777_219])
left = ids

right = ids.float().long()
""",
        line="ids.float().long()",
        fix="Read ids as int64 from the file, and keep them so. If they must be floats, use "
        "float64.",
        source=("torch.finfo", "torch.Tensor"),
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
            "user ids got changed after casting to float32 and back, 16777217 becomes 16777216",
        ),
        words="item codes, user numbers, million, neighbour, collide, dataframe, pandas, "
        "precision, float32, float, collide, collision, hash, hashed, hashing, 2**24, 2^24, "
        "16777216, 16777217, big ids, large ids, last digits, rounding, pandas, CSV, NaN column, "
        "torch.Tensor, half, bfloat16, same row, duplicate",
    ),
    Case(
        name="long-tensor-of-a-size",
        title="torch.LongTensor(5) is not the id 5",
        claim="`torch.LongTensor(5)` makes 5 ids with arbitrary values; `torch.tensor([5])` makes "
        "the one id 5.",
        why="The old constructors take a number as a size, and the new tensor keeps what was in "
        "its memory before. A lookup of such ids raises, or returns wrong rows. They take a list "
        "as values, and cut off decimals. They make only CPU tensors of their own type, so "
        "another device or a tensor of floats raises.",
        differ=1,
        sides=("shape of torch.LongTensor(5)", "shape of torch.tensor([5])"),
        program="""
left = torch.LongTensor(5).shape

right = torch.tensor([5]).shape
""",
        line="torch.LongTensor(5)",
        fix="Write `torch.tensor(ids)`, with a list of ids.",
        source=("torch.Tensor", "torch.tensor", "pytorch issue 47112"),
        typed="""
number = 3
row = embedding(torch.tensor([number]))
assert torch.equal(row, embedding.weight[3:])
""",
        messages=(
            "new(): data must be a sequence",
            "expected tensoroptions(dtype=long int",
            "expected torch.longtensor (got torch.",
            "expected cpu (got cuda)",
            "legacy constructor expects device type",
            "legacy constructor for device type",
            "legacy tensor constructor of the form torch.tensor(tensor, device=device)",
            "legacy tensor new of the form tensor.new(tensor, device=device)",
        ),
        general=(
            "new(): invalid data type",
            "new() received an invalid combination of arguments - got (float",
            "trying to create tensor with negative dimension",
        ),
        questions=(
            "Why does LongTensor of one integer have several random values?",
            "How do I look up a single id?",
            "difference between torch.tensor and torch.LongTensor",
            "IndexError although my index is small, built by torch.LongTensor(idx)",
            "torch.Tensor(3) gives three garbage numbers",
            "turn a Python int into a tensor for nn.Embedding",
            "torch.LongTensor(3) prints garbage numbers instead of 3",
            "difference LongTensor(5) and LongTensor([5]) random huge values index out of range",
        ),
        words="LongTensor, torch.Tensor, IntTensor, FloatTensor, constructor, uninitialized, "
        "garbage, random values, single id, scalar, one number, integer, size, shape, legacy, "
        "torch.tensor, one word, arbitrary",
    ),
)
