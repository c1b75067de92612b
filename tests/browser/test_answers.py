"""Links land where their answer is in the window, on a screen and on a phone."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import ViewportSize, expect

from embviz.bag.page.story import TRIES as BAG
from embviz.context.page.story import TRIES as CONTEXT
from embviz.limits.elsewhere import ELSEWHERE
from embviz.limits.page.story import TRIES as LIMITS
from embviz.playground.page.story import TRIES as PLAYGROUND
from embviz.timing.tell.questions import TRIES as TIMING
from embviz.training.page.story import TRIES as TRAINING
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
# The words that answer, by the settings of the link.
ANSWERS = {
    "/?world=letters": "nn.Embedding copies row 2",
    "/?world=words&panel=nearest": "A column alone means nothing",
    "/?world=characters&text=na%C3%AFve&token=2": "This is no error",
    "/?world=letters&panel=weights": "Nothing is learnt yet; training moves them",
    "/?world=letters&panel=in+a+model": "in place of nn.Embedding gives the row plus the bias",
    "/bag_of_words?": "A row of counts",
    "/context?chapter=sentences": "APIs use such layers too",
    "/timing?": "Lookup and matmul, timed",
    "/training?lesson=size": "Double it until the loss hardly falls",
}
# The words that show what a link of *Try this* promises, by the page that has it.
TRIES = {
    "/?panel=code": (
        PLAYGROUND,
        (
            "'·' has id 94",
            "'l' has id 21",
            "'h' has id 17",
            "How each vocabulary cuts this text",
            "ids[1, 1] is 0",
            "A row of counts",
        ),
    ),
    "/training": (
        TRAINING["step"],
        (
            "Task: turn the row of 'h' into the target",
            "Two rules part the two weights",
            "the two weights",
        ),
    ),
    "/training?lesson=unseen": (TRAINING["unseen"], ("looked up in the first 10", "It learns")),
    "/training?lesson=write": (TRAINING["write"], ("Double it until", "What it writes:")),
    "/training?lesson=size": (TRAINING["size"], ("It shows both numbers", "Double it until")),
    "/context": (CONTEXT["static"], ("equal tokens share one", "8 of 9 tokens kept")),
    "/context?chapter=contextual": (
        CONTEXT["contextual"],
        ("pairs of equal tokens stay the same", "pairs of equal tokens stay the same"),
    ),
    "/context?chapter=sentences": (CONTEXT["sentences"], ("The rows nearest to row",)),
    "/bag_of_words": (BAG, ("without counts", "without numbers", "0.00")),
    "/limits": (LIMITS, ("nan", "index out of range in self")),
    "/timing": (TIMING, ("37.1", "not told apart")),
}


def in_view(one: Visit, words: str) -> None:
    """Assert that the words are in the window, now or soon."""
    one.until(lambda: bool(one.page.evaluate(IN_VIEW, words)), True)


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "phone"])
def test_each_page_that_answers_a_question_shows_the_answer(
    visit: Visits, size: ViewportSize
) -> None:
    """By its link in the search, whatever was chosen before."""
    one = visit(ODD, viewport=size)
    for other in ELSEWHERE:
        path = f"/{other.page.replace('playground', '')}?{urlencode(other.settings)}"
        one.move("/limits?" + urlencode({"find": other.questions[0]}))
        one.page.locator(".stMain .stPageLink a").filter(has_text=other.title).first.click()
        one.settle()
        in_view(one, ANSWERS[path])
        assert one.page.locator("[data-testid=stAlertContentError]").count() == 0
        one.move(ODD)


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "phone"])
@pytest.mark.parametrize("path", TRIES)
def test_what_to_try_is_seen_after_the_press(visit: Visits, path: str, size: ViewportSize) -> None:
    """From a page that is scrolled down to its end."""
    tries, words = TRIES[path]
    for k, wanted in enumerate(words):
        one = visit(path, viewport=size)
        fold = one.page.locator(".stExpander").filter(has_text="Try this")
        fold.locator("summary").click()
        links = fold.locator(".stPageLink a")
        expect(links).to_have_count(len(tries))
        links.nth(k).click()
        one.settle()
        in_view(one, wanted)


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
    one.page.wait_for_timeout(500)
    assert one.page.evaluate("document.querySelector('.stMain').scrollTop") == pytest.approx(
        top, abs=5
    )


def test_a_field_takes_what_is_typed_as_it_is(visit: Visits) -> None:
    """A phone writes no capital and corrects nothing; digits have their keyboard."""
    wanted = {"autocapitalize": "off", "autocorrect": "off", "spellcheck": "false", "dir": "auto"}
    for path in ("/", "/bag_of_words", "/limits", "/context?chapter=static&edit=a"):
        one = visit(path)
        for field in one.page.locator(":is(.stTextInput input, .stTextArea textarea)").all():
            for name, value in wanted.items():
                expect(field).to_have_attribute(name, value)
        for field in one.page.locator(".stNumberInput input").all():
            expect(field).to_have_attribute("inputmode", "numeric")
