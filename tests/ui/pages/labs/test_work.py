"""The page *Labs* in AppTest, by simulated students who know only what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.labs.lab_student import STEPS, Notes, answers, right_answer
from tests.ui.headless import open_page, unescaped

LABS = list(STEPS)
FIELDS = ("text_input", "text_area", "radio")
LIVE = "Open it on its own page"


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
        return self.words[place + 1]

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
        self.press("Check" if self.has("Check") else "Keep")
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
        others = [word for word in self.words if word.startswith(("**Hint.**", "**Why.**"))]
        return plain("\n".join([*(str(part.value) for part in parts), *others]))

    @property
    def hint(self) -> str:
        """The hint alone."""
        return next((word for word in self.words if word.startswith("**Hint.**")), "")

    @property
    def live(self) -> bool:
        """Whether the live part is drawn."""
        return LIVE in self.everything

    @property
    def everything(self) -> str:
        """Everything that was sent, without what the student typed."""
        return "\n".join(data(self.app._tree))

    def next(self) -> Visitor:
        """The step after this one."""
        return self.press("Next step")

    def go(self, step: int) -> Visitor:
        """A step by its number."""
        while self.place < step:
            self.next()
        return self

    @property
    def done(self) -> str:
        """The work so far, as it is in the address."""
        return str(self.app.session_state["done"])


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
        good = {"why": "Kept.", **dict.fromkeys(("sweep", "compare", "crossing"), "fits together")}
        assert good.get(step, "Right: ") in response, step
        assert "Why." in response
        if number < len(STEPS[lab]):
            visitor.next()
    assert all(button.disabled for button in visitor.app.main.button if button.label == "Next step")
    assert f"{len(STEPS[lab])} of {len(STEPS[lab])} steps answered" in visitor.everything
    checked = 9 if lab == "row" else 8
    assert f"{checked} of {checked} checked ones right" in visitor.everything


@pytest.mark.parametrize("lab", LABS)
def test_each_typical_mistake_gets_its_words_and_the_next_hint(lab: str) -> None:
    """Each typical mistake gets its own feedback and the next hint, never the answer."""
    visitor, notes = Visitor(lab=lab, student="Ada"), Notes()
    for _, step in steps(lab)[:-1]:
        name, prompt = f"{lab} {step}", visitor.prompt
        right, mistakes = answers(name, prompt, notes)
        hints: list[str] = []
        for words, wrong in mistakes.items():
            response = visitor.answer(wrong)
            assert words in response, (name, words, response)
            assert "You wrote" in response
            assert "Why." not in response
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
        assert any(one in visitor.answer(right) for one in ("Right: ", "fits together")), name
        visitor.next()
    assert visitor.place == len(STEPS[lab])


@pytest.mark.parametrize("lab", LABS)
def test_a_step_shows_the_live_part_when_it_may(lab: str) -> None:
    """The live part waits for an attempt or a press; a measured step shows it at once."""
    visitor, notes = Visitor(lab=lab, student="4711"), Notes()
    parts = 0
    for number, step in steps(lab):
        asked = "Predict first" in visitor.everything
        assert visitor.live == (step in ("sweep", "compare", "crossing"))
        can_be_asked_for = visitor.has("Show it in the live part")
        assert not (asked and can_be_asked_for)
        _, mistakes = answers(f"{lab} {step}", visitor.prompt, notes)
        if can_be_asked_for:
            visitor.press("Show it in the live part")
            assert visitor.live
            assert not visitor.has("Show it in the live part")
        elif asked:
            visitor.answer(next(iter(mistakes.values())))
            assert "Predict first" not in visitor.everything
            assert visitor.live == (f"{lab} {step}" not in ("cost table", "cost one-hot"))
        parts += visitor.live
        if number < len(STEPS[lab]):
            visitor.next()
    assert parts == {"cost": 4, "row": 9}.get(lab, 8)


def test_an_unreadable_answer_is_explained_and_is_no_attempt() -> None:
    """An unreadable answer is explained, stays in the field and is no attempt."""
    visitor = Visitor(lab="row", student="Ada", step="2")
    assert "“3 x”" not in visitor.response
    response = visitor.answer("three 1")
    assert "'three' is not an id. Write whole numbers with spaces between" in response
    assert visitor.field.value == "three 1"
    assert "0 of 10 steps answered" in visitor.everything
    assert (visitor.hint, visitor.done) == ("", "")
    assert "Nothing is written yet" in visitor.answer("   ")
    assert "200 numbers given; 1 to 5 are allowed" in visitor.answer("1 " * 300)  # cut to 400
    visitor.answer("9 9")
    assert "1 of 10 steps answered, 0 of 9 checked ones right" in visitor.everything
    visitor.answer("<b>")
    assert "1 of 10 steps answered" in visitor.everything
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
    other.app.sidebar.radio(key="lab").set_value("cost").run()
    assert other.place == 1
    assert "Why." not in other.go(3).answer("9")
    other.app.sidebar.radio(key="lab").set_value("row").run()
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
    assert "4 of 9 steps answered, 3 of 8 checked ones right" in again.everything
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
        assert re.search(r"\b0 of (9|10) steps answered", other.everything)
    for torn in (first.done[:-7], "x", "%20", "a" * 5000, first.done + "AA"):
        cut = Visitor(student="Ada", lab="row", step="2", done=torn)
        response = cut.response
        assert re.search(r"The progress in this address .*\. You begin anew\.", response), (
            torn,
            response,
        )
        assert "0 of 10 steps answered" in cut.everything
        assert "Right" not in cut.answer("9 9")
        assert "1 of 10 steps answered" in cut.everything


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


def test_the_address_follows_the_lab() -> None:
    """The address has the work of the shown lab."""
    visitor = Visitor(lab="row", student="Ada", step="2")
    visitor.answer("9 9")
    done = visitor.done
    visitor.app.sidebar.radio(key="lab").set_value("bag").run()
    visitor.answer("1 1 1 1 1")
    assert visitor.done != done
    visitor.app.sidebar.radio(key="lab").set_value("row").run()
    assert visitor.done == done
    visitor.app.sidebar.radio(key="lab").set_value("learns").run()
    visitor.next()
    assert visitor.done == ""


@pytest.mark.parametrize("lab", LABS)
def test_all_prompts_of_two_students_differ(lab: str) -> None:
    """Two students get different numbers in every step that has any."""
    same = {"why", "freeze", "rows", "crossing", "bits"}  # words; and the shapes are all alike
    ada, bob = Visitor(lab=lab, student="Ada"), Visitor(lab=lab, student="Bob")
    for _, step in steps(lab)[:-1]:
        if step not in same and f"{lab} {step}" != "cost compare":
            assert ada.prompt != bob.prompt, step
        ada.next()
        bob.next()


def test_free_text_is_kept_and_shown_as_it_is() -> None:
    """Free text is kept and shown as typed, and is not judged."""
    visitor = Visitor(lab="learns", student="Ada", step="9")
    text = "Row *0* `x`\n<b>nobody</b> $looked$ 😀 = 3"
    response = visitor.answer(text)
    assert "Kept. Now compare it with the explanation." in response
    assert "Why. A good answer" in response
    assert visitor.field.value == text
    again = Visitor(lab="learns", student="Ada", step="9", done=visitor.done)
    assert again.field.value == text
    assert "0 of 8 checked ones right" in again.everything


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"student": "!!!"}, "'!!!' is not a name"),
        ({"student": "x" * 61}, "61 characters; 60 are allowed"),
        ({"student": "Ada", "step": "15"}, "step 10 of 10"),
        ({"student": "Ada", "step": "-3"}, "step 1 of 10"),
        ({"student": "Ada", "lab": "nothing"}, "One row of a table, step 1 of 10"),
        ({"lab": "learns"}, "You will be able to"),
        ({"student": "Ada\u202eb"}, "U+202E"),
    ],
    ids=str,
)
def test_odd_links(query: dict[str, str], words: str) -> None:
    """A link with unusable values gives a sentence or a default."""
    visitor = Visitor(**query)
    assert words in plain("\n".join([*visitor.words, visitor.response]))


def test_a_name_can_be_given_in_the_main_part() -> None:
    """A visitor without a name can give it outside the sidebar."""
    visitor = Visitor(lab="bag")
    visitor.app.main.text_input(key="student_here").set_value("Ada").run()
    visitor.check()
    assert visitor.prompt == Visitor(lab="bag", student="Ada").prompt
    assert visitor.app.sidebar.text_input(key="student").value == "Ada"


def test_the_timing_part_measures_what_the_step_asks() -> None:
    """The timing part measures the settings of the step, not those of the user."""
    visitor = Visitor(lab="cost", student="Ada", step="6", methods="matmul", time_tokens="5")
    wanted = ("time_dim", "time_tokens", "methods", "span", "vary")

    def chosen() -> dict[str, Any]:
        return {name: visitor.app.session_state[name] for name in wanted}

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


def test_only_work_is_handed_in() -> None:
    """The download is disabled until there is an answer."""
    visitor = Visitor(lab="row", student="Ada", step="2")

    def off() -> bool:
        (button,) = (one for one in visitor.app.sidebar if one.type == "download_button")
        return bool(button.proto.disabled)

    assert off()
    visitor.answer("x")
    assert off()
    visitor.answer("9 9")
    assert not off()
