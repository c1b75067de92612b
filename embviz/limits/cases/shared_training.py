"""Cases about sparse gradients in training by several processes, or in mixed precision."""

import torch

from embviz.limits.case import GRADIENTS, Case


def _no_gloo() -> str:
    """Returns the reason why this machine cannot make a group of processes, or ""."""
    if torch.distributed.is_available() and torch.distributed.is_gloo_available():
        return ""
    return "this PyTorch has no torch.distributed with gloo"


# The programs begin with a group of one process, unless there is one.
GROUP = """
import torch.distributed as group
if not group.is_initialized():
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
"""


CASES = (
    Case(
        name="sparse-gradients-between-processes",
        title="Sparse gradients between processes (DDP)",
        claim="Between processes, gloo adds up sparse gradients, as DDP does. It refuses to send "
        "them by `broadcast`, but it sends a dense gradient.",
        why="For sparse tensors PyTorch has only `all_reduce` with a sum, and only in gloo, "
        "which is for CPUs. NCCL, which is for GPUs, says that tensors must be CUDA and dense. "
        "Each process looks up other rows, so their sparse gradients have different lengths.",
        raises=("NotImplementedError: Could not run 'c10d::broadcast_' with arguments from", ""),
        sides=GRADIENTS,
        program="""
import torch.distributed as group
if not group.is_initialized():
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
ids = torch.tensor([1, 1, 2])
F.embedding(ids, table, sparse=True).sum().backward()
group.broadcast(table.grad, 0)
left = table.grad

F.linear(one_hot(ids), linear).sum().backward()
group.broadcast(linear.grad, 0)
right = linear.grad.T
""",
        line="group.broadcast(table.grad, 0)",
        fix="Use `sparse=False` with NCCL. With gloo, `all_reduce` sums sparse gradients; divide "
        "by the number of processes yourself.",
        typed=f"""{GROUP}embedding.sparse = True
model = nn.parallel.DistributedDataParallel(embedding)  # it sums with gloo
model(ids).sum().backward()
assert embedding.weight.grad.to_dense()[ids].all()
""",
        source=("torch.distributed", "DDP", "pytorch issue 87497", "pytorch issue 111422"),
        messages=(
            "could not run 'c10d::… with arguments from the 'sparse",
            "allreduce of sparse tensors only works with reduceop.sum",
        ),
        general=("tensors must be cuda and dense",),
        questions=(
            "Does nn.Embedding(sparse=True) work with DistributedDataParallel, DDP or NCCL?",
            "Tensors must be CUDA and dense with sparse embeddings",
            "sparse gradients on several GPUs",
            "all_reduce or broadcast of a sparse gradient",
        ),
        words="DDP, DistributedDataParallel, distributed, NCCL, gloo, Horovod, multi-GPU, "
        "multi-node, allreduce, all_gather, SparseCUDA, Lightning, torchrun",
        lacks=_no_gloo,
        own_process=True,
    ),
    Case(
        name="sparse-gradients-and-amp",
        title="Sparse gradients in mixed precision (AMP)",
        claim="A search for inf or NaN in a sparse gradient raises. PyTorch's `GradScaler` takes "
        "such a gradient, because it looks only at the stored values.",
        why="Mixed precision multiplies the loss, and skips a step if a gradient is not finite. "
        "`torch.isfinite`, scalers written by hand and apex read the gradient as if it were "
        "dense. `GradScaler` refuses FP16 gradients: you get them if the weights are float16.",
        raises=("NotImplementedError: Could not run 'aten::… with arguments from the 'Sparse", ""),
        sides=("sparse gradient is finite", "dense gradient is finite"),
        program="""
ids = torch.tensor([1, 1, 2])
F.embedding(ids, table, sparse=True).sum().backward()
left = torch.isfinite(table.grad).all()

F.linear(one_hot(ids), linear).sum().backward()
right = torch.isfinite(linear.grad).all()
""",
        line="torch.isfinite(table.grad).all()",
        fix="Look at `grad.coalesce().values()`, or use `torch.amp.GradScaler`. Keep the table in "
        "float32, and let autocast round.",
        typed="""
embedding.sparse = True
optimizer, scaler = torch.optim.SGD(embedding.parameters(), lr=0.5), torch.amp.GradScaler("cpu")
scaler.scale(embedding(ids).sum()).backward()
scaler.step(optimizer)
assert torch.isfinite(embedding.weight.grad.coalesce().values()).all()
""",
        source=("torch.amp", "pytorch issue 35810"),
        messages=(
            "could not run 'aten::_amp_… with arguments from the 'sparse",
            "weight.grad\ncould not run 'aten::ne.… with arguments from the 'sparse",
            "_amp_non_finite_check_and_unscale_… sparse",
            "nn.embedding(\nattempting to unscale fp16 gradients",
        ),
        general=(
            "could not run 'aten::ne.… with arguments from the 'sparse",
            "attempting to unscale fp16 gradients",
        ),
        questions=(
            "Do sparse embedding gradients work with AMP, autocast and GradScaler?",
            "How do I check a sparse gradient for nan or inf?",
            "Attempting to unscale FP16 gradients with an embedding",
            "apex amp and nn.Embedding(sparse=True)",
        ),
        words="AMP, mixed precision, fp16, apex, GradScaler, unscale_, loss scaling, autocast, "
        "isfinite, isinf, SparseCUDA, non-finite",
    ),
)
