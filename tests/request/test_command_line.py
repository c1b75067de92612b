import json
import shlex
from dataclasses import replace

import pytest
import torch

from embviz.request.command_line import command
from embviz.request.compare import compare
from tests.commands import call

OWN = [[1.5, -2.0], [3.0, 4.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    "given",
    [
        {"text": "hello", "dim": 4, "seed": 7},
        {"text": "-1 it's $HOME `x`\n\ttwo\\n"},
        {"text": r"a\n", "escapes": True},
        {"text": "aé", "unknown": "unk"},
        {"text": "--dim", "vocab": "bytes", "dtype": "float64"},
        {"text": "-ba", "vocab": "custom", "chars": "-ab", "rows": 6, "init": "integers"},
        {"text": "the letters", "vocab": "bpe", "merges": 300, "dim": 2},
        {"ids": "2 1 0", "weights": OWN},
    ],
)
def test_the_command_computes_the_same(
    given: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command, as a shell reads it, gives the ids, numbers and configuration of the page."""
    result = compare(**given)
    words = shlex.split(command(result.given))
    assert words[:4] == ["python", "-m", "embviz", "compare"]
    code, out, err = call(capsys, "compare", "--json", *words[4:])
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(result.both.to_json())


@pytest.mark.parametrize("text", ["a" * 5000, "\ud800"])
def test_a_text_for_no_command_line_has_no_command(text: str) -> None:
    """A long text, and one without bytes, have no command."""
    assert command(compare(text, unknown="unk").given) == ""


def test_an_uploaded_table_has_no_command() -> None:
    """A table that is not the typed one has no command."""
    given = compare(ids="0", weights=OWN).given
    assert command(given)
    assert command(replace(given, table=torch.ones(3, 2))) == ""
