"""Cases about loading and saving: a checkpoint with other rows, a weight that two layers share."""

from embviz.limits.case import Case

# Names of the second layer of a tied weight in well-known models.
OUTPUTS = (
    "lm_head.weight",
    "model.lm_head.weight",
    "module.lm_head.weight",
    "decoder.output_projection.weight",
    "embed_out.weight",
    "cls.predictions.decoder.weight",
    "model.embed_tokens.weight",
    "embed_tokens.weight",
    "transformer.wte.weight",
)

CASES = (
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
        program="""
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
        source=("nn.Module.load_state_dict", "pytorch issue 40859", "pytorch issue 24139"),
        typed="""
saved = embedding.state_dict()  # 4 rows
embedding = nn.Embedding(6, 3)
rows = min(len(saved["weight"]), embedding.num_embeddings)
with torch.no_grad():
    embedding.weight[:rows] = saved["weight"][:rows]
assert torch.equal(embedding.weight[:4], saved["weight"]) and len(embedding.weight) == 6
""",
        messages=(
            "you are resizing the embedding layer without providing a `pad_to_multiple_of`",
            "new embeddings will be initialized from a multivariate normal distribution",
            "size mismatch for …embedding.weight: copying a param with shape",
            "size mismatch for …embeddings.weight: copying a param with shape",
            "size mismatch for …embed.weight: copying a param with shape",
            "size mismatch for …emb.weight: copying a param with shape",
            "size mismatch for …embed_tokens.weight: copying a param with shape",
            "size mismatch for …shared.weight: copying a param with shape",
            "size mismatch for …wte.weight: copying a param with shape",
            "size mismatch for …lm_head.…weight: copying a param with shape",
            'while copying the parameter named …embedding.weight", whose dimensions in the model',
        ),
        general=(
            "size mismatch for … copying a param with shape",
            "copying a param of torch.size(… from checkpoint, where the shape is",
            "size mismatch between saved … and current",
            "while copying the parameter named … whose dimensions in the model",
            "trying to set a tensor of shape … (which has shape …), this look",
            "reinit due to size mismatch - ckpt: … vs model",
            "ckpt weights were loaded, but they did not match the original empty weight shapes",
            "newly initialized because the shapes did not match",
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
        claim="After `output.weight = embedding.weight`, an optimizer raises if two parameter "
        "groups have this weight. Loading raises if the file has the weight under one name only.",
        why="`nn.Linear(3, 4)` stores a weight of shape (4, 3). That is the table's shape, so no "
        "transpose is needed. `parameters()` lists a shared weight once, so a step moves it "
        "once, by the sum of both gradients. `state_dict()` has both names; files of safetensors "
        "have one.",
        raises=(
            "ValueError: some parameters appear in more than one parameter group",
            'RuntimeError: …Missing key(s) in state_dict: "output.weight".',
        ),
        sides=("two parameter groups", "load a file with one name"),
        program="""
parts = {"embedding": nn.Embedding.from_pretrained(table.detach(), freeze=False)}
parts["output"] = nn.Linear(3, 4, bias=False, device="meta")  # without numbers until it is tied
model = nn.ModuleDict(parts)
model.output.weight = model.embedding.weight
groups = [{"params": layer.parameters()} for layer in model.values()]
torch.optim.SGD(groups, lr=0.5)
left = model.embedding.weight

saved = {"embedding.weight": weight + 1}  # the same weight has no second name here
model.load_state_dict(saved)
right = model.output.weight
""",
        line="torch.optim.SGD(groups, lr=0.5)",
        fix="Pass `model.parameters()`. Tie, then load with `strict=False`; after loading with "
        "`assign=True` tie again. Save with safetensors' `save_model`.",
        source=("nn.Module.load_state_dict", "torch.optim", "safetensors"),
        typed="""
output = nn.Linear(3, 4, bias=False)  # its weight has the shape of the table
output.weight = embedding.weight
model = nn.ModuleDict({"embedding": embedding, "output": output})
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
model.load_state_dict({"embedding.weight": weight}, strict=False)
assert torch.equal(output.weight, weight) and len(optimizer.param_groups[0]["params"]) == 1
""",
        messages=(
            "remove this tensor sharing",
            "contained shared tensors",
            "lm_head\nsome parameters appear in more than one parameter group",
            "some parameters appear in more than one parameter group\nlm_head",
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
        general=(
            "optimizer contains a parameter group with duplicate parameters",
            "some parameters appear in more than one parameter group",
            'missing key(s) in state_dict: "decoder.weight".',
            'missing key(s) in state_dict: "generator.weight".',
            'missing key(s) in state_dict: "fc_out.weight".',
        ),
        questions=(
            "How do I tie the output layer to the embedding?",
            "Do I need to transpose the weight for weight tying?",
            "How can a Linear share the weight of the embedding, are their shapes not different?",
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
        see="training",
    ),
)
