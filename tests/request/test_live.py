"""The answer to typed text: a rerun's bytes, `compare --json`'s object, or a refusal."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embviz.core.config import OverLimitError
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.live import JSON_NUMBERS, UnknownPartError, answer, answer_json
from embviz.request.payload import Window, pack
from embviz.request.settings import SETTINGS, defaults
from embviz.server.tables import run_both_cached as run
from embviz.ui.pages import playground  # noqa: F401 - adds `token`
from embviz.ui.pages.context import contextual, static
from embviz.ui.pages.training import one_step
from embviz.ui.parts.grid import Part
from tests.commands import call

CHANGED = st.fixed_dictionaries(
    {},
    optional={
        "input": st.sampled_from(["text", "ids"]),
        "text": st.text(max_size=30),
        "ids": st.sampled_from(["2 3 1", "[[1, 3], [0, 1]]", "99", "100", "", "x"]),
        "vocab": st.sampled_from([name for name in VOCABULARIES if name != "o200k"]),
        "rows": st.integers(1, 400),
        "dim": st.integers(1, 80),
        "init": st.sampled_from(list(INITS)),
        "dtype": st.sampled_from(["float32", "float64", "bfloat16"]),
        "unknown": st.sampled_from(["error", "unk"]),
    },
)


def body(settings: Any, **more: Any) -> bytes:
    """A request for these settings."""
    return json.dumps({"settings": settings} | more).encode()


def refused(content: bytes) -> Refused:
    """The refusal of a body; its sentence ends as one and can be sent."""
    with pytest.raises(Refused) as caught:
        answer(content, run)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    sentence.encode()
    return caught.value


@given(CHANGED, st.integers(0, 40), st.integers(0, 90))
@example({"rows": 1_000_000, "dim": 1, "text": "do it"}, 1, 0)
@settings(deadline=None, max_examples=50)
def test_a_request_and_a_rerun_give_the_same_bytes(
    changed: dict[str, Any], token: int, dim: int
) -> None:
    """For the same settings and window, the route gives a rerun's bytes, or its refusal."""
    content = body(changed, window={"token": token, "dim": dim})
    try:
        inputs: Inputs | Refused = read_inputs(defaults() | changed)
    except Refused as refusal:
        inputs = refusal
    if isinstance(inputs, Refused):
        found = refused(content)
        assert (str(found), found.fixes) == (str(inputs), inputs.fixes)
    else:
        assert answer(content, run) == pack(run(inputs), inputs, Window(token, dim))


def test_json_is_what_compare_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """An address is read as a link is: what belongs to other pages is not read."""
    query = {"text": "hello", "dim": "8", "seed": "9", "lesson": "no such lesson"}
    code, out, _ = call(capsys, "compare", "hello", "--dim", 8, "--seed", 9, "--json")
    assert (code, out) == (0, answer_json(query, run) + "\n")
    for name, value in (("txt", "a"), ("rows", "ten"), ("text", "1")):
        with pytest.raises(Refused, match=value if name in defaults() else name):
            answer_json({"vocab": "letters", "unknown": "error", name: value}, run)
    fits = "a" * (JSON_NUMBERS // 200)  # of both routes
    assert len(json.loads(answer_json({"text": fits, "dim": "100"}, run))["ids"][0]) == len(fits)
    with pytest.raises(OverLimitError):
        answer_json({"text": fits + "a", "dim": "100"}, run)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b'{"settings": {"text": "\xff"}}', "not JSON"),
        (b'{"settings": {"rows": 1%s}}' % (b"0" * 5000), "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "no JSON object"),
        (b'{"settings": []}', "no JSON object"),
        (b'{"text": "a"}', "'text' is no name in the request"),
        (b'{"settings": {"target": "1"}}', "'target' is no name in settings"),
        (b'{"settings": {"text": 1}}', "text='1'"),
        (b'{"settings": {"rows": 1e400}}', "rows='inf'"),
        (b'{"settings": {"text": "a\\ud800", "vocab": "bytes"}}', "U+D800"),
        (b'{"part": "elsewhere"}', "'elsewhere'"),
        (b'{"part": []}', "'[]'"),
    ],
)
def test_a_bad_body_is_refused_with_a_sentence(content: bytes, said: str) -> None:
    """The sentence quotes what was given; a part that is not known may come later."""
    error = refused(content)
    assert said in str(error)
    assert isinstance(error, UnknownPartError) == (b"part" in content)
    assert not isinstance(error, OverLimitError)


def test_a_window_that_is_no_window_is_the_start() -> None:
    """The stage alone sends it, so nobody reads a sentence about it."""
    windows: list[Any] = [[], {"token": -1, "dim": 0.5}, {"token": True}, {"token": "9" * 20}]
    for window in windows:
        asked = body({"text": "hello"}, window=window)
        assert answer(asked, run) == answer(body({"text": "hello"}), run)


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
    content = body(changed, part=part.name, window={"token": own.get("token", 0)})
    values = defaults(SETTINGS) | changed
    drawn = part.make(read_inputs(values), values.__getitem__).packed(part.name)
    assert answer(content, run) == drawn


def test_a_part_refuses_what_its_page_refuses() -> None:
    """A part's own refusal is the page's sentence, and not a failure."""
    for changed in ({"text": ""}, {"then": "edit", "edit": "é", "unknown": "error"}):
        refused(body(changed, part="static"))
