import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch

from embviz.bag.matrix import parse_matrix
from embviz.core.layers import tie
from embviz.core.weights import parse_weights
from embviz.labs import picture
from embviz.labs.answers import Choice, Vector, written
from embviz.labs.check import check
from embviz.labs.exercises import LABS, bag, cost, lab, row
from embviz.labs.exercises.row import RowValues
from embviz.labs.markup import inline
from embviz.labs.record import Lab, LabError, Step
from embviz.labs.student import Student
from embviz.limits.search import find
from embviz.request import settings
from embviz.request.inputs import read_inputs
from embviz.timing.case import plan
from tests.labs.lab_student import STEPS, Notes, answers

STUDENTS = [Student(name) for name in ["Ada", "Grace Hopper", "4711", "李雷", "Zoë"]]
STUDENTS += [Student(f"student {n}") for n in range(15)]


@cache
def values_of(code: str, student: Student) -> Any:
    """A student's values, drawn once for all tests."""
    return lab(code).values(student)


def every(students: list[Student] = STUDENTS) -> Iterator[tuple[Lab[Any], Step[Any], Any]]:
    """Each step with each student's values."""
    for one in LABS:
        for student in students:
            values = values_of(one.code, student)
            for step in one.steps:
                yield one, step, values


def test_every_text_can_be_made_for_every_student() -> None:
    """Every text is complete, short and valid markup for every student."""
    for one, step, values in every():
        texts = [step.prompt(values), step.explanation(values)]
        texts += [step.hint(values, number) for number in range(len(step.hints))]
        texts += [mistake.feedback for mistake in step.mistakes]
        for text in texts:
            where = f"{one.code}-{step.name}: {text}"
            assert text.strip() == text, where
            assert len(text) < 1200, where
            assert not re.search(
                r"\bnan\b|\binf\b|tensor\(|<function|\{|\}|\$|\]\(|:\w+\[", text
            ), where
            assert text.count("```") % 2 == 0, where
            assert text.count("`") % 2 == 0, where
            prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
            plain = re.sub(r"<code>.*?</code>", "", inline(prose), flags=re.DOTALL)
            assert not re.search(r"`|\*\*", plain), where


def test_no_typical_mistake_is_ever_the_right_answer() -> None:
    """A typical mistake is never accepted, and its own feedback names it."""
    students = [Student(f"pupil {n}") for n in range(60)]
    apart: dict[str, list[bool]] = {}
    for one, step, values in every(students):
        for number, mistake in enumerate(step.mistakes):
            value = mistake.answer(values)
            if value is None:
                continue
            where = (one.code, step.name, mistake.feedback, value)
            result = check(step, values, written(value))
            assert result.right is False, where
            assert result.mistake, where
            assert result.feedback.startswith("You wrote"), where
            own = mistake.feedback in result.feedback
            apart.setdefault(f"{one.code}-{step.name}-{number}", []).append(own)
    # Two mistakes may lead to one number, but seldom.
    assert [name for name, own in apart.items() if sum(own) < 0.8 * len(own)] == []


def test_feedback_to_a_wrong_answer_hides_the_right_one() -> None:
    """The feedback to a wrong answer never contains the solution."""
    for _, step, values in every(STUDENTS[:5]):
        kind, found = step.answer_kind(values), step.solution(values)
        if found is None or isinstance(kind, Choice):
            continue
        solution = written(found)
        wrong = "987 " * kind.length if isinstance(kind, Vector) else "9"
        wrong = wrong if wrong.strip() != solution else "8"
        result = check(step, values, wrong)
        assert result.right is False
        assert not result.mistake or result.feedback
        if len(solution) > 2:
            assert solution not in result.feedback


def solved() -> Iterator[tuple[Lab[Any], int, Any, set[str]]]:
    """Each lab, the place of a step, the values, and the ways to write the step's long solution."""
    for one in LABS:
        for student in STUDENTS:
            values = values_of(one.code, student)
            for place, step in enumerate(one.steps):
                solution = step.solution(values)
                if solution is None or isinstance(step.answer_kind(values), Choice):
                    continue
                if len(shown := written(solution)) >= 5:
                    yield one, place, values, {shown, shown.replace(" ", ", ")}


def test_later_questions_do_not_answer_earlier_ones() -> None:
    """No later prompt contains the solution of an earlier step."""
    for one, place, values, forms in solved():
        for other in one.steps[place + 1 :]:
            # The tables themselves are the material.
            prompt = re.sub(r"```.*?```", "", other.prompt(values), flags=re.DOTALL)
            for form in forms:
                found = re.search(rf"(?<![\d,.-]){re.escape(form)}(?![\d,.])", prompt)
                assert not found, (one.code, other.name, form)


def test_an_explanation_does_not_answer_a_later_question() -> None:
    """No explanation or hint contains the solution of a later step."""
    for one, place, values, forms in solved():
        for other in one.steps[:place]:
            texts = [other.hint(values, number) for number in range(len(other.hints))]
            for text in [other.explanation(values), *texts]:
                assert not [form for form in forms if form in text], (one.code, other.name, forms)


def tokens(text: str) -> str:
    """The words and numbers of a text, with one space before and after each."""
    return " ".join(["", *re.findall(r"[^\s`*,\[\]]+", text), ""])


def words_of(shown: picture.Picture) -> str:
    """Everything that a picture says."""
    grids = [one for one in shown if not isinstance(one, str)]
    parts = [[one.caption, *one.heads, *one.labels, *chain(*one.cells)] for one in grids]
    return " ".join(chain(*parts))


def ways(solution: Any) -> set[str]:
    """How a picture may write a solution."""
    numbers = solution if isinstance(solution, tuple) else (solution,)
    if isinstance(solution, str | int):
        return {tokens(written(solution))}
    return {
        tokens(" ".join(format(n, how) for n in numbers)) for how in (",.6g", ".2f", ",.3g")
    } | {tokens(written(solution))}


def test_a_picture_holds_nothing_that_is_asked_for_elsewhere() -> None:
    """A picture has no later step's solution; before the answer, none that a question asks for."""
    checked = 0
    for one, step, values in every():
        if step.picture is None:
            continue
        for answered in (False, True):
            shown = tokens(words_of(step.picture(values, answered)))
            place = one.steps.index(step)
            for other in one.steps[place + 1 if answered else 0 :]:
                solution = other.solution(values)
                if solution is None:
                    continue
                given = tokens(other.prompt(values))  # what the question itself says is no secret
                kind = other.answer_kind(values)
                choices = kind.options if isinstance(kind, Choice) else ()
                if sum(tokens(option) in shown for option in choices) > 1:
                    continue  # it names several choices alike
                found = [way for way in ways(solution) if way in shown and way not in given]
                # A digit alone is no answer: a cell may hold it by chance.
                found = [way for way in found if len(way.strip()) > 2]
                assert not found, (one.code, step.name, other.name, answered, found)
                checked += 1
    assert checked > 100 * len(STUDENTS)


def test_a_picture_shows_named_parts_with_whole_rows() -> None:
    """Each part is of PARTS, each of PARTS is used, and labels and heads fit the cells."""
    used = set()
    shown = [
        step.picture(values, done)
        for _, step, values in every()
        if step.picture
        for done in (False, True)
    ]
    for part in [one for parts in [*shown, *(known.sign for known in LABS)] for one in parts]:
        if isinstance(part, str):
            continue
        used.add(part.part)
        width = len(part.cells[0])
        assert all(len(row) == width for row in part.cells)
        assert len(part.labels) in (0, len(part.cells))
        assert len(part.heads) in (0, width)
        assert all(row < len(part.cells) and column < width for row, column in part.marked)
    assert used == picture.PARTS.keys()


def test_a_live_part_comes_when_no_later_step_asks_for_what_it_has() -> None:
    """After a live part that has the answer, nothing more is asked for."""
    for one in LABS:
        for place, step in enumerate(one.steps):
            if step.live is not None and not step.measured:
                assert not one.steps[place + 1 :]


def test_the_numbers_of_an_explanation_are_those_of_the_solution() -> None:
    """Each explanation contains the student's solution."""
    for one, step, values in every():
        solution = step.solution(values)
        if solution is None:
            continue
        text = step.explanation(values).replace("`", "")
        if one.code == "bag" and step.name == "sparse":
            assert isinstance(solution, tuple)
            halves = solution[: bag.STORED], solution[bag.STORED :]
            forms = [written(part).replace(" ", ", ") for part in halves]
        elif isinstance(solution, tuple):
            forms = [written(solution).replace(" ", ", ")]
        elif isinstance(solution, str):
            forms = [solution] if solution in text else [""]
        elif isinstance(solution, float):
            shown = [f"{solution:,.0f}", f"{solution:.3g}", written(solution)]
            forms = [next((form for form in shown if form in text), shown[0])]
        else:
            forms = [f"{solution:,}" if f"{solution:,}" in text else str(solution)]
        assert all(form in text for form in forms), (one.code, step.name, forms, text)


def test_every_sum_and_product_in_an_explanation_adds_up() -> None:
    """Every equation in an explanation is true."""
    checked = 0
    for one, step, values in every():
        for left, right in re.findall(
            r"((?:\(?-?[\d,.]+\)? [·+] )+\(?-?[\d,.]+\)?) = (-?[\d,]*\d(?:\.\d+)?)",
            step.explanation(values),
        ):
            parts = [float(part.strip("()").replace(",", "")) for part in re.split(" [·+] ", left)]
            found = np.prod(parts) if "·" in left else sum(parts)
            assert found == pytest.approx(float(right.replace(",", "")), rel=1e-4), (
                one.code,
                step.name,
                left,
                right,
            )
            checked += 1
    assert checked >= 6 * len(STUDENTS)


def test_an_unknown_lab_is_refused() -> None:
    """An unknown lab is refused, with the list of labs."""
    with pytest.raises(LabError, match="'nope' is not one of the labs: row, bag, learns, cost"):
        lab("nope")


def test_the_page_builds_what_a_step_shows() -> None:
    """The pages accept the settings of every live part."""
    built = 0
    for one, step, values in every(STUDENTS[:5]):
        if step.live is None:
            continue
        found = step.live(values)
        given = settings.defaults(settings.SETTINGS) | found["settings"]
        for name, value in found["settings"].items():  # as URL parameters give it
            record = settings.SETTINGS[name]
            read = record.written(record.read(value))
            assert read == record.written(value), (one.code, step.name, name)
        if found["part"] in ("playground", "training"):
            inputs = read_inputs(given)
            assert inputs.config == values.config, (one.code, step.name)
            assert inputs.ids.flatten().tolist() == values.ids.tolist()
            assert torch.equal(tie(inputs.config).embedding.weight, values.table)
        elif found["part"] == "bag":
            assert parse_matrix(given["x"]).csr.toarray().tolist() == [values.counts.tolist()]
            assert torch.equal(parse_weights(given["linear"]).float(), values.weight)
        else:
            low, high = (int(end) for end in given["span"])
            sizes = [2**k for k in range(21) if low <= 2**k <= high]
            cases, _ = plan(
                given["vary"],
                sizes,
                given["methods"],
                given["devices"],
                given["cache"],
                num_embeddings=given["time_rows"],
                embedding_dim=given["time_dim"],
                tokens=given["time_tokens"],
                dtype=given["time_dtype"],
                ids=given["skew"],
                mode=given["mode"],
                threads=given["threads"],
            )
            assert len(cases) >= 3 * len(sizes)
            assert max(case.memory_bytes for case in cases) < 100_000_000
        built += 1
    assert built == 5 * 6


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_a_student_who_reads_the_page_is_judged_right(one: Lab[Any]) -> None:
    """The answer from the prompt alone is right; a typical mistake gets its own feedback."""
    assert [step.name for step in one.steps] == STEPS[one.code]
    named: Counter[tuple[str, str]] = Counter()
    for student in STUDENTS:
        values, notes = values_of(one.code, student), Notes()
        for step in one.steps:
            right, wrong = answers(f"{one.code} {step.name}", step.prompt(values), notes)
            assert check(step, values, right).right, (step.name, right)
            if (solution := step.solution(values)) is not None:
                assert check(step, values, written(solution)).right, step.name
            kind = step.answer_kind(values)
            if isinstance(kind, Choice):
                assert {right, *wrong.values()} == {*kind.options}
            for words, typed in wrong.items():
                result = check(step, values, typed)
                assert not result.right, (step.name, words)
                named[step.name, words] += words in re.sub(r"[*`]", "", result.feedback)
    assert min(named.values()) >= 0.8 * len(STUDENTS)  # two mistakes may lead to one number


def test_multiplications_by_zero_are_those_that_a_student_counts() -> None:
    """In lab *row* a factor is zero in the one-hot rows alone, so any way to count is right."""
    for number in range(200):
        given: RowValues = lab("row").values(Student(f"pupil {number}"))
        hot = np.eye(len(given.chars))[given.ids]
        rows = given.table.tolist()
        products = [a * b for line in hot for a, one in zip(line, rows, strict=True) for b in one]
        assert products.count(0) == row.WASTE.solution(given)


@pytest.mark.parametrize(
    ("step", "typed"),
    [
        ("sweep", "2.8 4700 1700"),
        ("sweep", "100 2 0.02"),
        ("compare", "50 330"),
        ("compare", "32768 0.5"),
        ("crossing", "0"),
        ("crossing", "4,096"),
    ],
)
def test_any_measured_answer_that_fits_together_passes(step: str, typed: str) -> None:
    """A measured answer may be any result, rounded as the page rounds it."""
    (found,) = (one for one in cost.LAB.steps if one.name == step)
    assert check(found, values_of("cost", STUDENTS[0]), typed).right


def test_the_exceptions_that_the_row_lab_names_have_a_case() -> None:
    """Each exception that the last step names is found on *Where it breaks*."""
    told = row.BITWISE.explanation(values_of("row", STUDENTS[0]))
    for words in ("NaN", "infinity", "“medium” precision"):
        assert words in told
        assert find(words)
