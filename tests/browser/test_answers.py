"""Links land where their answer is in the window, on a screen and on a phone."""

from collections import defaultdict
from itertools import product
from urllib.parse import urlencode

import pytest
from playwright.sync_api import ViewportSize, expect

from embviz.bag.page.story import TRIES as BAG
from embviz.context.page.story import TRIES as CONTEXT
from embviz.limits.elsewhere import ELSEWHERE
from embviz.limits.page.story import TRIES as LIMITS
from embviz.playground.page.story import TRIES as PLAYGROUND
from embviz.timing.tell.questions import TRIES as TIMING
from embviz.training.page.story import LESSONS
from embviz.ui.elements.links import Try
from tests.browser.conftest import SCREEN, Visit, Visits

PHONE: ViewportSize = {"width": 390, "height": 844}
# The innermost elements with these words, also within components: those that are wholly seen.
IN_VIEW = """(words) => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) =>
    [one, ...one.shadowRoot ? within(one.shadowRoot) : []]);
  const plain = (one) => one.textContent.replace(/\\s+/g, " ");
  const has = (one) => plain(one).includes(words);
  const all = within(document.querySelector(".stMain")).filter(has);
  return all.some((one) => {
    if ([...one.children].some(has)) return false;
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const isIn = top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth + 1;
    return isIn && bottom > top && one.checkVisibility({ visibilityProperty: true });
  });
}"""
# What somebody has chosen before: of it nothing may be left in an answer.
ODD = "/?" + urlencode({"input": "ids", "ids": "3 4", "vocab": "bytes", "init": "own", "token": 1})
QUESTIONS = {other.title: other.questions[0] for other in ELSEWHERE}
# The words that answer, by the title of the record.
ANSWERS = {
    "Where to begin": "each piece of text has an id, the number of its row",
    "What a row is for": "after 200 steps",
    "Why not the id itself as a number?": "after 200 steps",
    "Token, id and one-hot": "a row with a 1 at the id, and 0 elsewhere",
    "What an embedding is, number by number": "row 2 is all that they see",
    "Which rows are nearest to a row": "The rows nearest to row",
    "Words without an id: <unk>": "This is no error",
    "From a text to ids in your own code": "A script that gives the same numbers",
    "A class that votes: join it, or start one": "Work together as a class",
    "What a column of the table means": "A column alone means nothing",
    "Where the numbers come from": "Nothing is learnt yet; training moves them",
    "Where the layer sits in a model": "could stand in place of nn.Embedding",
    "When to use which layer": "nn.EmbeddingBag, or counts through",
    "One weight or two": "Writing to one does not change the other",
    "Several ids at once: multi-hot rows and counts": "are nn.EmbeddingBag with",
    "A sentence's vector, or one from an API": "is no row: here the",
    "Is a cosine of 0.77 high?": "other sense",
    "Does it matter for my model?": "It matters for GPT-2",
    "How large is D?": "Double it until the loss hardly falls",
    "The same token in two sentences": "one row",
    "How fast are both on your machine?": "Lookup and matmul, timed",
}
# The words that show what a link of *Try this* promises, by what has it; None for a link that leads
# to a picture which another one here leads to.
IN_LESSONS: dict[str, tuple[str | None, ...]] = {
    "letters": ("Map: near rows are alike", None),
    "step": (
        "Task: turn the row of 'c' into the target",
        "Two rules move the two weights apart",
        "the two weights",
    ),
    "unseen": ("looked up in the first 10", "It learns"),
    "write": (None, "What it writes:"),
    "size": ("It shows both numbers", "Double it until"),
}
IN_CHAPTERS: dict[str, tuple[str | None, ...]] = {
    "static": ("3 of 3 tokens kept, 2 moved", "equal tokens share one", "8 of 9 tokens kept"),
    "contextual": ("pairs of equal tokens stay the same", None),
    "sentences": ("The rows nearest to row",),
}
TRIES: dict[str, tuple[tuple[Try, ...], tuple[str | None, ...]]] = {
    "/?panel=code": (
        PLAYGROUND,
        (
            "is space (U+0020)",
            None,
            "How each vocabulary cuts this text",
            None,
            "are nn.EmbeddingBag with",
        ),
    ),
    **{
        f"/training?lesson={name}": (lesson.tries, IN_LESSONS[name])
        for name, lesson in LESSONS.items()
    },
    **{f"/context?chapter={name}": (tries, IN_CHAPTERS[name]) for name, tries in CONTEXT.items()},
    "/bag_of_words": (BAG, ("without counts", "per_sample_weights=data", 'and "max"')),
    "/limits": (LIMITS, ("Inf or NaN in a row", "index out of range in self")),
    "/timing": (TIMING, ("37.1", "with equal ids")),
}


# All fields of a page for text, whoever writes them; a password has nothing to correct.
FIELDS = ".stMain :is(input:not([type]), input[type=text], textarea)"


def in_view(one: Visit, words: str) -> None:
    """Assert that the words are in the window, now or soon."""
    one.until(lambda: bool(one.page.evaluate(IN_VIEW, words)), True)


def test_each_page_that_answers_a_question_shows_the_answer(visit: Visits) -> None:
    """By its link below the answer, whatever was chosen before; the window is a phone's."""
    one, titles = visit(ODD, viewport=PHONE), defaultdict(list)
    for other in ELSEWHERE:
        titles[other.page, *other.settings.items()].append(other.title)
    for same in titles.values():
        one.ask(QUESTIONS[same[0]])
        one.sees("h1", same[0])
        one.page.locator(".stMain .stPageLink a").filter(has_text="See it: ").click()
        one.settle()
        for title in same:
            in_view(one, ANSWERS[title])
        assert one.page.locator("[data-testid=stAlertContentError]").count() == 0
        one.move(ODD)


def test_what_to_try_is_seen_after_the_press(visit: Visits, subtests: pytest.Subtests) -> None:
    """From a page that is scrolled down to its end, on a phone; on the playground a screen too."""
    one = visit(None)
    for path, (tries, words) in TRIES.items():
        assert len(tries) == len(words), path
        sizes = (SCREEN, PHONE) if path.startswith("/?") else (PHONE,)
        for size, (k, promised) in product(sizes, enumerate(words)):
            if promised is None:
                continue
            with subtests.test(f"{path} {k} {size['width']}"):
                one.page.set_viewport_size(size)
                one.move(path)
                fold = one.page.locator(".stExpander").filter(has_text="Try this")
                if not fold.locator("details[open]").count():
                    fold.locator("summary").click()
                links = fold.locator(".stPageLink a")
                expect(links).to_have_count(len(tries))
                links.nth(k).click()
                one.settle()
                in_view(one, promised)


def test_an_address_that_opens_an_answer_shows_it_until_somebody_scrolls(visit: Visits) -> None:
    """A new theme, or a press that opens a panel, scrolls nothing."""
    one = visit("/?world=words&panel=nearest")
    in_view(one, "A column alone means nothing")
    assert one.page.evaluate("document.activeElement === document.body")
    one.page.mouse.move(700, 400)
    one.page.mouse.wheel(0, -5000)
    one.page.emulate_media(color_scheme="dark")
    press = one.page.locator(".st-key-panel").get_by_text("in a model")
    press.scroll_into_view_if_needed()
    top = one.page.evaluate("document.querySelector('.stMain').scrollTop")
    press.click()
    one.settle()
    assert one.page.evaluate("document.querySelector('.stMain').scrollTop") == pytest.approx(
        top, abs=5
    )


def test_a_field_takes_what_is_typed_as_it_is(visit: Visits) -> None:
    """A phone writes no capital and corrects nothing; digits have their keyboard."""
    wanted = {"autocapitalize": "off", "autocorrect": "off", "spellcheck": "false", "dir": "auto"}
    paths = "/", "/bag_of_words", "/limits", "/context?chapter=static&edit=a", "/labs?class=a"
    one = visit(None)
    for path in paths:
        one.move(path)
        own = 1 if path.startswith("/labs") else 0  # the page writes the field of a code itself
        expect(one.page.locator(".stHtml [name=code]")).to_have_count(own)
        for field in one.page.locator(FIELDS).all():
            for name, value in wanted.items():
                expect(field).to_have_attribute(name, value)
        for field in one.page.locator(".stNumberInput input").all():
            expect(field).to_have_attribute("inputmode", "numeric")
