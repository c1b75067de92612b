"""The questions of all labs, for many seeds, by a student who reads the prompt alone."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np
import pytest

from embviz.core.refused import Refused
from embviz.labs import cost
from embviz.labs.catalogue import LABS, question, questions
from embviz.labs.drawing import Grid, Picture, html_of
from embviz.labs.question import OTHER, Question, bar_of, bars, judge, read, written
from embviz.limits.search import find
from embviz.request.inputs import read_inputs
from embviz.request.settings import SETTINGS, defaults
from tests.labs.reader import STEPS, answers

SEEDS = range(40)
TITLES = {
    "row": [
        "From letters to ids",
        "Read a row",
        "How large is the output?",
        "How many zeros?",
        "Multiply it out",
        "The work of the product",
        "The same numbers, transposed",
        "To the last bit",
    ],
    "bag": [
        "A sentence as counts",
        "A sum of rows",
        "The product by hand",
        "from_pretrained",
        "Will it learn?",
    ],
    "learns": [
        "After loss.backward()",
        "A letter that comes twice",
        "A row nobody looks up",
        "After its last lookup",
        "Two routes, one training",
    ],
    "cost": ["An id and its one-hot row", "Twice the rows", "Measure it"],
}


def every(seeds: range = SEEDS) -> Iterator[tuple[str, int, Question]]:
    """Each step that is not measured, for each seed."""
    for lab, seed in ((lab, seed) for lab in LABS for seed in seeds):
        for number, one in enumerate(questions(lab, seed)[: len(STEPS[lab])], 1):
            yield lab, number, one


@pytest.mark.parametrize("lab", LABS)
def test_a_student_who_reads_the_prompt_is_judged_right(lab: str) -> None:
    """The answer from the prompts is right; each mistake gets its own words and its own bar."""
    assert [one.title for one in questions(lab, 1)] == TITLES[lab]
    assert len(LABS[lab].steps) == len(STEPS[lab])
    for seed in SEEDS:
        notes: dict[str, object] = {}
        for number in range(1, len(STEPS[lab]) + 1):
            one = question(lab, number, seed)
            right, wrong = answers(lab, number, one.prompt, notes)
            assert judge(one, read(one, right)) == (True, ""), (number, seed, right)
            assert read(one, written(one.right)) == one.right
            assert one.kind == ("choice" if one.choices else "numbers")
            if one.choices:
                assert {right, *wrong.values()} == {*one.choices}
                assert len(one.choices) == 1 + len(wrong)
            assert len(wrong) == len(one.mistakes)
            seen = {bar_of(one, read(one, right))}
            for words, text in wrong.items():
                verdict = judge(one, read(one, text))
                assert not verdict.right, (number, seed, words)
                assert words in re.sub(r"[*`]", "", verdict.mistake), (number, seed, words)
                seen.add(bar_of(one, read(one, text)))
            assert seen == {words for words, *_ in bars(one) if words != OTHER}


def test_choices_come_in_an_order_of_the_seed() -> None:
    """One seed has one order, and the right choice is at every place for some seed."""
    for lab, number, one in every(range(1)):
        if one.choices:
            orders = [question(lab, number, seed) for seed in range(60)]
            assert {each.choices.index(str(each.right)) for each in orders} == {
                *range(len(one.choices))
            }
    questions.cache_clear()
    assert question("row", 3, 7).choices == question("row", 3, 7).choices
    assert questions("row", 7)[0].prompt != questions("row", 8)[0].prompt


def test_bars_name_what_was_answered() -> None:
    """Numbers come by size with their sentence, one is right, and all others share a bar."""
    one = question("row", 4, 1)
    found = list(bars(one))
    numbers = [int(words) for words, *_ in found[:-1]]
    assert all(low < high for low, high in pairwise(numbers))
    assert [words for words, right, _ in found if right] == [written(one.right)]
    assert [bool(mistake) for _, right, mistake in found] == [not found[k][1] for k in range(5)] + [
        False
    ]
    assert found[-1] == (OTHER, False, "")
    assert bar_of(one, (9999.0,)) == OTHER
    near = question("learns", 2, 1)
    for answer in (near.right, *near.mistakes):
        off = tuple(float(number) + 0.005 for number in answer)
        assert bar_of(near, off) == written(answer)
    of_choices = list(bars(question("row", 8, 1)))
    assert [words for words, *_ in of_choices] == list(question("row", 8, 1).choices)
    assert sum(right for _, right, _ in of_choices) == 1


def test_every_text_is_complete() -> None:
    """Every text is filled in, short, and valid Markdown."""
    for lab, number, one in every():
        for text in (one.prompt, one.why, *one.hints, *filter(None, one.mistakes.values())):
            where = (lab, number, text)
            assert text.strip() == text, where
            assert 0 < len(text) < 1200, where
            assert not re.search(r"\bnan\b|\binf\b|tensor\(|<function|\{|\}|\$|\]\(", text), where
            assert text.count("`") % 2 == 0, where
            assert text.count("**") % 2 == 0, where
        assert len(one.hints) == 2
        assert all(one.mistakes.values())


def written_ways(one: Question) -> set[str]:
    """How a text may show the right numbers, where they are long enough to be no accident."""
    shown = written(one.right)
    if one.choices or len(shown) < 4:
        return set()
    return {shown, f"[{shown.replace(' ', ', ')}]", shown.replace(",", "")}


def test_nothing_before_the_answer_tells_it() -> None:
    """No hint, feedback, earlier picture or later prompt has a right answer; the why has it."""
    for lab, seed in ((lab, seed) for lab in LABS for seed in SEEDS):
        drawn = questions(lab, seed)[: len(STEPS[lab])]
        for place, one in enumerate(drawn):
            later = [re.sub(r"```.*?```", "", two.prompt, flags=re.S) for two in drawn[place + 1 :]]
            quiet = [*one.hints, *one.mistakes.values(), *later]
            quiet += [words_of(shown) for two in drawn for shown in (two.start, two.small)]
            quiet += [two.why for two in drawn[:place]]
            for form in written_ways(one):
                told = rf"(?<![\d,.-]){re.escape(form)}(?![\d,.])"
                assert not [text for text in quiet if re.search(told, text)], (lab, place, form)
            if not one.choices:
                why = one.why.replace("`", "").replace(",", "")
                assert written(one.right).replace(",", "").split() == [
                    word for word in written(one.right).replace(",", "").split() if word in why
                ], (lab, place)


def words_of(shown: Picture) -> str:
    """Everything that a picture says."""
    grids = [one for one in shown if not isinstance(one, str)]
    return " ".join(
        chain(*([one.caption, *one.heads, *one.labels, *chain(*one.cells)] for one in grids))
    )


def test_pictures_fit_and_change_with_the_answer() -> None:
    """Labels, heads and marks fit the cells; the last picture is another than those before."""
    for lab, number, one in every(range(8)):
        assert one.picture not in (one.start, one.small, ()), (lab, number)
        assert one.small, (lab, number)
        assert "?" not in words_of(one.picture), (lab, number)
        for part in [*one.start, *one.small, *one.picture, *LABS[lab].sign]:
            if isinstance(part, str):
                continue
            height, width = len(part.cells), len(part.cells[0])
            assert {len(line) for line in part.cells} == {width}
            assert len(part.labels) in (0, height), (lab, number, part.caption)
            assert len(part.heads) in (0, width), (lab, number, part.caption)
            assert all(row < height and column < width for row, column in part.marked)


def solved(one: Question) -> list[str]:
    """The right numbers, each as a cell has it."""
    return written(one.right).split()


def marked(one: Question, place: int) -> list[str]:
    """The texts that stand out in a grid of the last picture."""
    grid = grids(one)[place]
    return [grid.cells[row][column] for row, column in sorted(grid.marked)]


def grids(one: Question) -> list[Grid]:
    """The grids of the last picture."""
    return [part for part in one.picture if isinstance(part, Grid)]


def test_the_last_picture_shows_the_right_answer() -> None:
    """What stands out, or stands at the end, is the answer."""
    for seed in range(10):
        row, sums, learns, cost_of = (questions(lab, seed) for lab in LABS)
        assert grids(row[0])[1].cells == [solved(row[0])]
        assert marked(row[1], 0) == solved(row[1]) == [*grids(row[1])[1].cells[0]]
        output = grids(row[2])[-1]
        assert f"(1, {len(output.cells)}, {len(output.cells[0])})" == row[2].right
        assert words_of(row[3].picture).split().count("0") == row[3].right[0]
        assert {*marked(row[3], 0)} == {"1"}
        assert marked(row[4], 0) == marked(row[4], 2) == solved(row[4])
        assert marked(row[4], 1) == ["1"]
        assert sum(int(line[1]) for line in grids(row[5])[0].cells) == row[5].right[0]
        assert marked(row[6], 0) == marked(row[6], 1) == solved(row[6])
        assert grids(row[7])[0].cells == grids(row[7])[1].cells
        assert "=" in row[7].picture
        assert grids(sums[0])[1].cells == [solved(sums[0])]
        assert grids(sums[2])[-1].cells == [solved(sums[2])]
        repeated = [text for text in grids(sums[1])[1].labels if not text.startswith("1 ")]
        assert len(marked(sums[1], 1)) == 2 * len(repeated) > 0
        assert [len(grids(sums[3])[1].cells)] == [*sums[3].right]
        assert grids(sums[4])[0].cells == grids(sums[4])[1].cells
        ids = {str(line) for line, _ in grids(learns[0])[1].marked}
        assert ids == {*solved(learns[0])}
        assert {*marked(learns[0], 1)} == {"not 0"}
        assert grids(learns[1])[-1].cells == [solved(learns[1])]
        for one in learns[2:4]:
            (moving,) = grids(one)[0].marked
            assert str(one.right).startswith(grids(one)[0].labels[moving[0]])
        assert marked(cost_of[0], 0) == solved(cost_of[0])
        reads, times = grids(cost_of[1])[0].cells
        assert reads[0] == reads[1]
        first, second = (int(text.replace(",", "")) for text in times)
        assert second == 2 * first


def test_the_small_picture_shows_a_part() -> None:
    """It shows one letter, one row, one word or one place of what is asked for."""
    for seed in range(10):
        row, sums, learns = (questions(lab, seed) for lab in ("row", "bag", "learns"))
        parts = [[one for one in each.small if isinstance(one, Grid)] for each in row]
        letter, table, _ = parts[2]
        assert {table.labels[line] for line, _ in table.marked} == {*letter.cells[0]}
        (zeros,) = parts[3]
        assert (zeros.cells[0].count("0"), zeros.cells[0].count("1")) == (len(zeros.heads) - 1, 1)
        assert {zeros.heads[column] for _, column in zeros.marked} == {*zeros.labels}
        assert parts[4][2].cells == [["0"] * 3]
        assert len(parts[5][0].labels) == 1
        word, weighted = (one for one in sums[2].small if isinstance(one, Grid))
        times = int(word.labels[0].split()[0])
        assert weighted.cells == [[str(times * int(cell)) for cell in word.cells[0]]]
        place = [one for one in learns[1].small if isinstance(one, Grid)][1].cells
        assert [2 * float(cell) for cell in place[0]] == [*learns[1].right]
        text, gradient = (one for one in learns[0].small if isinstance(one, Grid))
        named = {gradient.labels[line][-1] for line, _ in gradient.marked}
        assert named == {*text.cells[0]}


def test_a_picture_is_drawn_as_tables() -> None:
    """Marked cells, heads and labels are where they belong; no text becomes a tag."""
    grid = Grid("<i>", [["1", "<b>"], ["3", "4"]], "xy", ["a", "b"], frozenset({(1, 0)}))
    found = html_of((grid, "→", grid))
    assert found.count("→") == 1
    assert (found.count("<b>"), found.count("<i>")) == (0, 0)
    assert found.count('<td class="marked">3</td><td>4</td>') == 2
    assert '<td></td><th scope="col">a</th><th scope="col">b</th></tr><tr>' in found
    assert '<th scope="row">y</th><td class="marked">3' in found
    assert "caption" in found
    sign = html_of((grid,), True)
    assert ("caption" in sign, "tabindex" in sign) == (False, False)


def test_every_sum_and_product_in_an_explanation_adds_up() -> None:
    """Every equation in an explanation is true."""
    checked = 0
    for lab, number, one in every():
        pattern = r"((?:\(?-?[\d,.]+\)? [·+] )+\(?-?[\d,.]+\)?) = (-?[\d,]*\d(?:\.\d+)?)"
        for left, right in re.findall(pattern, one.why):
            parts = [float(part.strip("()").replace(",", "")) for part in re.split(" [·+] ", left)]
            found = np.prod(parts) if "·" in left else sum(parts)
            assert found == pytest.approx(float(right.replace(",", "")), rel=1e-4), (lab, number)
            checked += 1
    assert checked > 4 * len(SEEDS)


def test_numbers_can_be_tried_on_another_page() -> None:
    """The settings of a link give the lab's own table and text."""
    for lab in ("row", "learns"):
        one = questions(lab, 3)[-1]
        assert one.more is not None
        page, chosen = one.more
        read_back = {name: SETTINGS[name].read(value) for name, value in chosen.items()}
        inputs = read_inputs(defaults(SETTINGS) | read_back)
        assert page == {"row": "playground", "learns": "training"}[lab]
        assert inputs.config.characters == quoted_chars(questions(lab, 3)[0].prompt)
        if lab == "row":
            ids = inputs.ids.flatten().tolist()
            assert tuple(map(float, ids)) == questions(lab, 3)[0].right


def quoted_chars(prompt: str) -> str:
    """The vocabulary of a prompt."""
    return re.findall(r"`(\w+)`", prompt)[0]


def test_a_measured_answer_is_judged_by_what_was_measured() -> None:
    """Until there is a measurement nothing is right; then what is read off to two digits is."""
    open_one = question("cost", 3, 1)
    assert not open_one.right
    one = cost.measured(open_one, 10e-6, 1.5e-3)
    assert judge(one, read(one, "150")) == (True, "")
    assert judge(one, read(one, "165")).right
    assert not judge(one, read(one, "170")).right
    assert "Turn it round" in judge(one, read(one, "0.00667")).mistake
    assert "That is the count" in judge(one, read(one, "16384")).mistake
    assert judge(one, (12.0,)).mistake == ""
    assert "took 150 times" in one.why
    assert "took 1,250 times" in cost.measured(open_one, 1e-6, 1.2504e-3).why


def test_an_unknown_lab_or_step_is_refused() -> None:
    """An unknown lab is refused with the list of labs; a step out of range too."""
    with pytest.raises(Refused, match="'nope' is not one of the labs: row, bag, learns, cost"):
        questions("nope", 1)
    for step in (0, 9):
        with pytest.raises(Refused, match=f"Step {step} is not one of 1 to 8"):
            question("row", step, 1)


def test_the_exceptions_that_the_row_lab_names_have_a_case() -> None:
    """Each exception that the last step names is found on *Where it breaks*."""
    told = question("row", 8, 1).why
    for words in ("NaN", "infinity", "“medium” precision"):
        assert words in told
        assert find(words)
