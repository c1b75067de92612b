"""A name gives one student, and the same numbers everywhere."""

import hashlib
import json
from dataclasses import fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.exercises import LABS, lab
from embviz.labs.record import Lab
from embviz.labs.student import MAX_NAME, Student

# Digests of what is drawn for Ada.
KNOWN = {
    "row": "88bf41655e052081b55060743f73e9578b869a6ec3f973a0dd4c6d4e5b8bf130",
    "bag": "7af7f94254bd5fa1de0fe356cddda64403c8cf5ffe2ea414a10a8ff678db6f4e",
    "learns": "ed9bd847d8fc1d618684587cd1b0d2763ef9afee703a84d88c4531fb9f29555a",
    "cost": "d1b26abf49ccb05909e7061e55f7a77c5d81cb7b51b354c615eec09f12c41691",
}


def digest(values: Any) -> str:
    """The SHA-256, in hex, of what is drawn for a lab; weights are whole numbers."""
    drawn = {field.name: getattr(values, field.name) for field in fields(values)}
    text = json.dumps(drawn, sort_keys=True, default=torch.Tensor.tolist)
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_name_is_one_student_however_it_is_typed() -> None:
    """Case, spaces, Unicode forms and invisible characters of a name do not change the student."""
    spellings = ["Zoë Müller", "  zoë   müller ", "Zoe\u0308 Mu\u0308ller", "Ｚoë Mül\u200dler"]
    assert {Student(name).key for name in spellings} == {"zoë müller"}
    assert Student("STRASSE").seed("row") == Student("Straße").seed("row")


@pytest.mark.parametrize(
    "name",
    ["", " \t ", "...", "\u200d", "a\x00b", "a\ud800b", "x" * 61, "\ufdfa" * 60, "x" * 10**7],
)
def test_a_text_that_is_no_name_is_refused(name: str) -> None:
    """A name that is empty, too long or has control characters is refused in one sentence."""
    with pytest.raises(ValueError, match=r"\.") as refusal:
        Student(name)
    assert len(str(refusal.value)) < 250
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("name", ["4711", "O'Neil", "李雷", "محمد", "=1+1", "<b>x</b>"])
def test_names_of_the_world_are_names(name: str) -> None:
    """Names in any script are accepted and kept as typed."""
    assert Student(name).name == name


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_is_a_student_or_a_refusal(name: str) -> None:
    """Any text gives a Student or a ValueError, nothing else."""
    try:
        student = Student(name)
    except ValueError:
        return
    assert Student(student.name) == student
    assert Student(student.key).key == student.key
    assert 1 <= len(student.name) <= MAX_NAME


def test_nothing_is_drawn_from_the_generator_that_all_share() -> None:
    """Labs do not change PyTorch's global generator, which all sessions share."""
    before = torch.random.get_rng_state()
    for one in LABS:
        values = one.values(Student("Ada"))
        for step in one.steps:
            step.explanation(values)
            step.solution(values)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_a_hundred_students_get_a_hundred_sets_of_values(one: Lab[Any]) -> None:
    """No two of 100 students have the same values."""
    assert len({digest(one.values(Student(f"student {n}"))) for n in range(100)}) == 100


@pytest.mark.parametrize("code", KNOWN)
def test_values_are_the_same_on_every_machine(code: str) -> None:
    """A name gives the same values on every machine."""
    assert digest(lab(code).values(Student("  ADA "))) == KNOWN[code]
