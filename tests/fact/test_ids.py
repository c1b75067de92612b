"""What a person types: ids and tables are read or refused in words."""

import ast
import contextlib
import re
import time
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.fact.ids import parse_ids
from embviz.fact.weights import parse_weights
from embviz.text.refused import Refused

DEEP = "[" * 8 + "9" + "]" * 8


def ten(typed: str) -> torch.Tensor:
    """Ids of a table with ten rows."""
    return parse_ids(typed, 10)


def test_ids_and_tables_keep_their_values_and_shape() -> None:
    """Bare numbers, lines and lists, as Python and numpy print them."""
    for typed, ids in [
        ("\u30002 3,+1\u00a0", [2, 3, 1]),
        ("[7]", [7]),
        ("[ [1 , 3 ]\n [0, 9] ]", [[1, 3], [0, 9]]),
        (" \n", []),
        ("[[],[]]", [[], []]),
        (DEEP, ast.literal_eval(DEEP)),
        ("0 " * 100_000, [0] * 100_000),
        ("2; 3;1", [2, 3, 1]),
        ("٢، ٣ १", [2, 3, 1]),
        ("\u200f٢؛ ٣\u200f", [2, 3]),
        ("1 2 3" + " " * 1_000_000, [1, 2, 3]),
    ]:
        assert (ten(typed).dtype, ten(typed).tolist()) == (torch.int64, ids)
    for typed in [
        "1,2\r\n\r\n3,4\n",
        "1;2\r\n3; 4",
        "١٫٠؛٢\n٣؛٤",
        "1e0 2.0\n3\t+4",
        "\u3000[1, 2]\n[3, 4]\u00a0",
        "[[1.e+00 2.]\n [.3e+01 4.]]",
    ]:
        table = parse_weights(typed).weight
        assert (table.dtype, table.tolist()) == (torch.float64, [[1, 2], [3, 4]])
    assert parse_weights("[1, 2]").weight.tolist() == [[1, 2]]
    assert parse_weights("1 " * 1024 + " " * 997_952).weight.shape == (1, 1024)


REFUSED = {
    ten: {
        "[[1,2],[3]]": "ragged",
        "[1, 2.0]": "'2.0' at index 1 is not an id",
        "[[1,2],[3,1000]]": "Id 1,000 at index 3 is too large",
        "10": "Id 10 at index 0 is too large",
        "1_0": "'1_0' is not a number",
        "²": "²",
        "1e0": "'1e0' at index 0 is not an id",
        "[nan]": "'nan' at index 0 is not an id",
        "1\x1b[31m": "'1\\x1b'",
        "[1,\n[2": "brackets",
        "9" * 5_000: "'99999",
        "9" * 4_000: "of more than 18 digits at index 0 is too large",
        f"[{DEEP}]": "more than 8 levels",
        "[" * 5_000 + "]" * 5_000: "nested in",
        "0 " * 100_001: "100,001 ids are more than the 100,000 allowed",
        "9" * 900_001: "is not a number. Write ids as 2 3 1",
        "1" + " " * 800_000 + ",": "has nothing after its last comma",
        "[1]," * 99_000: "brackets",
        "[1]," * 200_000: "200,000 ids are more than the 100,000 allowed",
        "1 " * 3 + " " * 2_000_000: "2,000,006 characters of ids are more than the 1,900,000",
        "1,2;3,4": "has semicolons, and commas or blanks between its numbers. Write ids as",
        "1,２ｘ": "'２ｘ' is not a number",
    },
    parse_weights: {
        "": "No weights were given",
        "[[1, null]]": "'null' is not a number",
        "[[], []]": "2 × 0 is outside",
        "1 " * 1025: "a table of 1 × 1,025 is outside",
        "[[1" + "0" * 400 + "]]": "inf at row 0, column 0 is not a finite number",
        "1 2\n3 nan": "nan at row 1, column 1",
        "9" * 1_000_001: "inf at row 0, column 0 is not a finite number",
    },
}


def test_what_is_neither_ids_nor_a_table_is_refused_at_once() -> None:
    """It is quoted in a short, printable sentence, within seconds; an id may have a fix."""
    for read, cases in REFUSED.items():
        for typed, said in cases.items():
            start = time.thread_time()
            with pytest.raises(Refused, match=re.escape(said)) as refused:
                read(typed)
            assert time.thread_time() - start < 10
            assert len(str(refused.value)) < 300
            assert str(refused.value).isprintable()
    for token, fixes in ((12, [{"rows": 13}]), (999_999, [{"rows": 1_000_000}]), (10**6, [])):
        with pytest.raises(Refused) as refused:
            ten(f"1 {token} 3")
        assert [*refused.value.fixes.values()] == fixes


def test_blanks_are_no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hosted, ids are counted, not the characters around them, before they are read."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert ten("1 2 3" + " " * 80_000).tolist() == [1, 2, 3]
    assert ten("[[1,\n" + " " * 80_000 + "2]]").tolist() == [[1, 2]]
    for typed in ("1 " * 10_001, "[" + "1," * 10_000 + "x]", "１，" * 10_001):
        with pytest.raises(Refused, match="10,001 ids are more than the 10,000 allowed"):
            ten(typed)
    with pytest.raises(Refused, match="2,000,000 characters of ids are more than the 90,000"):
        ten(" " * 2_000_000)


@given(st.text(alphabet='[]{}:"\\, \n;0123456789.-+eEtruefalsnNIyx') | st.text())
@pytest.mark.parametrize("read", REFUSED)
def test_any_text_is_read_or_refused(read: Any, typed: str) -> None:
    """Nothing that is typed raises anything but a refusal."""
    with contextlib.suppress(Refused):
        read(typed)
