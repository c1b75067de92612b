"""What marks something is seen: labels, links, and what is chosen, in forced colours too."""

from playwright.sync_api import expect

from tests.browser.conftest import SCREEN, Visits
from tests.browser.test_looks import turn

# Labels of rows and columns that are cut, or lie beyond the picture.
CUT = """ways => [...ways.querySelectorAll(".label, .sub, .name")].filter((one) =>
  one.scrollWidth > one.clientWidth + 1
  || one.getBoundingClientRect().left < ways.getBoundingClientRect().left - 1
  || one.getBoundingClientRect().right > ways.getBoundingClientRect().right + 1)
  .map((one) => one.textContent)"""


def test_no_label_of_a_row_is_cut(moves: Visits) -> None:
    """Neither `<unk>` nor a piece, in both drawings, on a wide screen and on a phone.

    On a wide screen there is room for ten numbers beside them.
    """
    one = moves(None)
    ways, button = one.page.locator(".ways"), one.page.locator(".turn")
    for path in ("/?text=%E4%BD%A0a", "/?text=constitution&vocab=bpe"):
        one.page.set_viewport_size(SCREEN)
        one.move(path)
        expect(one.page.locator(".answer.left")).to_have_count(10)
        for size in ((1280, 720), (390, 844)):
            turn(one, size, "light")
            for _ in range(2):
                one.until(lambda: ways.evaluate(CUT), [])
                expect(ways.locator(".label").first).to_be_visible()
                button.click()
        one.settle()


# What can be pressed and has words, but neither a box nor a line below the words.
BARE = """() => {
  const clear = (colour) => /transparent|, 0\\)$/.test(colour);
  const isBoxed = (one) => {
    const style = getComputedStyle(one);
    return !clear(style.backgroundColor)
      || (parseFloat(style.borderTopWidth) > 0 && !clear(style.borderTopColor));
  };
  const isLined = (one) => [one, ...one.querySelectorAll("p")]
    .some((part) => getComputedStyle(part).textDecorationLine === "underline");
  return [...document.querySelectorAll(".stApp :is(button, a[href])")]
    .filter((one) => /[a-z]{2}/i.test(one.innerText) && one.checkVisibility()
      && !one.closest(".st-key-pages, [data-testid=stHeader]"))
    .filter((one) => !isBoxed(one) && !isLined(one)).map((one) => one.innerText);
}"""
COLOURS = """() => [...document.querySelectorAll(".stMain :is(.stMarkdown a, .stPageLink a p, "
  + "button[kind=tertiary] p)")].filter((one) => !one.closest(".st-key-pages, .st-key-tour_press"))
  .map((one) => getComputedStyle(one).color)"""


def test_what_leads_somewhere_looks_like_a_link_or_a_button(visit: Visits) -> None:
    """A link has one colour and a line, a button that leads to a case too, in both themes."""
    one = visit(None)
    for path in ("/", "/limits?find=nan", "/labs?lab=row&numbers=5"):
        one.move(path)
        for fold in one.page.locator(".stMain summary").all():
            fold.click()
        one.settle()
        for theme in ("light", "dark"):
            turn(one, (1440, 900), theme)
            one.until(lambda: one.page.evaluate(BARE), [])
            one.until(lambda: len({*one.page.evaluate(COLOURS)}), 1)


LOOK = """one => {
  const style = getComputedStyle(one);
  const { backgroundColor, borderTopColor, borderTopWidth, outlineStyle, outlineWidth } = style;
  return [backgroundColor, borderTopColor, borderTopWidth, outlineStyle, outlineWidth].join();
}"""
CHOSEN = [
    ("/?text=ab", ".cell.left", ".cell:not(.left, .right)"),
    ("/?text=ab", ".cell.right", ".cell.zero"),
    ("/?text=ab", ".label.picked", ".label:not(.picked)"),
    ("/?text=ab", ".factor.one", ".factor:not(.one)"),
    ("/?text=ab", ".chip.selected", ".chip:not(.selected)"),
    ("/?text=ab", "[role=radio][aria-checked=true]", "[role=radio][aria-checked=false]"),
    ("/bag_of_words", ".documents [aria-pressed=true]", ".documents [aria-pressed=false]"),
    ("/bag_of_words", "[role=radio][aria-checked=true]", "[role=radio][aria-checked=false]"),
    ("/training?text=ab", ".strip > [aria-selected=true]", ".strip > [aria-selected=false]"),
    ("/context?chapter=contextual&text=aab", ".label.lit", ".label:not(.lit)"),
    ("/timing", "button[kind=primary]", "button[kind=secondary]"),
]
TRACK = ".stCheckbox span:has([role=switch]) + div"


def test_what_is_chosen_is_seen_in_forced_colours(moves: Visits) -> None:
    """Not by its weight alone. A switch has an outline, and a tint stays where it is a value."""
    one = moves(None, forced_colors="active")
    wrong, at = [], ""
    for path, chosen, other in CHOSEN:
        if path != at:
            one.move(at := path)
        looks = [one.page.locator(part).first.evaluate(LOOK) for part in (chosen, other)]
        if looks[0] == looks[1]:
            wrong.append(chosen)
        if path == "/?text=ab":
            tints = one.page.locator(".cell:not(.zero)")
            colour = "all => new Set(all.map((one) => getComputedStyle(one).backgroundColor)).size"
            assert tints.evaluate_all(colour) > 10
    assert wrong == []
    assert "solid" in one.page.locator(TRACK).first.evaluate(LOOK)


# The ring of what has the focus, on it or around its hidden part; empty without one that is seen.
RING = """() => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  const isBeyond = one === document.body;
  for (; one?.nodeType === 1; one = one.parentElement) {
    const { outlineStyle, outlineWidth, outlineColor, backgroundColor } = getComputedStyle(one);
    const isThere = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    if (isThere && outlineColor !== backgroundColor) return "ring";
    if (one.matches("label, .stMain")) break;
  }
  return isBeyond ? "beyond" : "";
}"""


def test_the_focus_is_seen_in_forced_colours(moves: Visits) -> None:
    """At each stop of Tab: Streamlit draws it as a shadow, which forced colours take away."""
    one = moves(None, forced_colors="active")
    bare = list[str]()
    for path in ("/", "/bag_of_words", "/training?text=ab", "/labs?lab=row&numbers=3&step=3"):
        one.move(path)
        one.page.locator(".stMain h1").click()  # Tab begins here
        for stop in range(60):
            one.page.keyboard.press("Tab")
            if (ring := one.page.evaluate(RING)) == "beyond":
                break
            if not ring:
                bare.append(f"{path}: stop {stop}")
        assert stop > 5
    assert bare == []


# What takes the focus in our components, and looks then as it does without.
UNSEEN = """() => {
  const look = (one) => {
    const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(one);
    const ring = [outlineStyle, outlineWidth, outlineColor, outlineOffset];
    return outlineStyle === "none" ? "" : ring.join();
  };
  const roots = [...document.querySelectorAll(".stMain *")].flatMap((one) => one.shadowRoot ?? []);
  const takes = (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility();
  const all = roots.flatMap((root) => [...root.querySelectorAll("*")]).filter(takes);
  const same = all.filter((one) => {
    document.activeElement.blur();
    const before = look(one);
    one.focus({ preventScroll: true });
    return look(one) === before;
  });
  return [all.length > 0, same.map((one) => one.outerHTML.slice(0, 99))];
}"""


def test_the_focus_is_told_from_what_is_chosen(moves: Visits) -> None:
    """On each thing of our own that a key can reach, chosen or not, in all colours."""
    one = moves(None)
    for colours in ("none", "active"):
        one.page.emulate_media(forced_colors=colours)
        for path in ("/?text=ab", "/bag_of_words", "/training", "/training?text=ab", "/context"):
            one.move(path)
            one.page.keyboard.press("Tab")  # the focus comes by a key
            one.until(lambda: one.page.evaluate(UNSEEN), [True, []])
