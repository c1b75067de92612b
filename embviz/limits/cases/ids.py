"""Cases about ids: without a row, of another type, or a batch without the largest one."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="out-of-range",
        title="An id that has no row",
        card=True,
        claim="With 4 rows the ids run from 0 to 3. On the CPU, id 4 raises `IndexError` in "
        "`nn.Embedding` and `RuntimeError` in `F.one_hot`.",
        why="`num_embeddings` is the number of rows, so the largest id is one less, as in NumPy, "
        "TensorFlow, `gather` and `scatter_`. On the CPU a negative id is refused too, but "
        "`table[-1]` is the last row. A table of 0 rows takes no id. On a GPU this call returns, "
        "and a later call raises: that is another case.",
        raises=(
            "IndexError: index out of range in self",
            "RuntimeError: Class values must be smaller than num_classes",
        ),
        program="""
ids = torch.tensor([0, 4])  # the rows are 0 to 3
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="ids = torch.tensor([0, 4])  # the rows are 0 to 3",
        fix="Make the table with (largest id + 1) rows.",
        typed="""
embedding = nn.Embedding(5, 3)  # the rows are 0 to 4
rows = embedding(torch.tensor([0, 4]))
assert torch.equal(rows[1], embedding.weight[4])
""",
        source=("nn.Embedding", "pytorch issue 93880", "pytorch issue 19120"),
        messages=(
            "self indexing axis dim should be positive",
            "index out of range in self",
            "class values must be non-negative",
            "index out of range at …aten/src/th",
            "index out of range: tried to access index",
            "index … of input takes value … which is not in the valid range",
            "index … is out of bounds: …, range 0 to",
            "expected idx >= 0 && idx < num_embeddings",
            "indices element out of data bounds",
            "indices[…] = … is not in [0, ",
            "class values must be smaller than num_classes",
            "hot.scatter_(…index … is out of bounds for dimension 1 with size",
            "np.eye(…index … is out of bounds for axis 0 with size",
        ),
        general=(
            "index … is out of bounds for dimension … with size",
            "invalid index in scatter",
            "invalid index in gather",
            "index … is out of bounds for axis … with size",
            "index … is out of bounds for size",
        ),
        questions=(
            "An index error at the last word of the vocabulary",
            "Why does nn.Embedding raise index out of range?",
            "What is the largest id that an embedding takes: is it num_embeddings or one less?",
            "Do word indices begin with 0 or with 1? My last word crashes.",
            "Must num_embeddings be the vocabulary size or the sequence length?",
            "Can I use -1 or -100 as an index for padding or ignored labels?",
            "A new token added to the tokenizer has no row in the model's table.",
            "embedding lookup crashes, token larger than vocab size what to do",
        ),
        words="crash, crashes, last word, invalid index, bounds, too large id, "
        "index out of range, vocabulary size, num_embeddings, off by one, token, negative "
        "id, -1, padding, ignore_index, NumPy, TensorFlow, tf.gather, Keras, np.take, ONNX Gather",
    ),
    Case(
        name="rows-from-max",
        title="As many rows as max(ids) + 1",
        claim="`max(ids) + 1` rows are enough for these ids, but not for a larger id that comes "
        "later.",
        why="A table never grows, so count the ids of the whole vocabulary, not of one batch. "
        "`max(ids) + 1` and `ids.max() + 1` are tensors: `nn.Embedding` takes them as a size, "
        "but JSON does not. If the ids have two dimensions, Python's `max` compares whole rows. "
        "`max(ids)` alone is a view, so `rows = max(ids)` and then `rows += 1` change the ids "
        "themselves.",
        raises=("IndexError: index out of range in self", ""),
        sides=("table of max(ids) + 1 rows", "table of the whole vocabulary"),
        program="""
ids, later = torch.tensor([0, 2]), torch.tensor([3])
rows = max(ids) + 1  # tensor(3)
left = F.embedding(later, weight[:rows])

right = F.embedding(later, weight)
""",
        line="rows = max(ids) + 1  # tensor(3)",
        fix="Take the size of the vocabulary, as a Python number.",
        typed="""
vocabulary = ["<pad>", "the", "cat", "sat"]
embedding = nn.Embedding(len(vocabulary), 3)
later = torch.tensor([vocabulary.index("sat")])
assert embedding(later).shape == (1, 3)
""",
        source=("nn.Embedding", "torch.max", "Tensor.item", "Tensor views"),
        messages=(
            "embedding(…new() received an invalid combination of arguments - got (tensor, int)",
            "embedding(…argument 'size' … must be tuple of ints, but found element of type tensor",
            "max(ids…boolean value of tensor with more than one value is ambiguous",
        ),
        general=(
            "max(\nboolean value of tensor with more than one value is ambiguous",
            "object of type tensor is not json serializable",
            "new() received an invalid combination of arguments - got (tensor, int)",
            "argument 'size' … must be tuple of ints, but found element of type tensor",
            "only integer tensors of a single element can be converted to an index",
        ),
        questions=(
            "How do I choose num_embeddings: the largest number plus one, or the set of ids?",
            "How many rows, num_embeddings, should my table have?",
            "Is max(ids) + 1 enough as the number of rows?",
            "What about categories or words that were not in the training data?",
            "The validation set has a larger id than the train split.",
            "May num_embeddings be a tensor, a float or a NumPy number?",
            "how do I choose num_embeddings? is len(set(ids)) ok or largest number plus one",
            "embedding size from training data biggest id, test set has new id and crashes",
        ),
        words="num_embeddings, num_idx, num_idx = max(idx) + 1, idx.max() + 1, item, int, size, "
        "a tensor, 2D, vocabulary size, unseen word, num_idx += 1, in-place, view, "
        "my ids are changing",
    ),
    Case(
        name="float-ids",
        title="Ids that are no integers",
        card=True,
        claim="Both routes refuse ids that are floats, even whole ones such as 2.0.",
        why="An id is a row number, and there is no row 1.5. Floats come from "
        "`torch.Tensor(list)`, from NumPy, and from an empty text, because `torch.tensor([])` is "
        "float. A list, a NumPy array and None are not tensors, and words need numbers first.",
        raises=(
            "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following "
            "scalar types: Long, Int",
            "RuntimeError: one_hot is only applicable to index",
        ),
        program="""
ids = torch.tensor([0.0, 2.0])
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="ids = torch.tensor([0.0, 2.0])",
        fix="Convert whole floats with `.long()`, a list with `torch.tensor(ids)`, words with a "
        "vocabulary. Float32 cannot hold every integer above `2**24`: make such ids as integers. "
        "`NoneType` means that the ids were never set.",
        typed="""
ids = torch.tensor([1.0, 3.0]).long()
assert torch.equal(embedding(ids), embedding.weight[[1, 3]])
""",
        source=("nn.Embedding", "torch.tensor", "pytorch issue 116598"),
        messages=(
            "expected tensor for argument #1 'indices' to have scalar type long",
            "expected object of scalar type long but got scalar type … 'indices'",
            "one_hot(): argument … must be tensor, not",
            "can not infer total number of classes from empty tensor",
            "parameter 'indices' has datatype float",
            "input type must be an integer or unsigned integer",
            "expected tensor for argument #1 'indices' to have one of the following scalar types",
            "weight[\ntensors used as indices must be long",
            "index_select(): expected dtype int32/int64 for index",
            "index_select(): expected dtype int32 or int64 for index",
            "hot.scatter_(…expected dtype int32/int64 for index",
            "hot.scatter_(…expected dtype int64 for index",
            "hot.scatter_(…expected object of scalar type long but got scalar type … 'index'",
            "expected object of scalar type long but got scalar type …_th_index_select",
            "embedding(): argument 'indices' (position … must be tensor, not",
            "embedding_bag(): argument 'indices' (position … must be tensor, not",
            "embedding_bag…'list' object has no attribute 'dim'",
            "embeddingbag(…'list' object has no attribute 'dim'",
            "embedding_bag…'numpy.ndarray' object has no attribute 'dim'",
            "embeddingbag(…'numpy.ndarray' object has no attribute 'dim'",
            "np.eye(…only integers, slices (':'), ellipsis ('...')",
        ),
        general=(
            "expected scalar type long but found float",
            "expected dtype int32/int64 for index",
            "'numpy.ndarray' object has no attribute 'dim'",
            "tensors used as indices must be long",
            "expected dtype int32 or int64 for index",
            "expected dtype int64 for index",
            "expected object of scalar type long but got scalar type … 'index'",
            "but found type torch.floattensor for argument #3 'index'",
            "but found type torch.cuda.floattensor for argument #3 'index'",
            "argument 'input' (position … must be tensor, not",
            "'list' object has no attribute 'dim'",
            "'list' object has no attribute 'size'",
            "'list' object has no attribute 'shape'",
            "'list' object has no attribute 'to'",
            "'list' object has no attribute 'long'",
            "'list' object has no attribute 'numel'",
            "'numpy.ndarray' object has no attribute 'long'",
            "too many dimensions 'str'",
            "new(): invalid data type 'str'",
            "arrays used as indices must be of integer",
            "only integers, slices (`:`), ellipsis (`...`)",
        ),
        questions=(
            "A column of a CSV file is read as float: can it go to an embedding?",
            "Can an embedding take float numbers, a list or a NumPy array as its input?",
            "How do I convert word indices from a list or a DataFrame into a LongTensor?",
            "Why must the input of nn.Embedding be of type long?",
            "An empty text or batch gives a float tensor.",
            "The embedding got None, a string or a bool instead of a tensor.",
            "Tokens came out of the DataLoader or of pandas as float.",
            "my csv column is read as float, can i feed it directly to embedding layer",
        ),
        words="FloatTensor, expected Long, scalar type, dtype, long, int16, bool, numpy, array, "
        "list, tuple, convert, TypeError, empty, zero tokens, empty text, empty batch",
    ),
    Case(
        name="int32-ids",
        title="int32 ids and int64 ids",
        claim="`nn.Embedding` takes int32 ids; `F.one_hot` refuses them.",
        why="int32 ids need half the memory, and the lookup reads both types. `F.one_hot` accepts "
        "int64 only.",
        raises=("", "RuntimeError: one_hot is only applicable to index tensor"),
        program="""
ids = torch.tensor([0, 2], dtype=torch.int32)
left = F.embedding(ids, weight)

right = one_hot(ids) @ weight
""",
        line="ids = torch.tensor([0, 2], dtype=torch.int32)",
        fix="Give `F.one_hot` int64 ids with `.long()`.",
        typed="""
ids = torch.tensor([0, 2], dtype=torch.int32)
hot = F.one_hot(ids.long(), num_classes=4).float()
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("F.one_hot", "pytorch issue 86162"),
        messages=(
            "expected tensor for argument #1 'indices' to have scalar type long; but got …int",
            "one_hot is only applicable to index tensor",
            "expected object of scalar type long but got scalar type int for …_th_index_select",
        ),
        general=(
            "expected object of scalar type long but got scalar type int for argument … 'index'",
        ),
        questions=(
            "Should ids be int32 or int64, torch.int or torch.long?",
            "Does nn.Embedding accept int32 ids, an IntTensor?",
            "F.one_hot refuses my integer tensor.",
            "one_hot needs int64, the lookup does not",
            "numpy int32 array works with nn.Embedding but not one hot function, why",
            "do indices have to be int64 or is torch.int enough",
        ),
        words="torch.long, LongTensor, IntTensor, int",
    ),
    Case(
        name="one-hot-without-classes",
        title="one_hot without num_classes",
        card=True,
        claim="Without `num_classes`, a one-hot row ends at the batch's largest id. The matmul "
        "fails for a batch without the table's last id.",
        why="`F.one_hot` sees the ids, not the table. It works while every batch has the last id, "
        "and fails on the first batch without it.",
        raises=("", "RuntimeError: mat1 and mat2 shapes cannot be multiplied"),
        program="""
ids = torch.tensor([0, 1])  # id 3, the last row, does not occur
left = F.embedding(ids, weight)

right = F.one_hot(ids).float() @ weight
""",
        line="F.one_hot(ids).float() @ weight",
        fix="Always pass `num_classes`, the number of rows of the table.",
        typed="""
hot = F.one_hot(ids, num_classes=embedding.num_embeddings).float()
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("F.one_hot",),
        messages=(
            "one_hot(\nmat1 and mat2 shapes cannot be multiplied",
            "one_hot(\nsize mismatch, m1",
            "one_hot(\nmat1 dim 1 must match mat2 dim 0",
            "one_hot(\nsizes of tensors must match except in dimension",
        ),
        general=(
            "shapes cannot be multiplied (…x<n> and …x<n>)",
            "size mismatch, m1: [… x <n>], m2: [… x <n>]",
            "mat1 and mat2 shapes cannot be multiplied",
            "size mismatch, m1",
            "mat1 dim 1 must match mat2 dim 0",
        ),
        questions=(
            "Why does F.one_hot give another number of columns for each batch?",
            "Do I have to pass num_classes to one_hot?",
            "One-hot rows are too short, narrower than the vocabulary.",
            "One batch fails in the linear layer, its one-hot matrix has the wrong width.",
            "one_hot infers the number of classes from the largest id",
            "one hot encoding gives different number of columns for every batch",
        ),
        words="num_classes, last id, wrong shape, batch, shapes cannot be multiplied",
    ),
)
