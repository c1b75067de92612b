"""Text from right to left: strips say their order, and a typed text keeps its own."""

from urllib.parse import urlencode

from tests.browser.conftest import Visits

WORD = "\u0645\u0631\u062d\u0628\u0627"
MIXED = f"{WORD} nn.Embedding {WORD}"
STRIPS = (
    ("/", {}),
    ("/training", {"lesson": "step"}),
    ("/context", {}),
    ("/context", {"chapter": "contextual"}),
)
# Where the first and the last letter of an element's text are drawn, in px.
ENDS = """(element) => {
  const range = document.createRange(), text = element.firstChild;
  const at = (place) => {
    range.setStart(text, place); range.setEnd(text, place + 1);
    return range.getBoundingClientRect().left;
  };
  const letters = [...text.data].flatMap((one, k) => (/[\\u0600-\\u06ff]/.test(one) ? [k] : []));
  return [at(letters[0]), at(letters.at(-1))];
}"""


def test_a_strip_of_such_tokens_says_that_it_runs_from_left_to_right(visit: Visits) -> None:
    """On each page with a strip; also where the tokens are bytes. Of other texts none says it."""
    one = visit(None)
    for path, query in STRIPS:
        for more in ({"text": WORD}, {"text": WORD, "vocab": "bytes"}, {"text": "abc"}):
            one.move(f"{path}?{urlencode(query | more)}")
            order = one.page.get_by_text("left to right:", exact=True)
            one.until(order.count, int(more["text"] == WORD))


def test_a_typed_text_that_begins_from_the_right_is_drawn_from_there(visit: Visits) -> None:
    """With its other words between: on a document's button, and on the flow into a model."""
    one = visit(None)
    query = urlencode({"docs": f"{MIXED}\nplain words"})
    one.move(f"/bag_of_words?{query}")
    first, last = one.page.locator(".documents button").first.evaluate(ENDS)
    assert first > last
    query = urlencode({"text": f"{WORD} a {WORD}", "vocab": "bytes", "panel": "in a model"})
    one.move(f"/?{query}")
    first, last = one.page.locator(".in-a-model .shape > span").first.evaluate(ENDS)
    assert first > last
