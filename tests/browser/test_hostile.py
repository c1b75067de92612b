"""Hostile strings in every field, through links, on every page."""

import string
from urllib.parse import quote, urlencode

from playwright.sync_api import expect

from embviz.settings.kinds import Text
from embviz.settings.pages import SETTINGS
from tests.browser.conftest import Visits

HOSTILE = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    '"><svg onload=window.hacked=1>',
    "javascript:window.hacked=1",
    "[x](javascript:window.hacked=1)",
    r":red[x] $\frac{1}{0}$ **bold**",
    "{{7*7}} ${7*7}",
    "\u202eevil\u200b\u2066",
    "</textarea></script></style>",
    '=HYPERLINK("http://x")',
]
LINE = " ".join(HOSTILE)
ALERT = "<script>window.hacked"
LINKED = "http://evil.example www.evil.example me@evil.example"
# Finds everything that must not be in the page or its shadow roots, as text.
FOUND = """() => {
  const bad = window.hacked === undefined ? [] : ["a script ran"];
  const walk = (root) => {
    for (const e of root.querySelectorAll("*")) {
      const said = e.outerHTML.slice(0, 200);
      for (const a of e.attributes) {
        const goes = ["href", "src", "action", "xlink:href", "srcdoc"].includes(a.name);
        if (a.name.startsWith("on")) bad.push(said);
        if (goes && /^\\s*javascript:|^http:..x|^x$/i.test(a.value)) bad.push(said);
        if (goes && /^(https?:|mailto:)[^?]*evil\\.example/.test(a.value)) bad.push(said);
      }
      if (["IFRAME", "OBJECT", "EMBED", "BASE"].includes(e.tagName)) bad.push(said);
      if (e.tagName === "SCRIPT" && /hacked/.test(e.textContent)) bad.push(said);
      if (e.classList.contains("katex")) bad.push(said);
      if (e.shadowRoot) walk(e.shadowRoot);
    }
  };
  walk(document);
  return bad;
}"""


# Every text field of every page, on one line or several.
TYPED = {name: LINE for name, one in SETTINGS.items() if isinstance(one, Text)}
TAKEN = {"chapter": "contextual", "bag": "documents", "linear": "", "panel": "code"}
# A page, its settings beside these, and what its message quotes of them.
LINKS: list[tuple[str, dict[str, str], str]] = [
    ("/", {"vocab": "custom", "text": "<b>$x", "chars": "".join(dict.fromkeys(LINE))}, ""),
    ("/", {"input": "ids", "init": "own"}, ALERT),
    ("/bag_of_words", {}, ""),
    ("/bag_of_words", {"bag": "matrix"}, ALERT),
    ("/training", {}, ALERT),
    ("/training", {"target": LINKED, "seed": LINKED}, LINKED[:40]),
    ("/limits", {"find": HOSTILE[0], "case": LINE}, ""),
    ("/context", {}, ""),
    ("/labs", {"class": "", "board": "", "lab": LINE, "step": LINE}, ""),
    ("/", {}, ""),
]


def test_what_is_typed_through_links_is_never_markup(visit: Visits) -> None:
    """Values in links become no element, link, maths or script; messages quote them."""
    one = visit(None)
    for page, settings, said in LINKS:
        one.move(f"{page}?{urlencode(TYPED | TAKEN | settings, quote_via=quote)}")
        assert one.page.evaluate(FOUND) == []
        if said:
            message = one.page.locator("[data-testid=stAlert], .refusal")
            message.filter(has_text=said).first.wait_for()
    ids = [string.printable.index(c) if c in string.printable else 100 for c in LINE]
    one.until(lambda: [int(token) for _, token in one.chips()][:40], ids[:40])
    expect(one.text()).to_have_value(LINE)
