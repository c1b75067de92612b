"""What was learned, as files: one `.npz` of everything, and TSV for the Embedding Projector.

`to_npz` and `from_npz` round-trip bit by bit; nothing is unpickled. `embedding_npz`
holds the table alone, which the playground reads as a table of one's own. The TSV pair
is what https://projector.tensorflow.org loads, and `read_tsv` reads it by that page's rules.
"""

from __future__ import annotations

import io
import math

import numpy as np
import torch

from embviz.bag.archive import read_arrays
from embviz.bag.checks import Array, MatrixError
from embviz.core.vocabulary import Vocabulary
from embviz.training.route_layers import TENSORS, Weights

_NAMES = ("characters", "kind", "unk", "step", *TENSORS)
_BYTES, _TEXT = 0, 1


class ExportError(ValueError):
    """A file that cannot be written or read; the message says why."""


def to_npz(weights: Weights) -> bytes:
    """All weights, the vocabulary and the step, as `numpy.load(allow_pickle=False)` reads them.

    `characters` holds code points (or byte values, `kind` 0), for numpy's own text would
    lose a NUL at its end.
    """
    characters = weights.characters
    codes = list(characters) if isinstance(characters, bytes) else [ord(c) for c in characters]
    arrays: dict[str, Array] = {
        "characters": np.array(codes, dtype=np.int32),
        "kind": np.array(_BYTES if isinstance(characters, bytes) else _TEXT),
        "unk": np.array(weights.unk),
        "step": np.array(weights.step),
    }
    arrays |= {name: t.numpy() for name, t in weights.tensors.items() if t is not None}
    return _packed(arrays)


def from_npz(content: bytes) -> Weights:
    """Read what `to_npz` wrote; a stranger's file is not trusted.

    Raises:
        ExportError: not such a file, parts missing or of the wrong shape, or not finite.
    """
    try:
        arrays = read_arrays(content, _NAMES)
    except MatrixError as error:
        said = str(error).replace("a matrix that scipy.sparse.save_npz writes", "a trained model")
        raise ExportError(f"This is no file of trained weights: {said}") from None
    for name in ("characters", "kind", "unk", "step", "embedding", "linear"):
        if name not in arrays:
            raise ExportError(f"This is no file of trained weights: {name} is missing.")
    tensors = _checked_tensors(arrays)
    unk, step = _number(arrays, "unk", 1), _number(arrays, "step", 10**9)
    characters = _characters(arrays)
    if characters and len(characters) + unk > len(arrays["embedding"]):
        raise ExportError(
            f"{len(characters):,} characters do not fit {len(arrays['embedding']):,} rows."
        )
    return Weights(characters, bool(unk), step, **tensors)


def embedding_npz(weight: torch.Tensor) -> bytes:
    """One array, (V, D): `embviz.core.weights.read_weights` and the playground read it."""
    return _packed({"embedding": weight.detach().cpu().numpy()})


def to_tsv(weight: torch.Tensor, vocabulary: Vocabulary) -> tuple[str, str]:
    """The table as the two files that the TensorBoard Embedding Projector loads.

    Args:
        weight: (V, D), finite; float32 and float64 are written without loss.
        vocabulary: whose labels they get. A line break or another character that is not to
            be seen is named, as in `line feed (U+000A)`, and so breaks no line.

    Returns:
        vectors (V lines of D numbers between tabs), and metadata (V labels, no header,
        for a single column has none).

    Raises:
        ExportError: D = 1, which the projector refuses, or numbers that are not finite.
    """
    rows, columns = weight.shape
    if columns < 2:
        raise ExportError("The Embedding Projector refuses vectors of one number; take dim 2.")
    if not bool(torch.isfinite(weight).all()):
        raise ExportError("These weights are not all finite numbers.")
    table = weight.detach().cpu()
    digits = "%.17g" if table.dtype == torch.float64 else "%.9g"
    lines = ["\t".join(digits % value for value in row) for row in table.tolist()]
    labels = [_label(vocabulary, token) for token in range(rows)]
    return "\n".join(lines) + "\n", "\n".join(labels) + "\n"


def read_tsv(vectors: str, metadata: str) -> tuple[list[list[float]], list[str]]:
    """Both files as the projector reads them, its leniency and its refusals included.

    Source: `parseTensors` and `parseMetadata` of its data-provider.ts: lines are trimmed and
    empty ones skipped; a first field that is no number is a label; metadata whose first line
    has a tab has a header; columns are split at tabs.

    Raises:
        ExportError: vectors of unequal length or of one number, or other than one label a row.
    """
    table: list[list[float]] = []
    for line in vectors.split("\n"):
        fields = line.strip().split("\t")
        if fields == [""]:
            continue
        if _not_a_number(fields[0]) or (table and len(table[0]) == len(fields) - 1):
            fields = fields[1:]
        table.append([float(field) for field in fields])
        if len(table[0]) != len(table[-1]):
            raise ExportError("Parsing failed. Vector dimensions do not match")
        if len(table[0]) <= 1:
            raise ExportError("Parsing failed. Found a vector with only one dimension?")
    labels = [line for line in metadata.split("\n") if line.strip()]
    if labels and "\t" in labels[0]:
        labels = [line.split("\t")[0] for line in labels[1:]]
    if len(labels) != len(table):
        raise ExportError(
            f"Number of tensors ({len(table)}) do not match the number of lines in metadata "
            f"({len(labels)})."
        )
    return table, labels


def _label(vocabulary: Vocabulary, token: int) -> str:
    shown = vocabulary.label(token)
    if not shown:
        return f"row {token}"
    return vocabulary.name(token) if vocabulary.is_stand_in(token) else shown


def _not_a_number(field: str) -> bool:
    try:
        return not math.isfinite(float(field))
    except ValueError:
        return True


def _packed(arrays: dict[str, Array]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # a keyword it also takes is a bool
    return stream.getvalue()


def _checked_tensors(arrays: dict[str, Array]) -> dict[str, torch.Tensor]:
    """The six of equal dtype and matching shapes, finite."""
    shape = arrays["embedding"].shape
    if len(shape) != 2 or 0 in shape:
        raise ExportError(f"embedding has shape {shape}; a table of (rows, columns) is needed.")
    wanted = {"linear": shape[::-1], "embedding_bias": shape[:1], "linear_bias": shape[:1]}
    for name in TENSORS:
        if name not in arrays:
            continue
        array = arrays[name]
        if array.shape != wanted.get(name, shape):
            raise ExportError(f"{name} has shape {array.shape}, not {wanted.get(name, shape)}.")
        if array.dtype not in (np.float32, np.float64) or array.dtype != arrays["embedding"].dtype:
            raise ExportError(f"{name} is of type {array.dtype}; all are float32 or all float64.")
        if not np.isfinite(array).all():
            raise ExportError(f"{name} has numbers that are not finite.")
    for pair in (("embedding_head", "linear_head"), ("embedding_bias", "linear_bias")):
        if len(arrays.keys() & set(pair)) == 1:
            raise ExportError(f"Of {pair[0]} and {pair[1]} only one is there.")
    return {
        name: torch.from_numpy(np.ascontiguousarray(arrays[name]))
        for name in TENSORS
        if name in arrays
    }


def _number(arrays: dict[str, Array], name: str, most: int) -> int:
    array = arrays[name]
    if array.shape != () or array.dtype.kind not in "iub" or not 0 <= int(array) <= most:
        raise ExportError(f"{name} is not a whole number from 0 to {most:,}.")
    return int(array)


def _characters(arrays: dict[str, Array]) -> str | bytes:
    kind, codes = _number(arrays, "kind", 1), arrays["characters"]
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise ExportError("characters are not a list of code points.")
    try:
        values = [int(code) for code in codes]
        return "".join(map(chr, values)) if kind == _TEXT else bytes(values)
    except (ValueError, OverflowError):
        raise ExportError("characters are not a list of code points.") from None
