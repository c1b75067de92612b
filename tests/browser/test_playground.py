"""The playground in a browser: typing, selecting, reading, and bad input."""

import json
import re
import string
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from embviz.core.wording import printable
from tests.browser.conftest import USUAL, Visit
from tests.browser.test_looks import check_looks, turn, viewport

ALERT = "[data-testid=stAlert]"
SEEDED = "torch.manual_seed(123)"
EQUAL = "=Both routes give the same bits: {} numbers."
FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text(encoding="utf-8"))
HOSTILE = ["<b>bold</b>", "$x$ [a](b) :red[x]", "\u202eabc\u202c", "`code` *star* &lt;"]


def nn_embedding() -> torch.Tensor:
    """PyTorch's table for the page's defaults."""
    torch.manual_seed(123)
    return torch.nn.Embedding(100, 10).weight.detach()


def test_first_screen_answers_the_question(visit: Callable[..., Visit]) -> None:
    """The first screen shows the flow, the long way and the verdict, without scrolling.

    What is behind it stands folded beside it. Then all that a visitor does there first works.
    """
    one = visit()
    expect(one.page.locator(".answer")).to_have_text(EQUAL.format("250 of 250"))
    expect(one.page.locator(".exact")).to_be_hidden()
    one.sees(".exact", "The outputs are bitwise equal: max |difference| 0, max ulp 0.")
    shapes = "ids (1, 25) → one_hot (1, 25, 100) → output (1, 25, 10) float32"
    expect(one.page.locator(".shapes")).to_have_text(shapes)
    one.sees(".round-trip", "decode(encode(text)) == text is True")
    one.sees(".counts", "lookup reads 250 numbers")
    one.sees(".counts", "matmul is 25,000 multiplications, 24,750 of them by zero")
    parts = [".st-key-text", ".answer", ".strip", ".scrub", ".flow", ".sum", ".picture", ".heads"]
    for part in parts:
        box = one.page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900, part
    rows = one.page.locator(".row")
    visible = "rows => rows.filter(r => r.getBoundingClientRect().bottom <= innerHeight).length"
    one.until(lambda: rows.evaluate_all(visible) >= 4, True)
    a_selection_is_sent_once(one)
    an_empty_text_and_every_key(one)
    a_hundred_thousand_characters(one)


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
    one.settle()
    assert one.frames.count("sent") == before + 1
    one.page.locator(".cell").first.hover()
    one.sees(".sum", "output[0, 0, 192] = W[10, 192]")


def test_tall_table_follows_the_selection(visit: Callable[..., Visit]) -> None:
    """A million rows are drawn; picture and address follow the selected id, a message each."""
    one = visit("/?input=ids&ids=5 999999 500000&rows=1000000&dim=8")
    one.sees(".shapes", "one_hot (3, 1000000)")
    one.sees(".answer", "=Both routes give the same bits")
    sent = one.frames.count("sent")
    one.page.locator(".slider").focus()
    one.page.keyboard.press("ArrowRight")
    label = re.compile("1 at 999999 picks column 999999")
    expect(one.page.locator(".picture")).to_have_attribute("aria-label", label)
    one.until(lambda: one.frames.count("sent"), sent + 2)
    one.settle()
    assert one.frames.count("sent") == sent + 2
    expect(one.page.locator(".where")).to_have_text("ids[1] = 999999")
    one.agreed()


def test_vocabulary_choice_resizes_the_table(visit: Callable[..., Visit]) -> None:
    """A vocabulary brings a table that fits it, a dtype is drawn, Reset keeps the text alone."""
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


def test_letters_melt_into_pieces(visit: Callable[..., Visit]) -> None:
    """Pieces are whole on their chips, and rows follow the slider."""
    text = "text=the+letters%5Cn+" + "%3D" * 32  # the longest piece there is
    one = visit(f"/?{text}&escapes=true")
    page = one.page
    page.get_by_role("combobox", name="Vocabulary").click()
    page.get_by_role("option", name="bpe").click()
    whole = [("the", "587"), ("·le", "621"), ("t", "116"), ("ters", "930"), ("↵", "10")]
    whole.append(("·" + "=" * 32, "1881"))
    one.until(one.chips, whole)
    one.linked(text, "escapes=true", "vocab=bpe")
    one.sees(".round-trip", "is True")
    one.sees(
        ".sizes", "As characters: 45 ids, 100 rows: a table of 3.9 KiB. As bpe: 6 ids, 2,256 rows"
    )
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".chip b").evaluate_all(cut) == 1
    assert page.locator(".chip").last.evaluate("one => one.offsetWidth") == 220
    merges = page.locator(".st-key-merges").get_by_role("slider")
    merges.press("Home")
    one.until(one.glyphs, [*"the·letters↵·", *"=" * 32])
    one.linked(text, "escapes=true", "vocab=bpe", "merges=0")
    one.sees(".sizes", "As bpe: 45 ids, 256 rows: a table of 10.0 KiB")


def test_a_key_rewrites_only_what_changed(visit: Callable[..., Visit]) -> None:
    """Tokens behind a key keep element, label and row; seed and theme paint the weights again.

    Fast typing and erasing before ends with the right tokens.
    """
    one = visit("/?text=ab")
    page = one.page
    for _ in range(4):
        one.text().press_sequentially("cd", delay=0)
        one.text().press("Backspace")
        one.text().press("Backspace")
    one.settle()
    one.until(one.glyphs, ["a", "b"])
    page.locator(".chip").evaluate_all("chips => { window.kept = chips; }")
    one.text().press("Home")
    one.text().press_sequentially("c")
    one.until(one.chips, [("c", "12"), ("a", "10"), ("b", "11")])
    moved = "chips => window.kept.every((chip, i) => chip === chips[i + 1])"
    assert page.locator(".chip").evaluate_all(moved)
    label = "'b' (U+0062), id 11, index [0,2]"
    expect(page.locator(".chip").last).to_have_attribute("aria-label", label)
    expect(page.locator(".chip.selected b")).to_have_text("c")
    read = "rows => rows.map(r => r.dataset.token + r.querySelector('.glyph').textContent)"
    one.until(lambda: page.locator(".row").evaluate_all(read), ["0c", "1a", "2b"])
    pictures = set()

    def painted() -> int:
        pictures.add(page.locator(".picture").evaluate("canvas => canvas.toDataURL()"))
        return len(pictures)

    one.settle()
    assert painted() == 1
    page.get_by_role("spinbutton", name="seed").fill("7")
    page.get_by_role("spinbutton", name="seed").press("Enter")
    one.until(painted, 2)
    one.settle()
    page.emulate_media(color_scheme="dark")
    one.until(painted, 3)


def test_the_link_follows_the_selection_and_unk_makes_room(visit: Callable[..., Visit]) -> None:
    """A shorter text selects its last token, a longer one that of the link; `unk` adds a row."""
    one = visit(f"{USUAL}&token=20")
    one.text().fill("abc")
    one.picked("ids[0, 2]")
    one.linked("text=abc", "token=20")
    one.text().fill("abcé")
    one.sees(".shapes", "one_hot (1, 4, 101)")
    one.settle()
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    row = one.page.locator(".st-key-unknown")
    row.get_by_text("error", exact=True).click()
    one.sees(ALERT, "'é'")
    row.get_by_text("unk", exact=True).click()
    one.sees(".shapes", "one_hot (1, 4, 101)")
    one.text().fill("abcdefghijklmnopqrstuvw")
    one.picked("ids[0, 20]")
    one.sees(".shapes", "one_hot (1, 23, 100)")


def test_panels_open_one_at_a_time_and_files_are_complete(visit: Callable[..., Visit]) -> None:
    """One panel is open at a time, the link has it, and the downloads are complete.

    Each passes `check_looks`.
    """
    size = viewport((1280, 720))
    one = visit("/?panel=tokenizers&text=ab&dim=2", viewport=size, color_scheme="dark")
    panels, view = one.page.locator(".st-key-panel"), "view = nn.Parameter(embedding.weight.T)"
    check_looks(one)
    shown = {
        "weights": "nn.Linear's own",
        "one_hot": "Without num_classes",
        "storage": view,
        "code": SEEDED,
    }
    for panel, words in shown.items():
        panels.get_by_text(panel, exact=True).click()
        one.sees("[data-testid=stMain]", words)
        one.linked(f"panel={panel}", "text=ab", "dim=2")
        one.settle()
        if panel == "storage":
            turn(one, (390, 844), "light")
        check_looks(one)
    expect(one.page.get_by_text(view)).to_have_count(0)
    saved = {}
    for label in ("As a script", "All tokens as CSV", "As .npz"):
        with one.page.expect_download() as found:
            one.page.get_by_role("button", name=label).click()
        saved[label] = Path(found.value.path())
    assert SEEDED in saved["As a script"].read_text(encoding="utf-8")
    lines = saved["All tokens as CSV"].read_text(encoding="utf-8").splitlines()
    assert lines[0] == "token,id,route,0,1"
    assert len(lines) == 5
    assert np.load(saved["As .npz"])["matmul"].shape == (1, 2, 2)


def test_own_weights_from_link_field_and_file(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Own weights come from link, field or file; a bad file keeps the last good ones."""
    one = visit("/?init=own&input=ids&ids=3")
    check_looks(one)
    assert one.agreed() == [FACTS["one_hot_times_matrix"]["output"]]
    field = one.page.get_by_role("textbox", name="Embedding.weight, one row a line")
    field.fill("1 2\n3 4\n5 6\n7 8")
    field.press("Control+Enter")
    one.until(lambda: one.numbers("lookup"), [[7, 8]])
    one.linked("init=own", "input=ids", "ids=3", "weights=1+2%0A3+4%0A5+6%0A7+8")
    bad, good = tmp_path / "bad.npy", tmp_path / "good.npy"
    np.save(bad, np.full((4, 2), np.nan))
    np.save(good, np.arange(12.0).reshape(4, 3))
    upload = one.page.locator(".st-key-weights_file input[type=file]")
    upload.set_input_files(bad)
    alert = one.page.get_by_test_id("stAlert")
    alert.filter(has_text="'bad.npy': nan at row 0, column 0 is not a finite number").wait_for()
    one.settle()
    one.until(lambda: one.numbers("lookup"), [[7, 8]])
    upload.set_input_files(good)
    one.until(lambda: one.numbers("lookup"), [[9, 10, 11]])
