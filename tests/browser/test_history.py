"""The address in a browser: a change is an entry, and each entry brings back what it showed."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit

SEVEN = "/?text=hello&vocab=bytes&rows=300&dim=8&seed=5&init=integers&dtype=float64"


def entries(one: Visit) -> int:
    """The entries of the tab's history."""
    return int(one.page.evaluate("history.length"))


def shown(one: Visit) -> tuple[str, ...]:
    """The path, the query, and what the widgets of the frame show."""
    fields = one.page.locator(
        "section.stSidebar [role=spinbutton], :is(.st-key-text, .st-key-ids) input"
    )
    values = fields.evaluate_all("all => all.filter(e => e.type !== 'radio').map(e => e.value)")
    return one.page.evaluate("location.pathname"), one.search(), *values


def test_back_and_forward_restore_every_state(visit: Callable[..., Visit]) -> None:
    """Seven settings, three changes, two pages: each one entry, each as it was, both ways."""
    one = visit(SEVEN)
    before, states = entries(one), [shown(one)]
    one.number("embedding_dim", "4")
    states.append(shown(one))
    one.number("seed", "9")
    states.append(shown(one))
    one.text().fill("hey")
    one.text().press("Enter")
    one.settle()
    states.append(shown(one))
    for name in ("Context", "Where it breaks"):
        one.go(name)
        states.append(shown(one))
    assert entries(one) == before + 5
    assert len(set(states)) == 6
    assert "text=hey" in states[4][1]
    for state in states[-2::-1]:
        one.page.go_back()
        one.settle()  # a page's run that begins after the next press makes Streamlit add an entry
        one.until(lambda: shown(one), state)
        assert entries(one) == before + 5
    for state in states[1:]:
        one.page.go_forward()
        one.settle()
        one.until(lambda: shown(one), state)
        assert entries(one) == before + 5


def test_typing_leaves_the_example_and_back_returns_to_it(visit: Callable[..., Visit]) -> None:
    """Each is one entry with its own widgets; `/playground` is the same page, and one entry."""
    one = visit("/")
    one.until(one.glyphs, ["c", "a", "b"])
    before, states = entries(one), [shown(one)]
    one.number("embedding_dim", "4")
    states.append(shown(one))
    one.text().fill("hey!")
    one.settle()
    one.until(one.glyphs, ["h", "e", "y", "!"])
    states.append(shown(one))
    assert [state[1] for state in states] == ["", "?dim=4", "?text=hey%21&dim=4"]
    one.page.go_back()
    one.settle()
    one.until(lambda: shown(one), states[1])
    one.until(one.glyphs, ["c", "a", "b"])
    one.page.go_back()
    one.settle()
    one.until(lambda: shown(one), states[0])
    one.page.go_forward()
    one.page.go_forward()
    one.settle()
    one.until(lambda: shown(one), states[2])
    assert entries(one) == before + 2
    one.open("/playground?text=hi")
    one.until(one.glyphs, ["h", "i"])
    assert (one.page.evaluate("location.pathname"), entries(one)) == ("/", before + 3)


def test_a_pasted_link_shows_the_same_numbers(visit: Callable[..., Visit]) -> None:
    """In another tab, and after a reload."""
    one = visit(SEVEN + "&token=2")
    one.picked(108, 0, 2)
    numbers = one.agreed()
    other = visit("/" + one.search())
    other.until(other.agreed, numbers)
    other.picked(108, 0, 2)
    other.reload()
    other.until(other.agreed, numbers)


def test_a_bad_link_gives_a_note_or_the_default_on_every_page(visit: Callable[..., Visit]) -> None:
    """And the page goes on: a page that does not read the setting ignores it."""
    one = visit(None)
    for page in ("", "training", "context", "bag_of_words", "timing", "limits", "labs"):
        one.open(f"/{page}?dim=inf&rows=4&vocab=zzz")
        alerts = one.page.get_by_test_id("stAlert")
        if page in ("", "training", "context"):
            expect(alerts.filter(has_text="vocab='zzz'")).to_have_count(1)
            expect(alerts.filter(has_text="dim='inf'")).to_have_count(1)
            expect(one.page.get_by_role("spinbutton", name="num_embeddings")).to_have_value("4")
            if not page:  # a change of any setting takes the notes along
                one.page.locator(".st-key-panel").get_by_text("storage", exact=True).click()
                expect(alerts).to_have_count(0)
        else:
            expect(alerts.filter(has_text="inf")).to_have_count(0)


def test_a_text_that_no_vocabulary_has_shows_a_picture(visit: Callable[..., Visit]) -> None:
    """Typed, and as a link; one press reads all of it."""
    one = visit("/")
    one.type("Zoë 😀")
    wanted = [("Z", "61"), ("o", "24"), ("<unk>", "100"), ("·", "94"), ("<unk>", "100")]
    one.until(one.chips, wanted)
    expect(one.page.get_by_test_id("stAlert")).to_have_count(0)
    other = visit("/" + one.search())
    other.until(other.chips, wanted)
    assert other.agreed()
    other.page.get_by_role("button", name="Use bytes").click()
    other.until(lambda: len(other.chips()), 9)


def test_a_click_on_a_page_right_after_a_key_is_not_undone(visit: Callable[..., Visit]) -> None:
    """The other page comes and stays, and has the typed text."""
    one = visit("/?text=ab")
    one.text().press("End")
    one.page.keyboard.type("c")
    one.go("Context")
    one.until(lambda: one.page.evaluate("location.pathname"), "/context")
    one.linked("text=abc")
    expect(one.text()).to_have_value("abc")
    one.text().press("End")
    one.page.keyboard.type("d")
    with one.page.context.expect_page() as opened:  # and a new tab is one
        one.page.locator(".st-key-pages a").first.click(modifiers=["Control"])
    expect(opened.value).to_have_url(re.compile(r"/\?text=abcd?$"))
    opened.value.close()
    assert one.page.evaluate("location.pathname") == "/context"


def test_the_selection_is_an_entry_and_comes_back(visit: Callable[..., Visit]) -> None:
    """Token and view stand in the address after a pause; playing does not fill the history."""
    one = visit("/?text=abcdefghijkl")
    before = entries(one)
    one.page.locator(".chip").nth(6).click()
    one.linked("text=abcdefghijkl", "token=6")
    turned = one.page.locator(".turn[aria-pressed=true]")
    one.page.locator(".turn").click()
    one.linked("text=abcdefghijkl", "token=6", "view=linear")
    one.go("Playground")  # the link to the page shown leads nowhere, though it is older
    one.settle()
    one.linked("text=abcdefghijkl", "token=6", "view=linear")
    expect(turned).to_have_count(1)
    assert entries(one) == before + 2
    one.page.go_back()
    expect(turned).to_have_count(0)
    one.page.go_back()
    one.picked(10, 0, 0)
    one.linked("text=abcdefghijkl")


def test_back_pressed_quickly_lands_on_the_last_entry(visit: Callable[..., Visit]) -> None:
    """Answers to the entries that were passed neither change an address nor add one."""
    one = visit("/limits?case=float-ids")
    before = entries(one)
    one.go("Playground")
    one.go("Context")
    for _ in range(2):
        one.page.go_back()
    one.sees("h4", "Ids that are no integers")
    one.settle()
    one.linked("case=float-ids")
    assert entries(one) == before + 2


def test_a_link_to_the_page_shown_is_an_entry(visit: Callable[..., Visit]) -> None:
    """The address and the history have what it shows, and Back returns to what was shown before."""
    one = visit("/limits?case=float-ids")
    before = entries(one)
    one.page.get_by_text("Try this").click()
    one.page.locator(".stExpander .stPageLink a").first.click()
    one.until(lambda: "case=float-ids" in one.search(), False)
    assert entries(one) == before + 1
    one.settle()
    one.page.go_back()
    one.linked("case=float-ids")
    one.sees("h4", "Ids that are no integers")
