"""The tour in a browser: each sentence is true of what is drawn, and each stop is in view."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, ViewportSize, expect

from embviz.labs.catalogue import LABS
from embviz.settings.tour import STOPS
from tests.browser.conftest import Visit, Visits
from tests.browser.test_history import entries
from tests.browser.test_looks import check_looks

BAR, SENTENCE = ".st-key-tour", ".st-key-tour_sentence"
NEXT = ".st-key-tour_press a"  # also that of *Start here*
PHONE: ViewportSize = {"width": 390, "height": 844}
LAPTOP: ViewportSize = {"width": 1280, "height": 720}
MIB = re.compile(r"([\d.]+ MiB)")


def numbers(cells: Locator) -> str:
    """The numbers of cells, as a sentence has them."""
    return "\u00a0".join(cells.all_text_contents())


def copied(one: Visit, sentence: str) -> None:
    """The letter, its id, and the row that is the left answer."""
    (letter, id), *_ = one.chips()
    answer = numbers(one.page.locator(".answer.left"))
    assert answer == numbers(one.page.locator(".ways .cell.left:not(.answer)"))
    assert f"{letter}, id {id}, becomes {answer}." in sentence


def summed(one: Visit, sentence: str) -> None:
    """The factors, and both answers."""
    letter = one.chips()[1][0]
    one.picked(0, 0, 1)
    assert one.page.locator(".factor").all_text_contents() == ["1", *"00000"]
    assert one.page.locator(".ways .label").first.text_content() == letter
    answer = numbers(one.page.locator(".answer.right"))
    assert answer == numbers(one.page.locator(".answer.left"))
    assert f"Only the row of {letter} has a 1" in sentence
    assert f"the sum is the same: {answer}." in sentence


def learns(one: Visit, sentence: str) -> None:
    """The training plays by itself; its verdict names the nearest rows."""
    one.sees(".learning .count", "200 of 200 steps")
    one.sees(".learning .before", "random")
    told = one.page.locator(".learning .verdict").inner_text()
    steps, *pair = re.findall(r"After (\d+) steps: '(\w)' and '(\w)'", told)[0]
    assert f"after {steps} steps those of {' and '.join(pair)} are the nearest" in sentence


def alike(one: Visit, sentence: str) -> None:
    """The word and the nearest one."""
    said = one.page.locator(".st-key-anchor_panel").inner_text()
    word, nearest = re.findall(r"row \d+ \((\w+)\), by the cosine of both: (\w+),", said)[0]
    assert f"nearest to {word} is {nearest}." in sentence


def stands(one: Visit, sentence: str) -> None:
    """What flows through which layers, and what is expected after training."""
    flows = one.page.locator(".in-a-model .shape").all_text_contents()
    assert [flow.split()[0] for flow in flows] == ["text", "ids", "rows", "vectors", "scores"]
    layers = one.page.locator(".in-a-model .layer b").all_text_contents()
    assert layers == ["nn.Embedding(6, 3)", "layers", "nn.Linear(3, 6)"]
    told = one.page.locator(".st-key-anchor_panel p", has_text="the model expects").inner_text()
    letter, following = re.findall(r"After (\w) the .* After \d+ steps it expects (\w) ", told)[0]
    assert f"it learns to expect {following} after {letter}." in sentence


def neighbours(one: Visit, sentence: str) -> None:
    """One row of the word, and what comes out of the layers differs."""
    said = one.page.locator(".st-key-sentence_verdict").inner_text()
    word, cosines = said.split(":")[0], re.findall(r"0\.\d+", said)
    assert f"{word}: one row." in said
    assert max(map(float, cosines)) < 0.95
    one.sees(".stMain", f"{word} (id 2924) in sentences 1, 2 and 3: one row")
    assert f"{word} has the same row in three sentences" in sentence


def size(one: Visit, sentence: str) -> None:
    """The verdict on the losses, once it is trained."""
    verdict = one.page.locator(".st-key-sizes_answer").get_by_text("twice as many numbers")
    enough = re.findall(r"From (D = \d+) on,", verdict.inner_text())[0]
    one.sees(".stMain", "300 steps")
    assert f"Here {enough} is enough after 300 steps." in sentence


def matters(one: Visit, sentence: str) -> None:
    """The bytes in the table, and the headline."""
    one.sees("h2", "It matters for GPT-2")
    work = one.page.locator(".st-key-timing_picture td")
    read = MIB.findall(work.filter(has_text="reads").inner_text())[0]
    hot = MIB.findall(work.filter(has_text="one-hot").inner_text())[0]
    assert f"copying rows reads {read}, and multiplying needs a one-hot of {hot}." in sentence


def asks(one: Visit, sentence: str) -> None:
    """A usual mistake is named."""
    vocabulary, word = one.page.locator(".st-key-lab_question p code").all_text_contents()[:2]
    one.page.locator(".st-key-lab_answer input").fill(
        " ".join(str(vocabulary.index(letter) + 1) for letter in word)
    )
    one.page.locator(".st-key-lab_answer").get_by_role("button").first.click()
    one.sees(".stMain [data-testid=stAlert]", "counted from 1")
    assert "names the usual mistakes" in sentence
    assert 25 <= sum(step.minutes for step in LABS["row"].steps) <= 35
    assert "half an hour" in sentence


# For each stop: what is true of it, and where that is seen.
CHECKS: tuple[tuple[Callable[[Visit, str], None], str], ...] = (
    (copied, ".answer.left"),
    (summed, ".answer.right"),
    (learns, ".learning .verdict"),
    (alike, ".st-key-anchor_panel p >> nth=1"),
    (stands, ".in-a-model"),
    (neighbours, ".st-key-sentence_verdict"),
    (size, ".st-key-sizes_answer p >> nth=-1"),
    (matters, ".st-key-timing_picture table"),
    (asks, ".st-key-lab_answer input"),
)


def at(one: Visit, number: int) -> str:
    """The sentence of the stop with this number; it is in view, and what it is about is too."""
    expect(one.page.locator(f"{BAR}_number")).to_have_text(f"{number} of {len(STOPS)}")
    one.settle()
    for place in (SENTENCE, CHECKS[number - 1][1]):
        expect(one.page.locator(place).first).to_be_in_viewport(ratio=0.9)
    return one.page.locator(SENTENCE).inner_text().strip()


def test_each_sentence_is_true_of_what_is_drawn(visit: Visits) -> None:
    """By keyboard alone: the focus stays on *Next*, from *Start here* to the last stop.

    With a projector's large type what a stop is about is in view, too.
    """
    one = visit("/", viewport=LAPTOP)
    before = entries(one)
    one.page.locator(NEXT).focus()
    for number, (check, _) in enumerate(CHECKS, 1):
        one.page.keyboard.press("Enter")
        sentence = at(one, number)
        assert entries(one) == before + number
        if number < len(STOPS):
            expect(one.page.locator(NEXT)).to_be_focused()
        check(one, sentence)
        if number < len(STOPS):
            one.page.locator(NEXT).focus()  # a check may press
    one.move("/?projector=true")
    for number in range(1, 5):
        one.page.locator(NEXT).click()
        at(one, number)


def test_back_and_forward_of_the_browser_step_it_on_a_phone(visit: Visits) -> None:
    """Each stop is in view, with *Next* in one place: presses there lead through all of them.

    Leaving keeps what is shown, and another page has no bar.
    """
    one, tops = visit("/?tour=1", viewport=PHONE, color_scheme="dark"), list[float]()
    at(one, 1)
    for number in range(2, len(STOPS) + 1):
        tops.append(one.page.locator(NEXT).evaluate("link => link.getBoundingClientRect().top"))
        one.page.locator(NEXT).click()
        at(one, number)
    assert max(tops) - min(tops) < 8, tops
    for number in range(len(STOPS) - 1, 3, -1):
        one.page.go_back()
        at(one, number)
    one.page.go_forward()
    at(one, 5)
    one.page.locator(".st-key-leave_tour button").click()
    expect(one.page.locator(BAR)).to_have_count(0)
    one.settle().linked("panel=in+a+model")
    one.page.go_back()
    at(one, 5)
    one.page.locator(".st-key-next_page a").click()
    expect(one.page.locator(BAR)).to_have_count(0)
    one.linked("lesson=size")  # a page shows what it showed there last


def test_the_bar_looks_well(moves: Visits) -> None:
    """On a laptop, and on a phone in the dark."""
    check_looks(moves("/context?chapter=sentences&tour=6", viewport=LAPTOP))
    check_looks(moves("/labs?lab=row&tour=9", viewport=PHONE, color_scheme="dark"))


# Whether the bar covers a part of what has the focus, which is no part of it.
COVERED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let one = document.activeElement;
  const bar = document.querySelector(".st-key-tour");
  if (!one.closest(".stMainBlockContainer") || bar.contains(one)) return false;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  return one.getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
}"""
OUTER = "document.activeElement.outerHTML.slice(0, 99)"
HEARD = "[...document.querySelectorAll('body > .heard')].map((one) => one.textContent)"


def test_each_stop_is_said_once_and_its_bar_covers_no_focus(visit: Visits) -> None:
    """A status has the sentence, which the bar has beside it; *Next* keeps the focus."""
    one = visit("/?tour=1")
    for number in (2, 3):
        one.page.locator(NEXT).press("Enter")
        one.sees(".st-key-tour_number", f"{number} of ")
        one.until(lambda: one.page.locator(SENTENCE).inner_text() in one.page.evaluate(HEARD), True)
        assert one.page.locator(f":is({BAR}, {BAR} *)[role=status]").count() == 0
    for size in (LAPTOP, PHONE):
        one.page.set_viewport_size(size)
        one.move("/?tour=2")
        one.page.locator(".st-key-leave_tour button").focus()
        for _ in range(12):
            one.page.keyboard.press("Tab")
            assert not one.page.evaluate(COVERED), one.page.evaluate(OUTER)
