"""Cases about precision: bfloat16, autocast, and dtypes that do not match."""

import torch

from embviz.limits.case import Case


def _no_amx() -> str:
    able = torch.cpu.get_capabilities().get("amx_bf16", False)
    return "" if able else "this processor has no AMX units for bfloat16"


CASES = (
    Case(
        name="bfloat16-gradient",
        title="bfloat16: a token repeated more than 256 times",
        claim="In bfloat16 on the CPU, the gradient of an id that occurs often stops growing: 300 "
        "gradients of 1 add up to 256.",
        why="The backward pass adds one token after another in bfloat16, which keeps 8 binary "
        "digits, so 256 + 1 is rounded back to 256. A matmul in float32 can hold the sum.",
        differ=3,
        sides=("gradient of nn.Embedding in bfloat16", "gradient of nn.Linear in float32"),
        program="""
ids = torch.zeros(300, dtype=torch.int64)
table = nn.Parameter(table.bfloat16())
F.embedding(ids, table).sum().backward()
left = table.grad.float()

F.linear(one_hot(ids), linear).sum().backward()
right = linear.grad.T
""",
        line="table = nn.Parameter(table.bfloat16())",
        fix="Keep the table in float32, and round the rows that are looked up.",
        typed="""
ids = torch.zeros(300, dtype=torch.int64)
embedding = nn.Embedding(4, 3)  # float32
embedding(ids).bfloat16().sum().backward()
assert embedding.weight.grad[0, 0] == 300
""",
        source=("Numerical accuracy",),
        questions=(
            "Why does the gradient of a frequent token stop growing in bfloat16?",
            "Is it safe to train an embedding in bf16?",
            "The vector of the most common word hardly learns in bfloat16.",
            "Rounding when many equal gradients are added in low precision",
            "bf16 embedding grads saturate at 256 for common tokens like the space",
            "accumulate of ones in bfloat16 stuck",
        ),
        words="bf16, accumulation, backward, repeated tokens, frequent token",
    ),
    Case(
        name="autocast",
        title="Autocast rounds only the matmul",
        claim="Inside `torch.autocast`, here on the CPU, a matmul of float32 numbers is computed "
        "in bfloat16, and the lookup stays in float32.",
        why="Autocast has a list of operations that it runs in lower precision. Matmuls "
        "are on it; `embedding` is not, because it computes nothing.",
        differ=6,
        program="""
ids, weight = torch.tensor([3, 1]), weight / 7
with torch.autocast("cpu", dtype=torch.bfloat16):
    left = F.embedding(ids, weight)

with torch.autocast("cpu", dtype=torch.bfloat16):
    right = one_hot(ids) @ weight
""",
        line='with torch.autocast("cpu", dtype=torch.bfloat16):',
        fix="Switch autocast off for the matmul.",
        typed="""
with torch.autocast("cpu", dtype=torch.bfloat16):
    rows = embedding(ids)
    with torch.autocast("cpu", enabled=False):
        products = linear(F.one_hot(ids, num_classes=4).float())
assert torch.equal(products, rows)
""",
        source=("torch.amp",),
        general=(
            "index put requires the source and destination dtypes match",
            "expected scalar type bfloat16 but found float",
            "expected scalar type float but found bfloat16",
        ),
        questions=(
            "Why is the output of nn.Embedding float32 inside autocast?",
            "Does mixed precision, amp, round an embedding lookup?",
            "Which layers does torch.autocast run in lower precision on the CPU?",
            "Linear gives bfloat16 under autocast, the embedding does not.",
            "with torch.autocast the results of one-hot matmul differ from embedding slightly",
        ),
        words="amp, mixed precision, bf16, half, float16, fp16, GradScaler",
    ),
    Case(
        name="medium-precision-on-a-cpu",
        title="“medium” precision of float32 matmuls",
        claim="On a CPU with AMX units, `torch.set_float32_matmul_precision('medium')` makes a "
        "float32 matmul of 64 one-hot rows round the weight: 1024.5 becomes 1024. The lookup "
        "returns 1024.5.",
        why="The setting lets large float32 matmuls run in bfloat16, which keeps 8 binary "
        "digits. On a GPU it allows TF32, which keeps 11 binary digits: that is another case.",
        differ=8,
        program="""
ids, weight = torch.arange(64), torch.full((64, 64), 1024.5)
torch.set_float32_matmul_precision("medium")
left = F.embedding(ids, weight)[:4, :2]

right = F.linear(F.one_hot(ids).float(), weight.T)[:4, :2]
""",
        line='torch.set_float32_matmul_precision("medium")',
        fix="Leave the precision of float32 matmuls at “highest”, the default.",
        typed="""
torch.set_float32_matmul_precision("highest")
linear = nn.Linear(64, 64, bias=False)
nn.init.constant_(linear.weight, 1024.5)
assert (linear(torch.eye(64)) == 1024.5).all()
""",
        source=("torch.set_float32_matmul_precision", "Numerical accuracy"),
        questions=(
            "What does set_float32_matmul_precision('medium') do on a CPU?",
            "float32 matmul is less exact on my Xeon with AMX.",
            "Results of a matmul change with the matmul precision, those of the lookup do not.",
            "set_float32_matmul_precision medium on Xeon sapphire rapids loses digits",
            "float32 matmul gives rounded to bf16 results on intel AMX cpu",
        ),
        words="bf16, AMX, oneDNN, mkldnn, rounding, set_float32_matmul_precision, reduced "
        "precision",
        lacks=_no_amx,
        own_process=True,
    ),
    Case(
        name="one-hot-is-int64",
        title="one_hot returns int64: two dtypes in a matmul",
        claim="`F.one_hot` returns int64. With a float weight, `@` refuses it, and `*` converts "
        "it.",
        why="A matmul needs both factors in one dtype, so a float32 one-hot with a float16 "
        "weight raises too, for example after `nn.Module.half()`. A lookup takes a weight of any "
        "dtype. Each 0 and each 1 of int64 takes 8 bytes. On a CPU, old versions cannot multiply "
        "integers or float16.",
        raises=("", "RuntimeError: expected m1 and m2 to have the same dtype"),
        sides=("one_hot * weight, summed", "one_hot @ weight"),
        program="""
hot = F.one_hot(torch.tensor([3, 1]), num_classes=4)
left = (hot[:, :, None] * weight).sum(dim=1)

right = hot @ weight  # int64 @ float32
""",
        line="hot @ weight  # int64 @ float32",
        fix="Convert it with `.to(weight.dtype)`.",
        typed="""
hot = F.one_hot(ids, num_classes=4).to(linear.weight.dtype)
assert torch.equal(linear(hot), embedding(ids))
""",
        source=("F.one_hot", "pytorch issue 53785"),
        messages=(
            "one_hot\nexpected scalar type long but found float",
            "linear(\nexpected scalar type long but found float",
            "expected object of scalar type long but got scalar type float for argument … 'mat",
            "expected object of type torch.longtensor but found … for argument #… 'mat",
            "one_hot\nresult type float can't be cast to the desired output type long",
            "expected m1 and m2 to have the same dtype, but got: long",
            "and mat2 must have the same dtype, but got long",
            "and mat2 must have the same dtype, but got float and long",
            "expected object of scalar type float but got scalar type long for argument … 'mat",
            "expected object of type torch.floattensor but found type torch.longtensor … 'mat",
            "addmm_impl_cpu_\" not implemented for 'long'",
            "addmv_impl_cpu\" not implemented for 'long'",
            "one_hot…input dtype must be either a floating point or complex dtype. got: long",
        ),
        general=(
            "expected scalar type bfloat16 but found float",
            "expected scalar type float but found bfloat16",
            "expected scalar type half but found float",
            "expected scalar type float but found half",
            "expected scalar type long but found float",
            "and mat2 must have the same dtype",
            "expected scalar type … but found",
            "expected object of scalar type float but got scalar type long",
            "expected object of type torch.floattensor but found type torch.longtensor",
            "addmm_impl_cpu_\" not implemented for '",
            "addmv_impl_cpu\" not implemented for '",
            "input dtype must be either a floating point or complex dtype. got: long",
        ),
        questions=(
            "Why must I write one_hot(...).float()?",
            "Which dtype does F.one_hot return?",
            "Multiplying a one-hot matrix of integers with a float weight fails.",
            "dtype mismatch of half and float in a linear layer",
            "Convert one-hot to float before nn.Linear.",
            "expected m1 and m2 to have same dtype after one_hot, do i need .float()?",
            "one hot tensor to float",
        ),
        words="dtype mismatch, half, BFloat16, cast, Long and Float, long int != float, convert, "
        "float(), out of memory",
    ),
)
