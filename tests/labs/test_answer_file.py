import base64
import json
import os
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.evidence import (
    MAX_BYTES,
    REASONS,
    EvidenceError,
    digest,
    evidence,
    read_evidence,
    software,
    to_bytes,
)
from embviz.labs.exercises import LABS, lab
from embviz.labs.progress import (
    MAX_CODE,
    MAX_SECONDS,
    MAX_TRIES,
    MAX_TYPED,
    Progress,
    ProgressError,
    decode,
    encode,
)
from embviz.labs.student import Student

ADA = Student("Ada")
ROW = lab("row")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TRIES = st.lists(st.tuples(TEXT, st.integers(0, MAX_SECONDS)), min_size=1, max_size=4).map(tuple)


def some() -> Progress:
    """Two attempts at one step, a text in another."""
    start = Progress("row", "Ada")
    return (
        start.add("ids", "1 2", 30)
        .add("ids", "0 1 2", 61.9)
        .add("why", "Zeros add <nothing>.", 300)
    )


def made(**changes: Any) -> dict[str, Any]:
    """The contents of a right file, or with other parts and a digest that fits."""
    plain = evidence(ROW, ADA, some(), software("0")) | changes
    return plain | {"digest": digest(plain)}


# Progress


@given(
    st.sampled_from(LABS),
    st.data(),
    st.sampled_from(["Ada", "李雷", "O'Neil <b>", "=1+1"]),
)
@settings(max_examples=60, deadline=None)
def test_progress_comes_back_as_it_was(one: Any, data: st.DataObject, name: str) -> None:
    """A reload would lose work, or change it."""
    steps = [step.name for step in one.steps]
    answers = data.draw(st.dictionaries(st.sampled_from(steps), TRIES, max_size=4))
    dropped = dict.fromkeys(list(answers)[:1], 7)
    progress = Progress(one.code, name, answers, dropped, frozenset(list(answers)[:1]))
    text = encode(progress)
    assert len(text) <= MAX_CODE
    assert text.replace("-", "").replace("_", "").isalnum()
    assert decode(text) == progress


def test_what_does_not_fit_an_address_goes_in_order_and_is_counted() -> None:
    """The address would be too long for a browser, or the last answer lost before older ones."""
    progress = Progress("row", "Ada")
    for number in range(MAX_TRIES + 20):
        progress = progress.add("ids", os.urandom(20).hex(), number)
    progress = progress.add("zeros", "35", 500)
    assert progress.attempts("ids") == MAX_TRIES + 20
    found = decode(encode(progress))
    assert found.attempts("ids") == MAX_TRIES + 20
    assert 1 < len(found.answers["ids"]) < MAX_TRIES
    assert found.answers["ids"] == progress.answers["ids"][-len(found.answers["ids"]) :]
    assert found.answers["zeros"] == progress.answers["zeros"]
    assert not found.cut


def written_in_chinese(seed: int) -> str:
    """A long text that does not pack well."""
    drawn = np.random.default_rng(seed).integers(0x4E00, 0x9FFF, MAX_TYPED)
    return "".join(map(chr, drawn.tolist()))


def test_texts_that_do_not_fit_lose_their_end_and_say_so() -> None:
    """A reload would fail for whoever writes much, or shorten it without a word."""
    progress = Progress("row", "Ada").add("ids", "1 2", 1)
    texts = {step: written_in_chinese(seed) for seed, step in enumerate(("why", "bits"))}
    for step, text in texts.items():
        progress = progress.add(step, text, 9)
    found = decode(encode(progress))
    assert len(encode(progress)) <= MAX_CODE
    assert found.cut
    assert found.cut <= texts.keys()
    assert all(texts[step].startswith(found.latest(step) or "-") for step in found.cut)
    assert found.latest("ids") == "1 2"
    assert not found.add("why", "short", 10).cut & {"why"}


def test_a_text_that_packs_well_is_bounded_too() -> None:
    """A small address would unpack to what fills the memory."""
    progress = Progress(
        "row",
        "Ada",
        {step.name: tuple(("a" * MAX_TYPED, n) for n in range(MAX_TRIES)) for step in ROW.steps},
    )
    found = decode(encode(progress))
    assert found.attempts("ids") == MAX_TRIES
    assert found.latest("ids") == "a" * MAX_TYPED


def peak_bytes(act: Callable[[], Any]) -> int:
    """The most memory that Python held while something was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"."):
            act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_small_address_does_not_unpack_to_a_large_text() -> None:
    """A few links at a time would fill the server's memory."""
    bomb = packed(b" " * 2_900_000 + b"[]")
    assert len(bomb) <= MAX_CODE
    assert peak_bytes(lambda: decode(bomb)) < 1_500_000


def packed(given: Any) -> str:
    """Any JSON as an address would have it."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "!!",
        "A" * 5000,
        "é",
        encode(some())[:-8],
        encode(some()) + "AAAA",
        packed([]),
        packed({}),
        packed(None),
        packed(b"\xff"),
        packed("[" * 5000),
        packed(b"[" * 100_000),
        packed(b" " * 300_000 + b"[]"),
        packed([1, "row", "Ada", [["ids", 0, 0, []]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", -1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", True]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [[1, 1]]]]]),
        packed([1, "row", "Ada", [["ids", -1, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 2, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", 1]]]] * 2]),
        packed([1, "row", "Ada", [[["ids"], 0, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["nope", 0, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["\ud800", 1]]]]]),
        packed([1, "nope", "Ada", []]),
        packed([1, "row", "", []]),
        packed([1, "row", " Ada", []]),
        packed([2, "row", "Ada", []]),
        packed([1, ["row"], "Ada", []]),
        packed([1, "row", 5, []]),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",' + b"9" * 5000 + b"]]]]]"),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",NaN]]]]]'),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",1.0]]]]]'),
    ],
)
def test_an_address_that_is_no_progress_is_refused(text: str) -> None:
    """A stranger's link would bring the page down, or put words into a student's mouth."""
    with pytest.raises(ProgressError) as refusal:
        decode(text)
    assert len(str(refusal.value)) < 300


@given(
    st.one_of(
        st.text(max_size=200),
        st.binary(max_size=200).map(packed),
        st.recursive(st.none() | st.integers() | st.text(max_size=9), st.lists).map(packed),
    )
)
@settings(max_examples=100, deadline=None)
def test_garbage_in_an_address_is_refused_and_nothing_else(text: str) -> None:
    """A broken link would show a traceback."""
    with pytest.raises(ProgressError):
        decode(text)


def test_what_is_typed_is_trimmed_before_it_is_kept() -> None:
    """A forged message could make progress that cannot be written."""
    progress = Progress("row", "Ada").add("ids", "\ud800" + "x" * 9999, -5).add("ids", "1", 1e300)
    assert progress.answers["ids"][0] == ("?" + "x" * (MAX_TYPED - 1), 0)
    assert progress.answers["ids"][1] == ("1", MAX_SECONDS)
    assert decode(encode(progress)) == progress
    with pytest.raises(ProgressError, match="'nope' is not a step"):
        progress.add("nope", "1", 1)


# Evidence


def test_evidence_comes_back_as_it_was() -> None:
    """What a student hands in would not be what the teacher reads."""
    found = read_evidence(to_bytes(made()))
    assert (found.lab, found.student) == ("row", ADA)
    assert found.answers["ids"].attempts == 2
    assert found.answers["ids"].tries == (("1 2", 30), ("0 1 2", 61))
    assert found.answers["why"].tries == (("Zeros add <nothing>.", 300),)
    assert found.versions["embviz"] == "0"
    assert "torch" in found.versions


def test_the_digest_is_of_what_was_done_and_of_no_clock() -> None:
    """The same work would seem edited on another day."""
    assert made()["digest"] == made()["digest"]
    assert (
        evidence(ROW, ADA, some(), {})["digest"]
        == (evidence(ROW, ADA, decode(encode(some())), {})["digest"])
    )


def test_attempts_that_are_not_kept_are_counted() -> None:
    """Whoever tries often would seem to try seldom."""
    progress = Progress("row", "Ada")
    for number in range(MAX_TRIES + 5):
        progress = progress.add("ids", "1", number)
    found = read_evidence(to_bytes(evidence(ROW, ADA, progress, {})))
    assert found.answers["ids"].attempts == MAX_TRIES + 5


@pytest.mark.parametrize(("code", "name"), [("bag", "Ada"), ("row", "Grace")])
def test_another_students_progress_is_not_handed_in(code: str, name: str) -> None:
    """A file would bear the wrong name."""
    with pytest.raises(ValueError, match="This progress is of 'Ada' in 'row'"):
        evidence(lab(code), Student(name), some(), {})


def changed(change: Callable[[dict[str, Any]], Any], fit: bool = True) -> bytes:
    """A file with something changed in it; `fit`: and with a digest that fits."""
    contents = json.loads(to_bytes(made()))
    change(contents)
    if fit:
        contents["digest"] = digest(contents)
    return json.dumps(contents).encode()


def answer(**parts: Any) -> dict[str, Any]:
    """One step's part of a file."""
    return {"attempts": 1, "cut": False, "tries": [["1", 1]]} | parts


def with_ids(**parts: Any) -> bytes:
    """A file whose answer to one step is another."""
    return changed(lambda contents: contents["answers"].update(ids=answer(**parts)))


def inside(**parts: Any) -> bytes:
    """A file with parts of one answer changed."""
    return changed(lambda contents: contents["answers"]["ids"].update(parts))


WHOLE = to_bytes(made())
HOSTILE: dict[str, tuple[str, bytes]] = {
    "empty": ("torn", b""),
    "half": ("torn", WHOLE[: len(WHOLE) // 2]),
    "without its end": ("torn", WHOLE.rstrip()[:-1]),
    "in a text": ("torn", WHOLE[: WHOLE.index(b"nothing")]),
    "bytes": ("not UTF-8", b"\xff\xfe" * 50),
    "words": ("not JSON", b"I did it all, promise."),
    "list": ("not JSON", b"[1, 2]"),
    "two": ("not JSON", WHOLE + WHOLE),
    "deep": ("not JSON", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "deep lists": ("not JSON", b"[" * 900_000),
    "duplicate keys": ("not JSON", WHOLE.replace(b'"lab"', b'"lab": "bag", "lab"', 1)),
    "too large": ("too large", b"{" + b" " * MAX_BYTES + b"}"),
    "another format": ("wrong format", changed(lambda d: d.update(format="embviz-evidence-2"))),
    "no format": ("wrong format", b"{}"),
    "format of a list": ("wrong format", b'{"format": [1]}'),
    "NaN": ("wrong values", WHOLE.replace(b"300", b"NaN")),
    "Infinity": ("wrong values", WHOLE.replace(b"300", b"-Infinity")),
    "1e999": ("wrong values", WHOLE.replace(b"300", b"1e999")),
    "a fraction": ("wrong values", WHOLE.replace(b"300", b"3.5")),
    "huge": ("wrong values", WHOLE.replace(b"300", b"9" * 500_000)),
    "large": ("wrong values", with_ids(tries=[["1", 10**12]])),
    "negative": ("wrong values", with_ids(tries=[["1", -1]])),
    "true": ("wrong values", with_ids(tries=[["1", True]])),
    "answers a list": ("wrong values", changed(lambda d: d.update(answers=[]))),
    "answer a text": ("wrong values", changed(lambda d: d["answers"].update(ids="1 2"))),
    "tries missing": ("wrong values", changed(lambda d: d["answers"]["ids"].pop("tries"))),
    "tries a dict": ("wrong values", inside(tries={})),
    "no tries": ("wrong values", inside(tries=[])),
    "a try alone": ("wrong values", inside(tries=[["1"]])),
    "too many": ("wrong values", inside(tries=[["1", 1]] * 201)),
    "few attempts": ("wrong values", inside(attempts=1)),
    "attempts true": ("wrong values", inside(attempts=True)),
    "cut a number": ("wrong values", inside(cut=0)),
    "long": ("wrong values", with_ids(tries=[["x" * 2001, 1]])),
    "half a character": ("wrong values", with_ids(tries=[["\ud800", 1]])),
    "a key more": ("wrong values", changed(lambda d: d.update(right=True))),
    "a key more inside": ("wrong values", inside(right=True)),
    "no student": ("wrong values", changed(lambda d: d.pop("student"))),
    "student a number": ("wrong values", changed(lambda d: d.update(student=5))),
    "student with a line": ("wrong values", changed(lambda d: d.update(student="a\nb"))),
    "lab a list": ("wrong values", changed(lambda d: d.update(lab=["row"]))),
    "versions": ("wrong values", changed(lambda d: d["versions"].update(torch="2" * 100))),
    "digest": ("wrong values", changed(lambda d: d.update(digest=None), fit=False)),
    "edited answer": ("edited", WHOLE.replace(b'"0 1 2"', b'"0 1 3"')),
    "edited name": ("edited", WHOLE.replace(b'"Ada"', b'"Bob"')),
    "edited time": ("edited", WHOLE.replace(b"300", b"301")),
    "other lab": ("unknown lab", changed(lambda d: d.update(lab="nope"))),
    "other step": ("unknown step", changed(lambda d: d["answers"].update(nope=answer()))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_evidence_is_refused_by_name(name: str) -> None:
    """A teacher would see a traceback, or somebody's edited file pass."""
    reason, content = HOSTILE[name]
    with pytest.raises(EvidenceError) as refusal:
        read_evidence(content)
    assert refusal.value.reason == reason
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_byte_changed_anywhere_is_noticed(data: st.DataObject) -> None:
    """Somebody could change an answer after the lesson."""
    place = data.draw(st.integers(0, len(WHOLE) - 1))
    content = bytearray(WHOLE)
    content[place] ^= data.draw(st.integers(1, 255))
    try:
        found = read_evidence(bytes(content))
    except EvidenceError:
        return
    assert found == read_evidence(WHOLE)  # a space became another


def test_a_file_of_50_mb_is_not_read_whole(tmp_path: Path) -> None:
    """One file would fill the memory and hold up the grading of a class."""
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(50_000_000)
    with pytest.raises(EvidenceError) as refusal:
        read_evidence(path)
    assert refusal.value.reason == "too large"
    assert peak_bytes(lambda: read_evidence(path)) < 5_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    """Grading would wait for ever for somebody to write into a pipe."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    reasons: list[str] = []

    def read_all() -> None:
        for name in ("pipe", "link", ".", "nothing here", "zero\0byte"):
            with pytest.raises(EvidenceError) as refusal:
                read_evidence(tmp_path / name)
            reasons.append(refusal.value.reason)
        with pytest.raises(EvidenceError) as refusal:
            read_evidence("/dev/zero")
        reasons.append(refusal.value.reason)

    thread = threading.Thread(target=read_all, daemon=True)
    thread.start()
    thread.join(20)
    assert reasons == ["not a file"] * 3 + ["cannot be opened"] * 2 + ["not a file"]


def test_every_reason_has_a_file_that_meets_it() -> None:
    """A reason would be named in the manual and never be given."""
    met = {reason for reason, _ in HOSTILE.values()} | {"cannot be opened", "not a file"}
    assert met == set(REASONS)
