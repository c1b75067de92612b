import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from embviz.bag.matrix import parse_matrix
from embviz.core.layers import tie
from embviz.core.weights import parse_weights
from embviz.labs import picture
from embviz.labs.answers import Choice, Text, Vector, written
from embviz.labs.check import Result, check
from embviz.labs.exercises import LABS, bag, cost, lab, learns, row
from embviz.labs.exercises.bag import BagValues
from embviz.labs.exercises.cost import CostValues
from embviz.labs.exercises.learns import LearnsValues
from embviz.labs.exercises.row import RowValues
from embviz.labs.markup import to_html
from embviz.labs.record import KINDS, Lab, LabError, Step
from embviz.labs.student import Student
from embviz.limits.search import find
from embviz.request import parameters
from embviz.request.inputs import read_inputs
from embviz.timing.cases import plan
from embviz.timing.methods import METHODS
from embviz.training.optimizers import OPTIMIZERS
from embviz.ui.pages.labs.live_parts import PAGES
from tests.labs.lab_student import Notes, answers, merged

STUDENTS = [Student(name) for name in ["Ada", "Grace Hopper", "4711", "李雷", "Zoë"]]
STUDENTS += [Student(f"student {n}") for n in range(15)]
STEPS = [(one, step) for one in LABS for step in one.steps]
NAMES = [f"{one.code}-{step.name}" for one, step in STEPS]


@cache
def values_of(code: str, student: Student) -> Any:
    """A student's values, drawn once for all tests."""
    return lab(code).values(student)


def step_of(name: str) -> Step[Any]:
    """A step by its name of NAMES."""
    return dict(zip(NAMES, STEPS, strict=True))[name][1]


def answered(name: str, typed: str) -> Result:
    """The check of the first student's answer to a step."""
    return check(step_of(name), values_of(name.partition("-")[0], STUDENTS[0]), typed)


def every(students: list[Student] = STUDENTS) -> Iterator[tuple[Lab[Any], Step[Any], Any]]:
    """Each step with each student's values."""
    for one in LABS:
        for student in students:
            values = values_of(one.code, student)
            for step in one.steps:
                yield one, step, values


# A second way to each solution, by numpy or by counting, from the values only.


def adam_first(given: LearnsValues) -> float:
    """How far Adam's first step moves a number, by its formula."""
    gradient = 2 * place(given, given.once) / 8
    return float(given.lr * gradient[0] / (np.sqrt(gradient[0] ** 2) + 1e-8))


def place(given: LearnsValues, letter: str) -> np.ndarray[Any, Any]:
    """A letter's row."""
    return np.asarray(given.table.double().numpy()[given.chars.index(letter)])


def hot(given: RowValues, text: str) -> np.ndarray[Any, Any]:
    """One-hot rows."""
    places = [given.chars.index(letter) for letter in text]
    return np.asarray(np.eye(len(given.chars))[places])


def counted(given: BagValues) -> np.ndarray[Any, Any]:
    """The dense row of counts."""
    return np.asarray([sum(word == other for other in given.sentence) for word in given.words])


def kept(given: BagValues) -> np.ndarray[Any, Any]:
    """Its columns that are not 0."""
    return np.flatnonzero(counted(given))


def rows(given: BagValues) -> np.ndarray[Any, Any]:
    """A row for each word."""
    return given.weight.double().numpy().T


ORACLE: dict[str, Callable[[Any], Any]] = {
    "row-shape": lambda v: f"(1, {len(v.text)}, {v.table.shape[1]})",
    "row-ids": lambda v: tuple(v.chars.index(letter) for letter in v.text),
    "row-lookup": lambda v: tuple(v.table.numpy()[v.chars.index(v.looked)]),
    "row-zeros": lambda v: int((hot(v, v.text) == 0).sum()),
    "row-product": lambda v: tuple((hot(v, v.hot) @ v.table.numpy())[0]),
    "row-waste": lambda v: sum(
        one == 0 for line in hot(v, v.text) for one in line for _ in range(v.table.shape[1])
    ),
    "row-linear": lambda v: int(v.table.numpy().T[v.cell]),
    "row-bits": lambda v: (
        row.BITS[0]
        if (hot(v, v.text).astype(np.float32) @ v.table.numpy()).tobytes()
        == v.table.numpy()[v.ids.numpy()].tobytes()
        else "other bits"
    ),
    "row-pieces": lambda v: [len({*merged(v.name, k)}) for k in (0, 300, 2_000)],
    "bag-count": lambda v: tuple(counted(v)),
    "bag-sparse": lambda v: (*kept(v), *counted(v)[kept(v)]),
    "bag-plain": lambda v: bag.ALIKE[
        0 if (rows(v)[kept(v)].sum(0) == counted(v) @ rows(v)).all() else 1
    ],
    "bag-sum": lambda v: tuple(v.weight.double().numpy() @ counted(v)),
    "bag-mean": lambda v: rows(v)[kept(v)][:, 0].mean(),
    "bag-rows": lambda v: len(v.weight),
    "bag-column": lambda v: tuple(v.weight.numpy()[:, v.word]),
    "bag-freeze": lambda v: "it stays as it is",
    "learns-touched": lambda v: tuple(sorted({v.chars.index(letter) for letter in v.text})),
    "learns-once": lambda v: tuple(place(v, v.once) / 4),
    "learns-twice": lambda v: tuple(place(v, v.twice) / 2),
    "learns-sgd": lambda v: tuple(place(v, v.twice) * 0.75),
    "learns-unseen": lambda v: "SGD with weight decay",
    "learns-afterwards": lambda v: "Adam only",
    "learns-adam": adam_first,
    "learns-routes": lambda v: "at most 0.00001",
    "cost-table": lambda v: np.zeros((v.num_embeddings, v.embedding_dim), np.float32).nbytes,
    "cost-one-hot": lambda v: np.zeros((v.tokens, v.num_embeddings), np.float32).nbytes,
    "cost-ids": lambda v: (
        np.zeros(v.num_embeddings, np.float32).nbytes / np.zeros(1, np.int64).nbytes
    ),
    "cost-work": lambda v: (
        v.tokens * v.num_embeddings * v.embedding_dim - v.tokens * v.embedding_dim
    ),
    "cost-twice": lambda v: "the lookup stays, the product doubles",
}


def test_the_oracle_knows_every_step_that_is_computed() -> None:
    """Every computed solution has a second way to compute it."""
    computed = {name for (_, step), name in zip(STEPS, NAMES, strict=True) if step.solve}
    assert computed == ORACLE.keys()


@pytest.mark.parametrize("name", ORACLE)
def test_solutions_agree_with_numpy(name: str) -> None:
    """Each solution is what numpy or counting gives."""
    for student in STUDENTS:
        values = values_of(name.partition("-")[0], student)
        expected = ORACLE[name](values)
        found = step_of(name).solution(values)
        if isinstance(expected, str):
            assert found == expected
        else:
            assert np.asarray(found) == pytest.approx(np.asarray(expected), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_every_lab_has_the_promised_form(one: Lab[Any]) -> None:
    """Each lab has 15 minutes, goals, predictions, an essay at its end, and valid names."""
    assert one.minutes == 15
    assert len(one.goals) >= 3
    assert len(one.steps) >= 6
    assert sum(step.kind == "predict" for step in one.steps) >= 2
    assert one.steps[-1].kind == "explain"
    names = [step.name for step in one.steps]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,20}", name) for name in [one.code, *names])
    assert all(step.kind in KINDS for step in one.steps)
    for step in one.steps:
        assert step.graded or isinstance(step.answer, Text)


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
            plain = re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", to_html(text), flags=re.DOTALL)
            assert not re.search(r"`|\*\*", plain), where


def test_solutions_are_right_and_written_as_they_may_be_typed() -> None:
    """A solution as `written` shows it is accepted as right."""
    for one, step, values in every():
        if (solution := step.solution(values)) is not None:
            typed = written(solution)
            result = check(step, values, typed)
            assert result.right is True, (one.code, step.name, result)
            assert result.feedback.startswith("Right")
            kind = step.answer_kind(values)
            if isinstance(kind, Choice):
                assert typed in kind.options
                assert len(set(kind.options)) == len(kind.options)
                assert len(step.mistakes) == len(kind.options) - 1


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
            shown = tokens(picture.words(step.picture(values, answered)))
            place = one.steps.index(step)
            for other in one.steps[place + 1 if answered else 0 :]:
                solution = other.solution(values)
                # Three counts of another text may be a row of a table by chance.
                if solution is None or other is row.PIECES:
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
    """After a live part, only another text and words are asked for."""
    for one in LABS:
        for place, step in enumerate(one.steps):
            if step.live is not None and not step.measured:
                assert {other.name for other in one.steps[place + 1 :]} <= {"pieces", "why"}


def test_a_shape_is_written_as_the_page_writes_it() -> None:
    """The right shape is the output's on the playground; an answer of an earlier version holds."""
    for student in STUDENTS:
        given: RowValues = values_of("row", student)
        ids = read_inputs(parameters.DEFAULTS | given.settings).ids
        assert ids is not None
        page = str(tuple(given.layers.lookup(ids).shape))
        assert row.SHAPE.solution(given) == page
        assert check(row.SHAPE, given, page).right
        assert check(row.SHAPE, given, page.replace("(1, ", "(")).right
        assert check(row.SHAPE, given, "(5, 5)").refused


def test_hints_come_in_order_and_the_last_one_stays() -> None:
    """Each attempt gives the next hint; after the last one it stays."""
    for one, step in STEPS:
        shown = [step.hint(values_of(one.code, STUDENTS[0]), number) for number in range(4)]
        assert len(dict.fromkeys(shown)) == len(step.hints) >= 1
        assert shown[len(step.hints) :] == [shown[len(step.hints) - 1]] * (4 - len(step.hints))


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


@pytest.mark.parametrize(
    ("step", "typed", "words"),
    [
        ("sweep", "2 100 0.02", "Turn it round"),
        ("sweep", "2 100 98", "Divide instead"),
        ("sweep", "2 0.1 50", "milliseconds"),
        ("sweep", "0 1 2", "more than 0"),
        ("sweep", "-2 -100 50", "more than 0"),
        ("compare", "50 0.00305", "wrong way round"),
        ("compare", "50 16334", "divide instead"),
        ("compare", "0 5", "more than 0"),
        ("crossing", "48", "sizes 2, 4, 8"),
        ("crossing", "1", "sizes 2, 4, 8"),
        ("crossing", "8192", "sizes 2, 4, 8"),
    ],
)
def test_a_measured_answer_that_does_not_fit_together_is_named(
    step: str, typed: str, words: str
) -> None:
    """An inconsistent measured answer gets the feedback for its mistake."""
    result = answered(f"cost-{step}", typed)
    assert result.right is False
    assert result.mistake
    assert words in result.feedback


@pytest.mark.parametrize(
    ("step", "typed"),
    [
        ("sweep", "2 100 50"),
        ("sweep", "2.8 4700 1700"),
        ("sweep", "100 2 0.02"),
        ("compare", "50 327.7"),
        ("compare", "50 330"),
        ("compare", "32768 0.5"),
        ("crossing", "0"),
        ("crossing", "2"),
        ("crossing", "4,096"),
    ],
)
def test_a_measured_answer_that_fits_together_passes(step: str, typed: str) -> None:
    """A consistent measured answer is accepted."""
    assert answered(f"cost-{step}", typed).right is True


@pytest.mark.parametrize("step", [cost.SWEEP, cost.MODEL, cost.CROSSING], ids=lambda s: s.name)
def test_a_step_that_measures_presumes_no_result(step: Step[CostValues]) -> None:
    """Any result fits the words of a measured step: title, question, hints, explanation."""
    given: CostValues = cost.LAB.values(STUDENTS[0])
    text = " ".join([step.title, step.prompt(given), *step.hints, step.explanation(given)])
    assert not re.search(r"longer|smaller|most machines|\bwin|decides|one more|at once", text)


def test_free_text_is_neither_right_nor_wrong() -> None:
    """Free text is never judged."""
    for one in LABS:
        result = answered(f"{one.code}-why", "<script>alert(1)</script>")
        assert (result.right, result.mistake, result.refused) == (None, "", False)


def test_an_unreadable_answer_is_refused() -> None:
    """An unreadable answer is refused with a reason that quotes it."""
    result = answered("row-ids", "x y")
    assert result.refused
    assert "'x' is not an id" in result.feedback


def test_an_unknown_lab_is_refused() -> None:
    """An unknown lab is refused, with the list of labs."""
    with pytest.raises(LabError, match="'nope' is not one of the labs: row, bag, learns, cost"):
        lab("nope")


def test_the_page_can_take_every_setting_that_a_step_shows() -> None:
    """Every setting of a live part is a valid URL parameter of its own type."""
    shown = 0
    for one, step, values in every():
        if step.live is None:
            continue
        found = step.live(values)
        assert found.keys() == {"part", "settings"}
        assert found["part"] in PAGES
        json.dumps(found)
        for name, value in found["settings"].items():
            read_back = parameters.read(name, value)
            assert read_back == value, (one.code, step.name, name)
            assert type(value) is type(parameters.DEFAULTS[name])
        shown += 1
    assert shown >= 7 * len(STUDENTS)


def test_live_parts_have_the_students_own_numbers() -> None:
    """A live part shows the numbers of the question."""
    for student in STUDENTS:
        given: RowValues | LearnsValues
        for given in (row.LAB.values(student), learns.LAB.values(student)):
            assert torch.equal(tie(given.config).embedding.weight, given.table)
        one = bag.LAB.values(student)
        settings = bag.FREEZE.live(one)["settings"]  # type: ignore[misc]
        lines = [[float(word) for word in line.split()] for line in settings["linear"].splitlines()]
        assert lines == one.weight.tolist()
        assert [float(word) for word in settings["x"].split()] == counted(one).tolist()


def test_the_page_builds_what_a_step_shows() -> None:
    """The pages accept the settings of every live part."""
    built = 0
    for one, step, values in every(STUDENTS[:5]):
        if step.live is None:
            continue
        found = step.live(values)
        given = parameters.DEFAULTS | found["settings"]
        if found["part"] in ("playground", "training"):
            inputs = read_inputs(given)
            assert inputs.refusal is None
            assert inputs.ids is not None
            if inputs.text == getattr(values, "name", None):
                assert inputs.ids.flatten().tolist() == values.pieces[1]
            else:
                assert inputs.config == values.config, (one.code, step.name)
                assert inputs.ids.flatten().tolist() == values.ids.tolist()
        elif found["part"] == "bag":
            assert parse_matrix(given["x"]).csr.toarray().tolist() == [values.counts.tolist()]
            assert torch.equal(parse_weights(given["linear"]).float(), values.weight)
        else:
            low, high = (int(end) for end in given["span"])
            sizes = [2**k for k in range(21) if low <= 2**k <= high]
            cases = plan(
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
                pass_=given["pass"],
                output=given["output"],
                threads=given["threads"],
            )
            assert len(cases) >= 3 * len(sizes)
            assert max(case.memory_bytes for case in cases) < 100_000_000
        built += 1
    assert built >= 35


def test_the_rules_and_methods_that_labs_name_exist() -> None:
    """All optimizers and timing methods that a lab names exist."""
    given: CostValues = cost.LAB.values(STUDENTS[0])
    assert set(cost.SWEEP.live(given)["settings"]["methods"]) <= set(METHODS)  # type: ignore[misc]
    assert set(learns.UNSEEN_RULES.values()) <= set(OPTIMIZERS)
    assert METHODS["matmul"].label == "matmul, one-hot ready"


def test_no_answer_is_stored_in_the_labs_data() -> None:
    """Labs compute solutions and store none."""
    for one in LABS:
        values = one.values(STUDENTS[0])
        assert not [name for name in vars(type(values)) if "answer" in name or "solution" in name]
        for step in one.steps:
            stored = {value for value in vars(step).values() if not callable(value)}
            assert all(
                isinstance(value, str | tuple | bool | type(None)) or value is step.answer
                for value in stored
            )


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_a_typical_mistake_is_called_by_its_name(one: Lab[Any]) -> None:
    """The answer of a typical mistake gets the feedback for that mistake."""
    named: Counter[tuple[str, str]] = Counter()
    for student in STUDENTS:
        values, notes = values_of(one.code, student), Notes()
        for step in one.steps[:-1]:
            name = f"{one.code} {step.name}"
            for words, wrong in answers(name, step.prompt(values), notes)[1].items():
                result = check(step, values, wrong)
                assert result.right is False, (name, words)
                named[name, words] += words in re.sub(r"[*`]", "", result.feedback)
    assert min(named.values()) >= 0.8 * len(STUDENTS)  # two mistakes may lead to one number


def test_explanations_compare_the_right_numbers() -> None:
    """Explanations show the same number for both routes where they agree."""
    for student in STUDENTS:
        one: BagValues = values_of("bag", student)
        product = written(tuple(float(x) for x in counted(one) @ rows(one))).replace(" ", ", ")
        plain = written(tuple(float(x) for x in rows(one)[kept(one)].sum(0))).replace(" ", ", ")
        assert bag.SUM.explanation(one).count(f"`[{product}]`") == 2
        wrong = (rows(one)[kept(one)].sum(0) != counted(one) @ rows(one)).sum()
        assert f"plain sum is `[{plain}]`, and {wrong} of its 3" in bag.PLAIN.explanation(one)
        two: LearnsValues = values_of("learns", student)
        gradient = written(tuple(float(x) for x in place(two, two.once) / 4)).replace(" ", ", ")
        assert learns.ONCE.explanation(two).count(f"`[{gradient}]`") == 2
        three: RowValues = values_of("row", student)
        chosen = written(tuple(float(x) for x in hot(three, three.hot)[0] @ three.table.numpy()))
        assert row.PRODUCT.explanation(three).count(f"`[{chosen.replace(' ', ', ')}]`") == 2
        moved = two.afterwards
        assert moved["SGD"] == 0 < moved["Adam"] <= two.lr
        assert two.never["SGD"] == two.never["Adam"] == 0
        decayed = np.abs(two.table.numpy()[list(two.untouched)]).max() * (1 - 0.995**3)
        assert two.never["SGD with weight decay"] == pytest.approx(decayed, rel=1e-4)


def test_what_the_row_lab_says_of_bits_is_proved_elsewhere() -> None:
    """The last step names exceptions that have a case each, and does not claim to know all."""
    given = values_of("row", STUDENTS[0])
    told = row.BITWISE.explanation(given)
    assert "has them all" not in told
    assert "are exact" not in told  # they are not for TF32
    named = ("NaN", "infinity", "“medium” precision")
    assert all(words in told for words in named)
    assert all(find(words) for words in named)
    assert (given.table == given.table.half()).all()
    assert not (given.table.signbit() & (given.table == 0)).any()
