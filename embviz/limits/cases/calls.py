"""Cases about calls that PyTorch refuses: swapped arguments, a layer for its weight, odd sizes."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="swapped-arguments",
        title="F.embedding(table, ids): arguments swapped",
        claim="`F.embedding` takes the ids first and the table second. If you swap them, ids in "
        "one dimension raise `'weight' must be 2-D`. Ids in two dimensions raise an error that "
        "says the indices are floats.",
        why="`table[ids]` names the table first, and so does TensorFlow's `embedding_lookup`. "
        "`'weight' must be 2-D` means that the second argument is no table: it has one "
        "dimension, or it is empty. Outside of forward, FSDP and DeepSpeed's ZeRO-3 keep only a "
        "flat piece of the weight.",
        raises=(
            "RuntimeError: 'weight' must be 2-D",
            "RuntimeError: Expected tensor for argument #1 'indices'",
        ),
        sides=("ids of shape (2,)", "ids of shape (1, 2)"),
        program="""
ids = torch.tensor([0, 2])
left = F.embedding(weight, ids)

right = F.embedding(weight, ids[None])
""",
        line="left = F.embedding(weight, ids)",
        fix="Write `F.embedding(ids, weight)`. Gather a weight that is spread over processes "
        "before you call the function on it, or call the model itself.",
        typed="""
rows = F.embedding(ids, embedding.weight)
assert torch.equal(rows, embedding(ids))
""",
        source=("F.embedding", "FSDP"),
        messages=(
            "'weight' must be 2-d",
            "f.embedding(weight, \nargument #1 'indices' … got torch.float",
            "f.embedding(table, \nargument #1 'indices' … got torch.float",
            "f.embedding(self.weight, \nargument #1 'indices' … got torch.float",
            "f.embedding(embedding.weight, \nargument #1 'indices' … got torch.float",
        ),
        questions=(
            "F.embedding argument order: input or weight first?",
            "What does 'weight' must be 2-D mean?",
            "torch.nn.functional.embedding says my indices are float, but they are long",
            "RuntimeError 'weight' must be 2-D under ZeRO-3, FSDP or DeepSpeed",
            "I gave the embedding matrix and then the indices to F.embedding",
        ),
        words="swap, order of arguments, position, input, indices, params, tf.nn.embedding_lookup, "
        "sharded, ZeRO stage 3, FlatParameter, GatheredParameters, 1-D weight, empty weight",
    ),
    Case(
        name="layer-for-its-weight",
        title="The layer is not its table",
        claim="`x @ embedding` and `F.embedding(ids, embedding)` raise `TypeError`: the layer is a "
        "module, and the table is its attribute `weight`.",
        why="You call a module: `embedding(ids)`. A module has no shape, no dtype, no length and "
        "no `[...]`. Its `weight` is a tensor and has them all. The same holds for `nn.Linear`.",
        raises=(
            "TypeError: unsupported operand type(s) for @: 'Tensor' and 'Embedding'",
            "TypeError: embedding(): argument 'weight' (position 1) must be Tensor, not Embedding",
        ),
        sides=("x @ layer", "F.embedding(ids, layer)"),
        program="""
ids, layer = torch.tensor([0, 2]), nn.Embedding.from_pretrained(weight)
left = one_hot(ids) @ layer

right = F.embedding(ids, layer)
""",
        line="left = one_hot(ids) @ layer",
        fix="Write `embedding.weight` where a tensor is wanted.",
        typed="""
rows = F.one_hot(ids, num_classes=4).float() @ embedding.weight
assert torch.equal(rows, embedding(ids)) and embedding.weight.shape == (4, 3)
""",
        source=("nn.Embedding", "nn.Module"),
        messages=(
            "unsupported operand type(s) for … 'embedding'",
            "unsupported operand type(s) for … 'linear'",
            "argument 'weight' (position … must be tensor, not embedding",
            "argument 'weight' (position … must be tensor, not linear",
            "'embedding' object does not support item assignment",
            "object of type 'embedding' has no len()",
            "'embedding' object has no attribute 'shape'",
            "'embedding' object has no attribute 'size'",
            "'embedding' object has no attribute 'dim'",
            "'embedding' object has no attribute 'dtype'",
            "'embedding' object has no attribute 'device'",
            "'embedding' object has no attribute 'numpy'",
            "'embedding' object has no attribute 'detach'",
            "'embedding' object has no attribute 'data'",
            "'embedding' object has no attribute 'grad'",
            "'embedding' object has no attribute 't'",
            "'linear' object has no attribute 'shape'",
            "embedding[…'embedding' object is not subscriptable",
        ),
        general=("'embedding' object is not subscriptable",),
        questions=(
            "How do I get the embedding matrix, the table, out of the layer?",
            "What is the shape of an nn.Embedding?",
            "How do I multiply a one-hot matrix with an embedding layer?",
            "Embedding object is not subscriptable: how do I read one row?",
            "How do I convert an embedding layer to numpy?",
        ),
        words="weight, weight.data, get_weights, matrix, parameter, attribute, module, index into "
        "the layer, len, numpy, TypeError, AttributeError",
    ),
    Case(
        name="size-of-a-table",
        title="The size of a table is two whole numbers",
        claim="`nn.Embedding(4.0, 3)` raises `TypeError`, and a negative number of rows raises "
        "`RuntimeError`.",
        why="Both sizes must be whole numbers of Python. `rows / 2` is a float, `weight.shape` "
        "is a tuple, and `max(ids) + 1` can be negative if all ids are negative. Without "
        "`embedding_dim` a positional argument is missing: the layer takes sizes, not ids and "
        "not a tensor.",
        raises=(
            "TypeError: empty(): argument 'size' … must be tuple of ints, but found element of "
            "type float",
            "RuntimeError: Trying to create tensor with negative dimension",
        ),
        sides=("4.0 rows", "-1 rows"),
        program="""
left = nn.Embedding(4.0, 3).weight.shape

right = nn.Embedding(-1, 3).weight.shape
""",
        line="left = nn.Embedding(4.0, 3).weight.shape",
        fix="Pass two whole numbers: `nn.Embedding(int(rows), dim)`. If you have a table "
        "already, use `nn.Embedding.from_pretrained(table)`.",
        typed="""
embedding = nn.Embedding(int(8 / 2), 5)
assert embedding.weight.shape == (4, 5)
""",
        source=("nn.Embedding",),
        messages=(
            "embedding(\ntrying to create tensor with negative dimension",
            "missing 1 required positional argument: 'embedding_dim'",
            "missing 1 required positional argument: 'num_embeddings'",
            "missing 2 required positional arguments: 'num_embeddings' and 'embedding_dim'",
            "embedding(…new() received an invalid combination of arguments - got (float, int)",
            "embedding(…empty() received an invalid combination of arguments - got (tuple",
            "embedding(…argument 'size' … type must be tuple of ints,but got",
            "embedding(…argument 'size' … must be tuple of ints, but found element of type float",
        ),
        general=(
            "new() received an invalid combination of arguments - got (float, int)",
            "empty() received an invalid combination of arguments - got (tuple",
            "argument 'size' … type must be tuple of ints,but got",
            "argument 'size' … must be tuple of ints, but found element of type float",
            "trying to create tensor with negative dimension",
        ),
        questions=(
            "What arguments does nn.Embedding need?",
            "May num_embeddings be a float or a NumPy number?",
            "Why is a positional argument embedding_dim missing?",
            "How do I make an nn.Embedding of a tensor that I have?",
            "Trying to create tensor with negative dimension in nn.Embedding",
        ),
        words="num_embeddings, embedding_dim, int, float, division, negative, shape, tuple, "
        "constructor, __init__",
    ),
)
