"""Arrays and archives as the bytes of a file, for the tests of uploads."""

import io
import zipfile
from typing import Any

import numpy as np


def npy(array: Any) -> bytes:
    """An array as the bytes of a `.npy` file, pickled if it holds objects."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Files as the bytes of an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()
