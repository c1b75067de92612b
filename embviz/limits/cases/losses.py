"""Cases about the target of a loss, and about clipping and scaling sparse gradients."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="class-targets",
        title="What cross_entropy takes as target",
        claim="`F.cross_entropy` refuses a one-hot target of integers, and class numbers that are "
        "floats.",
        why="For each row of scores it takes one class number, as int64, or one row of "
        "probabilities, as floats. The probabilities have the shape of the scores. `F.one_hot` "
        "gives int64. A class number must be below the number of scores, and the scores must be "
        "floats. Binary cross entropy takes no class numbers, only a row of floats from 0 to 1.",
        raises=(
            "RuntimeError: Expected floating point type for target with class probabilities, got "
            "Long",
            "RuntimeError: expected target dtype to be Long or Byte, but got Float",
        ),
        sides=("int64 one-hot target", "float class numbers"),
        program="""
ids, scores = torch.tensor([1, 3]), F.linear(weight[:2], weight)  # 2 tokens, 4 scores each
left = F.cross_entropy(scores, F.one_hot(ids, num_classes=4))

right = F.cross_entropy(scores, ids.float())
""",
        line="F.cross_entropy(scores, F.one_hot(ids, num_classes=4))",
        fix="Pass the class numbers, as `.long()`. A one-hot target needs `.float()`, and gives "
        "the same loss.",
        source=("F.cross_entropy", "nn.CrossEntropyLoss"),
        typed="""
scores = linear(one_hot(ids))  # 2 tokens, 3 scores each
targets = torch.tensor([2.0, 0.0])
loss = F.cross_entropy(scores, targets.long())
rows = F.one_hot(targets.long(), num_classes=3).float()
assert torch.isclose(loss, F.cross_entropy(scores, rows))
""",
        messages=(
            "cross_entropy\nexpected scalar type long but found float",
            "expected floating point type for target with class probabilities",
            "multi-target not supported",
            "expected target dtype to be long or byte",
            "expected object of scalar type long but got scalar type … for argument #2 'target'",
            "nll_loss… not implemented for",
            "target … is out of bounds.",
            "cur_target >= 0 && cur_target < n_classes",
            "received a label value of … which is outside the valid range",
            "nll_loss…expected scalar type long but found float",
            "cross_entropy(…softmax_lastdim_kernel_impl\" not implemented for 'long'",
            "cross_entropy(…softmax_lastdim_kernel_impl\" not implemented for 'int'",
            "cross_entropy(…host_softmax\" not implemented for 'long'",
            "expected object of type torch.…longtensor but found type … for argument #2 'target'",
        ),
        general=(
            "expected scalar type long but found float",
            "expected object of type … but found type … for argument #2 'target'",
            "softmax_lastdim_kernel_impl\" not implemented for 'long'",
            "softmax_lastdim_kernel_impl\" not implemented for 'int'",
            "host_softmax\" not implemented for 'long'",
            "expected input batch_size … to match target batch_size",
            "expected target size …, got",
            "size mismatch (got input: …, target:",
            "cross_entropy_loss(): argument 'target'",
            "nll_loss_nd(): argument 'target'",
            "only batches of spatial targets supported",
            "target size … must be the same as input size",
            "using a target size … that is different to the input size … is deprecated",
            "result type float can't be cast to the desired output type long",
            "found dtype long but expected float",
        ),
        questions=(
            "Which dtype and shape must the labels of CrossEntropyLoss have?",
            "Should I one-hot encode the labels before the loss?",
            "cross entropy with soft labels or class probabilities",
            "target is out of bounds in nll_loss",
            "loss expects Long but my labels are floats",
            "next-token loss: reshape logits and targets of a language model",
            "my y has shape (N, 1) and the loss refuses it",
            "difference of class indices and one-hot as ground truth",
        ),
        words="CrossEntropyLoss, cross_entropy, NLLLoss, nll_loss, labels, label, ground truth, "
        "class indices, class index, class probabilities, soft labels, one-hot target, float "
        "labels, LongTensor, multi-target, batch size, logits, BCELoss, BCEWithLogitsLoss, "
        "binary_cross_entropy, squeeze, view(-1), ignore_index",
    ),
    Case(
        name="clip-sparse-gradients",
        title="Clipping sparse gradients",
        claim="`clip_grad_norm_` raises on the gradient of `sparse=True`, but it clips the "
        "Linear's dense gradient.",
        why="It needs the norm of each gradient, and PyTorch has no such function for sparse "
        "tensors. `clip_grad_value_` raises too. The norm of the stored values is right after "
        "`coalesce()` has added up the values of each row.",
        raises=(
            "NotImplementedError: Could not run 'aten::linalg_vector_norm' with arguments from the "
            "'Sparse",
            "",
        ),
        sides=("clipped gradient of nn.Embedding", "clipped gradient of nn.Linear"),
        program="""
ids = torch.tensor([1, 1, 2])
F.embedding(ids, table, sparse=True).sum().backward()
nn.utils.clip_grad_norm_([table], 1.0)
left = table.grad.to_dense()

F.linear(one_hot(ids), linear).sum().backward()
nn.utils.clip_grad_norm_([linear], 1.0)
right = linear.grad.T
""",
        line="nn.utils.clip_grad_norm_([table], 1.0)",
        fix="Take the norm of the coalesced values, and clip with `clip_grads_with_norm_`. Or use "
        "`sparse=False`.",
        source=("nn.utils.get_total_norm", "nn.utils.clip_grads_with_norm_", "pytorch issue 4829"),
        typed="""
embedding.sparse = True
embedding(ids).sum().backward()
norm = nn.utils.get_total_norm([embedding.weight.grad.coalesce().values()])
nn.utils.clip_grads_with_norm_(embedding.parameters(), 1.0, norm)
assert 0.99 < embedding.weight.grad.to_dense().norm() < 1.01
""",
        messages=(
            "could not run 'aten::_foreach_norm… with arguments from the 'sparse",
            "could not run 'aten::_foreach_clamp… with arguments from the 'sparse",
            "clip_grad\ncould not run 'aten::linalg_vector_norm' with arguments from the 'sparse",
            "device_tensors\ncould not run 'aten::linalg_vector_norm' with arguments from the "
            "'sparse",
            "clip_grad\ncould not run 'aten::norm… with arguments from the 'sparse",
            "clip_grad\ncould not run 'aten::clamp… with arguments from the 'sparse",
            "clip_grad\nclamp is not implemented for type torch.sparse",
            "clip_grad\nclamp is not implemented for type torch.cuda.sparse",
            "clip_grad\n'torch.sparse.floattensor' object has no attribute",
            "clip_grad\n'torch.cuda.sparse.floattensor' object has no attribute",
            "clip_grad\nnorm_sparse currently",
        ),
        general=(
            "could not run 'aten::linalg_vector_norm' with arguments from the 'sparse",
            "could not run 'aten::norm… with arguments from the 'sparse",
            "could not run 'aten::clamp… with arguments from the 'sparse",
            "clamp is not implemented for type torch.sparse",
            "clamp is not implemented for type torch.cuda.sparse",
            "'torch.sparse.floattensor' object has no attribute",
            "'torch.cuda.sparse.floattensor' object has no attribute",
            "norm_sparse currently",
        ),
        questions=(
            "How do I clip gradients of nn.Embedding(sparse=True)?",
            "gradient clipping does not work with sparse embeddings",
            "clip_grad_value_ raises NotImplementedError for SparseCPU",
            "norm of a sparse gradient",
            "limit the gradient norm when some parameters have sparse gradients",
            "gradient clipping does not work with sparse embedding",
            "how clip norm when grads are torch.sparse",
        ),
        words="clip_grad_norm_, clip_grad_value_, clip_grad_norm, gradient clipping, max_norm, "
        "clamp, sparse=True, SparseCPU, SparseCUDA, backend, aten::linalg_vector_norm, coalesce, "
        "gradient norm, exploding gradients, Lightning gradient_clip_val",
    ),
    Case(
        name="scale-grad-by-freq-sparse",
        title="scale_grad_by_freq with sparse=True",
        claim="The forward pass takes `scale_grad_by_freq` and `sparse=True` together. The "
        "backward pass raises.",
        why="Only the dense gradient is divided by how often an id occurs. The sparse one would "
        "list each token's gradient as it is.",
        raises=(
            "RuntimeError: embedding_backward: scale_grad_by_freq not supported with sparse "
            "gradients",
            "",
        ),
        sides=("sparse gradient", "dense gradient"),
        program="""
ids = torch.tensor([1, 1, 2])
rows = F.embedding(ids, table, scale_grad_by_freq=True, sparse=True)
rows.sum().backward()
left = table.grad.to_dense()

dense = nn.Parameter(weight.clone())
F.embedding(ids, dense, scale_grad_by_freq=True).sum().backward()
right = dense.grad
""",
        line="F.embedding(ids, table, scale_grad_by_freq=True, sparse=True)",
        fix="Divide the gradient of each token's row by the count of its id, in a hook.",
        source=("nn.Embedding", "Tensor.register_hook"),
        typed="""
embedding.sparse, ids = True, torch.tensor([1, 1, 2])
rows, counts = embedding(ids), ids.bincount()[ids]
rows.register_hook(lambda grad: grad / counts[:, None])
rows.sum().backward()
assert embedding.weight.grad.to_dense()[:, 0].tolist() == [0, 1, 1, 0]
""",
        messages=("scale_grad_by_freq not supported with sparse",),
        questions=(
            "Can I combine sparse=True with scale_grad_by_freq=True?",
            "sparse embedding with gradients scaled by frequency fails in backward",
            "divide sparse gradients by the number of occurrences",
            "scale_grad_by_freq is not supported for sparse gradients, what else can I do?",
            "scale_grad_by_freq not supported with sparse weights",
            "backward fails when both options sparse and grad scaling by frequency are on",
        ),
        words="frequency, inverse frequency, counts, sparse=True, SparseAdam, "
        "backward, both, together, EmbeddingBag",
    ),
)
