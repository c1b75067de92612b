"""The playground in a browser: its numbers, selecting, pointing, Play, columns, and bad input."""

import re
import string
from collections.abc import Callable
from urllib.parse import quote

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
    new Set(all(".cell:is(.zero, .right:not(.answer)):not(.gone)")
      .map((e) => e.style.gridRowStart)).size];
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
    decimals = len(text.partition(".")[2])
    return abs(float(text) - value) < float(f"0.5001e-{decimals}")


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
    one.sees("p.said", *words)


def lit(one: Visit) -> int:
    """How many numbers and labels are lit."""
    return one.page.locator(".ways .lit").count()


def test_each_number_is_the_tensors(visit: Callable[..., Visit]) -> None:
    """Of a text at both ends of the table, of ids of rank 3, and of a million rows."""
    one = visit(f"/?text={TEXT}&token=3")
    assert check(one, table(100), 94)[5:7] == ["·", "⇥"]
    one.sees(".whole", "250 of 250")
    one.sees(".blank", "space")
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
    chips.nth(5).click()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    one.picked(14, 0, 6)
    expect(chips.nth(6)).to_be_focused()
    check(one, table(100), 14)
    one.until(lambda: "token=6" in one.search(), True)
    one.settle()
    assert one.frames.count("sent") == before + 1
    page.go_back()
    one.picked(58, 0, 0)
    one.text().fill("abcde" * 20_000)
    one.sees(".whole", "100,000 tokens")
    chips.first.press("End")
    one.picked(14, 0, 99_999)
    check(one, table(100), 14)
    assert chips.count() <= 240
    expect(chips.last).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(chips.first).to_be_in_viewport()


def test_the_first_keys_and_every_character(visit: Callable[..., Visit]) -> None:
    """Keys typed while the page loads are kept; each printable character has its own glyph."""
    one = visit(None)
    one.page.goto(one.base + "/?text=abc")
    # By its name, because the style that hides the field of ids may not be loaded yet.
    field = one.page.get_by_role("textbox", name="Text", exact=True)
    field.press("End")
    field.press_sequentially("0123456789" * 2, delay=10)
    one.until(lambda: "".join(one.glyphs()), "abc" + "0123456789" * 2)
    one.settle().open(f"/?text={quote(string.printable)}&panel=storage")
    one.until(lambda: [int(number) for _, number in one.chips()], list(range(100)))
    glyphs = one.glyphs()
    assert len(set(glyphs)) == 100
    assert all(glyph.strip() for glyph in glyphs)
    panels = one.page.locator(".st-key-panel")
    panels.get_by_text("code", exact=True).click()
    one.sees("[data-testid=stMain]", "torch.manual_seed(123)")
    expect(one.page.get_by_text("nn.Parameter(embedding.weight.T)")).to_have_count(0)
    one.until(lambda: "panel=code" in one.search(), True)


def test_pointing_lights_and_says_what_a_number_comes_from(visit: Callable[..., Visit]) -> None:
    """By mouse and by keyboard; a press keeps it, Escape leaves; the server is not asked."""
    one = visit(f"/?text={TEXT}")
    page, ways, weight = one.page, one.page.locator(".ways"), table(100)
    sent = one.frames.count("sent")
    story = page.locator("p.said").inner_text()
    page.locator(".answer.right").nth(3).hover()
    value = f"{weight[58, 3]:.4f}"  # it is negative
    said(one, "output[0, 0, 3] = 53 rows × 0 + 0 × ", f" + 1 × ({value}) + ", f" = {value}")
    assert lit(one) == 11 + 13 + 2  # table, products, answers
    assert {
        c.split()[-1]
        for c in page.locator(".ways .lit").evaluate_all(
            "all => all.map((one) => one.dataset.point)"
        )
    } == {"3"}
    page.mouse.move(0, 0)
    expect(page.locator("p.said")).to_have_text(story)
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
    said(one, "output[0, 0, 1] = ", f"{weight[59, 1]:.4f}")
    page.locator(".answer.left").first.click()
    page.mouse.move(0, 0)
    assert lit(one) > 20
    ways.press("Escape")
    assert lit(one) == 0
    assert one.frames.count("sent") == sent


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
    said(one, "rows more × 0")
    one.until(lambda: page.evaluate("seen.steps.at(-1)?.[4]"), "=")
    assert 2000 < page.evaluate("seen.ms") < 6500
    assert page.evaluate("seen.moved") == 0


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
    play.click()
    said(one, "row a × 0 = 0 0 0, total 0 0 0")
    page.emulate_media(reduced_motion="no-preference")
    ways.press("Escape")
    expect(page.locator(".equal")).to_have_text("=")
    ways.press(" ")
    expect(play).to_contain_text("Pause")
    expect(copied).to_have_count(3)
    ways.press(" ")
    expect(play).to_contain_text("Play")
    done, line = page.locator(".cell.zero:not(.gone)"), page.locator("p.said").inner_text()
    before = done.count()
    ways.press("Enter")
    page.locator(".step").click()
    expect(page.locator("p.said")).not_to_have_text(line)
    expect(page.locator(".factor.now")).to_have_count(1)
    assert before + 3 <= done.count() <= before + 6
    page.locator(".chip").first.click()  # another token ends it
    expect(page.locator(".equal")).to_have_text("=")
    one.picked(0, 0, 0)
    play.click()
    one.text().fill("b")  # and so does another text
    expect(page.locator(".equal")).to_have_text("=")
    expect(play).to_contain_text("Play")


def test_the_layout_of_linear(visit: Callable[..., Visit]) -> None:
    """The transposed drawing has its own shape and formula, the same numbers, and an address."""
    one = visit(f"/?text={TEXT}")
    page, weight, ways = one.page, table(100)[58].tolist(), one.page.locator(".ways")
    page.locator(".turn").click()
    expect(ways).to_contain_text("one_hot @ linear.weight.T")
    expect(ways).to_contain_text("10 × 100")
    one.until(lambda: "view=linear" in one.search(), True)
    for kind in (".answer", ".cell.right:not(.answer)"):
        texts = page.locator(kind).all_text_contents()
        assert len(texts) == 10
        assert all(map(is_written, texts, weight))
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
    for _ in range(9):
        page.get_by_role("button", name="Earlier columns").click()
    one.settle()
    check(one, weight, 10, 5)
    turned = page.locator(".turn")
    turned.click()
    page.locator(".answer.right").first.hover()
    said(one, "output[0, 0, 5] = ")
    turned.click()  # what the other layout lacks is there again
    check(one, weight, 10, 5)


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
    expect(page.locator(".strip")).to_be_hidden()
    assert page.locator(".cell").count() > 0
    assert page.locator(".answer:not(:empty), .label.picked").count() == 0
    expect(page.locator(".play")).to_be_disabled()


def test_sums_that_differ_are_named(visit: Callable[..., Visit]) -> None:
    """Own weights with inf and -0.0: 0 times inf is no number, and -0.0 loses its sign."""
    one = visit("/?init=own&input=ids&ids=0 1&weights=1 2%0A-0 inf%0A3 4")
    one.until(lambda: one.page.locator(".answer.left").all_text_contents(), ["1", "2"])
    assert one.page.locator(".answer.right").all_text_contents() == ["1", "nan"]
    one.sees(".said", "other numbers")
    assert one.drawn()[3][-2:] == ["0", "nan"]
    one.sees(".equal", "≠")
    expect(one.page.locator(".answer.differs")).to_have_count(2)
    one.sees(".whole", "2 of 4", "0, 1")
    one.page.locator(".chip").nth(1).click()
    one.until(lambda: one.page.locator(".answer.left").all_text_contents(), ["-0", "inf"])
    assert one.page.locator(".answer.right").all_text_contents() == ["0", "inf"]
    one.open("/?init=own&input=ids&ids=0&weights=0.0001234" + "%0A1" * 299 + "%0Anan")
    expect(one.page.locator(".cell.zero").last).to_have_text("nan")  # of rows that were not sent
    one.page.locator(".answer.left").hover()
    said(one, " 1 × 1.234e-4 + ")


def test_on_a_phone_and_in_the_dark(visit: Callable[..., Visit]) -> None:
    """At least 3 columns, 7 rows and the sentence are seen; digits read on every colour."""
    one = visit(f"/?text={TEXT}", viewport=viewport((390, 844)))
    assert one.page.locator(".answer.left").count() >= 3
    assert one.page.locator(".label").count() == 7
    expect(one.page.locator("p.said")).to_be_in_viewport()
    check_looks(one)
    turn(one, (1280, 720), "dark")
    check_looks(one)
