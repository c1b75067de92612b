"""Arrays from files: what lies or is broken is one sentence, in little memory."""

import tomllib
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embviz.text.files import parses, read_array, read_arrays
from embviz.text.refused import Refused
from tests.text.archives import npy, zipped

ONE = npy(np.zeros((2, 3)))
MOST = 1_000_000


def lying(content: bytes, real: bytes, claimed: bytes) -> bytes:
    """A file with other bytes in the place of its own, of the same length or before blanks."""
    real = real.ljust(len(claimed))
    assert real in content
    return content.replace(real, claimed)


ARRAYS = {
    "text": b"1 2 3",
    "cut": ONE[:-1],
    "a huge shape": lying(ONE, b"(2, 3), }", b"(0, 9999999999999999999999), }")[:-48],
    "a large shape": lying(ONE, b"(2, 3), }", b"(99999, 999), }"),
    "a negative shape": lying(ONE, b"(2, 3), }", b"(-2,-3),}"),
    "pickled": npy([[{}]]),
    "a zip": zipped({"a.npy": ONE}),
}
ARCHIVES = {
    "text": b"1 2 3",
    "no directory": b"PK\x05\x06",
    "cut": zipped({"a.npy": ONE})[:-30],
    "a wrong checksum": lying(zipped({"a.npy": ONE}, zipfile.ZIP_STORED), ONE[-8:], b"x" * 8),
    "no array": zipped({"a.npy": b"1 2 3"}),
    "17 members": zipped({f"{n}.npy": ONE for n in range(17)}),
    "packed by lzma": zipped({"a.npy": ONE}, zipfile.ZIP_LZMA),
    "pickled": zipped({"a.npy": npy([[{}]])}),
    "a large shape": zipped({"a.npy": lying(ONE, b"(2, 3), }", b"(99999, 999), }")}),
    # Its directory claims 100 bytes, and it unpacks to 50 million.
    "a bomb": lying(zipped({"a.npy": b"\0" * 50_000_000}), b"\x80\xf0\xfa\2", b"d\0\0\0"),
    "a bomb with a header": lying(
        zipped({"a.npy": npy(np.zeros(6_250_000))}),
        (50_000_128).to_bytes(4, "little"),
        (200).to_bytes(4, "little"),
    ),
}
CASES = [
    pytest.param(read, what, content, id=f"{what}: {name}")
    for read, what, files in (
        (read_array, "a .npy array", ARRAYS),
        (read_arrays, "a .npz archive", ARCHIVES),
    )
    for name, content in files.items()
]


def refusal(read: Any, content: bytes) -> str:
    """The sentence that refuses a file; few bytes are allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(Refused) as refused:
            read(content, MOST)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST + 2 * len(content)
    return str(refused.value)


@pytest.mark.parametrize(("read", "what", "content"), CASES)
def test_a_bad_file_is_one_sentence(read: Any, what: str, content: bytes) -> None:
    """Whatever is wrong with it, and before what it claims is allocated."""
    assert refusal(read, content) == f"this is not {what}, or a broken one."


def test_what_is_too_large_is_told() -> None:
    """A file, and what an archive says that it unpacks to."""
    large = npy(np.zeros(MOST // 8))
    said = f"it has {len(large):,} bytes, more than the {MOST:,} allowed."
    assert refusal(read_array, large) == refusal(read_arrays, zipped({"a.npy": large})) == said


def test_members_are_read_by_name() -> None:
    """The members are arrays that can be written, of numbers and of text."""
    found = read_arrays(zipped({"a.npy": npy([0, 1, 2]), "b.npy": npy("csr")}), MOST)
    found["a"][0] = 5
    assert (found["a"].tolist(), str(found["b"])) == ([5, 1, 2], "csr")
    assert read_array(ONE, len(ONE)).shape == (2, 3)


def test_threads_read_headers_one_after_the_other() -> None:
    """An upload waits while another one is parsed; Streamlit's magic parses in no thread."""
    header = npy([1])
    with ThreadPoolExecutor(1) as pool:
        with parses:
            found = pool.submit(read_array, header, len(header))
            assert not wait([found], 0.1).done
        assert found.result(60).tolist() == [1]
    config = Path(__file__).parents[2] / ".streamlit" / "config.toml"
    assert tomllib.loads(config.read_text("utf-8"))["runner"]["magicEnabled"] is False
