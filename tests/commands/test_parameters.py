"""`python -m embviz parameters`: every record, in each format."""

import json

import pytest

from embviz.__main__ import main
from embviz.request.pages import PAGES
from embviz.request.parameters import PARAMETERS


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The stdout of the command."""
    assert main(["parameters", *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_json_has_every_record_with_the_default_that_the_code_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each record is there, with a meaning, values, known pages and a default that is readable."""
    found = json.loads(printed(capsys, "--json"))
    assert [one["name"] for one in found] == list(PARAMETERS)
    for one in found:
        assert one["meaning"].strip()
        assert one["values"]
        assert set(one["pages"]) <= set(PAGES)
        assert PARAMETERS[one["name"]].read(one["default"]) == one["default"]


@pytest.mark.parametrize("options", [[], ["--markdown"]])
def test_a_line_for_each_parameter(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    """Each parameter has one line with its default and its meaning."""
    lines = printed(capsys, *options).splitlines()
    for one in PARAMETERS.values():
        default = json.dumps(one.default, ensure_ascii=False)
        (line,) = (
            line for line in lines if line.startswith((f"| `{one.name}` |", f"  {one.name} "))
        )
        assert default in line
        assert one.sentence in line


def test_two_formats_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` and `--markdown` together are an error of one line."""
    with pytest.raises(SystemExit) as stopped:
        main(["parameters", "--json", "--markdown"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
