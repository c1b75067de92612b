"""The search: errors of this PyTorch, of other machines and versions, words, and hostile texts.

`test_cases` holds that the errors which the cases raise here lead to them.
"""

import time

import pytest

from embviz.limits.search import find

FRAME = """Traceback (most recent call last):
  File "/home/me/project/train.py", line 12, in <module>
    output = model(ids.to(device), mask)
  File "/usr/lib/python3/site-packages/torch/nn/functional.py", line 2567, in forward
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
"""
GPU_KERNEL = (
    "../aten/src/ATen/native/cuda/Indexing.cu:1146: indexSelectLargeIndex: block: [100,0,0], "
    "thread: [32,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
)
# By the name of the case that must come first.
ERRORS = {
    "out-of-range": [
        "IndexError: index out of range in self",
        "RuntimeError: Class values must be non-negative.",
    ],
    "out-of-range-on-a-gpu": [
        "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be "
        "asynchronously reported at some other API call, so the stacktrace below might be "
        "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        GPU_KERNEL * 40,
        # As they were recorded on an H200: `table[ids]`, F.one_hot, gather, EmbeddingBag, a loss.
        "IndexKernel.cu:111: operator(): block: [0,0,0], thread: [0,0,0] Assertion `-sizes[i] <= "
        'index && index < sizes[i] && "index out of bounds"` failed.',
        "ScatterGatherKernel.cu:409: operator(): block: [0,0,0], thread: [0,0,0] Assertion "
        '`idx_dim >= 0 && idx_dim < index_size && "index out of bounds"` failed.',
        "ScatterGatherKernel.cu:163: operator(): block: [11,0,0], thread: [0,0,0] Assertion "
        "`idx_dim >= 0 && idx_dim < index_size && "
        '"scatter gather kernel index out of bounds"` failed.',
        "EmbeddingBag.cu:149: EmbeddingBag_updateOutputKernel_sum_mean: block: [0,0,0] Assertion "
        '`!has_invalid_index && "Invalid input index in EmbeddingBag: index out of range [0, '
        'numRows)"` failed.',
        "Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [0,0,0] "
        "Assertion `t >= 0 && t < n_classes` failed.",
        "torch.AcceleratorError: CUDA error: device-side assert triggered\nSearch for "
        "`cudaErrorAssert' in https://docs.nvidia.com for more information.",
    ],
    "two-devices": [
        "RuntimeError: Expected all tensors to be on the same device, but found at least two "
        "devices, cuda:0 and cpu! (when checking argument for argument index in method "
        "wrapper_CUDA__index_select)",
        "RuntimeError: Expected all tensors to be on the same device, but got index is on cpu, "
        "different from other tensors on cuda:0 (when checking argument in method x)",
        "Expected object of device type cuda but got device type cpu for argument #1 'self'",
        "Input, output and indices must be on the current device",
    ],
    "float-ids": [
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following "
        "scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for "
        "embedding_bag)",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not list",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not numpy.ndarray",
        "RuntimeError: Can not infer total number of classes from empty tensor.",
        "Expected tensor for argument #1 'indices' to have scalar type Long; but got IntTensor",
    ],
    "int32-ids": ["RuntimeError: one_hot is only applicable to index tensor."],
    "one-hot-without-classes": [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)",
        "size mismatch, m1: [2 x 3], m2: [4 x 3] at TH.h:41",
        "RuntimeError: mat1 dim 1 must match mat2 dim 0",
    ],
    "shared-storage": [
        "RuntimeError: view size is not compatible with input tensor's size and stride (at least "
        "one dimension spans across two contiguous subspaces). Use .reshape(...) instead."
    ],
    "padding-idx-value": ["AssertionError: Padding_idx must be within num_embeddings"],
    "max-norm": [
        "RuntimeError: one of the variables needed for gradient computation has been modified by "
        "an inplace operation: [torch.FloatTensor [4, 3]] is at version 1; expected version 0",
        "RuntimeError: leaf variable has been moved into the graph interior",
    ],
    "one-hot-is-int64": [
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Half",
        "RuntimeError: expected scalar type Long but found Float",
    ],
    "bag-without-offsets": [
        "RuntimeError: offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to "
        "start from position 0. However, got 1"
    ],
    "adam-needs-dense": [
        "RuntimeError: add(sparse, dense) is not supported. Use add(dense, sparse) instead.",
        "RuntimeError: weight_decay option is not compatible with sparse gradients",
        "RuntimeError: RMSprop does not support sparse gradients",
        "RuntimeError: SparseAdam does not support dense gradients, please consider Adam instead",
    ],
    "loss-without-parentheses": [
        "bool value of Tensor with more than one value is ambiguous",
        "AttributeError: 'MSELoss' object has no attribute 'backward'",
    ],
    "rows-from-max": ["TypeError: Object of type Tensor is not JSON serializable"],
}
WORDS = {
    "grad-fn-differs": [
        "EmbeddingBackward0",
        "MmBackward0",
        "UnsafeViewBackward0",
        "AddmmBackward0",
    ],
    "minus-zero": ["negative zero", "-0.0"],
    "padding-idx-value": ["PADDING", "reset_parameters", "how do I make padding zero and xyzzy"],
    "inf-in-unseen-row": ["nan", "my loss is nan"],
    "shared-storage": ["weight tying", "why is my weight changing?", "optimizer’s"],
    "max-norm": ["embedding weights change during evaluation"],
    "counts-ignored": ["tf-idf"],
    "from-pretrained-frozen": ["GloVe freeze", "loss not decreasing", "gradient is None"],
    "one-hot-without-classes": ["wrong shape", "num_classes"],
    "order-and-context": ["word order"],
    "float-ids": ["ids are a numpy array"],
    "out-of-range": ["index out of range"],
    "out-of-range-on-a-gpu": ["device-side assertion of the embedding"],
    "two-devices": ["model on GPU, ids on CPU"],
    "tf32": ["TF32", "allow_tf32", "TensorFloat32"],
    "autocast-on-a-gpu": ["autocast cuda"],
    "gradient-with-other-bits": ["nondeterministic gradient", "atomicAdd gradient"],
    "sixteen-ids": ["16 ids"],
    "one-hot-out-of-memory": ["why is it out of memory"],
    "adam-needs-dense": ["sparse gradient of the momentum xyzzy"],
    "always-faster": ["why is my embedding slow"],
    "input-gradient": ["gumbel", "continuous"],
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_leads_to_its_case(name: str) -> None:
    """It comes first, pasted with or without its traceback, broken into lines, or in capitals."""
    for text in ERRORS[name]:
        for pasted in text, f" {FRAME}{text}\n\n", text.replace(" ", "\n"), text.upper():
            assert find(pasted)[0].name == name, pasted


@pytest.mark.parametrize("name", WORDS)
def test_words_lead_to_their_case(name: str) -> None:
    """The words of a student lead to the case first."""
    for text in WORDS[name]:
        assert find(text)[0].name == name, text


@pytest.mark.parametrize(
    "text",
    [
        "  \n\t",
        "?!",
        "xyzzy",
        "nan xyzzy",
        "list index out of range",
        "cook the embedding table recipe",
        "why is there no " + "pizza on the table " * 50,
        " ".join(f"word{number}" for number in range(100)),
        "index out of range in self" + " xyzzy" * 4000,
        "a" * 10**7,
        "type object '" * 10**5,
        "\0\ud800(((((" * 10**5,
    ],
    ids=lambda text: text[:9],
)
def test_what_is_not_there_is_not_found(text: str) -> None:
    """A search about something else finds nothing, within a second for any text."""
    started = time.thread_time()
    assert [case.name for case in find(text)] == []
    assert time.thread_time() - started < 1.0
