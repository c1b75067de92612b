"""The labs' page, headless, by students who know what it shows and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.labs.lab_student import MISTAKES, RIGHT, STEPS, Notes

ROOT = Path(__file__).resolve().parents[4]
LABS = list(STEPS)
FIELDS = ("text_input", "text_area", "radio")
LIVE = "Open it on its own page"


class Pupil:
    """A visitor of the page: reads, types, presses."""

    def __init__(self, **query: str) -> None:
        self.app = AppTest.from_file(
            str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60
        )
        for name, value in query.items():
            self.app.query_params[name] = value
        self.app.switch_page(str(ROOT / "pages" / "labs.py")).run()
        self.check()

    def check(self) -> None:
        """Nothing was raised."""
        assert [failure.value for failure in self.app.exception] == []

    @property
    def words(self) -> list[str]:
        """Every text of the main part."""
        return [str(part.value) for part in self.app.main.markdown]

    @property
    def place(self) -> int:
        """Which step is shown."""
        found = next(filter(None, (re.search(r"step (\d+) of", one) for one in self.words)))
        return int(found[1])

    @property
    def prompt(self) -> str:
        """The question."""
        place = next(k for k, words in enumerate(self.words) if words.startswith("######"))
        return self.words[place + 1]

    @property
    def field(self) -> Any:
        """Where the answer goes."""
        (found,) = (
            one
            for kind in FIELDS
            for one in getattr(self.app.main, kind)
            if one.label.startswith("Your answer")
        )
        return found

    def press(self, label: str) -> Pupil:
        """Press a button."""
        (button,) = (one for one in self.app.main.button if one.label == label)
        assert not button.disabled
        button.click().run()
        self.check()
        return self

    def has(self, label: str) -> bool:
        """Whether there is such a button."""
        return any(one.label == label for one in self.app.main.button)

    def answer(self, typed: str) -> str:
        """Type, press, and what the page says to it."""
        self.field.set_value(typed)
        self.press("Check" if self.has("Check") else "Keep")
        return self.said

    @property
    def said(self) -> str:
        """Feedback, hint and explanation, as one reads them."""
        parts = [
            *self.app.main.success,
            *self.app.main.info,
            *self.app.main.warning,
            *self.app.main.error,
        ]
        told = [word for word in self.words if word.startswith(("**Hint.**", "**Why.**"))]
        return plain("\n".join([*(str(part.value) for part in parts), *told]))

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
        """All that was sent, but for what a student typed."""
        return "\n".join(data(self.app._tree))

    def next(self) -> Pupil:
        """The step after this one."""
        return self.press("Next step")

    def go(self, step: int) -> Pupil:
        """A step by its number."""
        while self.place < step:
            self.next()
        return self

    @property
    def done(self) -> str:
        """The work as the address has it."""
        return str(self.app.session_state["done"])


def data(block: Any) -> Iterator[str]:
    """What the elements of a page are made of, as text, but for scripts and styles."""
    for child in getattr(block, "children", {}).values():
        yield from data(child)
    proto = getattr(block, "proto", None)
    if proto is not None:
        told = re.sub(r'(js|css|html)_content: ".*|<style>.*', "", str(proto))
        yield re.sub(r'\\(["\'\\])', r"\1", told)


def plain(words: str) -> str:
    """Words without marks and escapes."""
    return re.sub(r"[*`]", "", re.sub(r"\\([^\w\s])", r"\1", words))


def forms(answer: str) -> list[str]:
    """How a page might write an answer."""
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
    """Some step could not be answered from what it says, or a right answer be called wrong."""
    pupil, notes = Pupil(lab=lab, student="Grace"), Notes()
    for number, step in steps(lab):
        assert pupil.place == number
        assert "**Why.**" not in pupil.everything
        answer = RIGHT[f"{lab} {step}"](pupil.prompt, notes)
        # Nowhere before it is right: in no hidden part either.
        rest = pupil.everything.replace("\n".join(data(prompt_element(pupil))), "")
        for form in forms(answer):
            assert not re.search(rf"(?<![\d.-]){re.escape(form)}(?![\d.])", rest), (step, form)
        said = pupil.answer(answer)
        good = {"why": "Kept.", **dict.fromkeys(("sweep", "compare", "crossing"), "fits together")}
        assert good.get(step, "Right: ") in said, step
        assert "Why." in said
        if number < len(STEPS[lab]):
            pupil.next()
    assert all(button.disabled for button in pupil.app.main.button if button.label == "Next step")
    assert f"{len(STEPS[lab])} of {len(STEPS[lab])} steps answered" in pupil.everything
    assert "8 of 8 checked ones right" in pupil.everything


def prompt_element(pupil: Pupil) -> Any:
    """The question as an element."""
    return type(
        "One",
        (),
        {
            "children": {
                0: next(one for one in pupil.app.main.markdown if one.value == pupil.prompt)
            }
        },
    )


@pytest.mark.parametrize("lab", LABS)
def test_each_typical_mistake_gets_its_words_and_the_next_hint(lab: str) -> None:
    """A student would be told that something is wrong and not what, or be given the answer."""
    pupil, notes = Pupil(lab=lab, student="Ada"), Notes()
    for _, step in steps(lab)[:-1]:
        name, prompt = f"{lab} {step}", pupil.prompt
        right = RIGHT[name](prompt, notes)
        hints: list[str] = []
        for wrong, words in MISTAKES[name]:
            said = pupil.answer(wrong(prompt, notes))
            assert words in said, (name, words, said)
            assert "You wrote" in said
            assert "Why." not in said
            for form in forms(right) or [f"“{right}”"]:
                rest = said.partition(". ")[2]  # after what was typed
                assert not re.search(rf"(?<![\d.-]){re.escape(form)}(?![\d.])", rest), (name, said)
            hints.append(pupil.hint)
        assert "" not in hints
        kinds = list(dict.fromkeys(hints))  # each comes once, and the last one stays
        assert hints == kinds + (len(hints) - len(kinds)) * kinds[-1:]
        assert len(kinds) == min(2, len(hints))
        assert any(one in pupil.answer(right) for one in ("Right: ", "fits together")), name
        pupil.next()
    assert pupil.place == len(STEPS[lab])


@pytest.mark.parametrize("lab", LABS)
def test_a_step_shows_the_live_part_when_it_may(lab: str) -> None:
    """The live part would say the answer before the student does, or not come afterwards."""
    pupil, notes = Pupil(lab=lab, student="4711"), Notes()
    parts = 0
    for number, step in steps(lab):
        asked = "Predict first" in pupil.everything
        assert pupil.live == (step in ("sweep", "compare", "crossing"))
        can_be_asked_for = pupil.has("Show it in the live part")
        assert not (asked and can_be_asked_for)
        RIGHT[f"{lab} {step}"](pupil.prompt, notes)
        if can_be_asked_for:
            pupil.press("Show it in the live part")
            assert pupil.live
            assert not pupil.has("Show it in the live part")
        elif asked:
            wrong = MISTAKES[f"{lab} {step}"][0][0](pupil.prompt, notes)
            pupil.answer(wrong)
            assert "Predict first" not in pupil.everything
            assert pupil.live == (f"{lab} {step}" not in ("cost table", "cost one-hot"))
        parts += pupil.live
        if number < len(STEPS[lab]):
            pupil.next()
    assert parts == (4 if lab == "cost" else 8)


def test_what_cannot_be_read_is_told_and_is_no_attempt() -> None:
    """Somebody who slips on the keyboard would have an attempt counted, or type all again."""
    pupil = Pupil(lab="row", student="Ada", step="2")
    assert "“3 x”" not in pupil.said
    said = pupil.answer("three 1")
    assert "'three' is not an id. Write whole numbers with spaces between" in said
    assert pupil.field.value == "three 1"
    assert "0 of 9 steps answered" in pupil.everything
    assert (pupil.hint, pupil.done) == ("", "")
    assert "Nothing is written yet" in pupil.answer("   ")
    assert "200 numbers given; 1 to 5 are allowed" in pupil.answer("1 " * 300)  # cut to 400
    pupil.answer("9 9")
    assert "1 of 9 steps answered, 0 of 8 checked ones right" in pupil.everything
    pupil.answer("<b>")
    assert "1 of 9 steps answered" in pupil.everything
    assert "'<b>' is not an id" in pupil.said
    assert pupil.field.value == "<b>"
    no_choice = Pupil(lab="row", student="Ada")
    assert "Nothing is written yet. Choose one of" in plain(no_choice.press("Check").said)


def test_the_explanation_waits_after_a_wrong_answer() -> None:
    """A wrong answer would end the step; or the explanation never come, or come unasked later."""
    pupil = Pupil(lab="row", student="Ada", step="2")
    assert "Why." not in pupil.answer("9 9")
    assert "Why." in pupil.press("Show the explanation").said
    assert "Why." not in pupil.go(3).answer("9 9 9")
    # The steps of another lab, and of another student, have the same names.
    other = Pupil(lab="row", student="Ada", step="2")
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
    """A reload, or the link on another machine, would lose what was done."""
    first, notes = Pupil(lab="bag", student="Zoë"), Notes()
    for _, step in steps("bag")[:3]:
        first.answer(RIGHT[f"bag {step}"](first.prompt, notes))
        first.next()
    wrong = first.answer("1 2 3")
    assert 0 < len(first.done) <= 4000
    again = Pupil(lab="bag", student="  zoë ", step="4", done=first.done)
    assert again.prompt == first.prompt
    assert (again.field.value, again.said) == ("1 2 3", wrong)
    assert "4 of 9 steps answered, 3 of 8 checked ones right" in again.everything
    again.app.segmented_control(key="step_shown").set_value(1).run()
    assert again.place == 1
    assert "Right" in again.said
    assert again.field.value == RIGHT["bag count"](again.prompt, {})


def test_a_strangers_or_a_torn_link_is_not_taken() -> None:
    """One student's work would count for another, or a cut link end in a traceback."""
    first = Pupil(lab="row", student="Ada", step="2")
    first.answer("9 9")
    for query in ({"student": "Bob", "lab": "row"}, {"student": "Ada", "lab": "bag"}):
        other = Pupil(**query, step="2", done=first.done)
        assert (other.field.value, other.said) == ("", "")
        assert "0 of 9 steps answered" in other.everything
    for torn in (first.done[:-7], "x", "%20", "a" * 5000, first.done + "AA"):
        cut = Pupil(student="Ada", lab="row", step="2", done=torn)
        said = cut.said
        assert re.search(r"The progress in this address .*\. You begin anew\.", said), (torn, said)
        assert "0 of 9 steps answered" in cut.everything
        assert "Right" not in cut.answer("9 9")
        assert "1 of 9 steps answered" in cut.everything


def test_another_name_has_other_numbers_and_its_own_work() -> None:
    """Neighbours could copy; or whoever comes back would find the other's work, or none."""
    pupil = Pupil(lab="row", student="Ada", step="2")
    hers, done = pupil.prompt, ""
    pupil.answer("9 9")
    done = pupil.done
    name = pupil.app.sidebar.text_input(key="student")
    name.set_value("Bob").run()
    assert pupil.prompt != hers
    assert (pupil.field.value, pupil.said) == ("", "")
    pupil.answer("8 8")
    assert pupil.done not in ("", done)
    pupil.app.sidebar.text_input(key="student").set_value("ADA").run()
    assert pupil.prompt == hers
    assert pupil.field.value == "9 9"
    # The address goes with it: a reload now has her work and not his.
    pupil.app.run()
    assert pupil.done == done
    again = Pupil(lab="row", student="Ada", step="2", done=pupil.done)
    assert again.field.value == "9 9"


def test_the_address_follows_the_lab() -> None:
    """A reload after a look at another lab would lose the work in the first."""
    pupil = Pupil(lab="row", student="Ada", step="2")
    pupil.answer("9 9")
    done = pupil.done
    pupil.app.sidebar.radio(key="lab").set_value("bag").run()
    pupil.answer("1 1 1 1 1")
    assert pupil.done != done
    pupil.app.sidebar.radio(key="lab").set_value("row").run()
    assert pupil.done == done
    pupil.app.sidebar.radio(key="lab").set_value("learns").run()
    pupil.next()
    assert pupil.done == ""


@pytest.mark.parametrize("lab", LABS)
def test_all_prompts_of_two_students_differ(lab: str) -> None:
    """The numbers could be copied from the next screen."""
    same = {"why", "freeze", "rows", "crossing", "bits"}  # words; and the shapes are all alike
    ada, bob = Pupil(lab=lab, student="Ada"), Pupil(lab=lab, student="Bob")
    for _, step in steps(lab)[:-1]:
        if step not in same and f"{lab} {step}" != "cost compare":
            assert ada.prompt != bob.prompt, step
        ada.next()
        bob.next()


def test_free_text_is_kept_and_shown_as_it_is() -> None:
    """An explanation would be lost, cut, judged, or become markup."""
    pupil = Pupil(lab="learns", student="Ada", step="9")
    text = "Row *0* `x`\n<b>nobody</b> $looked$ 😀 = 3"
    said = pupil.answer(text)
    assert "Kept. Now compare it with the explanation." in said
    assert "Why. A good answer" in said
    assert pupil.field.value == text
    again = Pupil(lab="learns", student="Ada", step="9", done=pupil.done)
    assert again.field.value == text
    assert "0 of 8 checked ones right" in again.everything


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"student": "!!!"}, "'!!!' is not a name"),
        ({"student": "x" * 61}, "61 characters; 60 are allowed"),
        ({"student": "Ada", "step": "15"}, "step 9 of 9"),
        ({"student": "Ada", "step": "-3"}, "step 1 of 9"),
        ({"student": "Ada", "lab": "nothing"}, "One row of a table, step 1 of 9"),
        ({"lab": "learns"}, "You will be able to"),
        ({"student": "Ada\u202eb"}, "U+202E"),
    ],
    ids=str,
)
def test_odd_links(query: dict[str, str], words: str) -> None:
    """A mistyped link would end in a traceback or an empty page."""
    pupil = Pupil(**query)
    assert words in plain("\n".join([*pupil.words, pupil.said]))


def test_whoever_has_no_name_yet_gives_one() -> None:
    """A phone, which hides the sidebar, would have no way in."""
    pupil = Pupil(lab="bag")
    pupil.app.main.text_input(key="student_here").set_value("Ada").run()
    pupil.check()
    assert pupil.prompt == Pupil(lab="bag", student="Ada").prompt
    assert pupil.app.sidebar.text_input(key="student").value == "Ada"


def test_the_timing_part_measures_what_the_step_asks() -> None:
    """Another student, or settings of the timing page, would change what is measured."""
    pupil = Pupil(lab="cost", student="Ada", step="6", methods="matmul", time_tokens="5")
    wanted = ("time_dim", "time_tokens", "methods", "span", "vary")

    def chosen() -> dict[str, Any]:
        return {name: pupil.app.session_state[name] for name in wanted}

    def asked() -> tuple[int, int]:
        found = re.search(r"with (\d+) columns and (\d+) ids", pupil.prompt)
        assert found is not None
        return int(found[1]), int(found[2])

    hers = chosen()
    assert (hers["time_dim"], hers["time_tokens"]) == asked()
    assert hers["methods"] == ["lookup", "matmul", "onehot_matmul"]
    pupil.app.sidebar.text_input(key="student").set_value("Bob").run()
    assert (chosen()["time_dim"], chosen()["time_tokens"]) == asked()
    assert chosen() != hers
    pupil.go(8)
    assert (chosen()["time_tokens"], chosen()["span"]) == (1, ("2", "4096"))


def test_only_work_is_handed_in() -> None:
    """A teacher would get empty files."""
    pupil = Pupil(lab="row", student="Ada", step="2")

    def off() -> bool:
        (button,) = (one for one in pupil.app.sidebar if one.type == "download_button")
        return bool(button.proto.disabled)

    assert off()
    pupil.answer("x")
    assert off()
    pupil.answer("9 9")
    assert not off()
