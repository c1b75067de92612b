"""Cases about the weight of a layer: some of its rows trained, or written by hand."""

from embviz.limits.case import TRAIN, Case, docs, issue

CASES = (
    Case(
        name="train-some-rows",
        title="Train or freeze some rows only",
        claim="A slice of the weight refuses `requires_grad_(False)`, and an optimizer refuses a "
        "slice.",
        why="`requires_grad` belongs to the whole weight, and `weight[:2]` is a new tensor made "
        "from it. A gradient of zero does not always keep a row still: weight decay, also AdamW's "
        "default, moves it. If the row was trained before, momentum and Adam do too.",
        raises=(
            "RuntimeError: you can only change requires_grad flags of leaf variables",
            "ValueError: can't optimize a non-leaf Tensor",
        ),
        sides=("freeze a slice", "give a slice to an optimizer"),
        breaks="""
frozen = table[:2].requires_grad_(False)
left = frozen

torch.optim.SGD([table[2:]], lr=0.5)
right = table
""",
        line="table[:2].requires_grad_(False)",
        fix="Set the gradient of the other rows to zero in a hook, and use `weight_decay=0`: "
        "AdamW, on the right, moved them. Or join two tables: `torch.cat([frozen, trained])`.",
        mends="""
def frozen_rows(optimizer):
    table = nn.Parameter(weight.clone())
    table.register_hook(lambda grad: grad * torch.tensor([[0.0], [0.0], [1.0], [1.0]]))
    F.embedding(torch.tensor([0, 2]), table).sum().backward()
    optimizer([table], lr=0.5).step()
    return table[:2]
left = frozen_rows(torch.optim.Adam)

right = frozen_rows(torch.optim.AdamW)
""",
        mended=5,
        fixed_sides=("frozen rows after a step of Adam", "frozen rows after a step of AdamW"),
        source=(docs("Tensor.register_hook"), docs("torch.optim.AdamW")),
        typed="""
mask = torch.tensor([[0.0], [0.0], [1.0], [1.0]])  # rows 2 and 3 may move
embedding.weight.register_hook(lambda grad: grad * mask)
before = embedding.weight.detach().clone()
embedding(ids).sum().backward()
torch.optim.Adam(embedding.parameters(), lr=0.5).step()
assert (embedding.weight != before)[:, 0].tolist() == [False, False, True, False]
""",
        messages=(
            "the .grad attribute of a tensor that is not a leaf tensor is being accessed",
            "cannot register a hook on a tensor that doesn't require gradient",
            "hook … has changed the size of value",
            "hook … has changed the type of value",
            "optimizing a parameter that doesn't require gradients",
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
        see=TRAIN,
    ),
    Case(
        name="change-a-weight",
        title="Write into a layer's weight, or assign one",
        claim="`embedding.weight[0] = 0` raises, and so does assigning a tensor to "
        "`embedding.weight`.",
        why="Autograd gives a gradient to the weight as it was, so it must not be overwritten "
        "while autograd records. A layer takes only an `nn.Parameter`, so that `parameters()` "
        "lists it. An optimizer made before still has the old one: then write with `copy_`.",
        raises=(
            "RuntimeError: a view of a leaf Variable that requires grad is being used in an "
            "in-place operation",
            "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight'",
        ),
        sides=("write to a row", "assign a tensor"),
        breaks="""
embedding = nn.Embedding.from_pretrained(weight, freeze=False)
embedding.weight[0] = 0
left = embedding.weight

embedding.weight = torch.zeros(4, 3)
right = embedding.weight
""",
        line="embedding.weight[0] = 0",
        fix="Write inside `with torch.no_grad():`, or assign `nn.Parameter(tensor)`.",
        mends="""
embedding = nn.Embedding.from_pretrained(weight, freeze=False)
with torch.no_grad():
    embedding.weight[:] = 0
left = embedding.weight

embedding.weight = nn.Parameter(torch.zeros(4, 3))
right = embedding.weight
""",
        fixed_sides=("written in no_grad", "an nn.Parameter, assigned"),
        source=(docs("torch.no_grad"), docs("nn.parameter.Parameter"), issue(5833)),
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
            "'embedding' object does not support item assignment",
            "'embedding' object is not subscriptable",
            "unbind… is a view and is being modified inplace",
            "view was created in no_grad mode and … modified inplace",
            "inplace update to inference tensor",
            "in-place operations can be only used on variables that don't share storage",
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
)
