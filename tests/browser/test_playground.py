"""The playground in a browser: its numbers, selecting, pointing, Play, columns, and bad input."""

import re
import string

import pytest
import torch
from playwright.sync_api import expect

from embviz.fact.tokenizers import vocabulary
from tests.browser.conftest import Visit, Visits

TEXT = "WTF does nn.Embedding do?"
SMALL = "/?text=abca&vocab=custom&chars=abcdef&rows=6&dim=3&init=integers&token=1"
# How much of the two ways a picture shows.
LOOK = r"""ways => {
  const all = (kind) => [...ways.querySelectorAll(kind)];
  const text = (kind) => all(kind).map((e) => e.textContent).join(" ").trim();
  return [all(".label.picked").length + all(".cell.left:not(.answer)").length,
    text(".answer.left"), text(".answer.right"), text(".equal"),
    new Set(all(".cell:is(.zero, .right:not(.answer)):not(.gone)")
      .map((e) => e.style.gridRowStart)).size,
    ways.ariaLabel.match(/−?\d+/g).join(" ")];
}"""


# What is wrong with the marks and words of a picture, for a row of a table.
WRONG = r"""(ways, [row, first, rows, dim, least, most, lit]) => {
  const all = (kind) => [...ways.querySelectorAll(kind)];
  const part = (kind) => ways.parentElement.querySelector(kind);
  const text = (kind) => part(kind).textContent;
  const kinds = [".cell.left:not(.answer)", ".cell.right:not(.answer)",
    ".answer.left", ".answer.right"];
  const colours = kinds.map((kind) => all(kind).map((one) => one.style.backgroundColor).join(";"));
  const left = all(".answer.left"), count = (number) => number.toLocaleString("en-US");
  const number = ({ textContent }) => +textContent.replace("−", "-");
  const greens = left.toSorted((one, other) => number(one) - number(other))
    .map((one) => one.style.backgroundColor.match(/\d+/g)).map(([r, g, b]) => 2 * g - r - b);
  const picked = new Set(all(`.picked, .one, ${kinds[0]}, ${kinds[1]}`)
    .map((one) => one.style.gridRowStart));
  const ends = part(".legend").innerText.replace("−", "-").split(/\s+/);
  const columns = `columns ${count(first)} to ${count(first + left.length - 1)}`;
  const found = {
    "one row is picked": picked.size === 1,
    "a copy has its colours": new Set(colours).size === 1,
    "greater is greener": greens.every((green, k) => !k || greens[k - 1] - green < 9),
    "as much is lit": all(".lit").length === lit,
    "the label says it": ways.ariaLabel
      === text(/^(output|weight)\[/.test(text(".from")) ? ".from" : ".said"),
    "the row is named": text(".said").toLowerCase().includes(`row ${count(row)}`),
    "two layers": all(".layer")
      .map((one) => one.textContent.replace("\u200b", "").replace("\u00a0", " ")).sort()
      .join(" ") === `nn.Embedding(${rows}, ${dim}) nn.Linear(${rows}, ${dim}, bias=False)`,
    "both layers point at the table": all(".arrow").length === 2 && all(".arrow").every((one) => {
      const [a, b] = [one, part(".weight")].map((it) => it.getBoundingClientRect());
      return Math.abs(a.bottom - b.top) < 2 && a.left >= b.left - 1 && a.right <= b.right + 1;
    }),
    legend: Math.abs(ends[0] - least) + Math.abs(ends[1] - most) < 0.1,
    shape: text(".note").startsWith(`${count(rows)} × ${count(dim)}, random`),
    verdicts: [".note.two", ".verdict"].every((one) => /\s([\d,]+) of \1\b/.test(text(one))),
    codes: text(".code.blue").includes("embedding(id)")
      && text(".code.orange").replace("\u200b", "").includes("linear(one_hot)"),
    columns: left.length === dim ? part(".pan").hidden
      : text(".columns") === `${columns} of ${count(dim)}`
      && text(".note").endsWith(`${columns} here`) && part(".scroll").valueAsNumber === first,
  };
  return Object.keys(found).filter((name) => !found[name]);
}"""


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


def check(one: Visit, weight: torch.Tensor, row: int, first: int = 0, lit: int = 0) -> list[str]:
    """Assert that numbers, marks and words are those of this table and row; give the labels."""
    one.until(lambda: [line[1] for line in drawn(one) if "→" in line[1]], [f"{row} →"])
    labels, at = [], 0
    for line in (line for line in drawn(one) if "×" in line):
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
    assert (len(labels), at) == (min(len(weight), 11), len(weight))
    one.sees(".equal", "=")
    given = [row, first, *weight.shape, *map(float, weight.aminmax()), lit]
    one.until(lambda: one.page.locator(".ways").evaluate(WRONG, given), [])
    return labels


def table(rows: int, dim: int = 10, seed: int = 123) -> torch.Tensor:
    """PyTorch's table for a seed."""
    torch.manual_seed(seed)
    return torch.nn.Embedding(rows, dim).weight.detach()


def test_each_number_is_the_tensors(visit: Visits) -> None:
    """Of a text at both ends of the table, of ids of rank 3, and of a million rows."""
    one = visit(f"/?text={TEXT}&token=3")
    assert check(one, table(100), 94)[5:7] == ["·", "⇥"]
    one.sees(".verdict", "250 of 250")
    one.sees(".blank", "space")
    one.move("/?input=ids&ids=[[[99,1],[2,3]],[[0,5],[6,0]]]&token=4&dtype=float64&seed=7")
    check(one, table(100, seed=7), 0)
    one.picked(0, 1, 0, 0)
    assert one.chips()[3] == ("3", "[0, 1, 1]")
    expect(one.page.locator(".chip.starts")).to_have_text(
        ["2[0, 1, 0]", "0[1, 0, 0]", "6[1, 1, 0]"]
    )
    one.move("/?input=ids&ids=[[5],[999999],[500000]]&rows=1000000&dim=64")
    weight = table(1_000_000, 64)
    for token, row in ((0, 5), (1, 999_999), (2, 500_000)):
        one.page.locator(".chip").nth(token).click()
        check(one, weight, row)
    expect(one.page.locator(".chip.starts")).to_have_count(0)


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


def test_pointing_lights_and_says_what_a_number_comes_from(visit: Visits) -> None:
    """By mouse and by keyboard; a press keeps it, Escape leaves; the server is not asked."""
    one = visit()
    page, ways, weight = one.page, one.page.locator(".ways"), table(100)
    sent = one.frames.count("sent")
    column, row = 26, 21  # lit: 11 numbers of the table, 13 products, 2 answers; a label and 2 * 10
    page.locator("[data-point='weight 53 0']").hover()  # a number of the table alone
    (first,) = like(".0000", weight[53, 0:1])
    other = "nn.Linear multiplies it by 0; nn.Embedding does not read it."
    expect(page.locator(".from")).to_have_text(
        f"weight[53, 0] = {first}: {other} A column alone means nothing."
    )
    check(one, weight, 58, lit=1)
    page.locator(".cell.left").first.hover()
    one.sees(".from", "weight[58, 0] = ", "nn.Embedding copies it, nn.Linear multiplies it by 1.")
    page.locator(".cell.left").nth(1).click()
    page.mouse.move(0, 0)
    one.sees(".from", "weight[58, 1] = ")  # a press keeps it
    page.locator(".answer.right").nth(0).hover()
    one.sees(".from", "output[0, 0, 0] = ")
    ways.press("Escape")
    page.locator(".answer.right").nth(3).hover()
    (value,) = like(".0000", weight[58, 3:4])  # it is negative
    one.sees(".from", "output[0, 0, 3] = 53 rows × 0 + 0 × ", f" + 1 × ({value}) + ", f" = {value}")
    check(one, weight, 58, lit=column)
    page.mouse.move(0, 0)
    check(one, weight, 58)
    page.locator(".answer.left").nth(3).hover()  # the copy and its source alone
    expect(page.locator(".from")).to_have_text(
        f"output[0, 0, 3] = weight[58, 3] = {value}: copied, nothing is multiplied or added. "
        "A column alone means nothing."
    )
    check(one, weight, 58, lit=2)
    page.mouse.move(0, 0)
    label, chip = page.locator(".label").nth(2), page.locator(".chip").nth(2)
    label.hover()
    check(one, weight, 55, lit=row)
    label.click()
    chip.hover()
    check(one, weight, 41)
    page.mouse.move(0, 0)
    check(one, weight, 55, lit=row)
    for key in ("Right", "Right", "Right", "Left", "Down", "Down", "Up"):
        ways.press(f"Arrow{key}")
    one.sees(".from", "output[0, 0, 1] = ", *like(".0000", weight[56, 1:2]))
    for key in ("Left", "Left", "Left"):  # left of the sums stands the copy
        ways.press(f"Arrow{key}")
    one.sees(".from", "output[0, 0, 8] = weight[56, 8] = ")
    assert one.frames.count("sent") == sent
    ways.press("Escape")
    check(one, weight, 58)


# The tints of each number.
TINTS = """cells => {
  const tints = {};
  for (const one of cells) {
    if (one.style.backgroundColor) (tints[one.textContent] ??= []).push(one.style.backgroundColor);
  }
  return Object.values(tints).map((some) => new Set(some).size);
}"""


def test_equal_numbers_have_equal_tints(visit: Visits) -> None:
    """In the table, among the products and in both answers; also in nn.Linear's own weight."""
    one = visit("/")
    for path in ("/", "/?view=linear"):
        one.move(path)
        found = one.page.locator(".cell").evaluate_all(TINTS)
        assert len(found) > 5
        assert {*found} == {1}


def test_play_shows_one_idea_after_the_other(visit: Visits) -> None:
    """Look up, copy, multiply, add: a press each, for every token. Nothing moves, nothing is sent.

    The last token stays selected, and the sentence speaks of it. With reduced motion a press is a
    step. Else Space plays and pauses, Enter takes a step.
    """
    one = visit(SMALL, reduced_motion="reduce")
    page, play, ways = one.page, one.page.locator(".play"), one.page.locator(".ways")
    torch.manual_seed(123)
    rows = torch.randint(0, 10, (6, 3)).tolist()

    def looks(k: int) -> list[list[object]]:
        """How the picture looks at each step of the token with this id."""
        row = " ".join(map(str, rows[k]))
        return [
            [4, "", "", "", 0, f"1 4 {k} {k}"],
            [4, row, "", "", 0, f"2 4 {k}"],
            [4, row, "", "", 6, f"3 4 {k} 1 0"],
            [4, row, row, "=", 6, f"4 4 {k}"],
        ]

    page.locator(".label").nth(3).click()  # Play is of the tokens' rows all the same
    box, sent = page.locator(".below").bounding_box(), one.frames.count("sent")
    for token, k in enumerate([0, 1, 2, 0]):  # `abca`: from the first one on
        for step in looks(k):
            play.click()
            one.until(lambda: ways.evaluate(LOOK), step)
            one.picked(k, 0, token)
            assert page.locator(".below").bounding_box() == box
    assert one.frames.count("sent") == sent
    play.click()
    one.sees(".said", "'a' has id 0. Row 0 is all that")
    one.picked(0, 0, 3)
    one.until(lambda: "token=3" in one.search(), True)
    one.settle()
    wanted = looks(0)
    page.emulate_media(reduced_motion="no-preference")
    ways.press("Escape")
    ways.press(" ")
    one.sees(".play", "Pause")
    expect(page.locator(".answer.left:not(:empty)")).to_have_count(3)
    ways.press(" ")
    one.sees(".play", "Play")
    ways.press("Escape")
    ways.press("Enter")
    one.until(lambda: ways.evaluate(LOOK), wanted[0])
    page.locator(".step").click()
    one.until(lambda: ways.evaluate(LOOK), wanted[1])
    page.locator(".answer.right").first.click()  # a number ends it, and shows its sum
    one.sees(".equal", "=")
    one.sees(".from", "output[0, 0, 0] = 1 × ")
    one.picked(0, 0, 0)
    one.until(lambda: "token=0" in one.search() or "token" not in one.search(), True)
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


def test_play_asks_for_rows_that_were_not_sent(visit: Visits) -> None:
    """In a large table each token is played with its own row; the address has the last one."""
    one = visit("/?input=ids&ids=[5,500000,999999]&rows=1000000&dim=4", reduced_motion="reduce")
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


# The texts of nn.Linear's own weight, row by row.
OWN = DRAWN.replace("ways.children", "ways.querySelector('.own').children")


def test_the_weight_of_linear(visit: Visits) -> None:
    """It stands beside the table, turned, with the same numbers; both answers stay in sight."""
    one = visit("/?text=WTF&view=linear")
    page, weight, ways = one.page, table(100), one.page.locator(".ways")
    _, labels, ids, (_, *factors, _), (shape, *_), *rows, (how,) = ways.evaluate(OWN)
    assert how == "each column × its 0 or 1, then + along each row"
    assert labels == ["…", *string.printable[58 - len(labels) // 2 + 1 :][: len(labels) - 2], "…"]
    first = int(ids[1])
    assert ids == ["", *map(str, range(first, first + len(labels) - 2)), ""]
    assert [ids[at] for at, one in enumerate(factors) if one == "1"] == ["58"]
    assert shape.endswith("10 × 100")
    for column, line in enumerate(rows):
        numbers = like(line[-1], weight[first : first + len(labels) - 2, column])
        assert line == [
            f"[{column}]",
            "…",
            *numbers,
            "…",
            "=",
            like(line[-1], weight[58:, column])[0],
        ]
    assert len(rows) == 10
    for side in (".answer.left", ".answer.right"):
        expect(page.locator(side)).to_have_text([row[-1] for row in rows])
    expect(page.locator(".label.picked")).to_have_count(2)
    page.locator(".own .cell:not(.right)").first.hover()
    one.sees(".from", f"weight[{first}, 0] = ", "nn.Linear multiplies it by 0")
    expect(page.locator(".lit")).to_have_count(2)  # in both tables
    page.locator(".own .sum").nth(2).hover()
    one.sees(".from", "output[0, 0, 2] = ")
    page.locator(".answer.right").nth(2).hover()
    one.sees(".from", "output[0, 0, 2] = ", f"= {like('.0000', weight[58, 2:3])[0]}")
    expect(page.locator(".turn")).to_have_text("Show rows again")
    page.mouse.move(0, 0)
    page.locator(".turn").click()
    expect(page.locator(".turn")).to_have_text(re.compile(r"transposed \(10 × 100\)$"))
    page.mouse.move(0, 0)
    check(one, weight, 58)
    one.linked("text=WTF")


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_each_layer_is_named_once(visit: Visits, width: int) -> None:
    """Where nn.Linear's own weight is drawn, the table stands below nn.Embedding alone."""
    one = visit("/?world=words&view=linear", viewport={"width": width, "height": 844})
    names = one.page.locator(".ways .layer")
    expect(names).to_have_text([re.compile("Linear"), re.compile("Embedding")])
    expect(one.page.locator(".ways > .omitted").first).to_have_text(re.compile("more rows?$"))


def test_the_turned_weight_has_as_many_sums_as_both_answers(visit: Visits) -> None:
    """For few and many rows and columns, beside the table and below it; the label stands whole."""
    one = visit("/?text=abc&vocab=custom&chars=abcdef&rows=6&dim=10&view=linear")
    links = "world=words&text=princess", "world=words&text=king", "text=hello", "text=a&dim=64"
    paths = [*(f"/?{link}&view=linear" for link in links), "/?view=linear"]
    for size in ((1440, 900), (1280, 720), (390, 844)):
        one.page.set_viewport_size({"width": size[0], "height": size[1]})
        for path in paths:
            one.move(path)
            numbers = one.page.locator(".answer.left").count()
            assert numbers >= 1
            expect(one.page.locator(".own .sum")).to_have_count(numbers)
            expect(one.page.locator(".answer.right")).to_have_count(numbers)
            if "words" in path and size[0] > 640:
                label = one.page.locator(".own .label.picked")
                expect(label).to_have_text(path.partition("text=")[2].partition("&")[0])
                assert label.evaluate("it => it.scrollWidth <= it.clientWidth"), path


def test_six_rows_are_drawn_whole_in_every_window(visit: Visits) -> None:
    """Also with a projector's large type, with both answers and the verdict in view."""
    one = visit("/")
    for size in ((1440, 900), (1280, 720), (390, 844)):
        one.page.set_viewport_size({"width": size[0], "height": size[1]})
        for path in ("/", "/?projector=true"):
            one.move(path)
            expect(one.page.locator(".ways .label")).to_have_text([*"abcdef"])
            if size[0] > 640:
                for kind in (".answer.left", ".answer.right", ".verdict"):
                    expect(one.page.locator(kind).last).to_be_in_viewport(ratio=1)


def test_the_ends_of_the_strip_are_one_line(visit: Visits) -> None:
    """However long the text is."""
    one = visit(f"/?text={'hello ' * 900}&token=2500")
    for end in one.page.locator(".more").all():
        expect(end).to_have_text(re.compile(r"[\d,]+"))
        box = end.bounding_box()
        assert box is not None
        assert box["height"] < 24


def test_columns_move_together(visit: Visits) -> None:
    """By the slider, arrow keys and a wheel; those that were not sent are asked for."""
    one = visit("/?text=ab&dim=300&column=7")
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
    check(one, weight, 10, 2, lit=26)
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


def test_names_of_rows_and_tokens(visit: Visits) -> None:
    """Neighbours stand by id, at most 8 characters long; a byte has its code below it."""
    known = vocabulary({"vocab": "bpe", "merges": 2000})
    one = visit("/?text=embedding é&vocab=bpe&dim=2&token=1")
    ids = known.encode("embedding é")
    labels = map(known.label, range(ids[1] - 5, ids[1] + 6))
    wanted = [label if len(label) <= 8 else label[:7] + "…" for label in labels]
    expect(one.page.locator(".label")).to_have_text(wanted)
    one.move("/?text=t&vocab=bytes")
    expect(one.page.locator(".chip")).to_have_text("t74116")


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


def test_sums_that_differ_are_named(visit: Visits) -> None:
    """Own weights with inf and -0.0: 0 times inf is no number, and -0.0 loses its sign."""
    one = visit("/?init=own&input=ids&ids=0 1 0 1 0 1 0&weights=-1 2%0A-0 inf%0A-3 4")
    left, right = (one.page.locator(f".answer.{side}") for side in ("left", "right"))
    expect(left).to_have_text(["−1", "2"])
    expect(right).to_have_text(["−1", "nan"])
    one.sees(".said", "other numbers")
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


def test_nothing_below_the_picture_moves(visit: Visits) -> None:
    """Neither where a sum is written nor at a press; a tooltip explains `identical`."""
    one = visit("/?text=hello")
    for path in ("/?text=hello", "/", "/?text=hello&projector=true"):
        if path.endswith("true"):  # a sum stands beside the verdict there
            one.page.set_viewport_size({"width": 1280, "height": 720})
        one.move(path)
        page = one.page
        top = page.locator(".said").bounding_box()
        one.sees(".from", "Point at a number to see where it comes from.")
        for kind in (".answer.right", ".label", ".cell.left", ".chip"):
            page.locator(kind).last.hover()
            assert page.locator(".said").bounding_box() == top, kind
        page.locator(".answer.left").last.hover()
        one.sees(".from", "output[0, 0, ")
        for press in [".step"] * 5 + [".turn", ".step", ".turn", ".label"]:
            page.locator(press).first.click()
            page.mouse.move(0, 0)
            assert page.locator(".said").bounding_box() == top, press
    expect(page.locator(".note.two")).to_have_attribute(
        "title", re.compile("^Identical, bit for bit: ")
    )


def test_a_low_window_shows_the_row_both_answers_and_the_verdict(visit: Visits) -> None:
    """Also with a projector's large type."""
    one = visit("/?text=hello", viewport={"width": 1280, "height": 720})
    for path in (
        "text=hello",
        "text=Maria",
        "text=hello&projector=true",
        "text=Maria&projector=true",
    ):
        one.move(f"/?{path}")
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
    one.sees(".note", "100 × 10")
    one.page.go_back()
    one.settle().linked("text=bad", "world=letters")
    one.sees(".note", "6 × 3")


def test_the_two_files_of_the_embedding_projector(moves: Visits) -> None:
    """The whole table bit for bit, a line each row, and the rows' labels below a header."""
    one = moves("/?text=h%C3%A9&panel=all+tokens&dim=3")
    files = {}
    one.pop("Download")
    for label in ("Table as TSV", "Its labels"):
        with one.page.expect_download() as downloaded:
            one.page.get_by_role("button", name=label).click()
        files[downloaded.value.suggested_filename] = downloaded.value.path().read_text("utf-8")
    assert [*files] == ["vectors.tsv", "metadata.tsv"]
    rows = [[*map(float, line.split("\t"))] for line in files["vectors.tsv"].splitlines()]
    torch.manual_seed(123)
    weight = torch.nn.Embedding(100, 3).weight.detach()
    unknown = torch.nn.Embedding(100, 3).weight.detach()[:1]  # of a second draw
    assert torch.tensor(rows).equal(torch.cat([weight, unknown]))
    header, *labels = files["metadata.tsv"].splitlines()
    assert header == "symbol\tid"
    assert len(labels) == len(rows) == 101
    assert [labels[17], labels[100]] == ["h\t17", "<unk>\t100"]
