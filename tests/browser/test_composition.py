"""Keyboards that compose: a Latin word is heard at each letter, an East Asian one at its end.

Keyboards of Android compose each word until a space. Here Chromium is told to compose as they do.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from embviz.ui.elements.widgets import PAUSE
from tests.browser.conftest import Visit, Visits
from tests.browser.test_live import Requests, shows

# Longer than the pause after which a field sends its text.
PAUSED_MS = int(PAUSE.removesuffix("ms")) + 200
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
NIHON = ("ｎ", "に", "にｈ", "にほ", "にほｎ", "にほん", "日本")
ANSWER = ".st-key-lab_answer"


# Whether the listener hears: it gives a link to the first page a path as the pointer goes down.
LISTENS = """() => {
  const link = document.createElement("a");
  link.setAttribute("href", "?");
  document.body.append(link);
  link.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  link.remove();
  return link.getAttribute("href") === "./?";
}"""


def listening(page: Page) -> None:
    """Wait until the page hears what is typed and pressed."""
    page.wait_for_function(LISTENS, polling=50)


class Keyboard:
    """An input method at the end of a field: it composes a text, and commits or cancels it."""

    def __init__(self, field: Locator) -> None:
        listening(field.page)
        field.focus()
        field.press("End")
        self._session = field.page.context.new_cdp_session(field.page)

    def compose(self, *texts: str) -> None:
        """Show these texts as one composition, one after the other."""
        for text in texts:
            place = {"selectionStart": len(text), "selectionEnd": len(text)}
            self._session.send("Input.imeSetComposition", {"text": text, **place})

    def commit(self, text: str) -> None:
        """End the composition with this text."""
        self._session.send("Input.insertText", {"text": text})

    def cancel(self) -> None:
        """End the composition without a text."""
        self.compose("")
        self.commit("")

    def enter(self) -> None:
        """Press Enter while it composes, as one takes a proposed word."""
        self._session.send("Input.dispatchKeyEvent", {"type": "keyDown", **ENTER})


class Sent:
    """The texts that a page sends to Python: its messages as bytes."""

    def __init__(self, page: Page) -> None:
        self._messages: list[bytes] = []
        page.once("websocket", lambda socket: socket.on("framesent", self._take))

    def _take(self, message: Any) -> None:
        self._messages.append(message if isinstance(message, bytes) else message.encode())

    def has(self, *texts: str) -> bool:
        """Whether a message has one of these texts, as a value or in an address."""
        forms = [form.encode() for text in texts for form in (text, quote(text))]
        return any(form in message for message in self._messages for form in forms)


def letters(word: str) -> list[str]:
    """What a keyboard has composed after each letter of a word."""
    return [word[:end] for end in range(1, len(word) + 1)]


def test_a_latin_word_is_followed_at_each_letter(moves: Visits) -> None:
    """The picture follows each letter, the address the pause; the keyboard composes on."""
    one = moves("/?text=a")
    requests, keyboard = Requests(one.page), Keyboard(one.text())
    for text in letters("hello"):
        keyboard.compose(text)
        shows(one, f"a{text}")
    asked = [*dict.fromkeys(requests.texts)]  # once more where the route was busy
    assert asked == [f"a{text}" for text in letters("hello")]
    one.linked("text=ahello")
    keyboard.compose("hell", "help")
    shows(one, "ahelp")
    keyboard.commit("help")
    keyboard.commit(" ")
    one.settle().linked("text=ahelp+")
    expect(one.text()).to_have_value("ahelp ")
    one.move("/context?text=bank&edit=b")  # no picture: Python answers
    Keyboard(one.page.locator(".st-key-edit input")).compose(*letters("ark"))
    one.until(lambda: "edit=bark" in one.search(), True)


def opened(visit: Visits, path: str) -> tuple[Visit, Sent, Requests]:
    """A page whose messages and requests are recorded."""
    one = visit(None)
    sent = Sent(one.page)
    one.open(path)
    return one, sent, Requests(one.page)


def test_a_japanese_word_is_asked_at_its_end(visit: Visits) -> None:
    """Neither the route nor Python sees it before; the next one begins with a Latin letter."""
    one, sent, requests = opened(visit, "/?text=a")
    keyboard = Keyboard(one.text())
    for text in NIHON:
        keyboard.compose(text)
        one.page.wait_for_timeout(50)
    one.page.wait_for_timeout(PAUSED_MS)
    assert requests.texts == []
    assert not sent.has(*NIHON[1:])
    keyboard.commit("日本")
    one.settle().linked(f"text={quote('a日本')}")
    assert {*requests.texts} == {"a日本"}  # once more where the route was busy
    assert sent.has("日本")
    keyboard.compose("n", "ni")  # the next word begins with a Latin letter
    one.page.wait_for_timeout(PAUSED_MS)
    assert {*requests.texts} == {"a日本"}
    keyboard.commit("你")
    one.settle().linked(f"text={quote('a日本你')}")


def test_a_latin_letter_that_becomes_kana_waits_from_then_on(visit: Visits) -> None:
    """A pause after the kana sends nothing, though a Latin letter began the composition."""
    one, sent, requests = opened(visit, "/?text=a")
    keyboard = Keyboard(one.text())
    keyboard.compose("k", "か")
    one.page.wait_for_timeout(PAUSED_MS)
    assert not any("か" in text for text in requests.texts)
    keyboard.commit("蚊")
    one.until(lambda: quote("蚊") in one.search(), True)
    assert not sent.has("か")


def test_a_cancelled_composition_leaves_the_text_before_it(moves: Visits) -> None:
    """Picture, field and address are as they were.

    A dead key is composed with the letter after it; a pause between them loses nothing.
    """
    one = moves("/?text=a")
    for texts in (letters("hell"), NIHON):
        keyboard = Keyboard(one.text())
        keyboard.compose(*texts)
        one.page.wait_for_timeout(PAUSED_MS)
        keyboard.cancel()
        shows(one, "a")
        one.linked("text=a")
        expect(one.text()).to_have_value("a")
        one.settle()
    one.move("/?text=a&vocab=bytes")
    vocabulary = one.page.get_by_role("combobox", name="Vocabulary")
    expect(vocabulary).to_have_value("bytes")  # else the session may not have it yet
    keyboard = Keyboard(one.text())
    keyboard.compose("´")
    one.page.wait_for_timeout(PAUSED_MS)
    keyboard.commit("é")
    one.settle().linked(f"text={quote('aé')}", "vocab=bytes")
    expect(one.text()).to_have_value("aé")


def test_enter_inside_a_composition_is_no_answer(visit: Visits) -> None:
    """Enter takes the word that the keyboard proposes; the next Enter presses the button once.

    Streamlit calls a component again when the theme changes.
    """
    one = visit("/labs?lab=row&numbers=3&step=1")
    one.page.emulate_media(color_scheme="dark")
    one.settle()
    pressed = "window.presses = 0; addEventListener('click', () => { presses += 1; }, true)"
    one.page.evaluate(pressed)
    for presses, text in enumerate(("1", "にほん")):
        keyboard = Keyboard(one.page.locator(f"{ANSWER} input"))
        keyboard.compose(text)
        keyboard.enter()
        one.page.wait_for_timeout(300)
        assert one.page.evaluate("presses") == presses
        keyboard.commit(text)
        one.page.keyboard.press("Enter")
        one.until(lambda presses=presses: one.page.evaluate("presses") > presses, True)
        one.settle()
        assert one.page.evaluate("presses") == presses + 1
