"""Words of messages, one header at a time, the folder of this user."""

import tomllib
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from embviz.text.files import parses, read_array
from embviz.text.wording import (
    format_bytes,
    formula_safe,
    number,
    quote,
    without_paths,
)
from tests.text.archives import npy


def test_messages_are_short_and_printable() -> None:
    """Bytes have binary units; long texts and numbers are shortened, and no path is sent."""
    assert (format_bytes(1023), format_bytes(2000 * 1024**4)) == ("1023 B", "2,000.0 TiB")
    assert quote("\u202e" + "x" * 40) == "'‹right-to-left override›" + "x" * 39 + "…'"
    assert (quote(" a "), quote("x" * 40)) == ("'a'", f"'{'x' * 40}'")
    assert (number(-12345), number(-(10**5000))) == ("-12,345", "of more than 18 digits")
    assert without_paths("at C:\\Users\\ada and /home/ada/x.so, /x, 1/2") == "at … and …, /x, 1/2"


def test_a_cell_that_could_be_a_formula_is_quoted() -> None:
    """A spreadsheet shows the text and runs nothing; other cells are left alone."""
    for cell in ("=1", "-1", "@x", "|x", "＝1", " =1", "\t1", "\x00=1"):
        assert formula_safe(cell) == f"'{cell}"
    for cell in ("", "3", "a=b", "'=1"):
        assert formula_safe(cell) == cell


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
