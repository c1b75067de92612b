"""The answer to typed text: a rerun's, `compare --json`'s object, or a refusal."""

import json
from typing import Any

import pytest

from embviz.fact.inputs import read_inputs
from embviz.fact.shared_layers import run_on_shared_layers as run
from embviz.live.answer import JSON_NUMBERS, answer, answer_json, is_small
from embviz.playground.page.stage.drawing import picture_json
from embviz.settings.given import asked_of, defaults
from embviz.settings.model_settings import PLACE
from embviz.settings.worlds import EXAMPLE
from embviz.system.bounds import OverLimitError
from embviz.text.refused import Refused
from tests.commands import call


def ask(**settings: Any) -> str:
    """The answer for these settings."""
    return answer(json.dumps({"settings": settings}).encode())


def rerun(shown: dict[str, Any], asked: dict[str, Any]) -> str:
    """What the page draws itself."""
    inputs = read_inputs(defaults() | shown, finite=False)
    place = {name: asked.get(name, 0) for name in PLACE}
    return picture_json(run(inputs), inputs, asked_of(asked) | place)


def test_a_request_and_a_rerun_give_the_same() -> None:
    """For the same settings in any order, and without a text those of the bare address."""
    for settings in (
        {"rows": 300_000, "dim": 1, "text": "do it", "token": 1},
        {"input": "ids", "ids": "[[1, 3]]", "dim": 80, "dtype": "float64", "column": 70},
        {"text": "", "dim": 4},
        {"input": "ids", "ids": "0", "init": "own", "weights": "nan -0.0"},
    ):
        made = rerun(settings, settings)
        assert ask(**settings) == ask(**dict(reversed(settings.items()))) == made
    found = json.loads(ask(text="hé", rows=120))
    assert found["unit"] == "character"
    assert found["labels"][120] == "<unk>"
    assert not found["names"][0][2]
    asked = {"dim": 4, "vocab": "digits"}
    shown = EXAMPLE | asked
    assert ask(**asked) == rerun(shown, asked)
    given = read_inputs(defaults() | shown)
    assert answer_json({"dim": "4", "vocab": "digits"}) == run(given).to_json(given.label)


@pytest.mark.parametrize(
    ("asked", "small"),
    [
        ('{"text": "hé", "seed": 7, "rows": 1000, "dim": 10, "token": 1, "column": 0}', True),
        ("{}", True),
        ('{"rows": 1001, "dim": 10}', False),
        ('{"text": "bad", "world": "letters", "dim": 1024}', True),
        ('{"text": "bad", "dim": 1024}', False),
        (f'{{"text": "{500 * "a"}"}}', False),
        ('{"device": "cuda"}', False),
        ('{"rows": "x", "dim": 1000000000}', False),
        ("7", False),
        ("[" * 480, False),
        ('{}, "part": "gradients"', False),
    ],
)
def test_only_a_request_that_takes_a_millisecond_is_small(asked: str, small: bool) -> None:
    """Else one visitor's would stop all others; what cannot be read is for `answer` to refuse."""
    assert is_small(f'{{"settings": {asked}}}'.encode()) == small


def test_json_is_what_compare_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """An address is read as a link is: what belongs to other pages is not read."""
    query = {"text": "hello", "dim": "8", "seed": "9", "lesson": "no such lesson"}
    code, out, _ = call(capsys, "compare", "hello", "--dim", 8, "--seed", 9, "--json")
    assert (code, out) == (0, answer_json(query) + "\n")
    for name, value, said in (("txt", "a", "txt"), ("rows", "ten", "ten"), ("text", "1", "'1'")):
        with pytest.raises(Refused, match=said):
            answer_json({"vocab": "letters", "unknown": "error", name: value})
    fits = "a" * (JSON_NUMBERS // 200)  # of both routes
    assert len(json.loads(answer_json({"text": fits, "dim": "100"}))["ids"][0]) == len(fits)
    with pytest.raises(OverLimitError):
        answer_json({"text": fits + "a", "dim": "100"})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "JSON"),
        (b'{"settings": {"text": "\xff"}}', "JSON"),
        (b'{"settings": {"rows": 1%s}}' % (b"0" * 5000), "JSON"),
        (b'{"text": "a"}', "'text'"),
        (b'{"settings": {"target": "1"}}', "'target'"),
        (b'{"settings": {"token": -1}}', "token='-1'"),
        (b'{"settings": {"text": 1}}', "text='1'"),
        (b'{"settings": {"text": "a\\ud800", "vocab": "bytes"}}', "U+D800"),
        (b'{"part": "elsewhere"}', "'elsewhere'"),
    ],
)
def test_a_bad_body_is_refused_with_a_sentence(content: bytes, said: str) -> None:
    """The sentence quotes what was given."""
    with pytest.raises(Refused) as caught:
        answer(content)
    assert said.encode() in str(caught.value).encode()  # it can be sent
    assert not isinstance(caught.value, OverLimitError)
