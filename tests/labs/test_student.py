import hashlib
import json
import unicodedata
from dataclasses import fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.exercises import LABS
from embviz.labs.record import Lab
from embviz.labs.student import MAX_NAME, Student

# Digests of values, not of answers. Other values need another lab code.
KNOWN = {
    ("row", "Ada"): "2f6077dc6d0e336082e54992ff05aae19c2d5dd515e21a9636293ec7236715f9",
    ("row", "Grace Hopper"): "b81f76364fb8e9294445ce11ce4f414761740c9502631e44129f63d3b6798bd5",
    ("row", "4711"): "4c843894b24140db9ac61b3638c5622517833ba03de47bfbba68cb2ba9105123",
    ("bag", "Ada"): "1e0cb8ef70afbd247c4db775fabfa5b2bdbf7fa7f69d07e6df90009839d58096",
    ("bag", "Grace Hopper"): "ea614e3f39c6148344ee3bdc1c608dd09b4cd3e1989e24d8ba506bf464b17fb0",
    ("bag", "4711"): "25b65298b154df5cfa46df8b46cad56d349a6cfd84d8cd3bd129b1bc7a25435c",
    ("learns", "Ada"): "400ea2408a63ba7baa82adfdf0d430a60d8915a4c5e47c995db41d05c236f706",
    ("learns", "Grace Hopper"): "418690bfcfad82269afd49e260e99fd8ae510ad8e2ebe9db3a88b7dbcd7ab6a4",
    ("learns", "4711"): "015313c373cefd4b9c28b5cb29c26491dd53d986885c45072d15017a68ef3492",
    ("cost", "Ada"): "6b5db5b676ec2f9cb27469917e32ffca81d6be92e24fc0c69e1310abfc0dbde0",
    ("cost", "Grace Hopper"): "5f5954b367bb6fdd11b041c0d2892ecf4db6c9311612d176e83ede51d05e0103",
    ("cost", "4711"): "ecce44ad84813fa66125505c67bf9a436dd5cc50c4356ce64b285daade679cd4",
}
SEED_OF_ADA = 1362841634
DRAWN_FOR_ADA = [35, 633, 488]


def digest(values: Any) -> str:
    """The SHA-256, in hex, of what is drawn for a lab; weights are whole numbers."""
    plain = {}
    for field in fields(values):
        if field.name == "name":  # it is the student's, and not drawn
            continue
        value = getattr(values, field.name)
        if isinstance(value, torch.Tensor):
            value = [str(value.dtype), list(value.shape), list(map(int, value.flatten().tolist()))]
        plain[field.name] = value
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_name_is_one_student_however_it_is_typed() -> None:
    """Case, spaces and Unicode forms of a name do not change the student."""
    spellings = [
        "Zoë Müller",
        "  zoë   müller ",
        "ZOË MÜLLER",
        "Zoe\u0308 Mu\u0308ller",
        "Ｚoë Müller",
    ]
    assert {Student(name).key for name in spellings} == {"zoë müller"}
    assert len({Student(name).seed("row") for name in spellings}) == 1
    assert Student("STRASSE").key == Student("Straße").key


def test_other_names_and_labs_give_other_seeds() -> None:
    """Each name has its own seed in each lab."""
    seeds = {Student(f"student {n}").seed(lab.code) for n in range(100) for lab in LABS}
    assert len(seeds) == 100 * len(LABS)
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_the_seed_is_the_one_that_the_name_always_gave() -> None:
    """A name gives the same seed in every version."""
    assert Student("Ada").seed("row") == SEED_OF_ADA
    drawn = torch.randint(0, 1000, (3,), generator=Student("Ada").generator("row", "step"))
    assert drawn.tolist() == DRAWN_FOR_ADA


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is empty"),
        (" \t ", "is empty"),
        ("x" * (MAX_NAME + 1), "61 characters"),
        ("x" * 10_000_000, "10,000,000 characters"),
        ("\ufdfa" * MAX_NAME, "characters; 60 are allowed"),  # each becomes 18 letters
        ("a\nb", "U+000A at position 1"),
        ("a\x00b", "U+0000 at position 1"),
        ("a\x1b[31mb", "U+001B"),
        ("a\u202eb", "U+202E"),
        ("a\ud800b", "U+D800"),
        ("...", "at least one letter"),
        ("\u200d", "at least one letter"),
    ],
)
def test_a_text_that_is_no_name_is_refused(name: str, words: str) -> None:
    """A name that is empty, too long or has control characters is refused with the reason."""
    with pytest.raises(ValueError, match=r"\.") as refusal:
        Student(name)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 250
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    "name", ["4711", "O'Neil", "李雷", "محمد", "می\u200cخواهم", "=1+1", "<b>x</b>"]
)
def test_names_of_the_world_are_names(name: str) -> None:
    """Names in any script are accepted and kept as typed."""
    assert Student(name).name == name
    assert unicodedata.is_normalized("NFKC", Student(name).key)


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_is_a_student_or_a_refusal(name: str) -> None:
    """Any text gives a Student or a ValueError, nothing else."""
    try:
        student = Student(name)
    except ValueError:
        return
    assert Student(student.name) == student
    assert Student(student.name.upper().lower()).name
    assert 1 <= len(student.name) <= MAX_NAME
    assert student.key


def test_nothing_is_drawn_from_the_generator_that_all_share() -> None:
    """Labs do not change PyTorch's global generator, which all sessions share."""
    before = torch.random.get_rng_state()
    for lab in LABS:
        values = lab.values(Student("Ada"))
        for step in lab.steps:
            step.explanation(values)
            if step.solve is not None:
                step.solution(values)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.code)
def test_a_hundred_students_get_a_hundred_sets_of_values(lab: Lab[Any]) -> None:
    """No two of 100 students have the same values."""
    assert len({digest(lab.values(Student(f"student {n}"))) for n in range(100)}) == 100


@pytest.mark.parametrize(("code", "name"), KNOWN)
def test_values_are_the_same_on_every_machine(code: str, name: str) -> None:
    """A name gives the same values on every machine and in every version."""
    lab = next(lab for lab in LABS if lab.code == code)
    assert digest(lab.values(Student(name))) == KNOWN[code, name]
    assert digest(lab.values(Student(f"  {name.upper()} "))) == KNOWN[code, name]
