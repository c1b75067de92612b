"""An uploaded matrix: a `.npz` of `scipy.sparse.save_npz` or with one array, a `.npy`, or text.

The sizes that a zip claims are checked before anything is unpacked, and its indices and the shape
that it claims before it becomes CSR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from embviz.bag.matrix import MAX_SIZE, MAX_TYPED, Matrix, checked, parse_matrix
from embviz.system import bounds
from embviz.text.files import (
    Array,
    check_archive,
    decoded,
    kind_of,
    one_sentence,
    read_array,
    read_arrays,
)
from embviz.text.refused import Refused
from embviz.text.wording import quote

MAX_FILE_BYTES = 8 * MAX_TYPED  # Bytes of a dense array: as many numbers as a text may have.
FORMATS = "csr", "csc", "coo"
DIRECTORY_BYTES = 100_000  # At the end of an archive: more than the names of its members need.
MEMBERS = b"format.npy", b"indptr.npy", b"shape.npy"  # Some of `scipy.sparse.save_npz`.


def max_unpacked_bytes() -> int:
    """Bytes that the arrays of the cells allowed may need."""
    return 24 * bounds.CELLS.value() + 8 * (MAX_SIZE + 1)


def read_upload(name: str, content: bytes, header: str = "auto") -> Matrix:
    """Read an uploaded file.

    Args:
        name: the file's name, for messages.
        content: its bytes.
        header: of a text, as `read_saved` takes it.

    Raises:
        Refused: the file's name and what is wrong with it.
    """
    try:
        kind = kind_of(content, name)
        if kind == "npz":
            return _read_npz(content)
        if kind == "npy":
            return _dense(read_array(content, MAX_FILE_BYTES))
        return parse_matrix(decoded(content), header, True)
    except Refused as error:
        raise Refused(f"{quote(name)}: {error}") from None


def _dense(array: Array) -> Matrix:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise Refused(
            f"an array of {array.dtype} and shape {array.shape} is no matrix. A matrix has "
            "numbers and the shape (rows, columns)."
        )
    return checked(scipy.sparse.csr_array(array.astype(np.float64)))


def _read_npz(content: bytes) -> Matrix:
    # Without SciPy's members it is an archive of np.savez.
    if not any(name in content[-DIRECTORY_BYTES:] for name in MEMBERS):
        arrays = list(read_arrays(content, MAX_FILE_BYTES).values())
        if len(arrays) != 1:
            raise Refused(f"it holds {len(arrays)} arrays; a matrix is one.")
        return _dense(arrays[0])
    with one_sentence("a matrix that scipy.sparse.save_npz writes"):
        made: Any = scipy.sparse.load_npz(check_archive(content, max_unpacked_bytes()))
        if made.format not in FORMATS:
            raise Refused(f"its format is {made.format}; only {', '.join(FORMATS)} can be read.")
    return checked(made)
