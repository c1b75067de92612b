"""A refusal in the browser: the picture of the input before is marked, and claims nothing."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit, Visits

LONG = "x" * 120_000  # characters, more than a text may have


PLACES = [
    ("/?text=abc", ".verdict", LONG, "120,000 characters of text are more than"),
    ("/training?text=abc", ".verdict", "", "There is no token to train on"),
    ("/context?text=abc", ".verdict", "", "There is nothing to compare"),
]


def test_a_picture_of_before_claims_nothing(visit: Visits) -> None:
    """It is marked and cannot be used until there is an answer to what is typed."""
    one = visit(None)
    for path, claim, bad, said in PLACES:
        one.move(path)
        refuse_and_answer(one, claim, bad, said)


def refuse_and_answer(one: Visit, claim: str, bad: str, said: str) -> None:
    """Type what is refused, and then what is not."""
    claims, refusal = one.page.locator(claim).first, one.page.locator(".refusal")
    expect(claims).to_be_visible()
    one.text().fill(bad)
    expect(refusal).to_contain_text(said)
    expect(refusal.get_by_text("The picture still shows the input before.")).to_be_visible()
    expect(claims).to_be_hidden()
    others = "all => all.filter((one) => !one.inert).length"
    assert one.page.locator(".past > :not(.refusal)").evaluate_all(others) == 0
    if bad != LONG:  # else the rerun has answered already, and no address has the text
        one.settle()
        expect(refusal).to_contain_text(said)
    one.type("ab")
    expect(refusal).to_be_hidden()
    expect(claims).to_be_visible()
    assert one.page.locator(":has(> .refusal) > [inert]").count() == 0


def test_a_link_to_a_refusal_shows_it_alone(moves: Visits) -> None:
    """There is no picture of before; a fix in it is pressed, and the picture comes."""
    one = moves("/context?text=bank&edit=b%C3%A4nk&unknown=error")
    refusal = one.page.locator(".refusal")
    expect(refusal).to_contain_text("'ä' (U+00E4) at index 1")
    assert "before" not in refusal.inner_text()
    expect(one.page.locator(".verdict")).to_be_hidden()
    expect(one.page.get_by_label("Another text")).to_have_value("bänk")
    refusal.get_by_role("button", name="Show it as <unk>").click()
    expect(refusal).to_be_hidden()
    one.sees(".verdict", "tokens kept")
    one.linked("text=bank", "edit=b%C3%A4nk")
