"""Cases about a layer's weight: some rows trained, written by hand, loaded, or shared."""

from embviz.limits.case import TRAIN, Case, docs, issue

STATE = docs("nn.Module.load_state_dict", "generated/torch.nn.Module")
PARAMETER = docs("nn.parameter.Parameter")
# Programs of which the second part differs after the fix.
TIED = """
parts = {{"embedding": nn.Embedding.from_pretrained(table.detach(), freeze=False)}}
parts["output"] = nn.Linear(3, 4, bias=False, device="meta")  # without numbers until it is tied
model = nn.ModuleDict(parts)
model.output.weight = model.embedding.weight
{left}
left = model.embedding.weight

saved = {{"embedding.weight": weight + 1}}  # the same weight has no second name here
{right}
right = model.output.weight
"""
GROUPS = 'groups = [{"params": layer.parameters()} for layer in model.values()]\n'
# Names of the second layer of a tied weight in well-known models.
OUTPUTS = (
    "lm_head.weight",
    "model.lm_head.weight",
    "module.lm_head.weight",
    "decoder.weight",
    "decoder.output_projection.weight",
    "generator.weight",
    "fc_out.weight",
    "embed_out.weight",
    "cls.predictions.decoder.weight",
    "model.embed_tokens.weight",
    "embed_tokens.weight",
    "transformer.wte.weight",
)

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
mask = torch.tensor([[0.0], [0.0], [1.0], [1.0]])  # rows 2 and 3 are trained
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
        source=(docs("torch.no_grad"), PARAMETER, issue(5833)),
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
            "'numpy.ndarray' object has no attribute 'dim'",
            "shape of weight does not match num_embeddings and embedding_dim",
            "embeddings parameter is expected to be 2-dimensional",
            "'embedding' object does not support item assignment",
            "'embedding' object is not subscriptable",
            "unbind… is a view and is being modified inplace",
            "view was created in no_grad mode and … modified inplace",
            "inplace update to inference tensor",
            "in-place operations can be only used on variables that don't share storage",
        ),
        questions=(
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
        name="checkpoint-with-other-rows",
        title="A checkpoint with another number of rows",
        claim="`load_state_dict` refuses a weight with another number of rows, and it does so with "
        "`strict=False` too.",
        why="`strict=False` accepts names that are missing or unknown, never another shape. So a "
        "vocabulary that grew does not fit its old file. New rows are untrained, the old words "
        "must keep their ids, and the optimizer's old state does not fit either.",
        raises=(
            "RuntimeError: …size mismatch for weight: copying a param with shape … from "
            "checkpoint, the shape in current model is",
        )
        * 2,
        sides=("load_state_dict", "strict=False"),
        breaks="""
saved = {"weight": weight}  # 4 rows
embedding = nn.Embedding.from_pretrained(torch.zeros(5, 3))
embedding.load_state_dict(saved)
left = embedding.weight

embedding.load_state_dict(saved, strict=False)
right = embedding.weight
""",
        line="embedding.load_state_dict(saved, strict=False)",
        fix="Copy the rows that both have. A table grows in the same way: copy it into a larger "
        "one.",
        mends="""
saved = {"weight": weight}  # 4 rows
embedding = nn.Embedding.from_pretrained(torch.zeros(5, 3))
rows = min(len(saved["weight"]), embedding.num_embeddings)
embedding.weight[:rows] = saved["weight"][:rows]
left = embedding.weight[:rows]

right = saved["weight"]
""",
        fixed_sides=("first rows of the layer", "rows of the checkpoint"),
        source=(STATE, issue(40859), issue(24139)),
        typed="""
saved = embedding.state_dict()  # 4 rows
embedding = nn.Embedding(6, 3)
rows = min(len(saved["weight"]), embedding.num_embeddings)
with torch.no_grad():
    embedding.weight[:rows] = saved["weight"][:rows]
assert torch.equal(embedding.weight[:4], saved["weight"]) and len(embedding.weight) == 6
""",
        messages=(
            "size mismatch for … copying a param with shape",
            "copying a param of torch.size(… from checkpoint, where the shape is",
            "size mismatch between saved … and current",
            "while copying the parameter named … whose dimensions in the model are",
            "trying to set a tensor of shape … (which has shape …), this look",
            "ignore_mismatched_sizes",
            "reinit due to size mismatch - ckpt: … vs model",
            "ckpt weights were loaded, but they did not match the original empty weight shapes",
            "newly initialized because the shapes did not match",
            "you are resizing the embedding layer without providing a `pad_to_multiple_of`",
            "new embeddings will be initialized from a multivariate normal distribution",
            "cannot resize variables that require grad",
            "assign requires shapes of both tensors to match. lhs shape",
        ),
        questions=(
            "How do I load a model whose vocabulary has grown?",
            "resize an embedding layer without losing the trained rows",
            "pretrained weights have another vocab size than my model",
            "add new tokens or rows to a trained nn.Embedding",
            "Why does strict=False not ignore wrong shapes?",
            "restore only the matching rows from a saved state dict",
            "shrink the embedding to fewer words after training",
            "fine-tuned checkpoint does not fit the base model after resize_token_embeddings",
        ),
        words="size mismatch, checkpoint, load_state_dict, strict, resize, resize_token_embeddings,"
        " grow, extend, expand, enlarge, larger vocabulary, more rows, add tokens, new words, "
        "vocab size, bigger, restore, reuse old weights, transfer, torch.load, state dict, "
        "mismatched, shapes, shrink, prune",
    ),
    Case(
        name="tied-weights",
        title="One weight in two layers: optimizer, loading, saving",
        claim="If `output.weight = embedding.weight`, two parameter groups with it raise, and so "
        "does loading a file that has it under one name.",
        why="`nn.Linear(3, 4)` stores shape (4, 3), the table's, so no transpose is needed. "
        "`parameters()` lists a shared weight once, so a step moves it once, by the sum of both "
        "gradients. `state_dict()` has both names; files of safetensors have one.",
        raises=(
            "ValueError: some parameters appear in more than one parameter group",
            'RuntimeError: …Missing key(s) in state_dict: "output.weight".',
        ),
        sides=("two parameter groups", "load a file with one name"),
        breaks=TIED.format(
            left=f"{GROUPS}torch.optim.SGD(groups, lr=0.5)",
            right="model.load_state_dict(saved)",
        ),
        line="torch.optim.SGD(groups, lr=0.5)",
        fix="Pass `model.parameters()`. Tie, then load with `strict=False`; after loading with "
        "`assign=True` tie again. Save with safetensors' `save_model`.",
        mends=TIED.format(
            left="torch.optim.SGD(model.parameters(), lr=0.5)\n"
            'model.load_state_dict({"embedding.weight": weight + 1}, strict=False)',
            right="model.load_state_dict(saved, strict=False)",
        ),
        fixed_sides=("weight of the embedding, loaded", "weight of the output layer"),
        source=(
            STATE,
            docs("torch.optim", "optim"),
            ("safetensors", "https://huggingface.co/docs/safetensors/torch_shared_tensors"),
        ),
        typed="""
output = nn.Linear(3, 4, bias=False)  # its weight has the shape of the table
output.weight = embedding.weight
model = nn.ModuleDict({"embedding": embedding, "output": output})
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
model.load_state_dict({"embedding.weight": weight}, strict=False)
assert torch.equal(output.weight, weight) and len(optimizer.param_groups[0]["params"]) == 1
""",
        messages=(
            "optimizer contains a parameter group with duplicate parameters",
            "some parameters appear in more than one parameter group",
            "tensors share memory, this will lead to duplicate memory on disk",
            "removed shared tensor … while saving",
            "error while trying to find names to remove to save state dict",
            "there were missing keys in the checkpoint model loaded: ['lm_head.weight']",
            "not initialized from the model checkpoint … ['lm_head.weight']",
            "the model weights are not tied",
            "tied parameters are on different devices",
            "is shared with a parameter already managed by another fsdp group",
            "is already managed by another fsdp group",
            "the tied weights mapping and config for this model specifies to tie",
            "the tied weights mapping for this model specifies to tie",
            "keyerror: 'lm_head.weight'",
            'missing key(s) in state_dict: "encoder.embed_tokens.weight", '
            '"decoder.embed_tokens.weight"',
            *(f'missing key(s) in state_dict: "{name}".' for name in OUTPUTS),
        ),
        questions=(
            "How do I tie the output layer to the embedding?",
            "Do I need to transpose the weight for weight tying?",
            "lm_head.weight is missing in the checkpoint",
            "Is a shared parameter updated once or twice per step?",
            "save a model with shared weights in safetensors",
            "weights are no longer tied after loading or after deepcopy",
            "same weight in the input embedding and in the softmax layer",
            "put the embedding and the decoder into separate parameter groups when they share",
        ),
        words="weight tying, tie, tied, shared, share, sharing, duplicate parameters, parameter "
        "groups, lm_head, output head, decoder, safetensors, save_model, missing key, state_dict, "
        "tie_word_embeddings, tie_weights, softmax layer, same weight, untied, assign=True",
        see=TRAIN,
    ),
)
