"""Cases about the arguments of `nn.Embedding`, which a matmul does not have."""

from embviz.limits.case import GRADIENTS, Case

CASES = (
    Case(
        name="padding-idx-value",
        title="padding_idx does not make zeros",
        card=True,
        claim="`padding_idx` does not make the output zero: it returns the values of that row.",
        why="A new `nn.Embedding` sets that row to zero. If you set the weight later, run an "
        "initializer over it or use `from_pretrained`, the row is no longer zero. The forward "
        "pass ignores the argument. `padding_idx` must be a row number: less than "
        "`num_embeddings`.",
        differ=2,
        sides=("row of padding_idx", "zeros"),
        program="""
ids = torch.tensor([0])
left = F.embedding(ids, weight, padding_idx=0)

right = torch.zeros(1, 3)
""",
        line="F.embedding(ids, weight, padding_idx=0)",
        fix="After setting the weight, set that row to zero inside `torch.no_grad()`.",
        typed="""
embedding = nn.Embedding(4, 3, padding_idx=0)
nn.init.xavier_uniform_(embedding.weight)  # fills row 0 too
with torch.no_grad():
    embedding.weight[0] = 0
assert not embedding(torch.tensor([0])).any()
""",
        source=("nn.Embedding", "pytorch issue 6411", "pytorch issue 46585"),
        messages=(
            "padding_idx must be within num_embeddings",
            "padding_idx must be within the number of embeddings",
        ),
        questions=(
            "Why is the vector of padding_idx not zero?",
            "Does padding_idx make the output of pad tokens zero?",
            "After xavier or normal initialisation the padding row is no longer zeros.",
            "from_pretrained with padding_idx does not zero the row.",
            "What is padding_idx for, and which values may it have?",
            "pad token embedding isn't zero after I load word2vec, I did give the padding index",
            "what does padding_idx=0 actually do to the output vector",
        ),
        words="pad, padding token, zero vector, init, xavier, kaiming, reset_parameters, "
        "padding is not zero",
    ),
    Case(
        name="padding-idx-gradient",
        title="padding_idx stops the gradient",
        claim="On the CPU the row of `padding_idx` gets no gradient. The Linear's column for that "
        "id does.",
        why="In the backward pass `nn.Embedding` skips the tokens with that id. A matmul does "
        "not know about padding.",
        differ=3,
        sides=GRADIENTS,
        program="""
ids = torch.tensor([0, 1, 2, 3])
F.embedding(ids, table, padding_idx=0).sum().backward()
left = table.grad

F.linear(one_hot(ids), linear).sum().backward()
right = linear.grad.T
""",
        line="F.embedding(ids, table, padding_idx=0).sum().backward()",
        fix="Set the Linear's gradient of that column to zero before each step.",
        typed="""
embedding = nn.Embedding(4, 3, padding_idx=0)
embedding(ids).sum().backward()
linear(F.one_hot(ids, num_classes=4).float()).sum().backward()
linear.weight.grad[:, 0] = 0
assert torch.equal(linear.weight.grad.T, embedding.weight.grad)
""",
        source=("nn.Embedding",),
        questions=(
            "Does the padding row learn, is it updated in training?",
            "Why is the gradient of the pad token always zero?",
            "How do I keep the padding vector fixed in a linear layer?",
            "padding_idx skips the backward pass of that id",
            "does the pad embedding get updated during training",
            "gradient of row 0 always zeros when i set padding_idx",
        ),
        words="touch, learn, ignore, skip, masked, update, backpropagation, "
        "pad, padding token, backward, frozen row",
    ),
    Case(
        name="max-norm",
        title="max_norm writes to the weight in forward",
        card=True,
        claim="With `max_norm`, a forward pass shortens the rows it looks up, in place and "
        "permanently.",
        why="Rows longer than the limit are scaled down in the table before they are returned. If "
        "the weight was used before in the same graph, backward raises: look up first.",
        differ=3,
        sides=("weight before", "weight after one forward"),
        program="""
left = weight.clone()

row = F.embedding(torch.tensor([2]), weight, max_norm=1.0)
right = weight
""",
        line="row = F.embedding(torch.tensor([2]), weight, max_norm=1.0)",
        fix="Shorten the returned rows instead of the table.",
        typed="""
before = embedding.weight.clone()
rows = embedding(ids).renorm(p=2, dim=0, maxnorm=1.0)
assert rows.norm(dim=1).max() < 1.001
assert torch.equal(embedding.weight, before)
""",
        source=("nn.Embedding", "pytorch issue 26596"),
        messages=(
            "embedding_renorm_\none of the variables needed for gradient computation has been",
            "embedding(…max_norm\none of the variables needed for gradient computation has been",
            "embedding_renorm_\nbroadcastbackward is a view",
        ),
        general=(
            "broadcastbackward is a view and its base or another view of its base has been",
            "one of the variables needed for gradient computation has been",
            "leaf variable has been moved into the graph interior",
        ),
        questions=(
            "Does max_norm change the stored weight or only the output?",
            "Weights get smaller in forward, under no_grad or eval, without an optimizer.",
            "Why do vectors change when I only evaluate the model?",
            "max_norm gives an inplace operation error in backward",
            "Renormalise, clip or limit the norm of embedding vectors.",
            "embedding weights change even though I dont call optimizer.step, I use max_norm=1",
            "inplace modification error with renorm of embeddings in forward",
        ),
        words="renorm, inplace operation, weight tying, backward, norm, in-place, evaluation, "
        "no_grad, my weight is changing by itself",
    ),
    Case(
        name="scale-grad-by-freq",
        title="scale_grad_by_freq",
        claim="`scale_grad_by_freq=True` divides each row's gradient by the number of times its id "
        "occurs in the batch. A Linear's gradient is the plain sum.",
        why="Frequent ids would otherwise get larger steps. The argument changes only the "
        "gradient, not the forward pass. A bag with `mode='max'` refuses it.",
        differ=3,
        sides=GRADIENTS,
        program="""
ids = torch.tensor([1, 1, 1, 2])
rows = F.embedding(ids, table, scale_grad_by_freq=True)
rows.sum().backward()
left = table.grad

F.linear(one_hot(ids), linear).sum().backward()
right = linear.grad.T
""",
        line="rows = F.embedding(ids, table, scale_grad_by_freq=True)",
        fix="Divide the Linear's gradient by the counts.",
        typed="""
ids = torch.tensor([1, 1, 1, 2])
embedding = nn.Embedding(4, 3, scale_grad_by_freq=True)
embedding(ids).sum().backward()
linear(F.one_hot(ids, num_classes=4).float()).sum().backward()
linear.weight.grad /= ids.bincount(minlength=4).clamp(min=1)
assert torch.allclose(linear.weight.grad.T, embedding.weight.grad)
""",
        source=("nn.Embedding", "pytorch issue 84491"),
        messages=("max mode does not support scaling the gradient by the frequency",),
        questions=(
            "What does scale_grad_by_freq do?",
            "Is the gradient of a word that occurs several times in a batch summed or averaged?",
            "Frequent words get larger updates than rare ones.",
            "Does scale_grad_by_freq count within the batch or in the whole corpus?",
            "what is scale_grad_by_freq good for, explain please",
            "divide gradients of frequent words by their count in minibatch",
        ),
        words="inverse frequency, mini-batch, occurrences, times less, "
        "frequency, counts, backward, repeated tokens, duplicate, accumulate",
    ),
    Case(
        name="sparse-gradient",
        title="sparse=True: another layout, the same values",
        claim="With `sparse=True` the gradient is a sparse tensor. Made dense, it equals the "
        "Linear's gradient.",
        why="It lists only the looked-up rows, one entry for each token. `coalesce()` adds up "
        "the entries of the same row. All other rows have a gradient of zero, which need not be "
        "stored. Code that asks for the memory of a dense gradient refuses it, and a bag with "
        "`mode='max'` cannot make one.",
        differ=1,
        sides=("layout of nn.Embedding's gradient", "layout of nn.Linear's gradient"),
        program="""
ids = torch.tensor([1, 1, 2])
F.embedding(ids, table, sparse=True).sum().backward()
left = str(table.grad.layout)

F.linear(one_hot(ids), linear).sum().backward()
right = str(linear.grad.layout)
""",
        line="F.embedding(ids, table, sparse=True).sum().backward()",
        fix="Compare after `.to_dense()`.",
        typed="""
embedding = nn.Embedding(4, 3, sparse=True)
embedding(ids).sum().backward()
linear(F.one_hot(ids, num_classes=4).float()).sum().backward()
assert torch.equal(embedding.weight.grad.to_dense(), linear.weight.grad.T)
""",
        source=("nn.Embedding", "torch.sparse"),
        messages=(
            "max mode does not support sparse weights",
            "weight.grad…cannot assign to a sparse tensor",
            "weight.grad…could not run 'aten::view' with arguments from the 'sparse",
            "weight.grad…cannot get values on an uncoalesced tensor",
            "weight.grad…cannot get indices on an uncoalesced tensor",
            "weight.grad…can't convert sparse layout tensor to numpy",
        ),
        general=(
            "cannot assign to a sparse tensor",
            "could not run 'aten::view' with arguments from the 'sparse",
            "cannot get values on an uncoalesced tensor",
            "cannot get indices on an uncoalesced tensor",
            "can't convert sparse layout tensor to numpy",
            "sparse tensors do not have strides",
            "sparse tensors do not have is_contiguous",
            "cannot access data pointer of tensor that doesn't have storage",
            "unsupported tensor layout: sparse",
        ),
        questions=(
            "What does sparse=True do in nn.Embedding?",
            "Why does weight.grad print indices and values, a sparse tensor?",
            "How do I look at or compare a sparse gradient, make it dense?",
            "coalesce adds up duplicate rows of the gradient",
            "Most rows of the weight do not change after optimizer.step(), why?",
            "When should I use sparse gradients, do they save memory?",
            "what does sparse=True in nn.Embedding change, is result same?",
            "emb.weight.grad prints indices= values= nnz instead of normal matrix",
        ),
        words="sparse_coo, coalesce, to_dense, layout",
        see="training",
    ),
    Case(
        name="from-pretrained-frozen",
        title="from_pretrained freezes",
        claim="`nn.Embedding.from_pretrained` freezes the weight unless you pass `freeze=False`. "
        "A model that has no other layer cannot be trained.",
        why="Its default `freeze=True` sets `requires_grad` to False. In a model with other layers "
        "there is no error: the table stays as it was, without a message. Its `.grad` stays None, "
        "and a list of the parameters that can be trained may be empty.",
        raises=("RuntimeError: … does not require grad and does not have a grad_fn", ""),
        sides=GRADIENTS,
        program="""
ids = torch.tensor([1, 2])
embedding = nn.Embedding.from_pretrained(weight)
embedding(ids).sum().backward()
left = embedding.weight.grad

F.linear(one_hot(ids), linear).sum().backward()
right = linear.grad.T
""",
        line="embedding = nn.Embedding.from_pretrained(weight)",
        fix="Pass `freeze=False`.",
        typed="""
vectors = torch.randn(4, 3)
embedding = nn.Embedding.from_pretrained(vectors, freeze=False)
embedding(ids).sum().backward()
assert embedding.weight.grad[ids].all()
""",
        source=("nn.Embedding.from_pretrained",),
        messages=(
            "embedding.from_pretrained…does not require grad and does not have a grad_fn",
            "does not require grad and does not have a grad_fn…embedding.from_pretrained(",
            "embedding.from_pretrained…one of the differentiated tensors does not require grad",
            "embedding.from_pretrained…optimizer got an empty parameter list",
            "embedding.from_pretrained….grad…'nonetype' object has no attribute",
            "embedding.weight.grad…'nonetype' object has no attribute",
        ),
        general=(
            "one of the differentiated tensors does not require grad",
            "optimizer got an empty parameter list",
            ".grad\n'nonetype' object has no attribute",
            "optimizing a parameter that doesn't require gradients",
        ),
        questions=(
            "My pretrained word2vec vectors do not change during training.",
            "Why does my pretrained embedding not learn?",
            "Is from_pretrained trainable, what does freeze do?",
            "weight.grad is None after backward: why is the gradient None?",
            "GloVe or word2vec vectors do not change during fine-tuning.",
            "How do I train, fine-tune or unfreeze loaded word vectors?",
            "my GloVe vectors do not get fine tuned, loss stays",
            "does not require grad when i use pretrained word vectors only",
        ),
        words="requires_grad, pretrained, GloVe, not learning, does not train, frozen, gradient is "
        "None, loss is not decreasing, weight is not changing, not updating, backward",
    ),
    Case(
        name="from-pretrained-shares",
        title="from_pretrained keeps your tensor",
        claim="`from_pretrained` does not copy. Training the layer changes the tensor of vectors "
        "that you gave it.",
        why="The tensor itself becomes the weight; no second table is made. It must have two "
        "dimensions. `torch.from_numpy` makes a tensor of a NumPy array, and shares the array's "
        "memory too.",
        differ=6,
        sides=("your vectors before training", "your vectors after it"),
        program="""
left = weight.clone()

layer = nn.Embedding.from_pretrained(weight, freeze=False)
layer(torch.tensor([1, 2])).sum().backward()
torch.optim.SGD(layer.parameters(), lr=0.5).step()
right = weight
""",
        line="layer = nn.Embedding.from_pretrained(weight, freeze=False)",
        fix="Give it a copy: `vectors.clone()`.",
        typed="""
vectors = torch.randn(4, 3)
embedding = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
with torch.no_grad():
    embedding.weight.zero_()
assert vectors.any() and not embedding.weight.any()
""",
        source=("nn.Embedding.from_pretrained",),
        messages=(
            "embeddings.dim()\n'numpy.ndarray' object has no attribute 'dim'",
            "embeddings parameter is expected to be 2-dimensional",
            "embedding.from_pretrained(…'numpy.ndarray' object has no attribute 'dim'",
        ),
        general=("'numpy.ndarray' object has no attribute 'dim'",),
        questions=(
            "Does from_pretrained copy the vectors?",
            "The tensor or NumPy array of vectors that I loaded has changed after training.",
            "How do I put my own matrix, gensim or word2vec vectors, into an embedding?",
            "Do two layers made of one tensor share their weights?",
            "original numpy/tensor of vectors was modified after training, glove",
            "need clone() before from_pretrained?",
        ),
        words="memory, copy, alias, pretrained, optimizer, my tensor is changing by itself",
    ),
)
