"""The page *Labs* in AppTest, by simulated students who know only what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit

from tests.labs.lab_student import STEPS, Notes, answers, right_answer
from tests.ui.headless import open_page, unescaped, value

LABS = list(STEPS)
FIELDS = ("text_input", "radio")
PREDICTS = {
    "row": ("shape", "zeros", "bits"),
    "bag": ("plain", "rows", "freeze"),
    "learns": ("touched", "unseen", "afterwards", "routes"),
    "cost": ("table", "one-hot", "twice"),
}
MEASURED = ("sweep", "compare", "crossing")
LIVE = ("bits", "freeze", "routes", *MEASURED)
UNKNOWN = "<td>?</td>"
LAST = [names[-1] for names in STEPS.values()]


class Visitor:
    """A visitor of the page: reads, types, presses."""

    def __init__(self, **query: str) -> None:
        self.app = open_page("labs", **query)

    def check(self) -> None:
        """Assert that the page raised nothing."""
        assert [failure.value for failure in self.app.exception] == []

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
        """The question."""
        place = next(k for k, words in enumerate(self.words) if words.startswith("######"))
        return self.words[place + 2]  # after the title

    @property
    def field(self) -> Any:
        """The field for the answer."""
        (found,) = (
            one
            for kind in FIELDS
            for one in getattr(self.app.main, kind)
            if one.label.startswith("Your answer")
        )
        return found

    def press(self, label: str) -> Visitor:
        """Press a button."""
        (button,) = (one for one in self.app.main.button if one.label == label)
        assert not button.disabled
        button.click().run()
        self.check()
        return self

    def has(self, label: str) -> bool:
        """Whether there is a button with this label."""
        return any(one.label == label for one in self.app.main.button)

    def answer(self, typed: str) -> str:
        """Type an answer, send it, and return the page's response."""
        self.field.set_value(typed)
        self.press("Check")
        return self.response

    @property
    def response(self) -> str:
        """Feedback, hint and explanation as plain text."""
        parts = [
            *self.app.main.success,
            *self.app.main.info,
            *self.app.main.warning,
            *self.app.main.error,
        ]
        others = [word for word in self.words if word.startswith("**Why.**")]
        return plain("\n".join([*(str(part.value) for part in parts), self.hint, *others]))

    @property
    def hint(self) -> str:
        """The hint alone; it is folded."""
        for one in self.app.main.expander:
            if one.label == "Hint":
                assert not one.proto.expanded
                return str(one.markdown[0].value)
        return ""

    @property
    def picture(self) -> str:
        """The HTML of the picture, or `''`."""
        shown = [str(one.value) for one in self.app.main.html]
        return "".join(one for one in shown if "lab-picture" in one and "<style>" not in one)

    @property
    def live(self) -> bool:
        """Whether a part of another page is drawn."""
        return "Open it on its own page" in self.everything and not self.picture

    @property
    def everything(self) -> str:
        """Everything that was sent, without what the student typed."""
        return "\n".join(data(self.app._tree))

    def next(self) -> Visitor:
        """The step after this one."""
        return self.press("Next step")

    def open(self, lab: str) -> Visitor:
        """Another lab, by the cards."""
        if not self.has("Start"):
            next(one for one in self.app.button if one.label == "All labs").click().run()
        self.app.button(key=f"lab_start_{lab}").click().run()
        self.check()
        return self

    def go(self, step: int) -> Visitor:
        """A step by its number."""
        while self.place < step:
            self.next()
        return self

    @property
    def done(self) -> str:
        """The work so far, as it is in the address."""
        return str(value(self.app, "done"))


def data(block: Any) -> Iterator[str]:
    """The data of a page's elements as text, without scripts and styles."""
    for child in getattr(block, "children", {}).values():
        yield from data(child)
    proto = getattr(block, "proto", None)
    if proto is not None:
        text = re.sub(r'(js|css|html)_content: ".*|<style>.*', "", str(proto))
        yield re.sub(r'\\(["\'\\])', r"\1", text)


def plain(words: str) -> str:
    """Text without markup and escapes."""
    return re.sub(r"[*`]", "", unescaped(words))


def forms(answer: str) -> list[str]:
    """The ways in which a page may write an answer."""
    if re.fullmatch(r"[\d.]+", answer):
        return [answer, f"{float(answer):,.10g}"] if len(answer) > 2 else []
    if re.fullmatch(r"[-\d. ]+", answer):
        return [answer, answer.replace(" ", ", ")]
    return []


@pytest.fixture
def hiding(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys, so far, by which frame.css hides a container or fold and what is around it."""
    found: list[str] = []

    def noted(draw: Any) -> Any:
        def drawn(*args: Any, key: Any = None, **more: Any) -> Any:
            found.extend([key] if "_unseen" in str(key) else [])
            return draw(*args, key=key, **more)

        return drawn

    for name in ("container", "expander"):
        monkeypatch.setattr(streamlit, name, noted(getattr(streamlit, name)))
    return found


def steps(lab: str) -> list[tuple[int, str]]:
    """Numbers and names of a lab's steps."""
    return list(enumerate(STEPS[lab], 1))


@pytest.mark.parametrize("lab", LABS)
def test_a_student_does_a_lab_with_what_the_page_shows(lab: str) -> None:
    """Every step can be solved from its prompt, and the page contains no answer before that."""
    visitor, notes = Visitor(lab=lab, student="Grace"), Notes()
    for number, step in steps(lab):
        assert visitor.place == number
        assert "**Why.**" not in visitor.everything
        answer = right_answer(f"{lab} {step}", visitor.prompt, notes)
        # Nowhere before it is right: in no hidden part either.
        question = next(one for one in visitor.app.main.markdown if one.value == visitor.prompt)
        rest = visitor.everything.replace("\n".join(data(question)), "")
        for form in forms(answer):
            assert not re.search(rf"(?<![\d.-]){re.escape(form)}(?![\d.])", rest), (step, form)
        response = visitor.answer(answer)
        assert ("fits together" if step in MEASURED else "Right: ") in response, step
        assert "Why." in response
        if number < len(STEPS[lab]):
            visitor.next()
    assert not visitor.has("Next step")
    assert f"{len(STEPS[lab])} of {len(STEPS[lab])} answered" in visitor.everything
    visitor.press("Finish")
    assert "##### 8 of 8 answers are right" in visitor.words
    after = visitor.has("Next lab: A bag of words")
    assert after == (lab == "row")
    assert "You have learnt to" in visitor.everything


@pytest.mark.parametrize("lab", LABS)
def test_each_typical_mistake_gets_its_words_and_the_next_hint(lab: str, hiding: list[str]) -> None:
    """Each typical mistake, and so each wrong choice, gets its own feedback and the next hint.

    The picture of a prediction is then complete; of a step by hand it waits for a press. The answer
    is not told, and all that was there before stays in sight.
    """
    visitor, notes = Visitor(lab=lab, student="Ada"), Notes()
    hidden = {*hiding}
    for _, step in steps(lab):
        name, prompt, before = f"{lab} {step}", visitor.prompt, visitor.picture
        assert visitor.live == (step in MEASURED)
        right, mistakes = answers(name, prompt, notes)
        hints: list[str] = []
        for words, wrong in mistakes.items():
            response = visitor.answer(wrong)
            assert words in response, (name, words, response)
            assert "You wrote" in response
            assert "Why." not in response
            assert visitor.prompt == prompt
            assert all(map(visitor.has, ("Check", "Finish" if step in LAST else "Next step")))
            for form in forms(right) or [f"“{right}”"]:
                rest = response.partition(". ")[2]  # after what was typed
                assert not re.search(rf"(?<![\d.-]){re.escape(form)}(?![\d.])", rest), (
                    name,
                    response,
                )
            hints.append(visitor.hint)
        assert "" not in hints
        kinds = list(dict.fromkeys(hints))  # each comes once, and the last one stays
        assert hints == kinds + (len(hints) - len(kinds)) * kinds[-1:]
        assert len(kinds) == min(2, len(hints))
        if step not in PREDICTS[lab]:
            assert visitor.picture == before
            visitor.press("Show the explanation")
        assert visitor.live == (step in LIVE)
        if step not in (*LIVE, "waste"):  # its picture has the shapes alone
            assert visitor.picture != before
        assert UNKNOWN not in visitor.picture
        assert any(one in visitor.answer(right) for one in ("Right: ", "fits together")), name
        visitor.press("Finish" if step in LAST else "Next step")
    assert {*hiding} == hidden


def test_an_unreadable_answer_is_explained_and_is_no_attempt() -> None:
    """An unreadable answer is explained, stays in the field and is no attempt."""
    visitor = Visitor(lab="row", student="Ada", step="2")
    assert "“3 x”" not in visitor.response
    response = visitor.answer("three 1")
    assert "'three' is not an id. Write whole numbers with spaces between" in response
    assert visitor.field.value == "three 1"
    assert "0 of 8 answered" in visitor.everything
    assert (visitor.hint, visitor.done) == ("", "")
    assert "Nothing is written yet" in visitor.answer("   ")
    assert "50 numbers given; 1 to 5 are allowed" in visitor.answer("1 " * 300)  # cut to 100
    visitor.answer("9 9")
    assert "1 of 8 answered" in visitor.everything
    visitor.answer("<b>")
    assert "1 of 8 answered" in visitor.everything
    assert "'<b>' is not an id" in visitor.response
    assert visitor.field.value == "<b>"
    no_choice = Visitor(lab="row", student="Ada")
    assert "Nothing is written yet. Choose one of" in plain(no_choice.press("Check").response)


def test_the_explanation_waits_after_a_wrong_answer() -> None:
    """After a wrong answer the explanation waits for a press, in each step anew."""
    visitor = Visitor(lab="row", student="Ada", step="2")
    assert "Why." not in visitor.answer("9 9")
    assert "Why." in visitor.press("Show the explanation").response
    assert "Why." not in visitor.go(3).answer("9 9 9")
    # The steps of another lab, and of another student, have the same names.
    other = Visitor(lab="row", student="Ada", step="2")
    other.answer("9 9")
    other.press("Show the explanation")
    other.open("cost")
    assert other.place == 1
    assert "Why." not in other.go(3).answer("9")
    other.open("row")
    other.app.sidebar.text_input(key="student").set_value("Bob").run()
    other.go(2)
    assert "Why." not in other.answer("9 9")


def test_a_link_restores_the_work() -> None:
    """A link restores answers, feedback and the count of steps."""
    first, notes = Visitor(lab="bag", student="Zoë"), Notes()
    for _, step in steps("bag")[:3]:
        first.answer(right_answer(f"bag {step}", first.prompt, notes))
        first.next()
    wrong = first.answer("1 2 3")
    assert 0 < len(first.done) <= 4000
    again = Visitor(lab="bag", student="  zoë ", step="4", done=first.done)
    assert again.prompt == first.prompt
    assert (again.field.value, again.response) == ("1 2 3", wrong)
    assert "4 of 8 answered" in again.everything
    assert "3 of 8 answers are right" in again.everything
    again.app.segmented_control(key="step_shown").set_value(1).run()
    assert again.place == 1
    assert "Right" in again.response
    assert again.field.value == right_answer("bag count", again.prompt, {})


def test_a_strangers_or_a_torn_link_is_not_taken() -> None:
    """Work of another student or lab is not taken; a cut link is refused in words."""
    first = Visitor(lab="row", student="Ada", step="2")
    first.answer("9 9")
    for query in ({"student": "Bob", "lab": "row"}, {"student": "Ada", "lab": "bag"}):
        other = Visitor(**query, step="2", done=first.done)
        assert (other.field.value, other.response) == ("", "")
        assert "0 of 8 answered" in other.everything
    for torn in (first.done[:-7], "x", "%20", "a" * 5000, first.done + "AA"):
        cut = Visitor(student="Ada", lab="row", step="2", done=torn)
        response = cut.response
        assert re.search(r"The work in this address .*\. You begin anew\.", response), (
            torn,
            response,
        )
        assert "0 of 8 answered" in cut.everything
        assert "Right" not in cut.answer("9 9")
        assert "1 of 8 answered" in cut.everything


def test_another_name_has_other_numbers_and_its_own_work() -> None:
    """Each name has its own numbers and work; the address follows the name."""
    visitor = Visitor(lab="row", student="Ada", step="2")
    hers, done = visitor.prompt, ""
    visitor.answer("9 9")
    done = visitor.done
    name = visitor.app.sidebar.text_input(key="student")
    name.set_value("Bob").run()
    assert visitor.prompt != hers
    assert (visitor.field.value, visitor.response) == ("", "")
    visitor.answer("8 8")
    assert visitor.done not in ("", done)
    visitor.app.sidebar.text_input(key="student").set_value("ADA").run()
    assert visitor.prompt == hers
    assert visitor.field.value == "9 9"
    # The address goes with it: a reload now has her work and not his.
    visitor.app.run()
    assert visitor.done == done
    again = Visitor(lab="row", student="Ada", step="2", done=visitor.done)
    assert again.field.value == "9 9"


@pytest.mark.parametrize("lab", LABS)
def test_all_prompts_of_two_students_differ(lab: str) -> None:
    """Two students get different numbers in every step that has any."""
    same = {"freeze", "rows", "crossing", "bits"}  # words; and the shapes are all alike
    ada, bob = Visitor(lab=lab, student="Ada"), Visitor(lab=lab, student="Bob")
    for _, step in steps(lab)[:-1]:
        if step not in same and f"{lab} {step}" != "cost compare":
            assert ada.prompt != bob.prompt, step
        ada.next()
        bob.next()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"lab": "row", "student": "!!!"}, "'!!!' is not a name"),
        ({"lab": "row", "student": "x" * 61}, "61 characters; 60 are allowed"),
        ({"student": "Ada", "lab": "row", "step": "15"}, "One row of a table, done"),
        ({"student": "Ada", "lab": "row", "step": "-3"}, "step 1 of 8"),
        ({"student": "Ada", "lab": "nothing"}, "Predict, try, explain"),
        ({"lab": "learns"}, "You will be able to"),
        ({"lab": "row", "student": "Ada\x07"}, "is not a name"),
    ],
    ids=str,
)
def test_odd_links(query: dict[str, str], words: str) -> None:
    """A link with unusable values gives a sentence or a default."""
    visitor = Visitor(**query)
    assert words in plain("\n".join([*visitor.words, visitor.response]))


def test_without_a_name_the_address_keeps_the_numbers() -> None:
    """A guest's numbers follow from the address."""
    visitor = Visitor(lab="row").press("Begin")
    guest = value(visitor.app, "student")
    assert re.fullmatch("guest-[0-9a-f]{6}", guest)
    assert visitor.prompt == Visitor(lab="row", student=guest).prompt


def test_the_name_is_asked_once_inside_the_lab() -> None:
    """A lab without a student shows one field for a name, and then the first step."""
    visitor = Visitor(lab="bag")
    (field,) = (one for one in visitor.app.main.text_input if one.label != "Work so far")
    field.set_value("Ada")
    visitor.press("Begin")
    assert visitor.prompt == Visitor(lab="bag", student="Ada").prompt
    refused = Visitor(lab="bag")
    refused.app.main.text_input(key="student_here").set_value("!!!")
    assert "is not a name" in refused.press("Begin").response
    assert refused.has("Begin")


def test_an_address_without_a_lab_shows_the_cards() -> None:
    """Four cards with minutes, a goal and Start; a lab, and the way back to the cards."""
    visitor = Visitor()
    assert [one.label for one in visitor.app.main.button] == [*["Start"] * 4, "Join"]
    for one in STEPS:
        assert value(visitor.open(one).app, "lab") == one
    assert Visitor(student="Ada").has("Start")


def test_a_link_out_of_a_lab_opens_a_new_tab() -> None:
    """A link to another page is a link button, which Streamlit opens in a new tab."""
    visitor = Visitor(lab="row", student="Ada", step="9")
    links = [one.proto for one in visitor.app.main if one.type == "link_button"]
    assert [one.url.partition("?")[0] for one in links] == ["./"]
    assert all("text=" in one.url for one in links)


def test_the_timing_part_measures_what_the_step_asks() -> None:
    """The timing part measures the settings of the step, not those of the user."""
    visitor = Visitor(lab="cost", student="Ada", step="6", methods="matmul", time_tokens="5")
    wanted = ("time_dim", "time_tokens", "methods", "span", "vary")

    def chosen() -> dict[str, Any]:
        return {name: value(visitor.app, name) for name in wanted}

    def asked() -> tuple[int, int]:
        found = re.search(r"with (\d+) columns and (\d+) ids", visitor.prompt)
        assert found is not None
        return int(found[1]), int(found[2])

    hers = chosen()
    assert (hers["time_dim"], hers["time_tokens"]) == asked()
    assert hers["methods"] == ["lookup", "matmul", "onehot_matmul"]
    visitor.app.sidebar.text_input(key="student").set_value("Bob").run()
    assert (chosen()["time_dim"], chosen()["time_tokens"]) == asked()
    assert chosen() != hers
    visitor.go(8)
    assert (chosen()["time_tokens"], chosen()["span"]) == (1, ("2", "4096"))
