"""The answer to typed text: a rerun's, `compare --json`'s object, or a refusal."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from embviz.core.config import OverLimitError
from embviz.core.refused import Refused
from embviz.request.inputs import read_inputs
from embviz.request.live import JSON_NUMBERS, UnknownPartError, answer, answer_json
from embviz.request.picture import answer as drawn
from embviz.request.settings import EXAMPLE, asked_of, defaults
from embviz.server.tables import run_both_cached as run
from tests.commands import call


def ask(settings: Any) -> str:
    """The answer for these settings."""
    return answer(json.dumps({"settings": settings}).encode(), run)


def told(of: Callable[[], str]) -> object:
    """The answer, or the sentence of a refusal and its fixes."""
    try:
        return of()
    except Refused as error:
        return str(error), error.fixes


@pytest.mark.parametrize(
    ("changed", "token", "column"),
    [
        ({"rows": 300_000, "dim": 1, "text": "do it"}, 1, 0),
        ({"input": "ids", "ids": "[[1, 3], [0, 1]]", "dim": 80, "dtype": "float64"}, 3, 70),
        ({"input": "ids", "ids": "100"}, 0, 0),
    ],
)
def test_a_request_and_a_rerun_give_the_same(changed: Any, token: int, column: int) -> None:
    """For the same settings, the route gives a rerun's answer, or its refusal."""
    place = {"token": token, "column": column}

    def rerun() -> str:
        inputs = read_inputs(defaults() | changed)
        return drawn(run(inputs), inputs, asked_of(changed) | place)

    assert told(lambda: ask(changed | place)) == told(rerun)
    assert told(lambda: ask(dict(reversed((changed | place).items())))) == told(rerun)


def test_json_is_what_compare_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """An address is read as a link is: what belongs to other pages is not read."""
    query = {"text": "hello", "dim": "8", "seed": "9", "lesson": "no such lesson"}
    code, out, _ = call(capsys, "compare", "hello", "--dim", 8, "--seed", 9, "--json")
    assert (code, out) == (0, answer_json(query, run) + "\n")
    for name, value, said in (("txt", "a", "txt"), ("rows", "ten", "ten"), ("text", "1", "'1'")):
        with pytest.raises(Refused, match=said):
            answer_json({"vocab": "letters", "unknown": "error", name: value}, run)
    fits = "a" * (JSON_NUMBERS // 200)  # of both routes
    assert len(json.loads(answer_json({"text": fits, "dim": "100"}, run))["ids"][0]) == len(fits)
    with pytest.raises(OverLimitError):
        answer_json({"text": fits + "a", "dim": "100"}, run)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "JSON"),
        (b'{"settings": {"text": "\xff"}}', "JSON"),
        (b'{"settings": {"rows": 1%s}}' % (b"0" * 5000), "JSON"),
        (b"[" * 100_000, "nested"),
        (b"[]", "request"),
        (b'{"settings": []}', "ettings"),
        (b'{"text": "a"}', "'text'"),
        (b'{"settings": {"target": "1"}}', "'target'"),
        (b'{"settings": {"token": -1}}', "token='-1'"),
        (b'{"settings": {"text": 1}}', "text='1'"),
        (b'{"settings": {"rows": 1e400}}', "rows='inf'"),
        (b'{"settings": {"text": "a\\ud800", "vocab": "bytes"}}', "U+D800"),
        (b'{"part": "elsewhere"}', "'elsewhere'"),
        (b'{"part": []}', "'[]'"),
    ],
)
def test_a_bad_body_is_refused_with_a_sentence(content: bytes, said: str) -> None:
    """The sentence quotes what was given; a part that is not known may come later."""
    with pytest.raises(Refused) as caught:
        answer(content, run)
    sentence = str(caught.value)
    assert said in sentence
    assert sentence.endswith(".")
    assert sentence.encode()  # it can be sent
    assert isinstance(caught.value, UnknownPartError) == (b"part" in content)
    assert not isinstance(caught.value, OverLimitError)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"dim": 4, "vocab": "digits"}, {**EXAMPLE, "dim": 4, "vocab": "digits"}),
        ({"text": "", "dim": 4}, {"text": "", "dim": 4}),
    ],
)
def test_without_a_text_it_is_the_example(asked: dict[str, Any], shown: dict[str, Any]) -> None:
    """As at the bare address; with a text or ids the defaults."""
    inputs = read_inputs(defaults() | shown)
    assert ask(asked) == drawn(run(inputs), inputs, asked_of(asked) | {"token": 0, "column": 0})
    query = {name: str(value) for name, value in asked.items()}
    assert answer_json(query, run) == run(inputs).to_json()
