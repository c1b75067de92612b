"""The answer to typed text: a rerun's bytes, `compare --json`'s object, or a refusal."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.routes import BothRoutes, run_both
from embviz.core.tokenizers import VOCABULARIES, vocabulary
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.live import (
    JSON_NUMBERS,
    RefusedError,
    answer,
    answer_json,
    from_body,
    from_query,
)
from embviz.request.parameters import DEFAULTS, MODEL
from embviz.request.payload import Window, pack
from embviz.server.tables import run_both_cached
from embviz.ui.pages.context import contextual, static
from embviz.ui.pages.training import one_step
from embviz.ui.parts.grid import Part
from tests.commands import call
from tests.request.test_payload import unpack

CHANGED = st.fixed_dictionaries(
    {},
    optional={
        "input": st.sampled_from(["text", "ids"]),
        "text": st.text(max_size=30),
        "ids": st.sampled_from(["2 3 1", "[[1, 3], [0, 1]]", "99", "100", "", "x"]),
        "vocab": st.sampled_from([name for name in VOCABULARIES if name != "o200k"]),
        "chars": st.text(max_size=12),
        "merges": st.integers(0, 100),
        "rows": st.integers(1, 400),
        "dim": st.integers(1, 80),
        "seed": st.integers(0, 3),
        "init": st.sampled_from(list(INITS)),
        "dtype": st.sampled_from(["float32", "float64", "bfloat16"]),
        "unknown": st.sampled_from(["error", "unk"]),
        "escapes": st.booleans(),
    },
)


def run(inputs: Inputs) -> BothRoutes:
    """Both routes, without a cache."""
    assert inputs.config is not None
    assert inputs.ids is not None
    return run_both(inputs.config, inputs.ids, lambda config: tie(config, inputs.table))


def message(body: bytes) -> str:
    """The sentence of a refused body."""
    with pytest.raises(RefusedError) as caught:
        from_body(body)
    return caught.value.refusal.message


@given(CHANGED, st.integers(0, 40), st.integers(0, 90))
@example({"vocab": "o200k", "rows": 200_019, "dim": 2, "text": "😀 東京 e\u0301"}, 1, 0)
@settings(deadline=None, max_examples=60)
def test_a_request_and_a_rerun_give_the_same_bytes(
    changed: dict[str, Any], token: int, dim: int
) -> None:
    """For the same settings and window, the route gives a rerun's bytes, or its refusal."""
    inputs = read_inputs({name: DEFAULTS[name] for name in MODEL} | changed)
    body = json.dumps({"settings": changed, "window": {"token": token, "dim": dim}}).encode()
    if inputs.refusal is not None:
        with pytest.raises(RefusedError) as caught:
            answer(from_body(body), run_both_cached)
        assert caught.value.refusal == inputs.refusal
        return
    rerun, stale = (pack(run(inputs), inputs, Window(token, dim), one) for one in (False, True))
    assert answer(from_body(body), run_both_cached) == rerun
    assert unpack(stale)[0] == unpack(rerun)[0] | {"stale": True}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_each_vocabulary_is_answered_for_a_million_rows(name: str) -> None:
    """Body and address give one answer, whose ids are the vocabulary's and whose bits agree."""
    if why := VOCABULARIES[name].missing():
        pytest.skip(why)
    asked = {"vocab": name, "text": "do it", "rows": 1_000_000, "dim": 1, "unknown": "unk"}
    body = json.dumps({"settings": asked}).encode()
    link = from_query([(key, str(value)) for key, value in asked.items()])
    packed = answer(from_body(body), run)
    assert answer(link, run) == packed
    header, arrays = unpack(packed)
    known = vocabulary(DEFAULTS | asked)
    assert arrays["ids"].tolist() == known.encode("do it", 1_000_000)
    rows = 1_000_000 + bool(known.unknown("do it"))
    assert (header["rows"], header["verdict"]["bitwiseEqual"]) == (rows, True)


def test_json_is_what_compare_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """A script gets the same object from the server and from the command line."""
    asked = from_query([("text", "hello"), ("dim", "8"), ("seed", "9"), ("projector", "true")])
    code, out, _ = call(capsys, "compare", "hello", "--dim", 8, "--seed", 9, "--json")
    assert (code, out) == (0, answer_json(asked, run_both_cached) + "\n")


def test_json_is_bounded() -> None:
    """More numbers than `JSON_NUMBERS` are refused with the command that prints them."""
    fits = JSON_NUMBERS // 2 // 100
    with pytest.raises(RefusedError, match=r"compare --json") as caught:
        answer_json(from_query([("text", "a" * (fits + 1)), ("dim", "100")]), run_both_cached)
    assert caught.value.refusal.too_large


def test_a_limit_is_told_from_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens and memory over a limit are marked; an unknown character is not."""
    monkeypatch.setenv("EMBVIZ_MAX_TOKENS", "100")
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    too_large = {
        "text": {"text": "a" * 101},
        "ids": {"input": "ids", "ids": "1 " * 101},
        "table": {"rows": 1_000_000},
        "é": {"text": "é"},
    }
    for name, changed in too_large.items():
        with pytest.raises(RefusedError) as caught:
            answer(from_body(json.dumps({"settings": changed}).encode()), run_both_cached)
        assert caught.value.refusal.too_large == (name != "é"), name


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b'{"settings": {"rows": 1%s}}' % (b"0" * 5000), "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "The request is no JSON object"),
        (b'{"text": "a"}', "'text' is no name in the request; allowed are settings, window"),
        (b'{"settings": {"txt": "a"}}', "'txt' is no name in settings; allowed are input, text"),
        (b'{"settings": {"text": "a", "text": "b"}}', "'text' is given more than once"),
        (b'{"settings": {"text": 1}}', "text='1' is not text"),
        (b'{"settings": {"rows": 1e400}}', "rows='inf' is not a whole number from 1 to"),
        (b'{"settings": {"rows": NaN}}', "NaN is no number that JSON allows"),
        (b'{"settings": {"dim": -1}}', "dim='-1' is not a whole number from 1 to 1,024"),
        (b'{"window": {"row": 1}}', "'row' is no name in window; allowed are token, dim"),
        (b'{"window": {"token": true}}', "window.token is not a whole number from 0 to"),
        (b'{"window": {"dim": 9999999999}}', "window.dim is not a whole number from 0 to"),
    ],
)
def test_a_bad_body_is_refused_with_a_sentence(body: bytes, said: str) -> None:
    """The sentence says what is wrong, and what is allowed."""
    assert said in message(body)
    assert message(body).endswith(".")


def test_text_that_is_no_unicode_is_refused_as_the_page_does() -> None:
    """A lone surrogate is JSON, and no character of a vocabulary."""
    asked = from_body(b'{"settings": {"text": "a\\ud800", "vocab": "bytes", "rows": 256}}')
    with pytest.raises(RefusedError, match=r"lone surrogate \(U\+D800\) at position 1") as caught:
        answer(asked, run_both_cached)
    json.dumps(caught.value.refusal.message).encode("ascii")


def test_an_address_is_read_as_a_link_is() -> None:
    """Parameters of other pages are allowed, unknown and doubled ones are not."""
    assert from_query([("text", "a"), ("token", "3"), ("lesson", "drift")]).window == Window(3)
    for pairs, said in (
        ([("txt", "a")], "'txt' is no name in the address"),
        ([("text", "a"), ("text", "b")], "'text' is given more than once"),
        ([("rows", "ten")], "rows='ten' is not a whole number"),
        ([("token", "-1")], "token='-1' is not a whole number"),
    ):
        with pytest.raises(RefusedError, match=said):
            from_query(pairs)


@pytest.mark.parametrize(
    ("part", "own"),
    [
        (one_step._PART, {"target": "1 2"}),
        (one_step._LETTER, {"target": "1 2", "rate": "0.1x", "token": 2}),
        (static._PART, {"then": "edit", "edit": "ab"}),
        (contextual._PART, {"places": True, "place": 1}),
    ],
    ids=["gradients", "letter", "static", "context"],
)
@pytest.mark.parametrize("asked", [{"text": "abca"}, {"input": "ids", "ids": "2 3 2"}], ids=str)
def test_a_part_of_a_page_is_what_the_page_draws(
    part: Part, own: dict[str, Any], asked: dict[str, str]
) -> None:
    """The settings of a part count, and its bytes are those of a rerun."""
    if asked.get("input") == "ids" and "edit" in own:
        own = own | {"edit": "1 2"}
    changed = {"dim": 2, **asked, **own}
    asked_of = {"settings": changed, "part": part.name, "window": {"token": own.get("token", 0)}}
    body = json.dumps(asked_of).encode()
    values = DEFAULTS | changed
    drawn = part.make(read_inputs(values), values.__getitem__).packed(part.name)
    assert answer(from_body(body), run) == drawn


def test_a_part_refuses_what_its_page_refuses() -> None:
    """An unknown part is refused, and a part's own refusal is the page's sentence."""
    assert "'elsewhere' is no part" in message(b'{"part": "elsewhere"}')
    assert "'[]' is no part" in message(b'{"part": []}')
    assert "'target' is no name" in message(b'{"settings": {"target": "1"}}')
    for settings_, words in (
        ({"text": ""}, "There is nothing to compare"),
        ({"then": "edit", "edit": "é"}, "is not among the 100 characters"),
    ):
        asked = from_body(json.dumps({"settings": settings_, "part": "static"}).encode())
        with pytest.raises(RefusedError, match=words):
            answer(asked, run)
