import html
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from embviz.labs.answers import Choice, written
from embviz.labs.exercises import LABS, lab
from embviz.labs.markup import to_html
from embviz.labs.record import Lab
from embviz.labs.student import Student
from embviz.labs.worksheet import MAX_STUDENTS, worksheet

CLASS = [Student(name) for name in ["Ada", "<script>alert(1)</script> & Bob", "李雷"]]
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """A page's tags and attributes; asserts that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an opened tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last open tag."""
        assert self.open.pop() == tag


@pytest.mark.parametrize("with_answers", [False, True])
@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_a_worksheet_stands_alone(one: Lab[Any], with_answers: bool) -> None:
    """A worksheet needs no script, network or other file, and escapes names."""
    page = worksheet(one, CLASS, with_answers)
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert not reader.tags & {"script", "link", "img", "iframe", "object", "svg", "a"}
    assert reader.attributes <= {
        *("class", "lang", "charset", "name", "content", "scope", "role", "tabindex", "aria-label")
    }
    assert "http" not in page
    assert "url(" not in page
    assert "@import" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Bob" in page
    assert page.count('<section class="student">') == len(CLASS)
    assert "break-before: page" in page


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_solutions_are_on_the_teachers_copy_only(one: Lab[Any]) -> None:
    """Solutions and explanations are on the teacher's copy only."""
    looked = 0
    for student in [*CLASS, *(Student(f"student {n}") for n in range(5))]:
        pupil = worksheet(one, [student], with_answers=False)
        teacher = worksheet(one, [student], with_answers=True)
        assert "Answer:" not in pupil
        assert "solution" not in re.sub(r"<style>.*?</style>", "", pupil, flags=re.DOTALL)
        values = one.values(student)
        for step in one.steps:
            assert to_html(step.prompt(values)) in pupil
            assert to_html(step.explanation(values)) in teacher
            assert to_html(step.explanation(values)) not in pupil
            solution = step.solution(values)
            if solution is None:
                continue
            answer = html.escape(written(solution))
            assert f"<strong>Answer:</strong> {answer}</p>" in teacher
            plain = re.sub(
                r"<pre>.*?</pre>", "", pupil, flags=re.DOTALL
            )  # the tables of the question
            if isinstance(step.answer_kind(values), Choice):
                assert f"</span>{answer}</li>" in pupil
            elif len(answer) > 4:
                looked += 1
                assert answer not in plain, (one.code, step.name, answer)
                assert answer.replace(" ", ", ") not in plain, (one.code, step.name, answer)
    assert looked >= 8


def test_every_student_has_other_numbers() -> None:
    """No two students have the same section."""
    sections = [
        worksheet(lab("row"), [student], False).replace(html.escape(student.name), "")
        for student in CLASS
    ]
    assert len(set(sections)) == len(CLASS)


def test_a_class_has_one_to_a_hundred_students() -> None:
    """A list of no students or of more than 100 is refused."""
    students = [Student(f"student {n}") for n in range(MAX_STUDENTS)]
    page = worksheet(lab("row"), students, with_answers=False)
    assert page.count('<section class="student">') == MAX_STUDENTS
    assert len(page) < 2_000_000
    for wrong in ([], [*students, CLASS[0]]):
        with pytest.raises(ValueError, match=f"{len(wrong)} students; a worksheet is for 1 to 100"):
            worksheet(lab("row"), wrong, with_answers=False)
