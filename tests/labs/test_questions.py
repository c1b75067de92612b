"""The questions of all labs, for many seeds, by a student who reads the prompts alone."""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from itertools import chain
from math import prod

import pytest
import torch
from torch.nn import functional

from embviz.labs.answer import read
from embviz.labs.catalogue import LABS, beside, questions
from embviz.labs.drawing import Grid, Picture, html_of
from embviz.labs.question import OTHER, SLIPS, Question, bar_of, bars_of, judge, written
from tests.labs.beside import STUDENTS, answers
from tests.labs.leaks import choices, leaks, rules, shown_by
from tests.labs.reader import Student, code, labelled, table

SEEDS = range(100)
# Steps whose picture, after *Reveal*, shows the answer to another one.
SHOWN_LATER = {("The matmul by hand", "A sentence as counts")}


@cache
def drawn() -> list[tuple[str, tuple[Question, ...]]]:
    """Each lab and its questions, for each seed; drawn once for all tests.

    Last come those beside its steps.
    """
    return [(lab, (*questions(lab, seed), *beside(lab, seed))) for seed in SEEDS for lab in LABS]


def every(seeds: range = SEEDS) -> Iterator[tuple[str, tuple[Question, ...]]]:
    """Each lab and its questions, for these seeds."""
    yield from drawn()[: len(seeds) * len(LABS)]


def titled(steps: tuple[Question, ...], title: str) -> Question:
    """The step of this title, wherever it stands."""
    return next(one for one in steps if one.title == title)


def prose(text: str) -> str:
    """A text without its blocks of code."""
    return re.sub(r"```.*?```", "", text, flags=re.S)


def test_a_student_who_reads_the_prompts_is_judged_right() -> None:
    """The answer from the prompts is right; each mistake gets its own words and its own bar."""
    for lab, steps in every():
        student = Student(lab)
        for one in steps:
            right, wrong = (
                answers(one.title, one.prompt)
                if one.title in STUDENTS
                else student.answers(one.prompt)
            )
            assert judge(one, read(one, right)) == (True, ""), (one.title, right)
            assert read(one, written(one.right)) == one.right
            assert len(wrong) == len(one.mistakes)
            assert not one.choices or {right, *wrong.values()} == {*one.choices}
            seen = {bar_of(one, read(one, right)): ""}
            for words, text in wrong.items():
                is_right, said = judge(one, read(one, text))
                assert not is_right
                assert words in re.sub(r"[*`]", "", said), (one.title, words)
                seen[bar_of(one, read(one, text))] = said
            shown = [*bars_of(one)]
            others = () if one.choices else (*SLIPS.values(), OTHER)
            assert {words: said for words, _, said in shown if words not in others} == seen
            assert [words for words, is_right, _ in shown if is_right] == [written(one.right)]
            by_size = sorted([one.right, *one.mistakes])
            order = one.choices or (*map(written, by_size), *others)
            assert [words for words, *_ in shown] == [*order]


def test_a_guess_is_told_how_far_off_it_is() -> None:
    """The sentence holds for the nearest and for the farthest guess that gets it."""
    one = titled(questions("cost", 1), "Guess the time")
    assert not isinstance(one.right, str)
    for factor in (1 / 24, 1 / 4.1):
        assert "4 and 25" in judge(one, (one.right[0] * factor,)).mistake


def test_why_is_about_the_row_that_is_asked_for() -> None:
    """The moves of that letter's row follow from the table of an earlier prompt."""
    checked = 0
    for lab, steps in every():
        if lab != "learns":
            continue
        first = titled(steps, "After loss.backward()")
        unseen, after = (
            titled(steps, title) for title in ("A row nobody looks up", "After its last lookup")
        )
        letters, weight = labelled(table(first.prompt))
        row = weight[letters.index(code(unseen.prompt)[0])]
        rate, decay = map(float, re.findall(r"rate (0\.5),.* decay of (0\.\d+)", unseen.prompt)[0])
        moved = row * ((1 - rate * decay) ** 3 - 1)
        for text in re.findall(r"`(\[[^\]]*\]` under [\w ]+)", unseen.why):
            numbers, name = text.split("]` under ")
            expected = moved if "decay" in name else 0 * moved
            assert [*map(float, numbers[1:].split(","))] == pytest.approx([*expected], rel=1e-3)
            checked += 1
        assert len(grids(unseen.picture)[0].cells[0]) == len(row)
        assert f"row of `{re.findall('row of `(.)`', after.prompt)[0]}` moves by" in after.why
    assert checked == 3 * len(SEEDS)


def test_the_lines_that_are_shown_print_the_right_answer() -> None:
    """They are run as a student runs them, and the explanation shows what they print."""
    checked = 0
    for _, steps in every(range(40)):
        for one in steps:
            for lines in re.findall(r"```python\n(.*?)\n```", one.prompt, flags=re.S):
                printed = StringIO()
                with redirect_stdout(printed):
                    exec(lines, {"torch": torch, "F": functional})  # noqa: S102 - a student's
                text = printed.getvalue().strip()
                assert text in one.why
                assert [*map(float, re.findall(r"[\d.]+", text))] == [*one.right]
                checked += 1
    assert checked >= 3 * 40


def test_choices_come_in_an_order_of_the_seed() -> None:
    """The right choice is at every place for some seed."""
    asked = [one for _, steps in every(range(60)) for one in steps if one.choices]
    places = {(one.title, one.choices.index(str(one.right))) for one in asked}
    every_place = {(one.title, place) for one in asked for place in range(len(one.choices))}
    assert places == every_place != set()


def words_of(shown: Picture) -> str:
    """Everything that a picture says."""
    grids = [one for one in shown if isinstance(one, Grid)]
    return " ".join(
        chain(*([one.caption, *one.heads, *one.labels, *chain(*one.cells)] for one in grids))
    )


def test_every_text_is_whole_and_every_equation_is_true() -> None:
    """Texts are filled in and valid Markdown; pictures change with the answer."""
    equation = r"((?:\(?-?[\d,.]+\)? [·+] )+\(?-?[\d,.]+\)?) = (-?[\d,]*\d(?:\.\d+)?)"
    checked = 0
    for _, steps in every():
        for one in steps:
            for text in (one.prompt, one.why, *one.hints, *one.mistakes.values()):
                assert 0 < len(text.strip()) == len(text) < 1200
                assert not re.search(r"[`*]", f"{one.per} {one.how}"), one.how
                odd = r"\bnan\b|\binf\b|tensor\(|<function|\{|\}|\$|\]\("
                assert not re.search(odd, prose(text)), text
                assert text.count("`") % 2 == text.count("**") % 2 == 0, text
            assert len(one.hints) == 2
            for left, right in re.findall(equation, one.why.replace(",", "")):
                parts = [float(part.strip("()")) for part in re.split(" [·+] ", left)]
                found = prod(parts) if "·" in left else sum(parts)
                assert found == pytest.approx(float(right), rel=1e-4), one.why
                checked += 1
            assert one.picture not in (one.start, one.small, ())
            assert one.small
            assert "?" not in words_of(one.picture)
    assert checked > 4 * len(SEEDS)


def test_nothing_before_the_answer_tells_it() -> None:
    """No hint, feedback, or earlier picture of a step has its right answer; the why has it."""
    for one in chain(*(steps for _, steps in every())):
        shown = written(one.right)
        if one.choices:
            continue
        why = one.why.replace("`", "").replace(",", "")
        assert all(word in why for word in shown.replace(",", "").split())
        quiet = [*one.hints, *one.mistakes.values(), words_of(one.start), words_of(one.small)]
        for form in {shown, f"[{shown.replace(' ', ', ')}]", shown.replace(",", "")}:
            # A shorter one may be there by accident.
            found = rf"(?<!\d )(?<![\d,.-]){re.escape(form)}(?! ?[\d,.])"
            assert len(shown) < 4 or not [text for text in quiet if re.search(found, text)]


def test_no_step_tells_the_answer_to_another_while_both_are_open() -> None:
    """Neither what is shown before an answer, nor hints and sentences, nor a picture of Reveal."""
    found = set()
    for lab, steps in every():
        for two in steps:
            texts = [two.prompt, *two.hints, *two.mistakes.values()]
            shown = shown_by(texts, [two.start, two.small, two.picture])
            before = shown
            if two.title in {shows for shows, _ in SHOWN_LATER}:
                before = shown_by(texts, [two.start, two.small])
            for one in steps:
                if one is two or {one.title, two.title} & {*STUDENTS}:
                    continue
                is_later = (two.title, one.title) in SHOWN_LATER
                for told in leaks(one, before if is_later else shown):
                    found.add(f"{lab}: {two.title!r} tells {one.title!r}: {told}")
    assert sorted(found) == []


def test_a_question_beside_the_steps_and_a_step_tell_each_other_nothing() -> None:
    """One beside is told at once, so its reason counts too. It has numbers of its own."""
    found = set()
    for lab, steps in every():
        aside = steps[-2:]
        for two in steps:
            texts = [two.prompt, *two.hints, *two.mistakes.values(), two.why]
            shown = shown_by(texts, [two.start, two.small, two.picture])
            for one in steps if two in aside else aside:
                if one is two:
                    continue
                told = [*rules(one, shown)]
                if one.choices and not one.right.startswith("("):
                    told += choices(one.right, shown)
                found |= {f"{lab}: {two.title!r} tells {one.title!r}: {each}" for each in told}
    assert sorted(found) == []


def test_a_product_stays_on_one_line() -> None:
    """Both factors are one part, and the type is small enough for both."""
    one, line = Grid("a", [["1"] * 4]), r"--widest: ([\d.]+)"
    widths = [float(re.findall(line, html_of((one, sign, one)))[0]) for sign in ("→", "×")]
    assert widths[1] > 1.8 * widths[0]
    assert html_of((one, "→", one)).count('class="joined"') == 2
    assert html_of((one, "×", one, "→", one)).count('class="joined"') == 2


def grids(shown: Picture) -> list[Grid]:
    """Its parts."""
    return [part for part in shown if isinstance(part, Grid)]


def marked(grid: Grid) -> list[str]:
    """The texts that stand out."""
    return [grid.cells[row][column] for row, column in sorted(grid.marked)]


def test_the_last_picture_shows_the_right_answer() -> None:
    """What stands out, or the first line of a table, is the answer, where it is no count."""
    counts = "How many zeros?", "The work of the matmul", "from_pretrained"
    for _, steps in every(range(10)):
        for one in steps:
            parts = grids(one.picture)
            stands_out = [
                sorted({part.labels[row][0] for row, _ in part.marked if part.labels})
                for part in parts
            ]
            shown = [*map(marked, parts), *(part.cells[0] for part in parts), *stands_out]
            shown += [[*chain(*part.cells)] for part in parts]
            right = written(one.right)
            assert one.choices or one.title in counts or right in map(" ".join, shown)
            if one.title == "The same numbers, transposed":
                assert marked(parts[0]) == marked(parts[1])


def test_a_picture_is_drawn_as_tables() -> None:
    """Marked cells, heads and labels are where they belong; no text becomes a tag."""
    grid = Grid("<i>", [["1", "<b>"], ["3", "4"]], "xy", ["a", "b"], frozenset({(1, 0)}))
    found = html_of((grid, "→", grid))
    assert [found.count(one) for one in ("→", "<b>", "<i>")] == [1, 0, 0]
    assert '<th scope="row">y</th><td class="marked">3</td><td>4</td>' in found
    assert '<td></td><th scope="col">a</th><th scope="col">b</th></tr><tr>' in found
