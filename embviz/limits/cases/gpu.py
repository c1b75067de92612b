"""Cases of a CUDA GPU: an id without a row, two devices, rounded products, order, few ids.

Where there is no such GPU, the page shows what one gave: see `recorded`. Each program brings its
values back to the CPU.
"""

import torch

from embviz.limits.case import Case


def no_gpu() -> str:
    """The sentence that there is no GPU, or ""."""
    return "" if torch.cuda.is_available() else "PyTorch sees no CUDA GPU here"


CASES = (
    Case(
        name="out-of-range-on-a-gpu",
        title="An id that has no row, on a GPU",
        claim="The table has 4 rows. On a CUDA GPU the call with id 4 returns. A later call "
        "raises, and after it every CUDA call of that process raises.",
        why="Python does not wait for the GPU. The GPU finds the wrong id later, and stops all "
        "work of this process there. `table[ids]`, `index_select`, `F.one_hot`, "
        "`nn.EmbeddingBag` and a loss whose target has no score do the same. Each prints an "
        "assertion of its own on stderr. But `table[-1]` is the last row.",
        raises=("", "AcceleratorError: CUDA error: device-side assert triggered"),
        sides=("the call", "a later call"),
        program="""
ids, weight = torch.tensor([4]).cuda(), weight.cuda()
rows = F.embedding(ids, weight)
left = "the call returned"

right = torch.cuda.synchronize()
""",
        line="ids, weight = torch.tensor([4]).cuda(), weight.cuda()",
        fix="Check the ids on the CPU, where they are made. Restart the process.",
        typed="""
embedding.cuda()
ids = torch.tensor([0, 3])  # still on the CPU
assert ids.min() >= 0 and ids.max() < embedding.num_embeddings
rows = embedding(ids.cuda())
assert torch.equal(rows, embedding.weight[[0, 3]])
""",
        source=("nn.Embedding", "CUDA semantics", "pytorch issue 19120"),
        messages=(
            "device-side assert",
            "cudaerrorassert",
            "hiperrorassert",
            "srcindex < srcselectdimsize",
            "indexselectsmallindex",
            "indexselectlargeindex",
            "vectorized_gather_kernel",
            "ind >= 0 && ind < ind_dim_size",
            'index < sizes[i] && "index out of bounds"',
            "index >= -sizes[i] && index < sizes[i]",
            "idx_dim >= 0 && idx_dim < index_size",
            "scatter gather kernel index out of bounds",
            "!has_invalid_index",
            "invalid input index in embeddingbag",
            "assertion `t >= 0 && t < n_classes` failed",
            "assertion `cur_target >= 0 && cur_target < n_classes` failed",
        ),
        general=(
            "an illegal memory access was encountered",
            "cublas_status_not_initialized",
            "cublas_status_alloc_failed",
        ),
        questions=(
            "What does CUDA error device-side assert triggered mean?",
            "Every CUDA call fails after the first error, until I restart the kernel.",
            "It works on the CPU but crashes on the GPU, at a line that has nothing to do with it.",
            "An index out of range on the GPU, the traceback points to the wrong line",
            "How do I find the bad id behind a CUDA assertion?",
            "device-side assert triggered in embedding, how to find out the reason",
        ),
        words="CUDA error, cublas, assertion failed, GPU crash, AcceleratorError, kernel, "
        "asynchronous, negative id, -1, index out of bounds, index out of range",
        lacks=no_gpu,
        own_process=True,
    ),
    Case(
        name="two-devices",
        title="Ids on the CPU, table on a GPU",
        claim="Neither route takes ids from one device and a weight from another.",
        why="A kernel reads the memory of its own device alone. `model.to('cuda')` moves the "
        "weights; the ids stay where they are.",
        raises=("RuntimeError: Expected all tensors to be on the same device",) * 2,
        program="""
ids, linear = torch.tensor([1]), linear.cuda()
left = F.embedding(ids, weight.cuda())

right = F.linear(one_hot(ids), linear)
""",
        line="F.embedding(ids, weight.cuda())",
        fix="Move the ids to the table: `ids.to(weight.device)`.",
        typed="""
embedding.cuda()
rows = embedding(ids.to(embedding.weight.device))
assert torch.equal(rows, embedding.weight[[0, 2]])
""",
        source=("nn.Embedding", "CUDA semantics"),
        messages=(
            "found at least two devices…argument index in method",
            "got index is on…different from other tensors on",
            "expected object of device type … but got device type … in call to _th_index_select",
            "expected object of backend … but got backend … 'index'",
            "input, output and indices must be on the current device",
            "expected object of type torch.cuda.…type torch.longtensor for argument #3 'index'",
            "torch.embedding(\nplaceholder storage has not been allocated on mps device",
            "got (torch.cuda.floattensor, int, torch.longtensor)",
            "got (torch.floattensor, int, torch.cuda.longtensor)",
            "expected … to be on gpu … arguments for embedding",
            "expected … to be on gpu … arguments for index_select",
        ),
        general=(
            "found at least two devices",
            "different from other tensors on",
            "expected object of device type … but got device type",
            "expected object of backend … but got backend",
            "expected object of type torch.cuda.… but found type torch.longtensor",
            "expected object of type torch.cuda.… but found type torch.floattensor",
            "placeholder storage has not been allocated on mps device",
            "is on cpu, but expected … to be on gpu",
            "indices should be either on cpu or on the same device",
            "arguments are located on different gpus",
        ),
        questions=(
            "Which of model and ids must be on the GPU?",
            "I moved the model to cuda, but the input stays on the CPU.",
            "Can a large embedding stay in main memory, the rest on the graphics card?",
            "Expected all tensors on the same device: how do I move the ids?",
            "all tensors on same device error in embedding forward, i did model.cuda()",
            "index_select cpu and cuda mixed",
        ),
        words="same device, cuda:0 and cpu, to(device), model on GPU, move, transfer",
        lacks=no_gpu,
        own_process=True,
    ),
    Case(
        name="tf32",
        title="TF32 rounds only the matmul",
        claim="With `torch.set_float32_matmul_precision('high')` a matmul on a GPU turns 1024.5 "
        "into 1024. The lookup returns 1024.5. Of 16,384 random numbers, only 4 stayed the same.",
        why="“high” allows TF32, which keeps 11 binary digits of each factor. A lookup multiplies "
        "nothing, so nothing is rounded.",
        differ=3,
        program="""
ids, weight = torch.zeros(64, dtype=torch.int64).cuda(), torch.zeros(16, 4).cuda()
weight[0] = torch.tensor([1 + 2**-11, 1 + 2**-10, 3.14159265, 1024.5])
torch.set_float32_matmul_precision("high")
left = F.embedding(ids, weight)[:1].cpu()

right = (F.one_hot(ids, 16).float() @ weight)[:1].cpu()
""",
        line='torch.set_float32_matmul_precision("high")',
        fix="Leave the precision of float32 matmuls at “highest”, the default.",
        typed="""
torch.set_float32_matmul_precision("highest")
linear = nn.Linear(64, 64, bias=False).cuda()
nn.init.constant_(linear.weight, 1024.5)
assert (linear(torch.eye(64).cuda()) == 1024.5).all()
""",
        source=("torch.set_float32_matmul_precision", "CUDA semantics"),
        general=("tensor-likes are not close",),
        questions=(
            "What does TF32 change: allow_tf32, tensor cores, Ampere?",
            "float32 matmul on an A100 or RTX is off in the third digit.",
            "The matmul on the GPU differs from the lookup by 1e-3.",
            "Does set_float32_matmul_precision('high') change an embedding?",
            "Different results on GPU and CPU for the same float32 matmul",
            "matmul on A100 less exact than on cpu, only 3 digits right",
            "allow_tf32 float32 precision difference between lookup and one-hot multiply",
        ),
        words="identity matrix, wrong digits, less accurate, hardware problem, 3090, A40, H100, "
        "TensorFloat32, TensorFloat-32, Ampere, Hopper, allow_tf32, fp32_precision, "
        "set_float32_matmul_precision, tensor cores, rounding, 1024.5, different results on GPU",
        see="timing",
        lacks=no_gpu,
        own_process=True,
    ),
    Case(
        name="autocast-on-a-gpu",
        title="Autocast on a GPU rounds only the matmul",
        claim="Inside `torch.autocast('cuda')` a matmul of float32 numbers is computed in "
        "float16; the lookup stays in float32. Of 64,000 numbers, only about 10 stayed the same.",
        why="Matmuls are on autocast's list of operations for lower precision. "
        "`embedding` is not, because it computes nothing.",
        differ=1,
        sides=("numbers that are the same", "all numbers"),
        program="""
embedding = nn.Embedding(1000, 64).cuda()
linear, ids = embedding.weight.detach().T.contiguous(), torch.arange(1000).cuda()
with torch.autocast("cuda"):
    rows, products = embedding(ids), F.linear(F.one_hot(ids).float(), linear)
left = int((rows == products).sum())

right = rows.numel()
""",
        line='with torch.autocast("cuda"):',
        fix="Switch autocast off for the matmul.",
        typed="""
embedding, linear, ids = embedding.cuda(), linear.cuda(), ids.cuda()
with torch.autocast("cuda"):
    rows = embedding(ids)
    with torch.autocast("cuda", enabled=False):
        products = linear(F.one_hot(ids, num_classes=4).float())
assert torch.equal(products, rows)
""",
        source=("torch.amp",),
        general=(
            "index put requires the source and destination dtypes match",
            "expected scalar type half but found float",
            "expected scalar type float but found half",
        ),
        questions=(
            "Why is the embedding's output float32 under torch.cuda.amp?",
            "fp16 mixed precision on a GPU: linear gives half, the lookup float32.",
            "Does autocast('cuda') cast an embedding to float16?",
            "amp on gpu: linear gives half, embedding gives float, which is right",
            "fp16 autocast one-hot matmul not equal to emb(x)",
        ),
        words="amp, mixed precision, half, float16, fp16, GradScaler, torch.cuda.amp",
        lacks=no_gpu,
        own_process=True,
    ),
    Case(
        name="gradient-with-other-bits",
        title="The same gradient, computed again, has other bits",
        claim="This looks up 100,000 ids in 10 rows, 30 times on a GPU. The gradient of the "
        "lookup has other bits in each run. The gradient of the matmul has the same bits in all "
        "runs.",
        why="Threads of the GPU add up the gradients of a row in the order in which they come, "
        "and each order rounds differently. With 1,000 rows all 30 gradients were the same. If "
        "PyTorch has no fixed order for a call, it raises after "
        "`torch.use_deterministic_algorithms(True)`.",
        differ=1,
        sides=("different gradients of nn.Embedding", "different gradients of the matmul"),
        program="""
ids, grads = torch.randint(10, (100_000,)).cuda(), torch.randn(100_000, 32).cuda()
def different(rows):  # gradients among 30 runs that differ in a bit
    found = set()
    for _ in range(30):
        table = torch.zeros(10, 32).cuda().requires_grad_()
        rows(table).backward(grads)
        found.add(table.grad.cpu().numpy().tobytes())
    return len(found)
left = different(lambda table: F.embedding(ids, table))

right = different(lambda table: F.one_hot(ids, 10).float() @ table)
""",
        line="different(lambda table: F.embedding(ids, table))",
        fix="Look up with `table[ids]`; or ask for sparse gradients.",
        typed="""
ids, grads = torch.randint(4, (100_000,)).cuda(), torch.randn(100_000, 3).cuda()
weight = embedding.cuda().weight
(once,) = torch.autograd.grad(weight[ids], weight, grads)
(again,) = torch.autograd.grad(weight[ids], weight, grads)
assert torch.equal(once, again)
""",
        source=("Reproducibility", "nn.Embedding"),
        messages=("embedding_bag_backward_cuda_max does not have a deterministic implementation",),
        general=(
            "does not have a deterministic implementation",
            "cublas_workspace_config",
        ),
        questions=(
            "Why is the gradient of nn.Embedding on a GPU different in each run?",
            "Embedding backward on CUDA is not deterministic despite a fixed seed.",
            "atomicAdd in the backward pass of a lookup",
            "use_deterministic_algorithms and nn.Embedding or EmbeddingBag",
            "training not deterministic on gpu embedding backward atomicAdd",
            "same seed, same data, gradient of embedding differs in last digits every time cuda",
        ),
        words="nondeterministic, deterministic, reproducible, seed, use_deterministic_algorithms, "
        "atomicAdd, random, not the same every run",
        lacks=no_gpu,
        own_process=True,
    ),
    Case(
        name="sixteen-ids",
        title="16 ids are more work than 17",
        claim="On a GPU a lookup of 16 ids is more work than a lookup of 17 ids: on an H200 it "
        "is 5 to 6 times as much.",
        why="For at most 16 ids PyTorch uses another kernel, which goes through them one after "
        "another. Python and the start of a call take 15 µs, and hide the difference.",
        differ=1,
        apart=1.0,
        sides=("µs of work for 16 ids", "µs of work for 17 ids"),
        program="""
weight = torch.randn(4096, 64).cuda()
def work(ids):  # µs that the GPU works for one lookup, of 100 in a CUDA graph
    F.embedding(ids, weight)
    graph = torch.cuda.CUDAGraph()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.graph(graph):
        for _ in range(100):
            F.embedding(ids, weight)
    for _ in range(2):  # the second replay counts
        begin.record()
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    return torch.tensor([round(10 * begin.elapsed_time(end), 2)])
left = work(torch.arange(16).cuda())

right = work(torch.arange(17).cuda())
""",
        line="work(torch.arange(16).cuda())",
        fix="Look up 17 ids, and drop the last row.",
        typed="""
embedding = nn.Embedding(4096, 64).cuda()
ids = torch.arange(16).cuda()
rows = embedding(F.pad(ids, (0, 1)))[:16]  # one id more: 0
assert torch.equal(rows, embedding.weight[:16])
""",
        source=("torch.cuda.CUDAGraph", "CUDA semantics"),
        questions=(
            "Why is a lookup of 16 tokens slower than one of 17 on a GPU?",
            "Small batches on a GPU are slow: few ids, another kernel.",
            "indexSelectSmallIndex or indexSelectLargeIndex: which kernel is used when?",
            "embedding slow on small batch gpu, 17 tokens faster than 16",
            "index_select small index kernel weird timing jump H200",
        ),
        words="slow, speed, kernel, small batch, indexSelectSmallIndex, few tokens, benchmark",
        see="timing",
        lacks=no_gpu,
        own_process=True,
    ),
)
