"""The context page in a browser: letters that move with their strips, keys, switches."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from embviz.settings.pages import SETTINGS
from tests.browser.conftest import Visit, Visits
from tests.browser.test_axe import CONTROLS, COUNT, MOST_CONTROLS
from tests.browser.test_looks import check_looks, turn

VERDICT, HOLDS, SUM = ".verdict", ".holds", ".sum"
MOST_WORDS = 80
UNCHANGED = "each strip is bit for bit what it was"
# Of each letter, line by line: its name, its id, and the colours of its strips, from above.
STRIPS = """(picture) => {
  const all = [...picture.children].map(
    (one) => [+one.style.gridRowStart, +one.style.gridColumnStart, one]);
  const below = (row, column) => all.find(([r, c]) => r === row && c === column)?.[2];
  const labels = all.filter(([, , one]) => one.matches(".label"));
  return labels.sort(([a, b], [c, d]) => a - c || b - d).map(([r, c, one]) => {
    const found = [one.textContent, below(r + 1, c).textContent];
    for (let row = r + 2; below(row, c)?.matches(".strip"); row++) {
      const canvas = below(row, c).firstChild, { width, height } = canvas;
      const paper = new OffscreenCanvas(width, height)
        .getContext("2d", { willReadFrequently: true }); // Chromium warns else
      paper.drawImage(canvas, 0, 0);
      const { data } = paper.getImageData(0, 0, width, height);
      found.push([...data].filter((_, k) => k % 4 < 3));
    }
    return found;
  });
}"""
# px from the headline to the first fold
BELOW = """() => document.querySelector("summary").getBoundingClientRect().top
  - document.querySelector("h1").getBoundingClientRect().top"""
LEFT = "(one) => one.getBoundingClientRect().left"
# Presses a button, and gives where a letter begins to slide: a slow test would look too late.
FROM = """(letter, button) => new Promise((done) => {
  const look = () => {
    const [slide] = letter.getAnimations({ subtree: true });
    if (slide) done(slide.effect.getKeyframes()[0].transform ?? "none");
    else requestAnimationFrame(look);
  };
  button.click();
  look();
})"""


def moving(one: Visit) -> Any:
    """How many parts of the picture slide or fade now."""
    count = "(picture) => picture.getAnimations({ subtree: true }).length"
    return one.page.locator(".picture").evaluate(count)


def strips(one: Visit) -> Any:
    """The letters with their ids and strips, when none moves or changes any more."""
    found: list[Any] = [None]

    def stays() -> bool:
        """Whether they are what they were at the look before."""
        one.page.wait_for_timeout(50)
        found.append(one.page.locator(".picture").evaluate(STRIPS))
        return found[-1] == found[-2]

    one.until(lambda: moving(one), 0)
    one.until(stays, True)
    return found[-1]


def lit(one: Visit) -> str:
    """The letters that are lit."""
    return "".join(one.page.locator(".label.lit").all_text_contents())


def named(one: Visit) -> str:
    """The letters in their order."""
    return "".join(name for name, *_ in strips(one))


def press(one: Visit, name: str) -> None:
    """Press a button."""
    one.page.get_by_role("button", name=name, exact=True).click()


def slides(one: Visit, letter: Locator, name: str) -> str:
    """Press a button that moves a letter; the offset at which it begins to slide."""
    button = one.page.get_by_role("button", name=name, exact=True)
    return str(letter.evaluate(FROM, button.element_handle()))


def test_letters_move_with_their_strips(moves: Visits) -> None:
    """A press moves the letters, each strip keeps its colours, and the address follows."""
    one = moves("/context?text=banana", color_scheme="dark")
    one.sees(VERDICT, "6 tokens, 3 rows: equal tokens share one.")
    before = strips(one)
    assert [letter[:2] for letter in before] == [
        [x, {"b": "11", "a": "10", "n": "23"}[x]] for x in "banana"
    ]
    assert before[1] == before[3] == before[5] != before[2] == before[4] != before[0]
    expect(one.page.get_by_role("button", name="Back")).to_be_hidden()
    first = one.page.locator(".label", has_text="b")
    was = first.evaluate(LEFT)
    begins = slides(one, first, "Shuffle the tokens below")
    one.sees(VERDICT, UNCHANGED, "max |difference| 0 by lookup, 0 by matmul")
    moved = strips(one)
    assert float(begins[10:].partition("px")[0]) == pytest.approx(was - first.evaluate(LEFT))
    assert moved != before
    assert sorted(moved) == sorted(before)
    one.linked("text=banana")
    press(one, "Shuffle the tokens below")
    one.linked("text=banana", "shuffle=1")
    assert slides(one, first, "Back")
    assert strips(one) == before
    press(one, "Shuffle the tokens below")
    one.type("bananas")
    one.sees(VERDICT, "7 tokens, 4 rows")
    assert named(one) == "bananas", "another text is first shown as it is typed"


def test_another_text_stands_below_the_first(moves: Visits) -> None:
    """Both are there; the same letter has the same strip, and pointing at it lights all of it."""
    one = moves("/context?text=bank&edit=banks")
    one.sees(VERDICT, "4 of 5 tokens kept, none moved, each kept strip is bit for bit")
    for button in (".go", ".back"):
        expect(one.page.locator(button)).to_be_hidden()
    both = strips(one)
    assert named(one) == "bankbanks"
    assert both[:4] == both[4:8]
    expect(one.page.locator(".number")).to_have_text(["1", "2"])
    one.page.locator(".label").nth(1).hover()
    one.sees(HOLDS, "a (id 10) in text 1, place 1; text 2, place 1, from 0: one row.")
    assert lit(one) == "aa"
    one.page.get_by_label("Another text", exact=True).fill("snab")
    one.sees(VERDICT, "3 of 4 tokens kept, 3 moved")
    assert named(one) == "banksnab"
    one.page.get_by_label("Another text", exact=True).fill("")
    one.sees(VERDICT, "4 tokens, 4 rows.")
    assert named(one) == "bank"


def test_pointing_and_pressing_light_all_places_of_a_letter(moves: Visits) -> None:
    """The pointer lights while it is there; a press keeps it; Escape or a new text ends it."""
    one = moves("/context?text=banana")
    letters, keys = one.page.locator(".label"), one.page.keyboard
    letters.nth(1).hover()
    one.sees(HOLDS, "a (id 10) at places 1, 3 and 5, from 0: one row.")
    assert lit(one) == "aaa"
    expect(one.page.locator(".strip.dim")).to_have_count(3)
    letters.nth(2).click()
    letters.nth(0).hover()
    one.sees(HOLDS, "b (id 11) at place 0, from 0: row 11.")
    one.page.mouse.move(5, 5)
    one.sees(HOLDS, "n (id 23) at places 2 and 4")
    one.page.locator(".strip").nth(0).hover(position={"x": 5, "y": 3.5 * 12})
    one.sees(SUM, re.compile(r"^Place 0, dimension 3 of its row: −?\d\.\d{4}$"))
    one.page.mouse.move(5, 5)
    expect(one.page.locator(SUM)).to_have_text("")
    one.page.locator(".picture").focus()
    for pressed, words in ((["ArrowLeft"] * 4, "b (id 11)"), (["Escape"], "Point at a token.")):
        for key in pressed:
            keys.press(key)
        one.sees(HOLDS, words)
    letters.nth(2).click()
    one.type("bandana")
    one.sees(HOLDS, "Point at a token.")


def test_switches_add_context_one_at_a_time(moves: Visits) -> None:
    """The chapter opens with equal letters parted; switches show which part does it."""
    one = moves("/context?chapter=contextual&text=abcabd")
    page = one.page
    one.sees(
        VERDICT,
        "With untrained places and attention (causal), 2 of 2 pairs of equal tokens differ",
    )
    assert lit(one) == "aa"
    (_, _, row, out), _, _, (_, _, other_row, other_out), *_ = strips(one)
    assert row == other_row != out != other_out
    page.locator(".label", has_text="c").click()
    for name, words in (
        ("attention", "With untrained places, 2 of 2 pairs of equal tokens differ"),
        ("places", "With nothing added, 2 of 2 pairs of equal tokens stay the same"),
    ):
        page.locator(f".st-key-{name} label").click()
        one.sees(VERDICT, words)
        assert lit(one) == "c", "a switch leaves the letter that was pressed"
        assert all(row == out for _, _, row, out in strips(one)) == ("nothing" in words)
    one.linked("chapter=contextual", "text=abcabd", "attention=false", "places=false")


def test_a_number_that_comes_out_is_a_sum(moves: Visits) -> None:
    """An arrow key writes the sum of row, place, attention and the MLP, which adds up."""
    one = moves("/context?chapter=contextual&text=abca")
    words = r"N \(row\) [+] N \(place\) [+] N \(attention\) [+] N \(MLP\) = N \(comes out\)"
    number, picture = r"(−?\d\.\d{4})", one.page.locator(".picture")
    picture.press("ArrowRight")
    for dim in range(3):
        picture.press("ArrowDown")
        one.sees(SUM, re.compile(f"^Place 1, dimension {dim}: {words.replace('N', number)}$"))
        said = one.page.locator(SUM).inner_text()
        *terms, out = (float(of.replace("−", "-")) for of in re.findall(number, said))
        assert out == pytest.approx(sum(terms), abs=3e-4)


def test_long_texts_and_sentences_have_lines(moves: Visits) -> None:
    """A text breaks into lines of equal length, a sentence begins its own, also on a phone."""
    one = moves("/context?chapter=sentences")

    def lines() -> list[int]:
        rows = one.page.locator(".label").evaluate_all(
            "(all) => all.map((a) => a.style.gridRowStart)"
        )
        return [rows.count(row) for row in dict.fromkeys(rows)]

    one.until(lines, [9, 8, 8])
    assert lit(one) == "bankbankbank"
    one.page.locator(".strip").last.hover()
    one.sees(
        SUM, re.compile(r"^Place 7, dimension \d+ of layer 6: ")
    )  # of its sentence, as the model counts
    assert one.page.locator(".number").all_text_contents() == ["1", "2", "3"]
    turn(one, (390, 844), "light")
    one.until(lambda: len(lines()) > 3 and sum(lines()), 25)
    assert one.page.locator(".number").all_text_contents() == ["1", "2", "3"]
    one.move(f"/context?text={'ab' * 20}")
    one.until(lambda: sum(lines()), 40)
    *full, last = lines()
    assert len({*full}) == 1
    assert full[0] - len(full) <= last <= full[0]  # as equal as can be
    check_looks(one)


def test_low_strips_have_names_too(moves: Visits) -> None:
    """The strips of three numbers are too low for turned names."""
    one = moves("/context?chapter=contextual")
    expect(one.page.locator(".name.level")).to_have_text(["row", "comes out"])


@pytest.mark.parametrize("chapter", SETTINGS["chapter"].options())
def test_every_chapter_is_short_and_still(moves: Visits, chapter: str) -> None:
    """Few words and controls; what is below the picture stays where it is, wherever one points.

    Nothing overlaps; axe finds nothing.
    """
    one = moves(f"/context?chapter={chapter}")
    page = one.page
    for size, theme in (((1440, 900), "light"), ((390, 844), "dark")):
        turn(one, size, theme)
        page.locator(".strip").first.wait_for()
        check_looks(one)
        strips(one)
        stood = page.evaluate(BELOW)
        last = page.locator(".label").count() - 1
        for at in (0, last // 2, last):
            page.locator(".label").nth(at).hover()
            page.locator(".strip").nth(at).hover()
            assert page.evaluate(BELOW) == stood, at
        page.mouse.move(1, 1)
        if size[0] > 400:
            assert 5 < page.evaluate(COUNT)[1] <= MOST_WORDS
            assert 5 < page.evaluate(CONTROLS) <= MOST_CONTROLS
