"""Cases about the weight of a layer: some rows trained, rows written by hand, or scaled."""

from embviz.limits.case import LOOKUP, Case

CASES = (
    Case(
        name="train-some-rows",
        title="Train or freeze some rows only",
        claim="A slice of the weight refuses `requires_grad_(False)`, and an optimizer refuses a "
        "slice.",
        why="`requires_grad` belongs to the whole weight, and `weight[:2]` is a new tensor made "
        "from it. A row may move although its gradient is zero: weight decay moves it, and AdamW "
        "has weight decay by default. If the row was trained before, momentum and Adam move it "
        "too.",
        raises=(
            "RuntimeError: you can only change requires_grad flags of leaf variables",
            "ValueError: can't optimize a non-leaf Tensor",
        ),
        sides=("freeze a slice", "give a slice to an optimizer"),
        program="""
left = table[:2].requires_grad_(False)

torch.optim.SGD([table[2:]], lr=0.5)
right = table
""",
        line="table[:2].requires_grad_(False)",
        fix="In a hook, set the gradient of the frozen rows to zero. The hook returns a tensor "
        "of the same shape and dtype; the whole weight must require gradients. Use "
        "`weight_decay=0`: without it AdamW moves the frozen rows. Or join two tables: "
        "`torch.cat([frozen, trained])`.",
        source=("Tensor.register_hook", "torch.optim.AdamW"),
        typed="""
mask = torch.tensor([[0.0], [0.0], [1.0], [1.0]])  # rows 2 and 3 may move
embedding.weight.register_hook(lambda grad: grad * mask)
before = embedding.weight.detach().clone()
embedding(ids).sum().backward()
torch.optim.AdamW(embedding.parameters(), lr=0.5, weight_decay=0).step()
assert (embedding.weight != before)[:, 0].tolist() == [False, False, True, False]
""",
        messages=(
            "weight[…you can only change requires_grad flags of leaf variables",
            "weight[…can't optimize a non-leaf tensor",
            "weight[…cannot register a hook on a tensor that doesn't require gradient",
        ),
        general=(
            "the .grad attribute of a tensor that is not a leaf tensor is being accessed",
            "cannot register a hook on a tensor that doesn't require gradient",
            "hook … has changed the size of value",
            "hook … has changed the type of value",
            "optimizing a parameter that doesn't require gradients",
            "you can only change requires_grad flags of leaf variables",
            "can't optimize a non-leaf tensor",
        ),
        questions=(
            "How can I update only one row of nn.Embedding and keep the others fixed?",
            "train only the embeddings of newly added tokens",
            "keep pretrained word vectors constant but learn vectors for unknown words",
            "How do I zero the gradient of some words with a hook or mask?",
            "Is it possible to set requires_grad=False for individual indices?",
            "frozen rows still change with AdamW",
            "make part of a parameter non-trainable",
            "only learn the new special tokens, not the old vocabulary",
        ),
        words="freeze rows, partially frozen, partial, subset, slice, mask, hook, register_hook, "
        "non-leaf, requires_grad, new tokens, special tokens, placeholder token, textual "
        "inversion, pretrained, selected, specific words, certain indices, fine-tune, zero "
        "gradient, stop gradients, stop_gradient, unfreeze, untouched, constant, fixed",
        see="training",
    ),
    Case(
        name="change-a-weight",
        title="Write into a layer's weight, or assign one",
        claim="`embedding.weight[0] = 0` raises, and so does assigning a tensor to "
        "`embedding.weight`.",
        why="Autograd computes the gradient for the weight as it was. So do not overwrite the "
        "weight while autograd records, or between forward and backward. A layer takes only an "
        "`nn.Parameter`, so that `parameters()` lists it. An optimizer that was "
        "made before still has the old parameter: then write with `copy_`.",
        raises=(
            "RuntimeError: a view of a leaf Variable that requires grad is being used in an "
            "in-place operation",
            "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight'",
        ),
        sides=("write to a row", "assign a tensor"),
        program="""
embedding = nn.Embedding.from_pretrained(weight, freeze=False)
embedding.weight[0] = 0
left = embedding.weight

embedding.weight = torch.zeros(4, 3)
right = embedding.weight
""",
        line="embedding.weight[0] = 0",
        fix="Write inside `with torch.no_grad():`, or assign `nn.Parameter(tensor)`.",
        source=("torch.no_grad", "nn.parameter.Parameter", "pytorch issue 5833"),
        typed="""
with torch.no_grad():
    embedding.weight[0] = 0
    embedding.weight[1:].copy_(torch.ones(3, 3))
linear.weight = nn.Parameter(embedding.weight.detach().T.clone())
assert torch.equal(linear(one_hot(ids)), torch.tensor([[0.0] * 3, [1.0] * 3]))
""",
        messages=(
            "leaf variable that requires grad … in-place operation",
            "leaf variable that requires grad … inplace operation",
            "cannot assign … as parameter",
            "cannot assign … object to parameter",
            "cannot assign non-leaf tensor to parameter",
            "variable data has to be a tensor, but got",
            "shape of weight does not match num_embeddings and embedding_dim",
        ),
        general=(
            "unbind… is a view and is being modified inplace",
            "view was created in no_grad mode and … modified inplace",
            "in-place operations can be only used on variables that don't share storage",
            "one of the variables needed for gradient computation has been",
            "leaf variable has been moved into the graph interior",
        ),
        questions=(
            "normalise the weight in place, after each optimizer step",
            "How do I put my own vectors into nn.Embedding?",
            "set one word's vector manually after the model was built",
            "replace the weight matrix of a Linear with another tensor",
            "initialize an embedding from a numpy array or gensim word2vec",
            "Why can I not modify embedding.weight directly?",
            "zero the padding row by hand without an autograd error",
            "custom initialisation of the weight of a layer",
            "copy weights from one layer to another",
        ),
        words="assign, overwrite, replace, edit, modify, initialize, init, custom, manually, numpy,"
        " gensim, word2vec, GloVe, fastText, normalize, renormalize, no_grad, copy_, weight.data, "
        "nn.Parameter, leaf variable, in-place, inplace, my own vectors, load vectors, TypeError",
    ),
    Case(
        name="times-sqrt-d",
        title="Rows times √D, as in Transformers",
        claim="Some models multiply the rows that they look up by √D. `nn.Embedding` does not.",
        why="The first Transformer shares its table with the output layer, and that layer needs "
        "small numbers. Times √D, the rows are as large as the vectors of positions. Gemma "
        "multiplies too; GPT-2 and BERT do not. If a checkpoint was trained with the factor, its "
        "rows are too small without it.",
        differ=5,
        sides=(LOOKUP, "one-hot × nn.Linear, times √D"),
        program="""
ids, d = torch.tensor([0, 2]), 3
left = F.embedding(ids, weight)

right = F.linear(one_hot(ids), linear) * d**0.5
""",
        line="right = F.linear(one_hot(ids), linear) * d**0.5",
        fix="Multiply on both routes or on neither. Or multiply the table once, if no output layer "
        "shares it.",
        typed="""
scaled = nn.Embedding.from_pretrained(embedding.weight.detach() * 3**0.5)
assert torch.allclose(scaled(ids), embedding(ids) * 3**0.5)
""",
        source=("Attention Is All You Need, 3.4",),
        questions=(
            "Why is the embedding multiplied by sqrt(d_model)?",
            "What does self.embedding(x) * math.sqrt(self.d_model) do?",
            "Scale embeddings by the square root of the dimension: is it needed?",
            "The rows of my Transformer differ from nn.Embedding by a constant factor",
        ),
        words="sqrt, square root, d_model, math.sqrt, scale, scaled embedding, normalizer, Gemma, "
        "Transformer, positional encoding, factor, embed_scale, hidden_size**0.5",
    ),
)
