"""Cases about tables of 8 bits a number: float8, and whole numbers with a scale."""

from embviz.limits.case import Case

CASES = (
    Case(
        name="float8-table",
        title="A table of float8",
        claim="A lookup takes a table of float8. A matmul with float32 one-hot rows refuses it.",
        why="A lookup copies rows and computes nothing, so it takes every dtype. PyTorch "
        "computes little in float8: it cannot draw such weights, add up their gradients or sum a "
        "bag of rows. Each number keeps 4 or 3 binary digits.",
        raises=(
            "",
            "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Float",
        ),
        program="""
ids, small = torch.tensor([0, 2]), weight.to(torch.float8_e4m3fn)
left = F.embedding(ids, small).float()

right = F.linear(one_hot(ids), small.T)
""",
        line="F.linear(one_hot(ids), small.T)",
        fix="Look up first, and convert the rows: `weight[ids].float()`. Train in float32 or "
        "bfloat16, and store float8 afterwards.",
        typed="""
small = embedding.weight.detach().to(torch.float8_e4m3fn)
rows = F.embedding(ids, small).float()
assert torch.allclose(rows, embedding(ids), rtol=1 / 16, atol=1 / 512)
""",
        source=("torch.dtype",),
        messages=(
            "embedding(…not implemented for 'float8",
            "embedding_bag…but got cpufloat8",
            "embedding_bag…but got cudafloat8",
            "one_hot…same dtype, but got: float != c10::float8",
        ),
        general=(
            "not implemented for 'float8",
            "but got cpufloat8",
            "but got cudafloat8",
            "same dtype, but got: float != c10::float8",
            "promotion for float8 types is not supported",
        ),
        questions=(
            "Can nn.Embedding have a weight of float8?",
            "not implemented for Float8_e4m3fn in an embedding",
            "How do I store an embedding table in fp8?",
            "Does a lookup work with float8_e5m2?",
        ),
        words="fp8, float8_e4m3fn, float8_e5m2, 8-bit, low precision, compress, small table",
    ),
    Case(
        name="quantized-table",
        title="A quantized table: int8 with a scale",
        claim="A lookup takes a table of int8, and the rows times the scale are about the "
        "numbers before. A matmul with float32 one-hot rows refuses the table.",
        why="int8 needs a quarter of float32's memory; rounding moves a number by up to half the "
        "scale. PyTorch's own quantized tensors (`QuantizedCPU`) are deprecated: a matmul refuses "
        "them, and a lookup those with a scale for each row. `quantize_dynamic` quantizes an "
        "`nn.Embedding` only with `float_qparams_weight_only_qconfig`.",
        raises=(
            "",
            "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != signed",
        ),
        program="""
ids, scale = torch.tensor([0, 2]), weight.max() / 127
small = (weight / scale).round().to(torch.int8)
left = F.embedding(ids, small) * scale

right = F.linear(one_hot(ids), small.T) * scale
""",
        line="F.linear(one_hot(ids), small.T) * scale",
        fix="Look up first, and multiply the rows by the scale. For a matmul convert the table.",
        typed="""
scale = embedding.weight.detach().abs().max() / 127
small = (embedding.weight.detach() / scale).round().to(torch.int8)
rows = F.embedding(ids, small) * scale
assert torch.allclose(rows, embedding(ids), atol=float(scale))
""",
        source=("Quantization",),
        messages=(
            "embedding quantization is only supported with float_qparams_weight_only_qconfig",
            "one_hot…same dtype, but got: float != signed char",
            "quantized tensors are supported by index_select",
        ),
        general=(
            "same dtype, but got: float != signed char",
            "could not run 'aten::index_select… with arguments from the 'quantizedc",
            "could not run 'aten::mm… with arguments from the 'quantizedc",
            "could not run 'aten::addmm… with arguments from the 'quantizedc",
        ),
        questions=(
            "How do I quantize an nn.Embedding to int8?",
            "quantize_dynamic does not quantize the embedding layer",
            "Does an embedding work with an int8 or 4-bit table?",
            "float_qparams_weight_only_qconfig for embedding",
        ),
        words="quantization, quantize, int8, int4, quint8, qint8, 4-bit, bitsandbytes, torch.ao, "
        "scale, zero_point, dequantize, compress, QuantizedCPU",
    ),
)
