"""Hostile strings in every field, through links and files, on every page."""

import json
import string
from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_timing import made_run

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
LINES = "\n".join(HOSTILE)
UNKNOWN = "unknown=unk&"
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


def link(page: str, fixed: str = "", **typed: str) -> str:
    """A link to a page with these values in its fields."""
    return f"/{page}?{fixed}" + "&".join(f"{name}={quote(text)}" for name, text in typed.items())


def harmless(one: Visit) -> None:
    """Assert that typed values became no element, link, maths or script."""
    assert one.page.evaluate(FOUND) == []


# Every text field of every page; the last link has hostile values in other parameters too.
LINKS = {
    "text": link("", UNKNOWN + "panel=code&", text=LINE, ids=LINE, chars=LINE, weights=LINES),
    "characters": link(
        "",
        "vocab=custom&panel=code&",
        text="<b>$x",
        student=LINE,
        chars="".join(dict.fromkeys(LINE)),
    ),
    "ids and weights": link("", "input=ids&init=own&", ids=LINE, weights=LINES),
    "documents": link(
        "bag_of_words", "bag=documents&start=random&", docs=LINES, x=LINES, linear=LINES
    ),
    "matrix": link("bag_of_words", "", x=LINES, linear=LINES, docs=LINES),
    "learning": link("training", UNKNOWN, text=LINE, target=LINE, letter=LINE),
    "cases": link("limits", "", find=HOSTILE[0], case=LINE),
    "context": link(
        "context",
        UNKNOWN + "chapter=contextual&",
        text=LINE,
        edit=LINE,
        word=LINE,
        sentences=LINES,
        common=LINE,
        probe=LINE,
    ),
    "student": link("labs", "", student=LINE, done=LINE, lab=LINE, step=LINE),
}


def test_what_is_typed_through_links_is_never_markup(visit: Callable[..., Visit]) -> None:
    """Values in links are shown as text on every page."""
    one = visit(None)
    for name, path in LINKS.items():
        one.open(path)
        harmless(one)
        one.until(lambda path=path: one.page.evaluate("location.pathname"), path.partition("?")[0])
        if name == "text":
            ids = [string.printable.index(c) if c in string.printable else 100 for c in LINE]
            one.until(lambda: [int(token) for _, token in one.chips()][:40], ids[:40])
            expect(one.text()).to_have_value(LINE)
        elif name in ("ids and weights", "matrix"):
            one.sees("[data-testid=stAlert]", "<script>window.hacked")
        elif name == "learning":
            one.sees("[data-testid=stAlert]", ":red[x] $", "{1}{0}$ **bold**")


def test_hostile_files_and_their_names_are_never_markup(visit: Callable[..., Visit]) -> None:
    """Uploaded files and their names are shown as text, also in the report."""
    one = visit(link("timing", "", vary=LINE, methods=HOSTILE[0], time_dtype=HOSTILE[1]))
    one.sees("[data-testid=stAlert]", "<script>window.hacked")
    harmless(one)
    one.page.get_by_text("Compare with other runs").click()
    run = made_run("CPU " + HOSTILE[1] + HOSTILE[5], 1.0)
    torn = json.dumps({"type": HOSTILE[2], HOSTILE[0]: HOSTILE[5]}).encode() + b"\n"
    one.page.locator(".st-key-run_files input[type=file]").set_input_files(
        [
            {"name": f"{HOSTILE[1]}.jsonl", "mimeType": "text/html", "buffer": run},
            {"name": f"{HOSTILE[0].replace('/', '')}.jsonl", "mimeType": "x/y", "buffer": torn},
        ]
    )
    expect(one.page.locator(".js-plotly-plot .point")).not_to_have_count(0)
    one.settle()
    alert = one.page.get_by_test_id("stAlert")
    alert.filter(has_text="<script>window.hacked=1<script>.jsonl").wait_for()
    harmless(one)
    for label, name in (
        ("Run (.jsonl)", "embviz_run.jsonl"),
        ("CSV", "embviz_runs.csv"),
        ("Report (.html)", "embviz_report.html"),
    ):
        with one.page.expect_download() as download:
            one.page.get_by_role("button", name=label).click()
        assert download.value.suggested_filename == name
        if name.endswith("html"):
            report = download.value.path().read_text(encoding="utf-8")
            assert "<img src=x" not in report.replace("\\u003c", "")
