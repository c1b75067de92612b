"""The command `bag` says on stderr what of a table it left out, and the option against it."""

import json

import pytest

from tests.commands import call


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--x-train", "cat,dog\n1,0\n2,1"], "The first line, 'cat,dog', names the columns"),
        (["--x-train", "1,2,3\n.5,1,2"], "--header yes leaves it out."),
        (["--x-train", "1,2,3\n.5,1,2", "--header", "yes"], "--header no reads it as numbers."),
        (["--x-train", "[[1,0]]", "--linear-weight", "1,2\n.5,.25"], "--linear-header yes leaves"),
    ],
)
def test_what_was_left_out_of_a_table_is_said(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line beside the result; of a matrix and of a weight."""
    code, out, err = call(capsys, "bag", "--json", *options)
    assert code == 0
    assert "row_data" in json.loads(out)
    assert err.count("\n") == 1
    assert said in err
