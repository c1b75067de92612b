"""The context page in a browser: shuffling, keys, switches."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks, turn

MAIN = "[data-testid=stMain]"
GRIDS = ".grids .grid"


VERDICT = ".verdict"
UNCHANGED = "each strip is bit for bit what it was"
# Of each letter in its order: its name, and the colours of its strips.
STRIPS = """(board) => [...board.querySelectorAll(".token")].map((one) => [
  one.querySelector(".label").textContent,
  ...[...one.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
])"""
SLIDING = "(board) => board.getAnimations({ subtree: true }).length"


def strips(one: Visit) -> list[list[str]]:
    """The letters and their strips, when none moves any more."""
    board = one.page.locator(".board")
    one.until(lambda: board.evaluate(SLIDING), 0)
    found: list[list[str]] = board.evaluate(STRIPS)
    return found


def unfold(one: Visit, question: str) -> None:
    """Open a fold and wait for what it shows."""
    one.page.get_by_text(question, exact=True).click()
    one.settle()


def test_letters_move_with_their_strips(visit: Callable[..., Visit]) -> None:
    """A press moves the letters, each strip keeps its colours, and the address follows."""
    size = {"width": 1280, "height": 720}
    one = visit("/context?text=banana", viewport=size, color_scheme="dark")
    one.sees(VERDICT, "6 letters, 3 rows: equal letters share one.")
    before = strips(one)
    assert "".join(name for name, _ in before) == "banana"
    assert len({tuple(letter) for letter in before}) == 3, "equal letters have equal strips"
    shuffle = one.page.get_by_role("button", name="Shuffle")
    shuffle.click()
    one.sees(VERDICT, UNCHANGED, "max |difference| 0 by lookup, 0 by one-hot × Linear")
    moved = strips(one)
    assert moved != before
    assert sorted(moved) == sorted(before)
    shuffle.click()
    one.linked("text=banana", "shuffle=1")
    one.until(lambda: strips(one) not in (before, moved), True)
    assert sorted(strips(one)) == sorted(before)
    one.page.get_by_role("button", name="Back").click()
    one.until(lambda: strips(one), before)
    one.page.locator(".token").nth(1).hover()
    one.sees(".lit-words", "a is id 10, at places 1, 3 and 5: each time row 10, the same bits.")
    expect(one.page.locator(".token.lit")).to_have_count(3)
    unfold(one, "How alike are any two rows?")
    expect(one.page.locator(GRIDS)).to_have_count(2)
    one.sees(MAIN, "4 pairs of equal tokens, cosine 1.0000")
    check_looks(one)


def test_the_keys_light_letters_and_cells(visit: Callable[..., Visit]) -> None:
    """Arrow keys move from letter to letter and down a strip; a cell's sum is written out."""
    one = visit("/context?chapter=contextual&text=abca")
    one.sees(".lit-words", "a is id 10, at places 0 and 3: each time row 10, the same bits.")
    one.page.locator(".token").first.focus()
    one.page.keyboard.press("ArrowRight")
    one.sees(".lit-words", "b is id 11, at place 1: row 11.")
    one.page.keyboard.press("ArrowDown")
    number = r"-?\d\.\d{4}"
    words = (
        f"Place 1, dimension 0: row {number} [+] place {number} [+] attention {number} = comes out"
    )
    one.sees(".lit-words", re.compile(words))
    written = [float(x) for x in re.findall(number, one.page.locator(".lit-words").inner_text())]
    assert written[-1] == pytest.approx(sum(written[:-1]), abs=2e-4)
    one.page.keyboard.press("Escape")
    expect(one.page.locator(".token.lit")).to_have_count(0)


def test_a_chapter_follows_typing_by_the_route(visit: Callable[..., Visit]) -> None:
    """The route answers a key and a refused text; the rerun for the same text changes nothing."""
    one = visit("/context?text=banan")
    field = one.page.locator(".st-key-text input")
    with one.page.expect_response("**/live") as answered:
        field.press("End")
        field.press("a")
    assert answered.value.status == 200
    one.sees(VERDICT, "6 letters, ")
    field.press("s")
    one.sees(VERDICT, "7 letters, ")
    one.page.locator(".verdict p").evaluate("(element) => { element.kept = true; }")
    one.linked("text=bananas")
    one.settle()
    assert one.page.locator(".verdict p").evaluate("(element) => element.kept")
    field.fill("")
    one.sees("[data-testid=stAlert]", "There is nothing to compare")
    field.fill("banana")
    one.sees(VERDICT, "6 letters, ")
    one.settle()


def test_switches_add_context_one_at_a_time(visit: Callable[..., Visit]) -> None:
    """The chapter opens with equal letters parted; switches show which part does it."""
    one = visit("/context?chapter=contextual&text=abcabd")
    one.sees(VERDICT, "With positions and attention (causal), 2 of 2 pairs of equal letters part")
    letters = strips(one)
    assert letters[0][1] == letters[3][1]
    assert letters[0][2] != letters[3][2]
    one.page.locator(".st-key-attention label").click()
    one.page.locator(".st-key-places label").click()
    one.sees(VERDICT, "With nothing added, 2 of 2 pairs of equal letters stay the same")
    one.until(lambda: strips(one)[0][1:] == strips(one)[3][1:], True)
    one.page.locator(".st-key-attention label").click()
    one.sees(VERDICT, "With attention (causal), 2 of 2 pairs of equal letters part")
    one.page.get_by_role("radio", name="full").click()
    one.sees(VERDICT, "With attention (full), 2 of 2 pairs of equal letters stay the same")
    one.linked("chapter=contextual", "text=abcabd", "mask=full", "places=false")
    unfold(one, "Who looks at whom?")
    check_looks(one)
    turn(one, (390, 844), "dark")
    check_looks(one)
    touched = one.page.locator(".token").first
    touched.scroll_into_view_if_needed()
    box = touched.locator("canvas").first.bounding_box()
    assert box is not None
    middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 3}
    touch = one.page.context.new_cdp_session(one.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    one.sees(".lit-words", re.compile(r"Place 0, dimension \d: row -?\d"))
    touch.detach()
