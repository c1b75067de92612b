"""Words of messages, and cells of a spreadsheet."""

from embviz.text.wording import format_bytes, formula_safe, number, quote, without_paths


def test_messages_are_short_and_printable() -> None:
    """Bytes have binary units; long texts and numbers are shortened, and no path is sent."""
    assert (format_bytes(1023), format_bytes(2000 * 1024**4)) == ("1,023 B", "2,000.0 TiB")
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
