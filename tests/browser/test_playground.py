"""The playground in a browser: its numbers, selecting, pointing, Play, columns, and bad input.

`tests/js/ways.test.mjs` has what a picture shows of a model: marks, lights, sums and names.
"""

import re

import torch
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import Visit, Visits

LOW: ViewportSize = {"width": 1280, "height": 720}
TEXT = "WTF does nn.Embedding do?"
SMALL = "/?text=abca&vocab=custom&chars=abcdef&rows=6&dim=3&init=integers&token=1"
# The texts of the picture, row by row.
DRAWN = """ways => {
  const rows = [];
  for (const e of ways.children) {
    (rows[e.style.gridRowStart] ??= []).push([+e.style.gridColumnStart, e.textContent]);
  }
  return rows.map((row) => row.sort((a, b) => a[0] - b[0]).map(([, text]) => text))
    .filter(Boolean);
}"""


def drawn(one: Visit) -> list[list[str]]:
    """The texts of the picture, row by row."""
    rows: list[list[str]] = one.page.locator(".ways").evaluate(DRAWN)
    return rows


def like(text: str, values: torch.Tensor) -> list[str]:
    """The values with as many decimals as a text, and minus signs where they are not 0."""
    decimals = len(text.partition(".")[2])
    return [f"{one:z.{decimals}f}".replace("-", "−") for one in values.tolist()]


def check(one: Visit, weight: torch.Tensor, row: int, first: int = 0) -> list[str]:
    """Assert that numbers, factors and answers are those of this table and row; give the labels."""
    one.until(lambda: [line[1] for line in drawn(one) if "→" in line[1]], [f"{row} →"])
    labels, at = [], 0
    lines = [line for line in drawn(one) if "×" in line]
    for line in lines:
        place = line.index("×")
        numbers, factor, products = line[2:place], str(int(at == row)), line[place + 3 :]
        assert line[place + 1 : place + 3] == [factor, "="]
        assert products == (numbers if at == row else ["0"] * len(products))
        if place == 1:
            at += int(line[0].partition(" ")[0].replace(",", ""))
            continue
        assert (line[1].split()[0], len(products)) == (str(at), len(numbers))
        assert numbers == like(numbers[0], weight[at, first : first + len(numbers)])
        if at == row:
            expect(one.page.locator(".answer.left")).to_have_text(numbers)
            expect(one.page.locator(".answer.right")).to_have_text(numbers)
        labels.append(line[0])
        at += 1
    assert at == len(weight)
    assert len(lines) == min(len(weight), 13)  # at an end of the table too: nothing moves
    one.sees(".equal", "=")
    one.sees(".said", f"ow {row:,}")
    return labels


def table(rows: int, dim: int = 10, seed: int = 123) -> torch.Tensor:
    """PyTorch's table for a seed."""
    torch.manual_seed(seed)
    return torch.nn.Embedding(rows, dim).weight.detach()


# Whether each layer's arrow ends at the bar of the table.
POINTS = """ways => [...ways.querySelectorAll(".arrow")].map((arrow) => {
  const [a, b] = [arrow, ways.querySelector(".weight")].map((it) => it.getBoundingClientRect());
  return Math.abs(a.bottom - b.top) < 2 && a.left >= b.left - 1 && a.right <= b.right + 1;
})"""


def test_whole_numbers_are_not_called_rounded(moves: Visits) -> None:
    """Those of the six letters are drawn as they are."""
    expect(moves("/").page.locator(".legend")).to_have_text(re.compile(r"\d$"))


def test_each_number_is_the_tensors(moves: Visits) -> None:
    """Of a text at both ends of the table, of ids of rank 3, and of a million rows."""
    one = moves(f"/?text={TEXT}&token=3")
    assert check(one, table(100), 94)[6:8] == ["·", "⇥"]
    one.sees(".verdict", "250 of 250")
    one.sees(".blank", "space")
    assert one.page.locator(".ways").evaluate(POINTS) == [True, True]
    ends = [f"{one:.2f}".replace("-", "−") for one in map(float, table(100).aminmax())]
    expect(one.page.locator(".legend")).to_have_text(re.compile(".*".join(ends) + ", rounded$"))
    one.move("/?input=ids&ids=[[[99,1],[2,3]],[[0,5],[6,0]]]&token=4&dtype=float64&seed=7")
    check(one, table(100, seed=7), 0)
    one.picked(0, 1, 0, 0)
    assert one.chips()[3] == ("3", "[0, 1, 1]")
    one.move("/?input=ids&ids=[[5],[999999],[500000]]&rows=1000000&dim=64")
    weight = table(1_000_000, 64)
    for token, row in ((0, 5), (1, 999_999), (2, 500_000)):
        one.page.locator(".chip").nth(token).click()
        check(one, weight, row)


# A press and keys with no pause between them: a busy machine might send them further apart.
PRESSES = """(chip, keys) => {
  chip.focus();
  chip.click();
  const options = { bubbles: true, composed: true, cancelable: true };
  for (const key of keys) {
    const pressed = new KeyboardEvent("keydown", { key, ...options });
    chip.getRootNode().activeElement.dispatchEvent(pressed);
  }
}"""


def test_a_token_by_press_by_keys_and_back(visit: Visits) -> None:
    """It goes into the address after a pause, once; of 100,000 tokens all can be reached."""
    one = visit()
    page, chips = one.page, one.page.locator(".chip")
    before = one.frames.count("sent")
    chips.nth(5).evaluate(PRESSES, ["ArrowRight", "ArrowRight", "ArrowLeft"])
    one.picked(14, 0, 6)
    expect(chips.nth(6)).to_be_focused()
    check(one, table(100), 14)
    one.until(lambda: "token=6" in one.search(), True)
    one.settle()
    assert one.frames.count("sent") == before + 1
    one.text().fill("abcde" * 20_000)
    one.sees(".verdict", "100,000 tokens")
    chips.first.press("End")
    one.picked(14, 0, 99_999)
    one.sees(".more", "99,760")
    check(one, table(100), 14)
    assert chips.count() <= 240
    expect(chips.last).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(page.locator(".more")).to_have_text(["", re.compile("^99,760 ")])


def test_the_first_keys(visit: Visits) -> None:
    """Keys typed while the page loads are kept."""
    one = visit(None)
    one.page.goto(one.base + "/?text=abc")
    field = one.page.get_by_role("textbox", name="Your text", exact=True)
    field.press("End")
    field.press_sequentially("0123456789" * 2, delay=10)
    one.until(lambda: "".join(one.glyphs()), "abc" + "0123456789" * 2)
    one.settle()


def test_pointing_lights_and_says_what_a_number_comes_from(moves: Visits) -> None:
    """By mouse and by keyboard; a press keeps it, Escape leaves; the server is not asked."""
    one = moves()
    page, ways, weight = one.page, one.page.locator(".ways"), table(100)
    lit, sent = page.locator(".lit"), one.frames.count("sent")
    page.locator("[data-point='weight 53 0']").hover()  # a number of the table alone
    (first,) = like(".0000", weight[53, 0:1])
    other = "nn.Linear multiplies it by 0; nn.Embedding does not read it."
    expect(page.locator(".from")).to_have_text(
        f"weight[53, 0] = {first}: {other} A column alone means nothing."
    )
    expect(lit).to_have_count(1)
    page.locator(".cell.left").nth(1).click()
    page.mouse.move(0, 0)
    one.sees(".from", "weight[58, 1] = ", "nn.Embedding copies it")  # a press keeps it
    ways.press("Escape")
    page.locator(".answer.right").nth(3).hover()
    (value,) = like(".0000", weight[58, 3:4])  # it is negative
    one.sees(".from", "output[0, 0, 3] = 53 rows × 0 + 0 × ", f" + 1 × ({value}) + ", f" = {value}")
    expect(lit).to_have_count(26)  # 11 numbers of the table, 13 products, 2 answers
    page.locator(".answer.left").nth(3).hover()  # the copy and its source alone
    one.sees(".from", f"output[0, 0, 3] = weight[58, 3] = {value}: copied", "A column alone")
    expect(lit).to_have_count(2)
    page.mouse.move(0, 0)
    expect(lit).to_have_count(0)
    label, chip = page.locator(".label").nth(2), page.locator(".chip").nth(2)
    label.click()
    chip.hover()
    check(one, weight, 41)
    page.mouse.move(0, 0)
    check(one, weight, 55)
    for key in ("Right", "Right", "Right", "Left", "Down", "Down", "Up"):
        ways.press(f"Arrow{key}")
    one.sees(".from", "output[0, 0, 1] = ", *like(".0000", weight[56, 1:2]))
    for key in ("Left", "Left", "Left"):  # left of the sums stands the copy
        ways.press(f"Arrow{key}")
    one.sees(".from", "output[0, 0, 8] = weight[56, 8] = ")
    assert one.frames.count("sent") == sent
    ways.press("Escape")
    check(one, weight, 58)


def test_play_shows_one_idea_after_the_other(moves: Visits) -> None:
    """Look up, copy, multiply, add: a press each, for every token. Nothing moves, nothing is sent.

    The last token stays selected, and the sentence speaks of it. With reduced motion a press is a
    step. Else Space plays and pauses, Enter takes a step.
    """
    one = moves(SMALL, reduced_motion="reduce")
    page, play, ways = one.page, one.page.locator(".play"), one.page.locator(".ways")
    left, right = (page.locator(f".answer.{side}:not(:empty)") for side in ("left", "right"))
    page.locator(".label").nth(3).click()  # Play is of the tokens' rows all the same
    box, sent = page.locator(".below").bounding_box(), one.frames.count("sent")
    for token, k in enumerate([0, 1, 2, 0]):  # `abca`: from the first one on
        for step, (copied, added) in enumerate([(0, 0), (3, 0), (3, 0), (3, 3)], 1):
            play.click()
            one.sees(".said", re.compile(rf"{step} of 4, .*\b{k}\b"))
            expect(left).to_have_count(copied)
            expect(right).to_have_count(added)
            one.picked(k, 0, token)
            assert page.locator(".below").bounding_box() == box
    assert one.frames.count("sent") == sent
    play.click()
    one.sees(".said", "'a' has id 0. Models such as GPT compute with numbers: row 0 is all that")
    one.picked(0, 0, 3)
    one.until(lambda: "token=3" in one.search(), True)
    one.settle()
    page.emulate_media(reduced_motion="no-preference")
    ways.press("Escape")
    ways.press(" ")
    one.sees(".play", "Pause")
    expect(left).to_have_count(3)
    ways.press(" ")
    one.sees(".play", "Play")
    ways.press("Escape")
    ways.press("Enter")
    one.sees(".said", "1 of 4")
    page.locator(".step").click()
    one.sees(".said", "2 of 4")
    page.locator(".answer.right").first.click()  # a number ends it, and shows its sum
    one.sees(".equal", "=")
    one.sees(".from", "output[0, 0, 0] = 1 × ")
    play.click()
    page.locator(".chip").first.click()  # another token ends it
    one.sees(".equal", "=")
    one.picked(0, 0, 0)
    play.click()
    one.until(lambda: "token" in one.search(), False)
    one.settle()
    one.sees(".play", "Pause")  # the address does not end it
    one.text().fill("b")  # and so does another text
    one.sees(".equal", "=")
    one.sees(".play", "Play")


def test_play_asks_for_rows_that_were_not_sent(moves: Visits) -> None:
    """In a large table each token is played with its own row; the address has the last one."""
    one = moves("/?input=ids&ids=[5,500000,999999]&rows=1000000&dim=4", reduced_motion="reduce")
    weight = table(1_000_000, 4)
    for token, row in enumerate([5, 500_000, 999_999]):
        for step in range(1, 5):
            one.page.locator(".play").click()
            one.sees(".said", f"{step} of 4")
            expect(one.page.locator(".chip.selected")).to_have_text(f"{row:,}[{token}]")
        answers = one.page.locator(".answer.left")
        expect(answers).to_have_text(like(answers.first.inner_text(), weight[row]))
    one.page.locator(".play").click()
    one.until(lambda: "token=2" in one.search(), True)


def test_the_weight_of_linear(moves: Visits) -> None:
    """It stands beside the table, turned, with the same numbers; both answers stay in sight."""
    one = moves("/?text=WTF&view=linear")
    page, weight, own = one.page, table(100), one.page.locator(".own")
    sums = own.locator(".sum")
    expect(sums).to_have_count(10)
    numbers = sums.all_text_contents()
    assert numbers == like(numbers[0], weight[58])
    for cells in (".own .cell.right:not(.sum)", ".answer.left", ".answer.right"):
        expect(page.locator(cells)).to_have_text(numbers)
    expect(own.locator(".factor.one")).to_have_count(1)
    expect(own.locator(".weight")).to_have_text(re.compile("10 × 100$"))
    first = int(own.locator(".sub.top").nth(1).inner_text())
    own.locator(".cell:not(.right)").first.hover()
    one.sees(".from", f"weight[{first}, 0] = ", "nn.Linear multiplies it by 0")
    expect(page.locator(".lit")).to_have_count(2)  # in both tables
    for total in (sums.nth(2), page.locator(".answer.right").nth(2)):
        total.hover()
        one.sees(".from", "output[0, 0, 2] = ", f"= {like('.0000', weight[58, 2:3])[0]}")
    expect(page.locator(".turn")).to_have_text("Show rows again")
    page.mouse.move(0, 0)
    page.locator(".turn").click()
    expect(page.locator(".turn")).to_have_text(re.compile(r"transposed \(10 × 100\)$"))
    page.mouse.move(0, 0)
    check(one, weight, 58)
    one.linked("text=WTF")


def test_the_turned_weight_has_as_many_sums_as_both_answers(moves: Visits) -> None:
    """For few and many rows and columns, beside the table and below it; the label stands whole.

    Each layer is named once: the table stands below nn.Embedding alone.
    """
    one = moves("/?text=abc&vocab=custom&chars=abcdef&rows=6&dim=10&view=linear")
    words, names = "world=words&text=", [re.compile("Linear"), re.compile("Embedding")]
    drawn_at = {
        (1440, 900): (f"{words}princess", ""),
        (1280, 720): (f"{words}king", "text=a&dim=64"),
        (320, 844): (f"{words}princess", "text=hello"),
    }
    for size, links in drawn_at.items():
        one.page.set_viewport_size({"width": size[0], "height": size[1]})
        for path in links:
            one.move(f"/?{path}&view=linear")
            expect(one.page.locator(".ways .layer")).to_have_text(names)
            numbers = one.page.locator(".answer.left").count()
            assert numbers >= 1
            expect(one.page.locator(".own .sum")).to_have_count(numbers)
            expect(one.page.locator(".answer.right")).to_have_count(numbers)
            if "words" in path and size[0] > 640:
                label = one.page.locator(".own .label.picked")
                expect(label).to_have_text(path.partition("text=")[2])
                assert label.evaluate("it => it.scrollWidth <= it.clientWidth"), path


def test_columns_move_together(moves: Visits) -> None:
    """By the slider, arrow keys and a wheel; those that were not sent are asked for."""
    one = moves("/?text=ab&dim=300&column=7")
    page, weight, ways = one.page, table(100, 300), one.page.locator(".ways")
    answers = page.locator(".answer.left")
    scroll = page.get_by_role("slider", name="columns 7 to")
    shown = answers.count()
    assert 7 <= shown <= 12
    check(one, weight, 10, 7)
    scroll.press("ArrowRight")
    check(one, weight, 10, 8)
    scroll = page.locator(".scroll")
    scroll.press("Home")
    check(one, weight, 10, 0)
    for _ in range(shown + 2):
        ways.press("ArrowRight")
    check(one, weight, 10, 2)
    expect(page.locator(".lit")).to_have_count(26)
    one.sees(".columns", f"columns 2 to {shown + 1} of 300")
    ways.press("Escape")
    answers.last.hover()
    cell = answers.last.bounding_box()
    assert cell is not None
    page.mouse.wheel(3.2 * cell["width"], 0)
    page.mouse.move(0, 0)
    check(one, weight, 10, 5)
    with page.expect_request("**/live"):
        scroll.press("End")
    one.linked("text=ab", "dim=300", f"column={300 - shown}")
    check(one.reload(), weight, 10, 300 - shown)


def test_a_byte_has_its_code_below_it(moves: Visits) -> None:
    """And its id below that; a label of a row is cut at 8 characters."""
    one = moves("/?text=t&vocab=bytes")
    expect(one.page.locator(".chip")).to_have_text("t74116")
    one.move("/?text=constitution&vocab=bpe&dim=2")
    labels = one.page.locator(".label").all_text_contents()
    assert max(map(len, labels)) <= 8


def test_a_refusal_leaves_the_picture(visit: Visits) -> None:
    """It is one line below it, whose fixes work; the first load of a refused link has it too.

    It ends Play.
    """
    one = visit("/?text=ab&unknown=error")
    page, refusal = one.page, one.page.locator(".refusal")
    page.locator(".play").click()
    one.text().fill("abé")
    one.sees(".refusal", "'é' (U+00E9) at index 2")
    one.sees(".play", "▶ Play")
    check(one.settle(), table(100), 10)
    one.reload()
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


def test_sums_that_differ_are_named(moves: Visits) -> None:
    """Own weights with inf and -0.0: 0 times inf is no number, and -0.0 loses its sign."""
    one = moves("/?init=own&input=ids&ids=0 1 0 1 0 1 0&weights=-1 2%0A-0 inf%0A-3 4")
    left, right = (one.page.locator(f".answer.{side}") for side in ("left", "right"))
    expect(left).to_have_text(["−1", "2"])
    expect(right).to_have_text(["−1", "nan"])
    one.sees(".said", "other bits")
    assert drawn(one)[5][-2:] == ["0", "nan"]
    one.sees(".equal", "≠")
    one.sees(".note.two", "1 of 2")
    expect(one.page.locator(".differs")).to_have_text(["2", "nan"])
    one.sees(".verdict", "7 of 14", ": 0, 1, 2, 3, 4 and 2 more")
    one.page.locator(".chip").nth(1).click()
    expect(left).to_have_text(["−0", "inf"])
    expect(right).to_have_text(["0", "inf"])
    one.sees(".verdict", "column 0 the sum written here is −0, torch's is 0")
    one.move("/?init=own&input=ids&ids=0&weights=0" + "%0A1" * 299 + "%0Anan")
    expect(one.page.locator(".cell.zero").last).to_have_text("nan")  # of rows that were not sent


def test_nothing_below_the_picture_moves(moves: Visits) -> None:
    """Neither where a sum is written nor at a press: a sum stands beside the verdict here.

    `test_still.py` has the first screens of a usual window.
    """
    one = moves("/?text=hello&projector=true", viewport=LOW)
    page = one.page
    top = page.locator(".said").bounding_box()
    for kind in (".answer.right", ".label", ".cell.left", ".chip", ".answer.left"):
        page.locator(kind).last.hover()
        assert page.locator(".said").bounding_box() == top, kind
    one.sees(".from", "output[0, 0, ")
    for press in [".step"] * 5 + [".turn", ".step", ".turn", ".label"]:
        page.locator(press).first.click()
        page.mouse.move(0, 0)
        assert page.locator(".said").bounding_box() == top, press
    one.move("/")


def test_a_low_window_shows_the_row_both_answers_and_the_verdict(moves: Visits) -> None:
    """Also with a projector's large type; six rows are drawn whole, on a phone too."""
    one = moves(None)
    labels, six = one.page.locator(".ways .label"), [*"abcdef"]
    one.page.set_viewport_size({"width": 390, "height": 844})
    one.move("/")
    one.until(lambda: sorted(labels.all_text_contents()), six)
    one.page.set_viewport_size(LOW)
    for path in ("/?", "/?text=hello", "/?text=Maria"):
        for more in ("", "&projector=true"):
            one.move(path + more)
            if path == "/?":
                one.until(lambda: sorted(labels.all_text_contents()), six)
            for kind in (".label.picked", ".answer.left", ".answer.right", ".verdict"):
                expect(one.page.locator(kind).last).to_be_in_viewport(ratio=1)
    one.move("/")


def test_typing_a_foreign_letter_waits_for_a_pause(visit: Visits) -> None:
    """Until then the small table has a row `<unk>`; then it is the world of characters."""
    one = visit("/")
    one.text().press("End")
    one.page.keyboard.type("dx")
    one.settle().linked("text=cabdx")
    one.sees(".moved", "'x' is none of the six letters")
    one.sees(".note", "100 × 10")
    one.move("/")
    one.text().fill("bad")
    one.settle().linked("text=bad", "world=letters")
    one.sees(".note", "6 × 3")
    one.page.get_by_role("radio", name="characters").click()
    one.settle().linked("text=bad")
    one.page.go_back()
    one.settle().linked("text=bad", "world=letters")


def test_the_two_files_of_the_embedding_projector(moves: Visits) -> None:
    """The whole table, a line each row, and the rows' labels below a header."""
    one = moves("/?text=h%C3%A9&panel=all+tokens&dim=3")
    lines = {}
    one.pop("Download")
    for label in ("Table as TSV", "Its labels"):
        with one.page.expect_download() as downloaded:
            one.page.get_by_role("button", name=label).click()
        text = downloaded.value.path().read_text("utf-8")
        lines[downloaded.value.suggested_filename] = len(text.splitlines())
    assert lines == {"vectors.tsv": 101, "metadata.tsv": 102}
