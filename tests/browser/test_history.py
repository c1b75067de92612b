"""The address in a browser: a change is an entry, and each entry brings back what it showed."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit, Visits

CASE = "/limits?case=float-ids"


def entries(one: Visit) -> int:
    """The entries of the tab's history."""
    return int(one.page.evaluate("history.length"))


def shown(one: Visit) -> tuple[str, ...]:
    """Path, query, the fields of the frame, and the tokens."""
    fields = one.page.locator("section.stSidebar [role=spinbutton], .st-key-text input")
    values = fields.evaluate_all("all => all.map((one) => one.value)")
    place = one.page.evaluate("location.pathname")
    return place, one.search(), *values, *one.glyphs()


def test_back_and_forward_restore_every_state(visit: Visits) -> None:
    """Each change is one entry, each as it was, both ways; a reload shows it too.

    Typing leaves the example, and Back returns to it.
    """
    one = visit("/")
    before, states = entries(one), [shown(one)]
    for change in (
        lambda: one.number("embedding_dim", "4"),
        lambda: one.text().fill("hey!"),
        lambda: one.number("num_embeddings", "120"),
        lambda: one.go("Context"),
        lambda: one.go("Where it breaks"),
    ):
        change()
        states.append(shown(one.settle()))
    queries = ["", "?dim=4", "?text=hey%21&dim=4", "rows=120", "text=hey%21", ""]
    for state, query in zip(states, queries, strict=True):
        assert query in state[1]
    steps = [(one.page.go_back, state) for state in states[-2::-1]]
    steps += [(one.page.go_forward, state) for state in states[1:]]
    for step, state in steps:
        step()
        one.settle()  # a page's run that begins after the next press makes Streamlit add an entry
        one.until(lambda: shown(one), state)
        assert entries(one) == before + 5
    one.reload()
    one.until(lambda: shown(one), states[-1])


def test_a_click_on_a_page_right_after_a_key_is_not_undone(visit: Visits) -> None:
    """The other page comes and stays, and has the typed text; also in a new tab."""
    one = visit("/?text=ab")
    one.text().press("End")
    one.page.keyboard.type("c")
    one.go("Context")
    one.until(lambda: one.page.evaluate("location.pathname"), "/context")
    one.linked("text=abc")
    expect(one.text()).to_have_value("abc")
    one.text().press("End")
    one.page.keyboard.type("d")
    with one.page.context.expect_page() as opened:
        one.page.locator(".st-key-pages a").first.click(modifiers=["Control"])
    expect(opened.value).to_have_url(re.compile(r"/\?text=abcd?$"))
    opened.value.close()
    assert one.page.evaluate("location.pathname") == "/context"


def test_the_selection_is_an_entry_and_comes_back(moves: Visits) -> None:
    """Token and view stand in the address after a pause; playing does not fill the history."""
    one = moves("/?text=abcdefghijkl")
    before = entries(one)
    one.page.locator(".chip").nth(6).click()
    one.linked("text=abcdefghijkl", "token=6")
    turned = one.page.locator(".turn").get_by_text("Show rows again")
    one.page.locator(".turn").click()
    one.linked("text=abcdefghijkl", "token=6", "view=linear")
    one.go("Playground")  # the link to the page shown leads nowhere, though it is older
    one.settle().linked("text=abcdefghijkl", "token=6", "view=linear")
    expect(turned).to_have_count(1)
    assert entries(one) == before + 2
    one.page.go_back()
    expect(turned).to_have_count(0)
    one.page.go_back()
    one.picked(10, 0, 0)
    one.linked("text=abcdefghijkl")


def test_back_takes_away_what_was_just_chosen(visit: Visits) -> None:
    """Also where the entry before has the same question, and Python sends the picture nothing."""
    one = visit("/?text=abc")
    one.page.locator(".stMain").get_by_text("in a model", exact=True).click()
    one.linked("text=abc", "panel=in+a+model")
    one.settle()
    one.page.locator(".chip").nth(2).evaluate("(chip) => { chip.click(); history.back(); }")
    one.linked("text=abc")
    one.settle().linked("text=abc")
    one.picked(10, 0, 0)


def test_back_pressed_quickly_lands_on_the_last_entry(moves: Visits) -> None:
    """Answers to the entries that were passed change no address."""
    one = moves(CASE)
    before = entries(one)
    one.go("Playground")
    one.go("Context")
    for _ in range(2):
        one.page.go_back()
    one.sees("h2", "Ids that are no integers")
    one.settle().linked("case=float-ids")
    # An answer that is on its way when Back is pressed again may add one, which Streamlit pushes:
    # in 1 of 9 runs, three at once.
    assert entries(one) - before in (2, 3)


def test_a_link_to_the_page_shown_is_an_entry(visit: Visits) -> None:
    """The address has what it shows, and Back returns to what was shown before."""
    one = visit(CASE)
    before = entries(one)
    one.page.get_by_text("Try this").click()
    one.page.locator(".stExpander .stPageLink a").first.click()
    one.until(lambda: "case=float-ids" in one.search(), False)
    assert entries(one) == before + 1
    one.settle().page.go_back()
    one.linked("case=float-ids")
