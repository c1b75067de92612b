"""A student alone on *Labs* in AppTest, who knows only what the page shows."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from embviz.labs import cost
from embviz.labs.catalogue import questions
from embviz.ui.pages.labs import sweep
from tests.labs.reader import STEPS, Notes, answers
from tests.ui.headless import open_page, unescaped, value
from tests.ui.pages.labs.conftest import Class


class Visitor:
    """A visitor of the page: reads, types, presses."""

    def __init__(self, **query: str) -> None:
        self.app = open_page("labs", **query)

    @property
    def words(self) -> list[str]:
        """Every text of the main part."""
        return [str(part.value) for part in self.app.main.markdown]

    @property
    def place(self) -> int:
        """The number of the shown step."""
        found = next(filter(None, (re.search(r"step (\d+) of", one) for one in self.words)))
        return int(found[1])

    @property
    def prompt(self) -> str:
        """The question, with the rows of a table that can be pressed."""
        texts = self.words[self.words.index(self.words[0]) + 2 :]
        rows = [one.label.strip("`") for one in self.rows]
        if not rows:
            return texts[0]
        table = "\n".join(["```", *rows, "```"]).replace("\xa0", " ")
        return f"{texts[0]}\n{table}\n{texts[1]}"

    @property
    def rows(self) -> list[Any]:
        """The rows of a table that can be pressed."""
        return [one for one in self.app.main.button if one.label.startswith("`")]

    @property
    def field(self) -> Any:
        """The field for the answer."""
        return [*self.app.main.text_input, *self.app.main.radio][0]

    def press(self, label: str) -> Visitor:
        """Press a button."""
        (button,) = (one for one in self.app.button if one.label == label)
        assert not button.disabled
        button.click().run()
        assert [failure.value for failure in self.app.exception] == []
        return self

    def has(self, label: str) -> bool:
        """Whether there is a button with this label."""
        return any(one.label == label for one in self.app.button)

    def answer(self, typed: str) -> str:
        """Type or choose an answer, send it, and return what the page says."""
        self.field.set_value(typed)
        return self.press("Check").response

    @property
    def response(self) -> str:
        """The verdict or refusal, and the explanation, as plain text."""
        main = self.app.main
        said = [str(part.value) for part in (*main.success, *main.warning, *main.error)]
        said += [words for words in self.words if words.startswith("**Why.**")]
        return re.sub(r"[*`]", "", unescaped("\n".join(said)))

    @property
    def hint(self) -> str:
        """The hint; it is folded."""
        folds = [one for one in self.app.main.expander if one.label == "Hint"]
        return str(folds[0].markdown[0].value) if folds else ""

    @property
    def picture(self) -> str:
        """The HTML of the picture, or `""`."""
        shown = [str(one.value) for one in self.app.main.html]
        return "".join(one for one in shown if "lab-picture" in one and "<style>" not in one)

    def progress(self, answered: int) -> bool:
        """Whether the sidebar says so many are answered."""
        return f"{answered} of " in str(self.app.sidebar.get("progress")[0].proto)


@pytest.mark.parametrize("lab", STEPS)
def test_each_mistake_gets_its_words_and_then_the_right_answer_its_why(lab: str) -> None:
    """Each wrong choice and typical mistake of each step, and at last the right answer.

    A wrong answer shows a smaller picture, a hint and the way on; the question stays.
    """
    visitor, notes = Visitor(lab=lab, numbers="11"), Notes()
    for number in range(1, len(STEPS[lab]) + 1):
        assert visitor.place == number
        assert "Why." not in visitor.response
        prompt, start = visitor.prompt, visitor.picture
        right, wrong = answers(lab, number, prompt, notes)
        hints, small = [], ""
        for words, typed in wrong.items():
            response = visitor.answer(typed)
            assert words in response, (number, words, response)
            assert "Not right: " in response
            assert "Why." not in response
            assert visitor.prompt == prompt
            assert visitor.has("Next step") or visitor.has("Finish")
            small = visitor.picture
            assert small != start
            hints.append(visitor.hint)
        assert hints[0]
        assert len({*hints}) == min(2, len(hints))
        response = visitor.answer(right)
        assert response.startswith("Right: "), response
        assert "Why." in response
        assert visitor.picture not in (start, small, "")
        assert "<td>?</td>" not in visitor.picture
        assert not visitor.hint
        assert visitor.progress(number)
        visitor.press("Finish" if visitor.has("Finish") else "Next step")


def test_the_end_counts_right_first_answers_and_leads_on() -> None:
    """The end says two lines and one count; the next lab and new numbers are one press away."""
    visitor, notes = Visitor(lab="bag", numbers="11"), Notes()
    for number in range(1, 6):
        right, wrong = answers("bag", number, visitor.prompt, notes)
        if number == 2:
            visitor.answer(next(iter(wrong.values())))
        if number != 4:
            visitor.answer(right)
        visitor.press("Finish" if number == 5 else "Next step")
    assert "3 of 5 first answers were right." in visitor.words
    assert sum(words.count("##### ") for words in visitor.words if "\n" in words) == 2
    again = Visitor(lab="bag", numbers="11", step="6", done=str(value(visitor.app, "done")))
    assert again.words == visitor.words
    visitor.press("Again, with new numbers")
    assert (visitor.place, visitor.field.value) == (1, "")
    assert value(visitor.app, "numbers") not in (0, 11)
    again.press("Next lab: It learns")
    assert (again.place, value(again.app, "lab")) == (1, "learns")
    assert value(again.app, "numbers") not in (0, 11)
    again.app.segmented_control(key="step_shown").set_value(5).run()
    assert again.press("Finish").has("Next lab: What does it cost?")


def test_an_address_restores_the_work_and_judges_it_again() -> None:
    """A link has numbers and answers; a torn one is refused in words and begins anew."""
    first = Visitor(lab="row", numbers="3", step="2")
    wrong = first.answer("9 9 9")
    done = str(value(first.app, "done"))
    again = Visitor(lab="row", numbers="3", step="2", done=done)
    assert (again.prompt, again.response, again.field.value) == (first.prompt, wrong, "9 9 9")
    assert again.progress(1)
    assert Visitor(lab="row", numbers="4", step="2", done=done).prompt != first.prompt
    for torn in ("x", "9 9 9 9~", "_" * 30):
        cut = Visitor(lab="row", numbers="3", step="2", done=torn)
        assert "cut or changed. You begin anew." in cut.response
        assert cut.progress(0)
        cut.answer("9 9 9")
        assert value(cut.app, "done") == done
        assert "cut or changed" not in cut.response


def test_a_press_on_a_row_answers() -> None:
    """Each row of the table is a button; its press is the answer."""
    visitor = Visitor(lab="row", numbers="3", step="2")
    right, wrong = answers("row", 2, visitor.prompt, Notes())
    labels = [one.label.strip("`").replace("\xa0", " ") for one in visitor.rows]
    visitor.rows[labels.index(wrong["the row below"])].click().run()
    assert "the row below" in visitor.response
    assert visitor.field.value == wrong["the row below"]
    visitor.rows[labels.index(right)].click().run()
    assert f"Right: {right}." in visitor.response


def test_an_unreadable_answer_is_explained_and_is_no_attempt() -> None:
    """An unreadable answer is quoted, stays in the field, and changes no count."""
    visitor = Visitor(lab="row", numbers="3")
    assert "'three' is not a number. Write 1 to 5 whole numbers" in visitor.answer("three 1")
    assert visitor.field.value == "three 1"
    assert (visitor.hint, visitor.progress(0), value(visitor.app, "done")) == ("", True, "")
    assert "Nothing is written yet" in visitor.answer("   ")
    assert "Not right: 9 9. Take the hint." in visitor.answer("9 9")
    assert visitor.progress(1)
    assert "'<b>' is not a number" in visitor.answer("<b>")
    assert visitor.field.value == "<b>"
    assert value(visitor.app, "done") == "9 9"
    choice = Visitor(lab="row", numbers="3", step="3")
    assert "Nothing is written yet. Choose one of" in choice.press("Check").response


def test_the_explanation_waits_for_a_press_in_each_step() -> None:
    """After a wrong answer the press shows why and the picture; in another step it waits again."""
    visitor = Visitor(lab="row", numbers="3", step="4")
    assert "Why." not in visitor.answer("1")
    small = visitor.picture
    assert "Why." in visitor.press("Show the explanation").response
    assert visitor.picture not in ("", small)
    assert "Not right" in visitor.response
    visitor.press("Next step")
    assert "Why." not in visitor.answer("0 0 0")
    visitor.press("Back")
    assert (visitor.place, "Why." in visitor.response) == (4, True)
    other = Visitor(lab="row", numbers="4", step="4")
    assert "Why." not in other.answer("1")


def test_the_cards_start_a_lab_and_come_back_to_its_work() -> None:
    """Each lab begins with numbers in the address, and this session's work is there again."""
    visitor = Visitor()
    starts = [one for one in visitor.app.main.button if one.label == "Start"]
    assert [one.key for one in starts] == [f"lab_start_{lab}" for lab in STEPS]
    starts[0].click().run()
    numbers = value(visitor.app, "numbers")
    assert (visitor.place, numbers > 0) == (1, True)
    visitor.answer("9 9")
    visitor.press("All labs")
    assert (value(visitor.app, "done"), value(visitor.app, "numbers")) == ("", 0)
    visitor.app.button(key="lab_start_cost").click().run()
    assert (value(visitor.app, "done"), visitor.place) == ("", 1)
    assert value(visitor.app, "numbers") != numbers
    visitor.press("All labs")
    visitor.app.button(key="lab_start_row").click().run()
    assert (visitor.field.value, value(visitor.app, "numbers")) == ("9 9", numbers)
    assert "Not right: 9 9" in visitor.response


def test_a_link_without_numbers_draws_some_and_keeps_them() -> None:
    """Two visitors get different numbers; a rerun and an answer change nothing of them."""
    one, two = Visitor(lab="row"), Visitor(lab="row")
    prompt = one.prompt
    assert prompt != two.prompt
    one.app.run()
    assert one.prompt == prompt
    one.answer("9 9")
    assert one.prompt == prompt
    again = Visitor(lab="row", numbers=str(value(one.app, "numbers")), done="9 9")
    assert (again.prompt, again.response) == (prompt, one.response)


def test_the_row_of_steps_shows_what_was_right() -> None:
    """Each step has its mark, and a press goes there."""
    visitor = Visitor(lab="row", numbers="3")
    right, _ = answers("row", 1, visitor.prompt, Notes())
    visitor.answer("9 9")
    visitor.answer(right)
    visitor.press("Next step").answer("1 1 1")
    steps = visitor.app.segmented_control(key="step_shown")
    assert [re.sub(r":\w+\[(.)\]", r"\1", one) for one in steps.options[:3]] == ["1 ✓", "2 ✗", "3"]
    steps.set_value(7).run()
    assert visitor.place == 7
    assert visitor.press("Back").place == 6


def test_the_measured_step_waits_for_its_own_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a sweep of these sizes nothing is taken; then what was measured is right."""
    visitor = Visitor(lab="cost", numbers="3", step="3")
    assert visitor.has("Start")
    wanted = questions("cost", 3)[2].more
    assert wanted is not None
    tokens, columns = wanted[1]["time_tokens"], wanted[1]["time_dim"]
    rows = [
        ("lookup", cost.LARGE, columns, tokens, 1e-6),
        ("matmul", cost.LARGE, columns, tokens, 150e-6),
        ("matmul", cost.SMALL, columns, tokens, 9e-9),
    ]
    names = ["method", "num_embeddings", "embedding_dim", "tokens", "seconds"]
    points = pd.DataFrame(rows, columns=names)
    monkeypatch.setattr(sweep, "draw", lambda _: None)
    mine = SimpleNamespace(runs=[])
    monkeypatch.setattr(sweep.session, "session", lambda: mine)
    for other in (None, points.assign(tokens=1), points.assign(embedding_dim=1), points[1:]):
        mine.runs = [] if other is None else [SimpleNamespace(points=other)]
        visitor.field.set_value("150")
        assert "Press Start first" in visitor.press("Answer").response
        assert (value(visitor.app, "done"), visitor.field.value) == ("", "150")
    mine.runs = [SimpleNamespace(points=points.assign(seconds=1.0)), SimpleNamespace(points=points)]
    visitor.app.run()
    assert "Right: 150." in visitor.answer("150")
    assert "Turn it round" in visitor.answer("0.00667")
    visitor.answer("1250")
    done = str(value(visitor.app, "done"))
    again = Visitor(lab="cost", numbers="3", step="3", done=done)
    assert "Not right: 1,250. T" in again.press("Check").response  # as it was, with no comma
    monkeypatch.undo()
    later = Visitor(lab="cost", numbers="3", step="3", done=done)
    assert later.response == ""
    assert later.progress(1)


def test_a_closed_step_takes_nothing(one: Class) -> None:
    """Past the step where a class has paused, a forged press neither answers nor goes on."""
    one.press("pause", 2)
    closed = one.student(step=3)
    button = next(each for each in closed.button if each.label == "Answer")
    assert button.disabled
    closed.main.radio[0].set_value(closed.main.radio[0].options[0])
    button.proto.disabled = False  # as a forged message has it
    button.click().run()
    assert one.typed() == []
    steps = closed.segmented_control(key="step_shown")
    assert ":material/lock:" in steps.options[2]
    steps.set_value(5).run()
    assert value(closed, "step") == 3
