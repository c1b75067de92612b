import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.answer_file import (
    MAX_BYTES,
    REASONS,
    AnswerFileError,
    contents,
    digest,
    read_answer_file,
    software,
    to_bytes,
)
from embviz.labs.exercises import lab
from embviz.labs.progress import MAX_TRIES, Progress, decode, encode
from embviz.labs.student import Student
from tests.labs.lab_student import peak_bytes
from tests.labs.test_progress import some

ADA = Student("Ada")
ROW = lab("row")


def made(**changes: Any) -> dict[str, Any]:
    """The contents of a valid file, or with other parts and their digest."""
    plain = contents(ROW, ADA, some(), software("0")) | changes
    return plain | {"digest": digest(plain)}


def test_a_file_is_read_back_as_it_was_written() -> None:
    """A file is read back as it was written."""
    found = read_answer_file(to_bytes(made()))
    assert (found.lab, found.student) == ("row", ADA)
    assert found.answers["ids"].attempts == 2
    assert found.answers["ids"].tries == (("1 2", 30), ("0 1 2", 61))
    assert found.answers["why"].tries == (("Zeros add <nothing>.", 300),)
    assert found.versions["embviz"] == "0"
    assert "torch" in found.versions


def test_the_digest_is_of_what_was_done_and_of_no_clock() -> None:
    """The same work has the same digest at any time."""
    assert made()["digest"] == made()["digest"]
    assert (
        contents(ROW, ADA, some(), {})["digest"]
        == (contents(ROW, ADA, decode(encode(some())), {})["digest"])
    )


def test_attempts_that_are_not_kept_are_counted() -> None:
    """The file counts the attempts that it does not keep."""
    progress = Progress("row", "Ada")
    for number in range(MAX_TRIES + 5):
        progress = progress.add("ids", "1", number)
    found = read_answer_file(to_bytes(contents(ROW, ADA, progress, {})))
    assert found.answers["ids"].attempts == MAX_TRIES + 5


@pytest.mark.parametrize(("code", "name"), [("bag", "Ada"), ("row", "Grace")])
def test_another_students_progress_is_not_handed_in(code: str, name: str) -> None:
    """Progress of another student or lab is refused."""
    with pytest.raises(ValueError, match="This progress is of 'Ada' in 'row'"):
        contents(lab(code), Student(name), some(), {})


def changed(change: Callable[[dict[str, Any]], Any], fit: bool = True) -> bytes:
    """A file with a change in it, and a digest that fits unless told otherwise."""
    given = json.loads(to_bytes(made()))
    change(given)
    if fit:
        given["digest"] = digest(given)
    return json.dumps(given).encode()


def answer(**parts: Any) -> dict[str, Any]:
    """One step's part of a file."""
    return {"attempts": 1, "cut": False, "tries": [["1", 1]]} | parts


def with_ids(**parts: Any) -> bytes:
    """A file with another answer to one step."""
    return changed(lambda given: given["answers"].update(ids=answer(**parts)))


def inside(**parts: Any) -> bytes:
    """A file with changed parts of one answer."""
    return changed(lambda given: given["answers"]["ids"].update(parts))


VALID = to_bytes(made())
HOSTILE: dict[str, tuple[str, bytes]] = {
    "empty": ("torn", b""),
    "half": ("torn", VALID[: len(VALID) // 2]),
    "without its end": ("torn", VALID.rstrip()[:-1]),
    "in a text": ("torn", VALID[: VALID.index(b"nothing")]),
    "bytes": ("not UTF-8", b"\xff\xfe" * 50),
    "words": ("not JSON", b"I did it all, promise."),
    "list": ("not JSON", b"[1, 2]"),
    "two": ("not JSON", VALID + VALID),
    "deep": ("not JSON", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "deep lists": ("not JSON", b"[" * 900_000),
    "duplicate keys": ("not JSON", VALID.replace(b'"lab"', b'"lab": "bag", "lab"', 1)),
    "too large": ("too large", b"{" + b" " * MAX_BYTES + b"}"),
    "another format": ("wrong format", changed(lambda d: d.update(format="embviz-evidence-2"))),
    "no format": ("wrong format", b"{}"),
    "format of a list": ("wrong format", b'{"format": [1]}'),
    "NaN": ("wrong values", VALID.replace(b"300", b"NaN")),
    "Infinity": ("wrong values", VALID.replace(b"300", b"-Infinity")),
    "1e999": ("wrong values", VALID.replace(b"300", b"1e999")),
    "a fraction": ("wrong values", VALID.replace(b"300", b"3.5")),
    "huge": ("wrong values", VALID.replace(b"300", b"9" * 500_000)),
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
    "edited answer": ("edited", VALID.replace(b'"0 1 2"', b'"0 1 3"')),
    "edited name": ("edited", VALID.replace(b'"Ada"', b'"Bob"')),
    "edited time": ("edited", VALID.replace(b"300", b"301")),
    "other lab": ("unknown lab", changed(lambda d: d.update(lab="nope"))),
    "other step": ("unknown step", changed(lambda d: d["answers"].update(nope=answer()))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_invalid_file_is_refused_with_its_reason(name: str) -> None:
    """An invalid file is refused with its reason, in one short printable sentence."""
    reason, content = HOSTILE[name]
    with pytest.raises(AnswerFileError) as refusal:
        read_answer_file(content)
    assert refusal.value.reason == reason
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_byte_changed_anywhere_is_noticed(data: st.DataObject) -> None:
    """A file with any changed byte is refused, or means the same."""
    place = data.draw(st.integers(0, len(VALID) - 1))
    content = bytearray(VALID)
    content[place] ^= data.draw(st.integers(1, 255))
    try:
        found = read_answer_file(bytes(content))
    except AnswerFileError:
        return
    assert found == read_answer_file(VALID)  # a changed space


def test_a_file_of_50_mb_is_not_read_whole(tmp_path: Path) -> None:
    """Of a large file only the bound is read."""
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(50_000_000)
    with pytest.raises(AnswerFileError) as refusal:
        read_answer_file(path)
    assert refusal.value.reason == "too large"
    assert peak_bytes(lambda: read_answer_file(path)) < 5_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    """Pipes, folders, devices and missing files are refused without waiting."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    reasons: list[str] = []

    def read_all() -> None:
        for name in ("pipe", "link", ".", "nothing here", "zero\0byte"):
            with pytest.raises(AnswerFileError) as refusal:
                read_answer_file(tmp_path / name)
            reasons.append(refusal.value.reason)
        with pytest.raises(AnswerFileError) as refusal:
            read_answer_file("/dev/zero")
        reasons.append(refusal.value.reason)

    thread = threading.Thread(target=read_all, daemon=True)
    thread.start()
    thread.join(20)
    assert reasons == ["not a file"] * 3 + ["cannot be opened"] * 2 + ["not a file"]


def test_every_reason_has_a_file_that_meets_it() -> None:
    """Every reason is met by some file."""
    met = {reason for reason, _ in HOSTILE.values()} | {"cannot be opened", "not a file"}
    assert met == set(REASONS)
