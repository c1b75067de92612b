"""Cases about ids as data has them: names of users, counted from 1, rows of unequal length."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="raw-ids",
        title="Ids in your data are not row numbers",
        claim="A table of 4 rows takes only the ids 0 to 3. User numbers from a database raise, "
        "although these are only two users. 4 ids that are counted from 1 raise too.",
        why="An id is the place of a row, not a name. A table with as many rows as the largest "
        "number works, but most of its rows are never trained. Hashes above 2^63 do not even fit "
        "into int64.",
        raises=(
            "IndexError: index out of range in self",
            "IndexError: index out of range in self",
        ),
        sides=("numbers of users", "ids counted from 1"),
        program="""
users = torch.tensor([1007, 52, 1007])  # three purchases of two users
left = F.embedding(users, weight)

right = F.embedding(torch.tensor([1, 2, 3, 4]), weight)
""",
        line="left = F.embedding(users, weight)",
        fix="Number the users that occur from 0 on, with `torch.unique(users, "
        "return_inverse=True)`. Keep the list of users for later data. If ids are counted from "
        "1, subtract 1.",
        typed="""
users = torch.tensor([1007, 52, 1007])
known, ids = torch.unique(users, return_inverse=True)
embedding = nn.Embedding(len(known), 3)
later = torch.searchsorted(known, torch.tensor([52]))  # a user that is known
assert ids.tolist() == [1, 0, 1] and torch.equal(embedding(later), embedding.weight[:1])
""",
        source=("nn.Embedding", "torch.unique", "torch.searchsorted"),
        general=("overflow when unpacking long long",),
        questions=(
            "How do I map user ids or item ids to row numbers of an embedding?",
            "My ids are not consecutive: do I have to remap them?",
            "Do I need as many rows as the largest user id?",
            "My ids start at 1 instead of 0: should I subtract one?",
            "How do I encode a categorical column, a product number, for nn.Embedding?",
            "Can I use hashes or UUIDs as ids?",
        ),
        words="remap, mapping, contiguous, raw ids, one-based, 1-based, zero-based, label encoder, "
        "LabelEncoder, factorize, pandas category codes, dictionary, user_id, item_id, MovieLens, "
        "StringLookup, IntegerLookup, hash, unique, sparse ids, gaps",
    ),
    Case(
        name="rows-of-unequal-length",
        title="Rows of ids that are not equally long",
        claim="Texts of 3 and of 2 ids make no tensor: `torch.tensor` raises `ValueError`, and "
        "`torch.stack` raises `RuntimeError`.",
        why="In a tensor each row has the same length. NumPy raises too, or makes an array of "
        "objects, which PyTorch refuses. A DataLoader stacks its samples, so it raises as well.",
        raises=(
            "ValueError: expected sequence of length 3 at dim 1 (got 2)",
            "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and "
            "[2] at entry 1",
        ),
        sides=("torch.tensor", "torch.stack"),
        program="""
left = torch.tensor([[0, 1, 2], [3, 0]])

right = torch.stack([torch.tensor([0, 1, 2]), torch.tensor([3, 0])])
""",
        line="left = torch.tensor([[0, 1, 2], [3, 0]])",
        fix="Pad the shorter rows with an id that no word has: use `pad_sequence`, and "
        "`padding_idx` in the layer. Or give `nn.EmbeddingBag` one list of ids with `offsets`.",
        typed="""
from torch.nn.utils.rnn import pad_sequence
padded = pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([3])], batch_first=True)
embedding = nn.Embedding(4, 3, padding_idx=0)
assert embedding(padded).shape == (2, 3, 3) and not embedding(padded)[1, 1:].any()
""",
        source=("nn.utils.rnn.pad_sequence", "nn.EmbeddingBag"),
        messages=(
            "expected sequence of length … at dim",
            "each element in list of batch should be of equal size",
            "unable to create tensor, you should probably activate truncation and/or padding",
            "can't convert non-rectangular python sequence to tensor",
        ),
        general=(
            "stack expects each tensor to be equal size",
            "setting an array element with a sequence",
            "can't convert np.ndarray of type numpy.object_",
        ),
        questions=(
            "How do I make a batch of sentences of different length?",
            "My lists of word indices have unequal lengths, torch.tensor raises",
            "How do I pad sequences for nn.Embedding?",
            "DataLoader: stack expects each tensor to be equal size",
            "variable length sequences as the input of an embedding",
            "ragged or nested list of ids to tensor",
        ),
        words="ragged, jagged, nested, variable length, padding, pad_sequence, collate_fn, batch, "
        "inhomogeneous shape, object array, pad_sequences, truncation, RaggedTensor",
    ),
)
