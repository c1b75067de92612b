"""An uploaded matrix: a `.npz` of `scipy.sparse.save_npz`, or a `.csv` of numbers.

The sizes of the zip's members are checked before anything is unpacked, and its indices and the
shape that it claims before it becomes CSR.
"""

from __future__ import annotations

import io
from typing import Any

import scipy.sparse

from embviz.bag.matrix import MAX_SIZE, Matrix, checked, parse_matrix
from embviz.system import bounds
from embviz.text.files import Array, read_arrays
from embviz.text.refused import Refused
from embviz.text.wording import quote, without_paths

FORMATS = "csr", "csc", "coo"
SCIPY_SAYS = 120  # characters of scipy's own sentence, at most; it quotes nothing of the file
_WHOLE = {"shape", "indices", "indptr", "row", "col", "coords"}
_NAMES = {"format", "_is_array", "data"} | _WHOLE


def max_unpacked_bytes() -> int:
    """Bytes that the arrays of the cells allowed (EMBVIZ_MAX_CELLS) may need."""
    return 24 * bounds.CELLS.value() + 8 * (MAX_SIZE + 1)


def read_upload(name: str, content: bytes) -> Matrix:
    """Read an uploaded file.

    Args:
        name: the file's name, for its ending and for messages.
        content: its bytes.

    Raises:
        Refused: the file's name and what is wrong with it.
    """
    try:
        if name.lower().endswith(".npz"):
            return _read_npz(content)
        return parse_matrix(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused(f"{quote(name)} is not UTF-8 text (byte {error.start:,}).") from None
    except Refused as error:
        raise Refused(f"{quote(name)}: {error}") from None


def _read_npz(content: bytes) -> Matrix:
    what = "a matrix that scipy.sparse.save_npz writes"
    parts = read_arrays(content, max_unpacked_bytes(), _NAMES, what)
    for name in _WHOLE & parts.keys():  # scipy would cut off their fractions
        if (kind := parts[name].dtype).kind not in "iu":
            raise Refused(f"{name} is {kind} and must be whole numbers.")
    # Here, because scipy would repeat what a stranger wrote there.
    if (form := _text(parts.get("format"))) not in FORMATS:
        raise Refused(f"its format is {quote(form)}; {', '.join(FORMATS)} are read.")
    del parts
    try:
        made: Any = scipy.sparse.load_npz(io.BytesIO(content))
    except Exception as error:  # scipy and numpy have many
        said = quote(without_paths(str(error)), SCIPY_SAYS)
        raise Refused(f"scipy cannot read it: {said}.") from None
    return checked(made)


def _text(array: Array | None) -> str:
    """The one text that an array holds; `""` if it holds another thing."""
    held = array.item() if array is not None and array.size == 1 else ""
    return held.decode("latin-1") if isinstance(held, bytes) else str(held)
