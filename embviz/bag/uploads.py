"""An uploaded matrix: a `.npz` of `scipy.sparse.save_npz`, or a `.csv` of numbers.

The sizes that a zip claims are checked before anything is unpacked, and its indices and the shape
that it claims before it becomes CSR.
"""

from __future__ import annotations

from typing import Any

import scipy.sparse

from embviz.bag.matrix import MAX_SIZE, Matrix, checked, parse_matrix
from embviz.system import bounds
from embviz.text.files import check_archive, one_sentence
from embviz.text.refused import Refused
from embviz.text.wording import quote

FORMATS = "csr", "csc", "coo"


def max_unpacked_bytes() -> int:
    """Bytes that the arrays of the cells allowed may need."""
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
    with one_sentence("a matrix that scipy.sparse.save_npz writes"):
        made: Any = scipy.sparse.load_npz(check_archive(content, max_unpacked_bytes()))
        if made.format not in FORMATS:
            raise Refused(f"its format is {made.format}; {', '.join(FORMATS)} are read.")
    return checked(made)
