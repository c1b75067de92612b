"""A student alone on *Labs*: the address, the explanation, the end, and what is measured."""

from __future__ import annotations

import re

import pytest

from embviz.labs import homework
from embviz.labs.catalogue import LABS, questions
from embviz.labs.drawing import html_of
from embviz.labs.page import take_along
from embviz.labs.question import PRINTED, written
from embviz.labs.work import encode
from tests.labs.beside import answers
from tests.labs.page.visitor import Visitor
from tests.labs.reader import Student

SEED = 3
IDS, LOOKUP, SHAPE, ZEROS, PRODUCT = (
    [step.ask.__name__ for step in LABS["row"].steps].index(name) + 1
    for name in ("ids", "lookup", "shape", "zeros", "product")
)
LAST = len(LABS["row"].steps)


def row(step: int, **more: str) -> Visitor:
    """A visitor of the lab *row*."""
    return Visitor(**{"lab": "row", "numbers": str(SEED), "step": str(step), **more})


def test_each_mistake_gets_its_words() -> None:
    """A wrong answer shows a smaller picture, a hint and the way on; the right one says why.

    The numbers can be tried elsewhere only after it, and the way on is primary then.
    """

    def ways(visitor: Visitor) -> list[str]:
        primary = [one.label for one in visitor.app.main.button if one.proto.type == "primary"]
        links = [one.proto.label for one in visitor.app.main.get("page_link")]
        return primary + [one for one in links if "Try these numbers" in one]

    visitor, student, last = (
        Visitor(lab="bag", numbers="11"),
        Student("bag"),
        len(LABS["bag"].steps),
    )
    for number in range(1, last + 1):
        assert visitor.place == f"{number} of {last}"
        prompt, start, hints = visitor.prompt, visitor.picture, []
        right, wrong = student.answers(prompt)
        for words, typed in wrong.items():
            visitor.answer(typed).sees("Not right: ", words, never=["Why."])
            assert visitor.prompt == prompt
            small = visitor.picture
            assert small != start
            assert ways(visitor) == ["Answer"]
            hints.append(visitor.hint)
        assert hints[0]
        assert len({*hints}) == min(2, len(hints))
        visitor.answer(right).sees("Right: ", "Why.", never=[start, small, "<td>?</td>"])
        assert visitor.hint == ""
        on = "Finish" if number == last else "Next step"
        assert ways(visitor) == [on, "Try these numbers: Bag of words"]
        visitor.press(on)


def test_the_end_counts_right_first_answers_and_leads_on() -> None:
    """The end says goals and one count; the next lab and new numbers are one press away."""
    asked, last = questions("bag", 11), len(LABS["bag"].steps)
    right = {number: (one.right,) for number, one in enumerate(asked, 1) if number != 4}
    right[2] = (next(iter(asked[1].mistakes)), asked[1].right)
    end = Visitor(lab="bag", numbers="11", step=f"{last + 1}", done=encode(asked, right)).sees(
        f"You have answered {last - 1} of {last} steps, {last - 2} of them right at once.",
        *LABS["bag"].goals,
    )
    assert "Step 4 has no answer: go there" in end.labels()
    end.press("Next lab: It learns")
    assert end.get("lab") == "learns"
    assert end.place.startswith("1 of")
    assert end.field.value == ""
    assert end.get("numbers") not in (0, 11)


@pytest.mark.parametrize("word", ["", "seven blue whales"])
def test_the_end_has_a_line_to_hand_in(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of these numbers and answers; it says whether it is signed. Without answers there is none."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", word)
    asked, end = questions("row", SEED), LAST + 1
    visitor = row(end, done=encode(asked, {1: (asked[0].right,)})).sees(never=["Copy this line"])
    visitor.app.session_state["fold Hand this in as homework"] = True
    visitor.app.run()
    found = homework.check(visitor.app.main.code[0].value)
    assert [found.lab, found.seed, found.right] == ["row", SEED, 1]
    said = take_along.SIGNED if word else take_along.UNSIGNED
    visitor.sees("Copy this line", said, "It can be copied.")
    assert "Hand this in as homework" not in [one.label for one in row(end).app.main.expander]


def test_an_address_restores_the_work_and_judges_it_again() -> None:
    """A link has numbers and answers; a torn one is refused in words and begins anew."""
    first = row(LOOKUP).answer("1250 9 9")
    done = first.get("done")
    again = row(LOOKUP, done=done)
    assert (again.words, again.field.value) == (first.words, "1250 9 9")
    assert row(LOOKUP, numbers="4", done=done).prompt != first.prompt
    cut = row(LOOKUP, done="x").sees("cut or changed. You start again.")
    assert cut.answer("1250 9 9").sees(never=["cut or changed"]).get("done") == done


def test_an_unreadable_answer_is_explained_and_is_no_attempt() -> None:
    """An unreadable answer is quoted, stays in the field, and changes no count."""
    visitor = row(IDS)
    visitor.answer("three 1").sees("'three' is not a number. Write 5 whole numbers")
    assert [visitor.field.value, visitor.hint, visitor.get("done")] == ["three 1", "", ""]
    visitor.answer("0 0 0 0 0").sees("Not right: 0 0 0 0 0. Take the hint.")
    visitor.answer("x").sees("'x' is not a number", never=["Not right"])
    row(SHAPE).press("Answer").sees("Nothing is written yet. Choose one of")


def test_the_explanation_waits_for_a_press_in_each_step() -> None:
    """After a wrong answer the press shows why and the picture; in another step it waits again."""
    visitor = row(ZEROS).answer("1").sees(never=["Why."])
    small = html_of(questions("row", SEED)[ZEROS - 1].small)
    assert visitor.picture == small
    visitor.app.main.toggle[0].set_value(True).run()
    visitor.sees("Why.", "Not right", never=[small])
    visitor.press_step(PRODUCT).answer("0 0 0").sees(never=["Why."])


def test_the_cards_start_a_lab_or_go_on() -> None:
    """Each lab begins with new numbers in the address; a card says what is done, and leads back."""
    visitor = Visitor().sees(f"{LAST} steps · {LABS['row'].minutes} minutes")
    assert visitor.labels().count("Start") == len(LABS)
    visitor.app.button(key="lab_start_row").click().run()
    prompt, seed = visitor.prompt, visitor.get("numbers")
    assert visitor.answer(questions("row", seed)[0].right).prompt == prompt
    visitor.press("Next step").press("All labs").sees(f"1 of {LAST} answered").press("Go on")
    assert (visitor.get("numbers"), visitor.place[0]) == (seed, "2")
    visitor.press("All labs").press("New numbers")
    assert visitor.get("numbers") != seed
    assert (visitor.get("done"), visitor.place[0]) == ("", "1")
    bare = row(1, numbers="0")
    assert bare.prompt != row(1, numbers="0").prompt  # each draws some
    prompt = bare.prompt
    assert bare.answer("9 9").prompt == bare.press("Next step").press_step(1).prompt == prompt


def test_the_row_of_steps_shows_what_was_right() -> None:
    """Each step has its mark, and a press goes there."""
    first, second, *others = questions("row", SEED)
    done = encode([first, second, *others], {1: (first.right,)})
    visitor = row(2, done=done).answer(next(iter(second.mistakes)))
    steps = visitor.app.segmented_control(key="step_shown")
    assert [re.sub(r":\w+\[(.)\]", r"\1", one) for one in steps.options[:3]] == ["1 ✓", "2 ✗", "3"]
    assert len(steps.options) == LAST + 1
    assert visitor.press_step(LAST).place == f"{LAST} of {LAST}"
    visitor.press_step(LAST + 1).sees(*LABS["row"].goals)


@pytest.mark.parametrize("lab", ["row", "bag"])
def test_an_easier_and_a_harder_question_stand_beside_the_steps(lab: str) -> None:
    """One press away at the start and at the end; told at once, and no part of the work."""
    last = len(LABS[lab].steps)
    visitor = Visitor(lab=lab, numbers="11").press("Start easier")
    for name in ("easier", "harder"):
        (title,) = re.findall(r"^## (.*)", visitor.words, re.MULTILINE)
        assert title.startswith(name.capitalize())
        right, wrong = answers(title, visitor.prompt)
        words, typed = next(iter(wrong.items()))
        visitor.answer(typed).sees("Not right: ", words, never=["Why."])
        visitor.answer(right).sees(f"· {name}", "Right: ", "Why.", never=["Not right"])
        assert visitor.get("done") == ""
        visitor.press("Go to step 1" if name == "easier" else "Back to the steps")
        if name == "easier":
            assert visitor.place == f"1 of {last}"
            visitor.press_step(last + 1).press("A harder question")
    assert visitor.sees(*LABS[lab].goals).get("step") == last + 1


def test_a_right_answer_that_is_not_quite_so_has_a_remark() -> None:
    """It is about the text that was typed."""
    asked = questions("row", SEED)[-1]
    text = f"tensor([{written(asked.right).replace(' ', ', ')}])"
    row(LAST).answer(text).sees("Right: ", PRINTED).answer(asked.right).sees(never=[PRINTED])
