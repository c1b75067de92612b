"""The playground in a browser: its numbers, selecting, pointing, Play, columns, and bad input."""

import re
from collections.abc import Callable

import pytest
import torch
from playwright.sync_api import expect

from embviz.core.config import Config
from embviz.core.routes import run_both
from embviz.core.tokenizers import vocabulary
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks, turn, viewport

TEXT = "WTF does nn.Embedding do?"
SMALL = "/?text=abca&vocab=custom&chars=abcdef&rows=6&dim=3&init=integers&token=1"
# Notes each change of the picture: how much of the two ways is shown, and whether anything moved.
WATCH = """ways => {
  const all = (kind) => [...ways.querySelectorAll(kind)];
  const text = (kind) => all(kind).map((e) => e.textContent).join(" ").trim();
  const boxes = () => [ways, ...ways.children].map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join();
  }).join(" ");
  const look = () => [!!all(".label.picked").length, !!all(".cell.left:not(.answer)").length,
    text(".answer.left"), text(".answer.right"), text(".equal"),
    new Set(all(".cell:is(.zero, .right:not(.answer)):not(.gone)").map((e) => e.style.gridRowStart)).size];
  const [begun, before] = [performance.now(), boxes()];
  window.seen = { steps: [], moved: 0, ms: 0 };
  const watching = new MutationObserver(() => {
    if (!ways.isConnected) return;
    seen.steps.push(look());
    seen.ms = performance.now() - begun;
    seen.moved += boxes() !== before;
  });
  watching.observe(ways, { attributes: true, childList: true, subtree: true });
}"""


def is_written(text: str, value: float) -> bool:
    """Whether the text is the value, rounded to the decimals that it has."""
    return text == f"{value:.{len(text.partition('.')[2])}f}"


def check(one: Visit, weight: torch.Tensor, row: int, first: int = 0) -> list[str]:
    """Assert that all numbers are those of this table, with this row picked; give the labels."""
    one.until(lambda: [line[1] for line in one.drawn() if "→" in line[1]], [f"{row} →"])
    labels, folded = [], 0
    for line in (line for line in one.drawn() if "×" in line):
        middle = line.index("×")
        factor, is_, *products = line[middle + 1 :]
        assert is_ == "="
        if middle == 1:
            folded += int(re.sub(r"\D", "", line[0]))
            assert {factor, *products} == {"0"}
            continue
        at, drawn = int(line[1].split()[0]), line[2:middle]
        labels.append(line[0])
        assert factor == str(int(at == row))
        assert all(map(is_written, drawn, weight[at, first : first + len(drawn)].tolist()))
        assert products == (drawn if at == row else ["0"] * len(drawn))
        if at == row:
            sums = one.page.locator(".answer").all_text_contents()
            assert sorted(sums) == sorted(drawn * 2)
    assert (len(labels), len(labels) + folded) == (min(len(weight), 11), len(weight))
    one.sees(".equal", "=")
    return labels


def table(rows: int, dim: int = 10) -> torch.Tensor:
    """PyTorch's table for seed 123."""
    torch.manual_seed(123)
    return torch.nn.Embedding(rows, dim).weight.detach()


def said(one: Visit, *words: str) -> None:
    """Assert that the line below the picture contains each text, now or soon."""
    one.sees(".said", *words)


<<<<<<< HEAD
def lit(one: Visit) -> int:
    """How many numbers and labels are lit."""
    return one.page.locator(".ways .lit").count()


def test_each_number_is_the_tensors(visit: Callable[..., Visit]) -> None:
    """Of a text at both ends of the table, of ids of rank 3, and of a million rows."""
    one = visit(f"/?text={TEXT}&token=3")
    assert check(one, table(100), 94)[6:8] == ["·", "⇥"]
    one.sees(".whole", "250 of 250")
    one.sees(".blank", "space")
    one.sees(".exact", "(1, 25)", "(1, 25, 100)", "(1, 25, 10)")
    one.open("/?input=ids&ids=[[[99,1],[2,3]],[[0,5],[6,0]]]&token=4&dtype=bfloat16&seed=7")
    both = run_both(Config("", seed=7, dtype="bfloat16"), torch.tensor([0]))
    check(one, both.layers.embedding.weight.detach(), 0)
    one.picked(0, 1, 0, 0)
    assert one.chips()[3] == ("3", "[0, 1, 1]")
    starts = "all => all.flatMap((one, k) => one.matches('.starts') ? [k] : [])"
    assert one.page.locator(".chip").evaluate_all(starts) == [2, 4, 6]
    one.open("/?input=ids&ids=5 999999 500000&rows=1000000&dim=64")
    weight = table(1_000_000, 64)
    for token, row in ((0, 5), (1, 999_999), (2, 500_000)):
        one.page.locator(".chip").nth(token).click()
        check(one, weight, row)
    one.linked("input=ids", "ids=5+999999+500000", "rows=1000000", "dim=64", "token=2")


def test_a_token_by_press_by_keys_and_back(visit: Callable[..., Visit]) -> None:
    """It goes into the address after a pause, once; of 100,000 tokens all can be reached."""
    one = visit(f"/?text={TEXT}")
    page, chips = one.page, one.page.locator(".chip")
    before = one.frames.count("sent")
    chips.nth(5).press("ArrowRight")  # only the selected one has the focus
    chips.nth(5).click()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    one.picked(28, 0, 6)
    expect(chips.nth(6)).to_be_focused()
    check(one, table(100), 28)
    one.until(lambda: "token=6" in one.search(), True)
=======
def a_selection_is_sent_once(one: Visit) -> None:
    """A selected token is marked in both tables, and sent after a pause; playing sends nothing."""
    page = one.page
    page.locator(".chip").nth(5).click()
    rows = page.locator(".row.selected")
    expect(rows).to_have_count(1)
    expect(rows).to_have_attribute("data-token", "5")
    expect(rows.locator(".half.lookup .id")).to_have_text("24")
    expect(rows.locator(".half.matmul .id")).to_have_text("24")
    text = USUAL.removeprefix("/?")
    one.linked(text, "token=5")
    one.settle()
    before = one.frames.count("sent")
    slide = """(slider) => {
        for (slider.value of [9, 3, 7, 20, 8]) slider.dispatchEvent(new Event("input"));
    }"""
    page.locator(".slider").evaluate(slide)
    expect(page.locator(".where")).to_have_text("ids[0, 8] = 94 space (U+0020)")
    one.linked(text, "token=8")
    page.locator(".slider").focus()
    page.keyboard.press("End")
    one.picked("ids[0, 24]")
    one.linked(text, "token=24")
    one.settle()
    assert one.frames.count("sent") == before + 2
    page.locator(".play").click()
    page.locator(".where").filter(has_text="ids[0, 0]").wait_for()
    page.locator(".cell").nth(12).hover()
    page.wait_for_timeout(600)
    assert one.frames.count("sent") == before + 2
    page.locator(".play").click()
    page.locator(".slider").press("Home")
    one.linked(text)


def an_empty_text_and_every_key(one: Visit) -> None:
    """An empty text has a sentence and shapes, and every key reaches stage and link."""
    one.text().fill("")
    one.page.get_by_text("No tokens yet.").wait_for()
    one.sees(".shapes", "ids (1, 0) → one_hot (1, 0, 100) → output (1, 0, 10)")
    one.type("hello, world! 0123456789 abcdefghijklmn")
    one.until(lambda: "".join(one.glyphs()), "hello,·world!·0123456789·abcdefghijklmn")
    one.picked("ids[0, 0] = 17")
    linked = "text=hello%2C+world%21+0123456789+abcdefghijklmn"
    one.until(lambda: linked in one.search().replace("%20", "+"), True)
    one.agreed()


def a_hundred_thousand_characters(one: Visit) -> None:
    """They work to the last token, and those in view are drawn."""
    one.text().fill("abcde" * 20_000)
    one.sees(".shapes", "ids (1, 100000)")
    one.agreed()
    assert one.page.locator(".chip").count() <= 240
    assert one.page.locator(".row").count() < 60
    one.page.locator(".slider").focus()
    one.page.keyboard.press("End")
    one.page.locator(".where").filter(has_text="ids[0, 99999] = 14").wait_for()
    expect(one.page.locator(".chip.selected")).to_have_attribute("data-token", "99999")
    expect(one.page.locator(".row.selected")).to_have_attribute("data-token", "99999")


def test_typing_at_once_after_loading_loses_no_key(visit: Callable[..., Visit]) -> None:
    """Keys typed while the page loads are kept."""
    one = visit(None)
    one.page.goto(one.base + "/?text=abc")
    # By its name, because the style that hides the field of ids may not be loaded yet.
    field = one.page.get_by_role("textbox", name="Text", exact=True)
    field.press("End")
    field.press_sequentially("0123456789" * 2, delay=10)
    one.settle()
    expect(field).to_have_value("abc" + "0123456789" * 2)
    expect(one.page.locator(".chip")).to_have_count(23)


def test_all_that_a_number_comes_from_lights_up_and_nothing_moves(
    visit: Callable[..., Visit],
) -> None:
    """A long sum moves no row; pictures, chips and both tables follow pointer and focus.

    Each output cell shows its sum, by mouse and by keyboard. The flow plays once, in a view without
    a chosen token, and a key stops it.
    """
    one = visit(f"{USUAL}&token=3")
    page = one.page
    picture, flow, said = page.locator(".picture"), page.locator(".flow"), page.locator(".sum")
    scroller = page.locator(".scroller")
    place, names = scroller.bounding_box(), "element => element.getAttribute('aria-label')"
    page.locator(".row[data-token='0'] .half.matmul .cell").nth(5).hover()
    expect(said).to_contain_text("output[0, 0, 5] = 0·W[0, 5] + 0·W[1, 5] + … + 1·W[58, 5]")
    assert scroller.bounding_box() == place
    for drawn, words in ((picture, "picks column 58 of"), (flow, "'W' (U+0057) has id 58.")):
        one.until(lambda drawn=drawn, words=words: words in drawn.evaluate(names), True)
    expect(page.locator(".cell.lit")).to_have_count(2)
    expect(page.locator(".chip.lit")).to_have_attribute("data-token", "0")
    page.locator(".row[data-token='2'] .half.lookup .cell").first.focus()
    one.until(lambda: "picks column 41 of" in picture.evaluate(names), True)
    box = picture.bounding_box()
    assert box is not None
    picture.hover(position={"x": box["width"] - 30, "y": 52 + 17 * 4 + 8})  # the output's number 4
    expect(said).to_contain_text("output[0, 3, 4] = 0·W[0, 4]")
    expect(page.locator(".row[data-token='3'] .cell.lit")).to_have_count(2)
    page.mouse.move(0, 0)
    expect(said).to_contain_text("Point at any number")
    expect(page.locator(".lit")).to_have_count(0)
    picture.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Embedding.weight[95, 0] = Linear.weight[0, 95] =")
    page.locator(".row[data-token='3'] .half.matmul .cell").nth(3).hover()
    table = nn_embedding()
    first, second, value, last = (f"{float(table[row, 3]):.4f}" for row in (0, 1, 94, 99))
    expect(said).to_have_text(
        "output[0, 3, 3] = 0·W[0, 3] + 0·W[1, 3] + … + 1·W[94, 3] + … + 0·W[99, 3]"
        f" = 0·({first}) + 0·{second} + … + 1·{value} + … + 0·{last} = {value}"
    )
    page.locator(".row[data-token='3'] .half.lookup .cell").nth(3).hover()
    expect(said).to_have_text(f"output[0, 3, 3] = W[94, 3] = {value}, one number read")
    page.locator(".row[data-token='3'] .half.lookup .cell").first.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("output[0, 3, 1] = W[94, 1] =")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("output[0, 4, 1] = W[13, 1] =")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("output[0, 4, 0] = 0·W[0, 0] +")
    # The flow plays in the first view of a session whose address names no token.
    page.mouse.move(0, 0)
    one.settle()
    assert page.evaluate("sessionStorage.getItem('embviz-flow')") is None
    page.goto(one.base + "/")
    playing = page.locator(".stage[data-step]")
    playing.wait_for(state="attached")
    page.keyboard.press("Shift")
    expect(playing).to_have_count(0)
    assert page.evaluate("sessionStorage.getItem('embviz-flow')") == "played"


def test_ids(visit: Callable[..., Visit]) -> None:
    """PyTorch's numbers for seed 123 in both views; a weight cell names its indices in both layers.

    Nested ids keep their shape, and ids that cannot be used stay in the field. A message quotes
    typed text literally.
    """
    one = visit("/?input=ids&ids=2 3 1&rows=4&dim=5&seed=123")
    published = FACTS["embedding_seed_123_4x5"]["output"]
    wanted = [pytest.approx(row, abs=6e-4) for row in published]
    one.until(lambda: one.agreed() == wanted, True)
    one.page.locator(".picture").hover(position={"x": 250, "y": 60})
    said = "Embedding.weight[2, 0] = Linear.weight[0, 2] = 0.6957."
    adds = "It adds 1·0.6957 = 0.6957 to output[0, 0]."
    expect(one.page.locator(".sum")).to_have_text(f"{said} {adds}")
    one.page.locator(".view label").nth(1).click()
    expect(one.page.locator("input[name=view]:checked")).to_have_value("embedding")
    one.until(lambda: one.agreed() == wanted, True)
    one.text().fill("[[1,3],[0,1]]")
    one.sees(".shapes", "ids (2, 2) → one_hot (2, 2, 4) → output (2, 2, 5)")
    one.until(one.chips, [("1", "0,0"), ("3", "0,1"), ("0", "1,0"), ("1", "1,1")])
    one.text().fill("[[1],[2,3]]")
    one.sees(ALERT, "ragged")
    expect(one.text()).to_have_value("[[1],[2,3]]")
    for text in HOSTILE:
        one.text().fill(text)
        # An unprintable character, such as a right-to-left mark, is quoted as its escape.
        first = re.split(r"[\s\[\]]+", text.strip("["))[0]
        one.sees(ALERT, "".join(map(printable, first)))
        alert = one.page.locator(ALERT)
        assert alert.locator("script, a, b, em, strong, code, .katex").count() == 0


def test_all_printable_characters_are_visible_and_distinct(visit: Callable[..., Visit]) -> None:
    """Each of the 100 printable characters has its own visible glyph.

    Escapes are read only when asked for; a wrong one is named.
    """
    one = visit(f"/?text={quote(string.printable)}")
    one.until(lambda: [int(token) for _, token in one.chips()], list(range(100)))
    glyphs = one.glyphs()
    assert len(set(glyphs)) == 100
    widths = one.page.locator(".chip b").evaluate_all(
        """glyphs => glyphs.map(b => {
            const range = document.createRange();
            range.selectNodeContents(b);
            return range.getBoundingClientRect().width;
        })"""
    )
    assert all(width > 2 for width in widths)
    assert all(glyph.strip() for glyph in glyphs)
    one.sees(".round-trip", "is True")
    one.text().fill(r"a\tb\x0b")  # a link with a line break has asked for escapes
    one.until(one.glyphs, ["a", "⇥", "b", "0B"])
    one.page.get_by_text("Read escapes").click()
    expect(one.page.locator(".chip")).to_have_count(8)
    one.page.get_by_text("Read escapes").click()
    one.until(one.glyphs, ["a", "⇥", "b", "0B"])
    one.until(lambda: "escapes=true" in one.search(), True)
    one.type(r"a\d")
    one.sees(ALERT, r"'\d' at position 1 is not an escape")
    one.page.get_by_role("button", name="Take backslashes as they are").click()
    one.sees(".answer", "Both routes give the same bits")
    expect(one.page.locator(".chip")).to_have_count(3)


STAGE = """[...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".stage"))"""


def test_what_comes_and_goes_leaves_the_stage_in_place(visit: Callable[..., Visit]) -> None:
    """Notes, refusals and panels never remove the stage, which is inert while a text is refused.

    A text that is too long for a link is named.
    """
    one = visit("/?token=-4&text=abc&unknown=error")  # with a note
    page = one.page
    expect(page.locator(ALERT)).to_have_count(1)
    expect(page.locator(f"{ALERT} li")).to_have_count(0)  # one note is no list
    page.evaluate(
        f"""() => {{
            const stage = {STAGE};
            window.absent = 0;
            new MutationObserver(() => {{ if (!stage.isConnected) window.absent++; }})
                .observe(document, {{ childList: true, subtree: true }});
        }}"""
    )
    one.type("abcd")  # the note goes
    expect(page.locator(ALERT)).to_have_count(0)
    one.text().press_sequentially("é")  # refused
    expect(page.locator(ALERT)).to_have_count(1)
    one.sees(".answer", re.compile("^Below, faint"))
    body = page.locator(".body")
    one.until(lambda: (one.glyphs(), body.evaluate("body => body.inert")), ([*"abcd"], True))
    one.text().press("Backspace")
    expect(page.locator(ALERT)).to_have_count(0)
    one.sees(".answer", "Both routes give the same bits")
    one.until(lambda: body.evaluate("body => body.inert"), False)
    page.locator(".st-key-panel").get_by_text("code", exact=True).click()
    page.get_by_text("torch.manual_seed(123)").first.wait_for()
    one.text().fill("z" * 6001)  # too long for a link
    page.get_by_text(
        "The text field is too long for a link (6,001 of at most 6,000 bytes)"
    ).wait_for()
    one.sees(".shapes", "ids (1, 6001)")
    one.settle()
    one.text().fill("short")
    one.linked("panel=code", "text=short", "unknown=error")
    one.settle()
    assert page.evaluate("window.absent") == 0


def test_wide_table_is_shown_in_windows(visit: Callable[..., Visit]) -> None:
    """Every dimension of a wide table can be reached, with one request for three clicks."""
    one = visit("/?dim=1024&text=ab")
    expect(one.page.locator(".pan-text")).to_have_text("dimensions 0-63 of 1,024")
    before = one.frames.count("sent")
    # In one script: on a busy machine a click may be answered before the next one.
    later = one.page.get_by_role("button", name="Later dimensions")
    later.evaluate("button => { for (let k = 0; k < 3; k++) button.click(); }")
    one.page.get_by_text("dimensions 192-255 of 1,024", exact=True).wait_for()
>>>>>>> first
    one.settle()
    assert one.frames.count("sent") == before + 1
    page.go_back()
    one.picked(58, 0, 0)
    one.text().fill("abcde" * 20_000)
    one.sees(".exact", "(1, 100000)")
    chips.first.press("End")
    one.picked(14, 0, 99_999)
    check(one, table(100), 14)
    assert chips.count() <= 240


def test_pointing_lights_and_says_what_a_number_comes_from(visit: Callable[..., Visit]) -> None:
    """By mouse and by keyboard; a press keeps it, Escape leaves; the server is not asked."""
    one = visit(f"/?text={TEXT}")
    page, ways, weight = one.page, one.page.locator(".ways"), table(100)
    sent = one.frames.count("sent")
    story = page.locator(".said").inner_text()
    page.locator(".answer.right").nth(3).hover()
    value = f"{weight[58, 3]:.4f}"
    said(one, "output[0, 0, 3] = 53 rows × 0 + 0 × ", f" + 1 × {value} + ", f" = {value}")
    assert lit(one) == 11 + 11 + 2 + 2 + 2  # table, products, folded, answers
    assert {
        c.split()[-1]
        for c in page.locator(".ways .lit").evaluate_all(
            "all => all.map((one) => one.dataset.point)"
        )
    } == {"3"}
    page.mouse.move(0, 0)
    expect(page.locator(".said")).to_have_text(story)
    label = page.locator(".label").nth(2)
    label.hover()
    check(one, weight, 55)
    label.click()
    page.mouse.move(0, 0)
    check(one, weight, 55)
    ways.press("Escape")
    check(one, weight, 58)
    page.locator(".chip").nth(2).hover()
    check(one, weight, 41)
    page.mouse.move(0, 0)
    check(one, weight, 58)
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        ways.press(key)
    check(one, weight, 59)
    said(one, f"output[0, 0, 1] = ", f" + 1 × {weight[59, 1]:.4f} + ")
    page.locator(".cell").first.click()
    ways.press("Escape")
    assert lit(one) == 0
    assert one.frames.count("sent") == sent


<<<<<<< HEAD
def test_play_shows_one_thing_after_the_other(visit: Callable[..., Visit]) -> None:
    """Id, row, copy, rows with the running total, then `=`; nothing moves, nothing is sent."""
    one = visit(SMALL)
    page, play = one.page, one.page.locator(".play")
    row = " ".join(page.locator(".answer.left").all_text_contents())
    zero = "0 0 0"
    wanted: list[list[object]] = [
        [False, False, "", "", "", 0],
        [True, False, "", "", "", 0],
        [True, True, "", "", "", 0],
        [True, True, row, "", "", 0],
        [True, True, row, zero, "", 1],
        *([True, True, row, row, "", done] for done in range(2, 7)),
        [True, True, row, row, "=", 6],
    ]
    sent = one.frames.count("sent")
    page.locator(".ways").evaluate(WATCH)
    play.click()
    one.until(lambda: page.evaluate("seen.steps.at(-1)?.[4]"), "=")
    steps = page.evaluate("seen.steps")
    assert [step for k, step in enumerate(steps) if step not in steps[:k]] == wanted
    expect(play).to_contain_text("Play")
    assert (page.evaluate("seen.moved"), one.frames.count("sent")) == (0, sent)
    one.settle().open(f"/?text={TEXT}&token=11")  # a table with rows that are not drawn
    page.locator(".ways").evaluate(WATCH)
    play.click()
    said(one, re.compile(r"rows more × 0 = (0 ){9}0, total (0 ){9}0$"))  # type: ignore[arg-type]
    one.until(lambda: page.evaluate("seen.steps.at(-1)?.[4]"), "=")
    assert 2000 < page.evaluate("seen.ms") < 6500
    assert page.evaluate("seen.moved") == 0
=======
def test_vocabulary_choice_resizes_the_table(visit: Callable[..., Visit]) -> None:
    """A vocabulary brings a table that fits it, a dtype is drawn, and Reset keeps the text alone."""
    one = visit("/?text=12&dim=3&seed=9&init=uniform")
    one.page.get_by_role("combobox", name="Vocabulary").click()
    one.page.get_by_role("option", name="digits").click()
    one.until(one.chips, [("1", "1"), ("2", "2")])
    one.linked("text=12", "dim=3", "seed=9", "init=uniform", "vocab=digits")
    one.sees(".shapes", "one_hot (1, 2, 100)")
    one.settle()
    one.page.get_by_role("combobox", name="Vocabulary").click()
    one.page.get_by_role("option", name="bytes").click()
    one.sees(".shapes", "one_hot (1, 2, 256)")
    one.page.get_by_role("combobox", name="dtype").click()
    one.page.get_by_role("option", name="bfloat16", exact=True).click()
    one.sees(".shapes", "output (1, 2, 3) bfloat16")
    one.sees(".answer", EQUAL.format("6 of 6"))
    assert any(any(row) for row in one.agreed())
    one.page.get_by_role("button", name="Reset settings").click()
    one.sees(".shapes", "one_hot (1, 2, 100) → output (1, 2, 10) float32")
    one.linked("text=12")
>>>>>>> first


def test_play_pauses_steps_and_goes_without_motion(visit: Callable[..., Visit]) -> None:
    """Space plays and pauses, Enter takes a step; with reduced motion a press is a step."""
    one = visit(SMALL, reduced_motion="reduce")
    page, play, ways = one.page, one.page.locator(".play"), one.page.locator(".ways")
    picked, copied = page.locator(".label.picked"), page.locator(".answer.left:not(:empty)")
    for number in (0, 1, 1, 1):
        play.click()
        page.wait_for_timeout(450)
        expect(picked).to_have_count(number)
    expect(copied).to_have_count(3)
    page.emulate_media(reduced_motion="no-preference")
    ways.press("Escape")
    expect(page.locator(".equal")).to_have_text("=")
    ways.press(" ")
    expect(play).to_contain_text("Pause")
    expect(copied).to_have_count(3)
    ways.press(" ")
    expect(play).to_contain_text("Play")
    before = page.locator(".factor.now").count()
    line = page.locator(".said").inner_text()
    ways.press("Enter")
    page.locator(".step").click()
    expect(page.locator(".said")).not_to_have_text(line)
    expect(page.locator(".factor.now")).to_have_count(1)
    assert before <= 1
    page.locator(".chip").first.click()  # another token ends it
    expect(page.locator(".equal")).to_have_text("=")
    one.picked(0, 0, 0)


def test_the_layout_of_linear(visit: Callable[..., Visit]) -> None:
    """The transposed drawing has its own shape and formula, the same numbers, and an address."""
    one = visit(f"/?text={TEXT}")
    page, weight, ways = one.page, table(100)[58].tolist(), one.page.locator(".ways")
    page.locator(".turn").click()
    expect(ways).to_contain_text("one_hot @ linear.weight.T")
    expect(ways).to_contain_text("10 × 100")
    one.until(lambda: "view=linear" in one.search(), True)
    assert all(map(is_written, page.locator(".answer.right").all_text_contents(), weight))
    assert all(
        map(is_written, page.locator(".cell.right:not(.answer)").all_text_contents(), weight)
    )
    assert page.locator(".factor").all_text_contents().count("1") == 1
    page.locator(".answer.right").nth(2).hover()
    said(one, f"= {weight[2]:.4f}")
    one.reload()
    expect(ways).to_contain_text("linear.weight.T")
    page.go_back()
    expect(ways).to_contain_text("embedding(ids)")


def test_columns_move_together(visit: Callable[..., Visit]) -> None:
    """By buttons, by arrow keys and by dragging; those that were not sent are asked for."""
    one = visit("/?text=ab&dim=300")
    page, weight, ways = one.page, table(100, 300), one.page.locator(".ways")
    shown = len(page.locator(".answer.left").all())
    assert 7 <= shown <= 12
    one.sees(".columns", f"{300 - shown} more")
    later = page.get_by_role("button", name="Later columns")
    later.click()
    check(one, weight, 10, shown)
    page.get_by_role("button", name="Earlier columns").click()
    check(one, weight, 10, 0)
    for _ in range(shown + 2):
        ways.press("ArrowRight")
    check(one, weight, 10, 2)
    box = page.locator(".answer.left").last.bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.down()
    page.mouse.move(box["x"] - 3 * box["width"], box["y"], steps=5)
    page.mouse.up()
    check(one, weight, 10, 5)
    for _ in range(9):
        later.click()
    first = 5 + 9 * shown
    one.sees(".columns", f"{first}–")
    one.until(lambda: "column=" in one.search(), True)
    one.settle()
    check(one, weight, 10, first)
    page.locator(".answer.left").first.hover()
    said(one, f"output[0, 0, {first}] = ", f"{weight[10, first]:.4f}")


@pytest.mark.parametrize("name", ["bpe", "o200k", "bytes"])
def test_names_of_rows_and_tokens(visit: Callable[..., Visit], name: str) -> None:
    """Neighbours stand by id, at most 8 characters long; a byte has its code below it."""
    if name == "o200k":
        pytest.importorskip("bpe_openai")
    known = vocabulary({"vocab": name, "merges": 2000})
    text = "the embedding é"
    ids = known.encode(text)
    one = visit(f"/?text={text}&vocab={name}&dim=2&token=1")
    assert [number for _, number in one.chips()] == [str(one_id) for one_id in ids]
    labels = [known.label(row) for row in range(ids[1] - 5, ids[1] + 6)]
    wanted = [label if len(label) <= 8 else label[:7] + "…" for label in labels]
    one.until(
        lambda: [line[0] for line in one.drawn() if line[2:] and "more" not in line[0]][:0], []
    )
    drawn = [line[0] for line in one.drawn() if "×" in line and "more" not in line[0]]
    assert drawn == wanted
    if name == "bytes":
        assert one.page.locator(".chip").first.inner_text().split() == ["t", "74", "116"]


def test_a_refusal_leaves_the_picture(visit: Callable[..., Visit]) -> None:
    """It is one line below it, whose fixes work; the first load of a refused link has it too."""
    one = visit("/?text=ab&unknown=error")
    page, refusal = one.page, one.page.locator(".refusal")
    one.text().press("End")
    page.keyboard.insert_text("é")
    one.sees(".refusal", "'é' (U+00E9) at position 2")
    one.settle()
    check(one, table(100), 10)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    page.reload()
    one.sees(".refusal", "'é'")
    refusal.get_by_role("button", name="<unk>").click()
    one.until(one.glyphs, ["a", "b", "<unk>"])
    expect(refusal).to_be_hidden()
    one.linked("text=ab%C3%A9")
    one.text().fill("")
    one.until(one.chips, [])
    assert page.locator(".cell").count() > 0
    assert page.locator(".answer:not(:empty), .label.picked").count() == 0
    expect(page.locator(".play")).to_be_disabled()


def test_sums_that_differ_are_named(visit: Callable[..., Visit]) -> None:
    """Own weights with inf and -0.0: 0 times inf is no number, and -0.0 loses its sign."""
    one = visit("/?init=own&input=ids&ids=0 1&weights=1 2%0A-0 1e39%0A3 4")
    one.until(lambda: one.page.locator(".answer.left").all_text_contents(), ["1", "2"])
    assert one.page.locator(".answer.right").all_text_contents() == ["1", "nan"]
    one.sees(".equal", "≠")
    expect(one.page.locator(".answer.differs")).to_have_count(2)
    one.sees(".whole", "1 of 4", "0, 1")
    one.page.locator(".chip").nth(1).click()
    one.until(lambda: one.page.locator(".answer.left").all_text_contents(), ["-0", "inf"])
    assert one.page.locator(".answer.right").all_text_contents() == ["0", "inf"]


def test_on_a_phone_and_in_the_dark(visit: Callable[..., Visit]) -> None:
    """At least 3 columns, 7 rows and the sentence are seen; digits read on every colour."""
    one = visit(f"/?text={TEXT}", viewport=viewport((390, 844)))
    assert one.page.locator(".answer.left").count() >= 3
    assert one.page.locator(".label").count() == 7
    expect(one.page.locator(".said")).to_be_in_viewport()
    check_looks(one)
    turn(one, (1280, 720), "dark")
    check_looks(one)
