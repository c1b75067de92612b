"""Trained weights as files: one `.npz` with all of them, and TSV for the Embedding Projector.

`to_npz` and `from_npz` round-trip bit by bit; nothing is unpickled. `embedding_npz` holds the table
alone, which the playground reads as the user's own weights. https://projector.tensorflow.org loads
the two TSV files.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict

import numpy as np
import torch

from embviz.bag.checks import max_unpacked_bytes
from embviz.core.archive import ArchiveError, Array, read_arrays
from embviz.core.vocabulary import Named, Symbols
from embviz.training.route_layers import TENSORS, Weights

_NAMES = ("characters", "kind", "unk", "step", *TENSORS)
_BYTES, _TEXT, _NAME = 0, 1, 2  # what `characters` holds


class ExportError(ValueError):
    """A file that cannot be written or read, with the reason."""


def to_npz(weights: Weights) -> bytes:
    """All weights, the vocabulary and the step, as `numpy.load(allow_pickle=False)` reads them.

    `characters` holds byte values (`kind` 0) or code points, because numpy's text arrays drop a
    NUL at the end: of the characters (1), or of JSON that names a vocabulary of pieces (2).
    """
    kind, characters = _TEXT, weights.characters
    if isinstance(characters, Named):
        kind, characters = _NAME, json.dumps(asdict(characters))
    elif isinstance(characters, bytes):
        kind, characters = _BYTES, characters.decode("latin-1")
    arrays: dict[str, Array] = {
        "characters": np.array([ord(c) for c in characters], dtype=np.int32),
        "kind": np.array(kind),
        "unk": np.array(weights.unk),
        "step": np.array(weights.step),
    }
    arrays |= {name: tensor.numpy() for name, tensor in weights.tensors.items()}
    return _packed(arrays)


def from_npz(content: bytes) -> Weights:
    """The weights that `to_npz` wrote; every part of the file is checked.

    Raises:
        ExportError: another file, parts that are missing or of the wrong shape, or numbers that
            are not finite.
    """
    try:
        arrays = read_arrays(content, max_unpacked_bytes(), _NAMES, "a trained model")
    except ArchiveError as error:
        raise ExportError(f"This is no file of trained weights: {error}") from None
    for name in _NAMES:
        if name not in arrays:
            raise ExportError(f"This is no file of trained weights: {name} is missing.")
    tensors = _checked_tensors(arrays)
    unk, step = _number(arrays, "unk", 1), _number(arrays, "step", 10**9)
    characters = _characters(arrays)
    if characters and len(characters) + unk > len(arrays["embedding"]):
        raise ExportError(
            f"{len(characters):,} symbols do not fit {len(arrays['embedding']):,} rows."
        )
    return Weights(characters, bool(unk), step, tensors)


def embedding_npz(weight: torch.Tensor) -> bytes:
    """One array, (V, D), which `embviz.core.weights.read_weights` and the playground read."""
    return _packed({"embedding": weight.detach().cpu().numpy()})


def to_tsv(weight: torch.Tensor, vocabulary: Symbols) -> tuple[str, str]:
    """The table as the two files that the TensorBoard Embedding Projector loads.

    Args:
        weight: (V, D), finite; float32 and float64 are written without loss.
        vocabulary: gives the labels. An invisible character gets its name, such as
            `line feed (U+000A)`; in a piece it is a visible sign. So no label breaks a line.

    Returns:
        vectors (V lines of D numbers between tabs), and metadata (V labels, without a header,
        because the projector expects none for a single column).

    Raises:
        ExportError: D is 1, which the projector refuses, or a number is not finite.
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


def _label(vocabulary: Symbols, token: int) -> str:
    shown = vocabulary.label(token)
    if not shown:
        return f"row {token}"
    alone = token == vocabulary.unk_id or len(vocabulary.symbol(token)) == 1
    return vocabulary.name(token) if alone and vocabulary.is_stand_in(token) else shown


def _packed(arrays: dict[str, Array]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # a keyword it also takes is a bool
    return stream.getvalue()


def _checked_tensors(arrays: dict[str, Array]) -> dict[str, torch.Tensor]:
    """All weights, of one dtype and of matching shapes, finite."""
    shape, dtype = arrays["embedding"].shape, arrays["embedding"].dtype
    if len(shape) != 2 or 0 in shape:
        raise ExportError(f"embedding has shape {shape}; a table of (rows, columns) is needed.")
    wanted = {"linear": shape[::-1], "embedding_bias": shape[:1], "linear_bias": shape[:1]}
    for name in TENSORS:
        array = arrays[name]
        if array.shape != wanted.get(name, shape):
            raise ExportError(f"{name} has shape {array.shape}, not {wanted.get(name, shape)}.")
        if array.dtype not in (np.float32, np.float64) or array.dtype != dtype:
            raise ExportError(f"{name} is of type {array.dtype}; all are float32 or all float64.")
        if not np.isfinite(array).all():
            raise ExportError(f"{name} has numbers that are not finite.")
    return {name: torch.from_numpy(np.ascontiguousarray(arrays[name])) for name in TENSORS}


def _number(arrays: dict[str, Array], name: str, most: int) -> int:
    array = arrays[name]
    if array.shape != () or array.dtype.kind not in "iub" or not 0 <= int(array) <= most:
        raise ExportError(f"{name} is not a whole number from 0 to {most:,}.")
    return int(array)


def _characters(arrays: dict[str, Array]) -> str | bytes | Named:
    kind, codes = _number(arrays, "kind", _NAME), arrays["characters"]
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise ExportError("characters are not a list of code points.")
    try:
        values = [int(code) for code in codes]
        if kind == _BYTES:
            return bytes(values)
        text = "".join(map(chr, values))
    except (ValueError, OverflowError):
        raise ExportError("characters are not a list of code points.") from None
    return _named(text) if kind == _NAME else text


def _named(text: str) -> Named:
    try:
        vocab, size, merges = (json.loads(text)[name] for name in ("vocab", "size", "merges"))
        known = isinstance(vocab, str) and isinstance(size, int) and isinstance(merges, int | None)
        if known and 0 <= size < 2**31:
            return Named(vocab, size, merges)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    raise ExportError("characters name no vocabulary.")
