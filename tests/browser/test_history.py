"""Back, Forward and the address: what makes an entry, and what an entry brings back."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from embviz.ui.pages.training.lessons import LESSONS
from tests.browser.conftest import Visit


def entries(one: Visit) -> int:
    """The entries of the tab's history."""
    return int(one.page.evaluate("history.length"))


def options(one: Visit, name: str) -> Locator:
    """Values that stand side by side, by their names or their titles."""
    return one.page.locator(f"[class*=st-key-{name}]:visible").get_by_role("radio")


def choose(one: Visit, name: str, option: str) -> None:
    """Press one of several values."""
    options(one, name).filter(has_text=option).click()
    one.settle()


def chosen(one: Visit, name: str, option: str) -> None:
    """Assert that this value is the pressed one, now or soon."""
    pressed = options(one, name).and_(one.page.locator("[aria-checked=true]"))
    expect(pressed).to_contain_text(option)


def go(one: Visit, page: str) -> None:
    """Follow a link of the menu."""
    one.page.get_by_test_id("stTopNavLink").get_by_text(page, exact=True).click()
    one.settle()


def number(one: Visit, name: str, value: str) -> None:
    """Type a number into a field of the sidebar."""
    field = one.page.get_by_role("spinbutton", name=name)
    field.fill(value)
    field.press("Enter")
    one.settle()


def test_a_source_of_the_bag_comes_back_with_its_editor(visit: Callable[..., Visit]) -> None:
    """Each source is one entry; leaving the page changes none; Back shows the source's editor."""
    one = visit("/bag_of_words")
    choose(one, "bag", "file")
    before = entries(one)
    choose(one, "bag", "matrix")
    matrix = one.search()
    choose(one, "bag", "documents")
    documents = one.search()
    assert entries(one) == before + 2
    go(one, "Training")
    assert entries(one) == before + 3
    one.page.go_back()
    chosen(one, "bag", "documents")
    expect(one.page.locator(".st-key-docs textarea")).to_be_visible()
    assert one.search() == documents
    one.page.go_back()
    chosen(one, "bag", "matrix")
    expect(one.page.get_by_test_id("stDataFrame").first).to_be_visible()
    assert one.search() == matrix
    one.page.go_forward()
    chosen(one, "bag", "documents")
    assert one.search() == documents
    assert entries(one) == before + 3


def test_back_restores_the_settings_of_an_entry(visit: Callable[..., Visit]) -> None:
    """A lesson is an entry, a number is not; each entry brings its numbers, default ones too."""
    one = visit("/training?lesson=drift&dim=3")
    before = entries(one)
    choose(one, "lesson", LESSONS["step"].title)
    number(one, "embedding_dim", "5")
    choose(one, "lesson", LESSONS["drift"].title)
    number(one, "embedding_dim", "10")
    assert entries(one) == before + 2
    one.linked("lesson=drift")
    one.page.go_back()
    one.linked("dim=5")
    chosen(one, "lesson", LESSONS["step"].title)
    dim = one.page.get_by_role("spinbutton", name="embedding_dim")
    expect(dim).to_have_value("5")
    one.page.go_back()
    expect(dim).to_have_value("3")
    one.page.go_forward()
    one.page.go_forward()
    chosen(one, "lesson", LESSONS["drift"].title)
    expect(dim).to_have_value("10")
    one.linked("lesson=drift")
    assert entries(one) == before + 2


def test_back_pressed_quickly_lands_on_the_last_entry(visit: Callable[..., Visit]) -> None:
    """Answers to the entries that were passed neither change an address nor add one."""
    one = visit("/limits?case=float-ids")
    before = entries(one)
    go(one, "Playground")
    go(one, "Context")
    choose(one, "chapter", "contextual")
    for _ in range(3):
        one.page.go_back()
    one.sees("h4", "Ids that are no integer tensor")
    one.settle()
    one.linked("case=float-ids")
    assert entries(one) == before + 3
    for _ in range(3):
        one.page.go_forward()
    chosen(one, "chapter", "contextual")
    one.settle()
    one.linked("chapter=contextual")


def test_settings_of_other_pages_stay_out_of_the_address(visit: Callable[..., Visit]) -> None:
    """The session keeps them, and the address has them again on a page that reads them."""
    one = visit("/timing?text=hi&token=1&vary=dim")
    one.linked("vary=dim")
    go(one, "Playground")
    one.linked("text=hi", "token=1")
    one.picked("ids[0, 1]")
    number(one, "embedding_dim", "4")
    go(one, "Where it breaks")
    one.linked()
    one.reload()
    one.linked()
    one.page.go_back()
    one.linked("text=hi", "token=1", "dim=4")
    one.settle()
    go(one, "Timing")
    one.linked()  # the reload began another session
    one.page.go_back()
    one.settle()
    go(one, "Bag of words")
    go(one, "Context")
    one.linked("text=hi", "dim=4")


def test_a_link_that_asks_for_a_default_opens_it(visit: Callable[..., Visit]) -> None:
    """The next stop after the bag is the first lesson, whichever lesson was open before."""
    one = visit("/training?lesson=drift")
    go(one, "Bag of words")
    one.page.locator(".st-key-next_stop a").click()
    chosen(one, "lesson", LESSONS["step"].title)
    one.linked()


def test_what_was_typed_over_does_not_come_back(visit: Callable[..., Visit]) -> None:
    """An answer of Python has the parameters of the run it began with, which may be older."""
    one = visit("/limits")
    find = one.page.get_by_label("Search, or paste an error message")
    for part, whole in (("pa", "find=pa"), ("dding", "find=padding")):
        find.press_sequentially(part)
        one.until(lambda whole=whole: whole in one.search(), True)
    one.settle()
    for query in ("find=pa", "find=pa&case=float-ids", "case=float-ids"):
        one.page.evaluate("query => history.pushState({}, '', '?' + query)", query)
        assert "find=padding" in one.search()
    assert "case=float-ids" in one.search()
    one.page.keyboard.press("Tab")
    one.page.evaluate("history.pushState({}, '', '?find=pa')")  # Python may set it after a press
    one.linked("find=pa")


def test_the_address_has_the_newest_token(visit: Callable[..., Visit]) -> None:
    """An answer of Python has the token of the run it began with; a page left has the newest."""
    one = visit("/?text=abcdefghijkl")
    for token in (6, 9, 2):
        one.page.locator(".chip").nth(token).click()
    one.linked("text=abcdefghijkl", "token=2")
    one.page.evaluate("history.pushState({}, '', '?text=abcdefghijkl&token=9')")
    one.linked("text=abcdefghijkl", "token=2")
    one.page.locator(".chip").nth(5).click()
    go(one, "Timing")
    one.page.go_back()
    one.linked("text=abcdefghijkl", "token=5")
    one.picked("ids[0, 5]")
