"""Errors of programs that have no part in embeddings: none opens a case.

Most are made here, by calling functions of PyTorch and NumPy wrongly. The others stand as other
machines, versions and packages print them.
"""

import traceback

import pytest

from embviz.limits.search import find

START = """
import json, numpy as np, torch
from torch import nn
from torch.nn import functional as F
x, image, pair = torch.ones(2, 3), torch.ones(1, 3, 8, 8), (torch.ones(2, 3), torch.ones(2, 3))
whole, leaf = torch.tensor([1, 2, 3]), torch.ones(3, requires_grad=True)
adjacency = torch.eye(3).to_sparse()
table_of_numbers = np.ones((3, 2))
"""
PROGRAMS = (
    # What is no tensor, as an argument.
    "F.relu(pair)",
    "F.relu([1.0, 2.0])",
    "F.conv2d(pair, torch.ones(1, 3, 2, 2))",
    "F.dropout(pair)",
    "F.max_pool2d(pair, 2)",
    "F.layer_norm(pair, (3,))",
    "F.linear(pair, x)",
    "nn.Linear(3, 2)(pair)",
    "nn.Linear(3, 2)([1.0, 2.0, 3.0])",
    "nn.BatchNorm1d(3)(pair)",
    "nn.LSTM(3, 2)([1.0])",
    "nn.CrossEntropyLoss()(x, [0, 1])",
    "[1, 2].to('cpu')",
    "[1, 2].size()",
    "[1, 2].shape",
    "[1, 2].long()",
    "table_of_numbers.dim()",
    "table_of_numbers.long()",
    "F.softmax(table_of_numbers, dim=0)",
    "torch.sparse_coo_tensor('a', [1.0])",
    # Sizes that do not fit.
    "torch.ones(1, 3, 512, 512) + torch.ones(1, 3, 512, 511)",
    "torch.ones(1, 1, 1, 1024) * torch.ones(1, 1, 1, 1023)",
    "torch.ones(2, 77) + torch.ones(2, 12)",
    "torch.ones(2, 100) - torch.ones(2, 512)",
    "torch.ones(1, 512).expand(1, 600)",
    "torch.stack([torch.ones(3, 8, 8), torch.ones(1, 8, 8)])",
    "torch.cat([torch.ones(2, 3), torch.ones(3)])",
    "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])",
    "x @ x",
    "torch.ones(4, 3) @ torch.ones(5, 3)",
    "nn.Linear(6, 3)(x)",
    "torch.ones(3, 4).mv(torch.ones(3))",
    "x.matmul(torch.tensor(1.0))",
    "image.permute(0, 2, 3, 1).view(-1)",
    "torch.ones(3).sum(dim=1)",
    "nn.BatchNorm1d(3)(torch.ones(3))",
    "nn.LSTM(3, 4)(torch.ones(2, 2, 2, 3))",
    "nn.GRU(3, 4)(torch.ones(2, 2, 2, 3))",
    "nn.LSTM(3, 4)(x, (torch.ones(1, 2, 4), torch.ones(1, 2, 4)))",
    "nn.Conv2d(3, 4, 3).load_state_dict(nn.Conv2d(1, 4, 3).state_dict())",
    "nn.Linear(3, 4).load_state_dict(nn.Linear(3, 5).state_dict())",
    "nn.Conv2d(3, 4, 3).load_state_dict(nn.Conv2d(3, 4, 3, bias=False).state_dict())",
    "nn.Sequential(nn.Linear(3, 4)).load_state_dict({'0.weight': torch.ones(4, 3)})",
    "nn.CrossEntropyLoss()(torch.ones(4, 3), whole)",
    "nn.BCEWithLogitsLoss()(torch.ones(4, 1), torch.ones(4))",
    "nn.CrossEntropyLoss()(torch.ones(2, 3, 4), torch.ones(2, 5).long())",
    "nn.CrossEntropyLoss()(torch.ones(2, 3, 4, 4), torch.ones(2, 1, 4, 4).long())",
    "torch.zeros(-1)",
    "torch.zeros(3.0)",
    "torch.empty(x)",
    "nn.Linear(3.0, 4)",
    "nn.Linear((3, 4), 4)",
    "torch.FloatTensor(['a'])",
    "torch.tensor(['a', 'b'])",
    "np.array([np.ones((2, 2)), np.ones((3, 2))])",
    "table_of_numbers[0, 0] = [1, 2]",
    "torch.tensor(np.array(['a', None], dtype=object))",
    # Places in a tensor or a list.
    "x[5]",
    "x[:, 7]",
    "table_of_numbers[7]",
    "x.gather(1, torch.tensor([[9], [9]]))",
    "x.gather(1, torch.tensor([[0.0], [0.0]]))",
    "x.scatter_(1, torch.tensor([[9], [9]]), 1.0)",
    "x.scatter_(1, torch.tensor([[1.0], [1.0]]), 1.0)",
    "x[torch.ones(2)]",
    "table_of_numbers[1.0]",
    "table_of_numbers[np.array([1.0])]",
    "range(whole)",
    # Truth, numbers and files.
    "if x:\n    pass",
    "best = max(x)",
    "json.dumps(x)",
    "torch.manual_seed(2**64)",
    "torch.tensor([2**64])",
    "np.array([1], dtype='int32') * 2**40",
    "torch.empty(2**62, 2**62)",
    "torch.tensor([1, 2], dtype=torch.int32).fill_(2**40)",
    # Types of numbers.
    "whole.softmax(dim=0)",
    "whole.float().half() @ torch.ones(3)",
    "torch.ones(2, 2).bfloat16() @ torch.ones(2, 2)",
    "nn.Linear(3, 3)(x.bfloat16())",
    "torch.ones(1, 2, 2).bmm(torch.ones(1, 2, 2).long())",
    "whole.mean()",
    "whole.mul_(0.5)",
    "torch.tensor([1, 2], requires_grad=True)",
    "torch.ones(2, 2).to(torch.float8_e4m3fn) + torch.ones(2, 2).to(torch.float8_e4m3fn)",
    "torch.ones(2, 2) @ torch.ones(2, 2).to(torch.float8_e4m3fn)",
    "torch.ones(2, 2) @ torch.ones(2, 2).to(torch.int8)",
    # Gradients and optimizers.
    "x.sum().backward()",
    "torch.autograd.grad(x.sum(), x)",
    "torch.optim.SGD([], lr=0.1)",
    "x.grad.zero_()",
    "torch.optim.SGD([leaf * 2], lr=0.1)",
    "(leaf * 2).requires_grad_(False)",
    "x.register_hook(print)",
    "leaf.exp().add_(1).sum().backward()",
    "torch.optim.SGD([{'params': [leaf]}, {'params': [leaf]}], lr=0.1)",
    "leaf.register_hook(lambda grad: grad[:1])\nleaf.sum().backward()",
    # Sparse matrices, as of a graph.
    "adjacency + torch.ones(3, 3)",
    "adjacency.numpy()",
    "adjacency[0] = 1",
    "adjacency.view(-1)",
    "torch.sparse_coo_tensor([[0, 0]], [1.0, 1.0]).values()",
    "torch.sparse_coo_tensor([[0, 0]], [1.0, 1.0]).indices()",
    "adjacency.data_ptr()",
    "adjacency != adjacency",
    "torch.linalg.norm(adjacency)",
    "torch.linalg.vector_norm(adjacency)",
    "adjacency.clamp(min=0)",
    "adjacency.max()",
    # Comparisons and settings.
    "torch.testing.assert_close(x, x + 1)",
    "torch.testing.assert_close(whole, whole + 1)",
    "torch.nn.MSELoss().alpha",
)
# As they are printed where they cannot be raised here.
PRINTED = (
    "size mismatch for conv1.weight: copying a param with shape torch.Size([64, 3, 7, 7]) from "
    "checkpoint, the shape in current model is torch.Size([64, 1, 7, 7]).",
    "size mismatch for classifier.weight: copying a param with shape torch.Size([2, 768]) from "
    "checkpoint, the shape in current model is torch.Size([5, 768]).\n\tYou may consider adding "
    "`ignore_mismatched_sizes=True` in the model `from_pretrained` method.",
    "Some weights were not initialized from the checkpoint and are newly initialized because the "
    "shapes did not match: classifier.weight",
    'Error(s) in loading state_dict for Net: Missing key(s) in state_dict: "decoder.weight".',
    "Python int too large to convert to C long",
    "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 10.76 GiB total capacity)",
    "DefaultCPUAllocator: not enough memory: you tried to allocate 64 bytes.",
    "CUDA error: an illegal memory access was encountered",
    "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
    "cpu! (when checking argument for argument tensors in method wrapper_CUDA_cat)",
    "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other "
    "tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)",
    "Placeholder storage has not been allocated on MPS device!",
    "Tensor for argument #2 'weight' is on CPU, but expected them to be on GPU (while checking "
    "arguments for cudnn_convolution)",
    "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    "upsample_bilinear2d_backward_out_cuda does not have a deterministic implementation, but you "
    "set 'torch.use_deterministic_algorithms(True)'.",
    "Tensors must be CUDA and dense",
    "Attempting to unscale FP16 gradients.",
    "Could not run 'aten::addmm' with arguments from the 'QuantizedCPU' backend.",
    "\"addmm_impl_cpu_\" not implemented for 'Half'",
    "expected scalar type Half but found Float",
    "Expected object of scalar type Float but got scalar type Long for argument #2 'other'",
    "Found dtype Long but expected Float",
    "leaf variable has been moved into the graph interior",
    "Output 0 of UnbindBackward0 is a view and is being modified inplace.",
    "Using a target size (torch.Size([32])) that is different to the input size "
    "(torch.Size([32, 1])). This will likely lead to incorrect results due to broadcasting.",
    "size_average and reduce args will be deprecated, please use reduction='sum' instead.",
    "Function 'MmBackward0' returned nan values in its 0th output.",
    "transforms.Compose([ToTensor()])\nRuntimeError: The size of tensor a (4) must match the size "
    "of tensor b (3) at non-singleton dimension 0",
    "loss = model(x)\nexpected scalar type Long but found Float",
    "clip_grad_norm_(model.parameters(), max_norm=1.0)\nRuntimeError: one of the variables needed "
    "for gradient computation has been modified by an inplace operation",
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_mistake_without_a_layer_opens_nothing(program: str) -> None:
    """Neither the error alone nor below the line that raised it."""
    names: dict[str, object] = {}
    exec(START, names)  # noqa: S102 - our own constant
    with pytest.raises(Exception) as raised:  # noqa: PT011 - any error will do
        exec(program, names)  # noqa: S102 - our own constant
    error = "".join(traceback.format_exception_only(raised.value))
    for text in error, f"Traceback (most recent call last):\n    {program}\n{error}":
        assert find(text).opened is None, text


@pytest.mark.parametrize("text", PRINTED)
def test_an_error_of_another_machine_opens_nothing(text: str) -> None:
    """It is general too, though some case lists most of them."""
    assert find(text).opened is None
