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

SEED = 3
IDS, LOOKUP, SHAPE, ZEROS, PRODUCT = (
    [step.ask.__name__ for step in LABS["row"].steps].index(name) + 1
    for name in ("ids", "lookup", "shape", "zeros", "product")
)


def row(step: int, **more: str) -> Visitor:
    """A visitor of the lab *row*."""
    return Visitor(**{"lab": "row", "numbers": str(SEED), "step": str(step), **more})


def test_the_end_counts_right_first_answers_and_leads_on() -> None:
    """The end says two lines and one count; the next lab and new numbers are one press away."""
    visitor, last = Visitor(lab="bag", numbers="11"), len(LABS["bag"].steps)
    for number, asked in enumerate(questions("bag", 11), 1):
        if number == 2:
            visitor.answer(next(iter(asked.mistakes)))
        if number != 4:
            visitor.answer(asked.right)
        visitor.press("Finish" if number == last else "Next step")
    visitor.sees(
        f"You have answered {last - 1} of {last} steps, {last - 2} of them right at once.",
        *LABS["bag"].goals,
    )
    end = Visitor(lab="bag", numbers="11", step=str(last + 1), done=visitor.get("done"))
    assert end.words == visitor.words
    end.press("Next lab: It learns")
    assert end.get("lab") == "learns"
    assert end.place.startswith("1 of")
    assert end.field.value == ""
    assert end.get("numbers") not in (0, 11)


def test_the_end_has_a_line_to_hand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of these numbers and answers; it says whether it is signed. Without answers there is none."""
    asked, end = questions("row", SEED), len(LABS["row"].steps) + 1
    for word in ("", "seven blue whales"):
        monkeypatch.setenv("EMBVIZ_CLASS_WORD", word)
        visitor = row(end, done=encode(asked, {1: (asked[0].right,)}))
        visitor.sees(never=["Copy this line"])
        visitor.app.session_state["fold Hand this in as homework"] = True
        visitor.app.run()
        found = homework.check(visitor.app.main.code[0].value)
        assert (found.lab, found.seed) == ("row", SEED)
        assert found.right == 1
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
    assert visitor.field.value == "three 1"
    assert visitor.hint == ""
    assert visitor.get("done") == ""
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


def test_the_cards_start_a_lab_with_new_numbers() -> None:
    """Each lab begins with numbers in the address, and each time with others."""
    visitor, press = Visitor(), lambda lab: visitor.app.button(key=f"lab_start_{lab}").click().run()
    assert visitor.labels().count("Start") == len(LABS)
    press("row")
    prompt = visitor.prompt
    assert visitor.answer("9 9").prompt == prompt
    visitor.press("All labs")
    press("cost")
    assert (visitor.get("done"), visitor.place) == ("", f"1 of {len(LABS['cost'].steps)}")
    visitor.press("All labs")
    press("row")
    assert visitor.prompt != prompt
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
    last = len(LABS["row"].steps)
    assert visitor.press_step(last).place == f"{last} of {last}"
    assert len(steps.options) == last + 1
    visitor.press_step(last + 1).sees(*LABS["row"].goals)


def test_a_card_says_what_is_done_and_goes_on() -> None:
    """With the same numbers, at the step that was left; or from the start with others."""
    minutes = f"{len(LABS['row'].steps)} steps · {LABS['row'].minutes} minutes"
    visitor = Visitor().sees(minutes)
    asked = questions("row", SEED)
    visitor = row(IDS).answer(asked[IDS - 1].right).press("Next step").press("All labs")
    visitor.sees(f"1 of {len(asked)} answered").press("Go on")
    assert (visitor.get("numbers"), visitor.place[0]) == (SEED, "2")
    visitor.press("All labs").press("New numbers")
    assert visitor.get("numbers") != SEED
    assert visitor.get("done") == ""
    assert visitor.place[0] == "1"


def test_after_the_right_answer_the_way_on_is_primary() -> None:
    """Before it the answer is; the numbers can be tried elsewhere only after it."""

    def primary(visitor: Visitor) -> list[str]:
        return [one.label for one in visitor.app.main.button if one.proto.type == "primary"]

    def links(visitor: Visitor) -> list[str]:
        found = [one.proto.label for one in visitor.app.main.get("page_link")]
        return [one for one in found if "Try these numbers" in one]

    visitor = row(ZEROS)
    assert (primary(visitor), links(visitor)) == (["Answer"], [])
    visitor.answer(next(iter(questions("row", SEED)[ZEROS - 1].mistakes)))
    assert (primary(visitor), links(visitor)) == (["Answer"], [])
    visitor.answer(questions("row", SEED)[ZEROS - 1].right)
    assert (primary(visitor), links(visitor)) == (["Next step"], ["Try these numbers: Playground"])


@pytest.mark.parametrize("lab", LABS)
def test_an_easier_and_a_harder_question_stand_beside_the_steps(lab: str) -> None:
    """One press away at the start and at the end; told at once, and no part of the work."""
    last = len(LABS[lab].steps)
    visitor = Visitor(lab=lab, numbers="11").press("Start easier")
    for name in ("easier", "harder"):
        (title,) = re.findall(r"^## (.*)", visitor.words, re.MULTILINE)
        assert title.startswith(name.capitalize())
        right, wrong = answers(title, visitor.prompt)
        start = visitor.picture
        for words, typed in wrong.items():
            visitor.answer(typed).sees("Not right: ", words, never=["Why."])
            assert visitor.picture != start or not start
        visitor.answer(right).sees(f"· {name}", "Right: ", "Why.", never=["Not right"])
        assert visitor.get("done") == ""
        visitor.press("Go to step 1" if name == "easier" else "Back to the steps")
        if name == "easier":
            assert visitor.place == f"1 of {last}"
            visitor.press_step(last + 1).press("A harder question")
    assert visitor.sees(*LABS[lab].goals).get("step") == last + 1


def test_a_right_answer_that_is_not_quite_so_has_a_remark() -> None:
    """It is about the text that was typed."""
    (last, asked) = [*enumerate(questions("row", SEED), 1)][-1]
    text = f"tensor([{written(asked.right).replace(' ', ', ')}])"
    row(last).answer(text).sees("Right: ", PRINTED).answer(asked.right).sees(never=[PRINTED])
