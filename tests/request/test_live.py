"""The answer to typed text: a rerun's bytes, `compare --json`'s object, or a refusal."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from embviz.core.config import OverLimitError
from embviz.core.refused import Refused
from embviz.request.inputs import read_inputs
from embviz.request.live import JSON_NUMBERS, UnknownPartError, answer, answer_json
from embviz.request.payload import Window, pack
from embviz.request.settings import EXAMPLE, SETTINGS, defaults
from embviz.server.tables import run_both_cached as run
from embviz.ui.pages import playground  # noqa: F401 - adds `token`
from embviz.ui.pages.context import contextual, static
from embviz.ui.pages.training import one_step
from embviz.ui.parts.grid import Part
from tests.commands import call


def ask(settings: Any, **more: Any) -> bytes:
    """The answer for these settings."""
    return answer(json.dumps({"settings": settings} | more).encode(), run)


def told(of: Callable[[], bytes]) -> object:
    """The bytes, or the sentence of a refusal and its fixes."""
    try:
        return of()
    except Refused as error:
        return str(error), error.fixes


@pytest.mark.parametrize(
    ("changed", "token", "dim"),
    [
        ({"rows": 1_000_000, "dim": 1, "text": "do it"}, 1, 0),
        ({"input": "ids", "ids": "[[1, 3], [0, 1]]", "dim": 80, "dtype": "float64"}, 3, 70),
        ({"input": "ids", "ids": "100"}, 0, 0),
        ({"text": "é", "vocab": "letters", "unknown": "error"}, 0, 0),
    ],
)
def test_a_request_and_a_rerun_give_the_same(changed: Any, token: int, dim: int) -> None:
    """For the same settings and window, the route gives a rerun's bytes, or its refusal."""

    def rerun() -> bytes:
        inputs = read_inputs(defaults() | changed)
        return pack(run(inputs), inputs, Window(token, dim))

    assert told(lambda: ask(changed, window={"token": token, "dim": dim})) == told(rerun)


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
        ({}, EXAMPLE),
        ({"dim": 4, "vocab": "digits"}, {**EXAMPLE, "dim": 4, "vocab": "digits"}),
        ({"text": "", "dim": 4}, {"text": "", "dim": 4}),
        ({"input": "ids"}, {"input": "ids"}),
        ({"input": "text", "ids": "1"}, EXAMPLE),
    ],
)
def test_without_a_text_it_is_the_example(asked: dict[str, Any], shown: dict[str, Any]) -> None:
    """As at the bare address; with a text or ids the defaults."""
    inputs = read_inputs(defaults() | shown)
    assert ask(asked) == pack(run(inputs), inputs, Window())
    query = {name: str(value) for name, value in asked.items()}
    assert answer_json(query, run) == run(inputs).to_json()


def test_a_part_has_no_example() -> None:
    """Pages other than the playground show the default text."""
    whole = {"text": SETTINGS["text"].default}
    assert ask({"dim": 2}, part="static") == ask({"dim": 2} | whole, part="static")


def test_a_window_that_is_no_window_is_the_start() -> None:
    """The stage alone sends it, so nobody reads a sentence about it."""
    windows: list[Any] = [[], {"token": -1, "dim": 0.5}, {"token": True}, {"token": "9" * 20}]
    assert {ask({"text": "hello"}, window=one) for one in windows} == {ask({"text": "hello"})}


@pytest.mark.parametrize(
    ("part", "own"),
    [
        (one_step._PART, {"target": "1 2"}),
        (one_step._LETTER, {"target": "1 2", "rate": "0.1x", "token": 2}),
        (static._PART, {"then": "edit", "edit": "ab"}),
        (contextual._PART, {"places": True, "place": 1}),
    ],
)
def test_a_part_of_a_page_is_what_the_page_draws(part: Part, own: dict[str, Any]) -> None:
    """The settings of a part count, and its bytes are those of a rerun."""
    changed = {"dim": 2, "text": "abca", **own}
    values = defaults(SETTINGS) | changed
    drawn = part.make(read_inputs(values), values.__getitem__).packed(part.name)
    assert ask(changed, part=part.name, window={"token": own.get("token", 0)}) == drawn


def test_a_part_refuses_what_its_page_refuses() -> None:
    """A part's own refusal is the page's sentence, and not a failure."""
    for changed in ({"text": ""}, {"then": "edit", "edit": "é", "unknown": "error"}):
        with pytest.raises(Refused):
            ask(changed, part="static")
