"""The focus after a press by keyboard: it stays at what the press was about.

Without this the browser drops the focus where a button goes, and Tab begins at the top of the page.
"""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, ViewportSize, expect

from embviz.limits.cases import CASES, case_named
from embviz.ui.elements import scripts
from tests.browser.conftest import CLASS_WORD, Visit, Visits
from tests.browser.test_composition import listening

# The element in focus, also within a component, and all around it; then what stands there.
HAS = """selector => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  while (one && !one.matches(selector)) one = one.parentElement ?? one.getRootNode().host;
  return Boolean(one);
}"""
GO_ON = """([first, second]) => new Promise((done) => {
  const go = () => { document.querySelector(second).focus(); done(); };
  if (document.activeElement === document.querySelector(first)) return go();
  document.querySelector(first).addEventListener("focus", () => setTimeout(go), { once: true });
})"""
WORDS = "document.activeElement.textContent"
SCROLLED = "document.querySelector('.stMain').scrollTop"
TITLE = "h1, h2, h3"
LOOKED_MS = 400  # after a change of the page the script has looked at its focus
LAB = "/labs?lab=row&numbers=3&step="
# A sweep that no slow test sees end by itself.
LONG_SWEEP = f"/timing?time_tokens=1024&values={'+'.join(map(str, range(1_000, 1_060)))}"


def press(one: Visit, control: Locator | str) -> None:
    """Press a control by keyboard."""
    found = one.page.locator(control).first if isinstance(control, str) else control
    listening(one.page)
    is_switch = found.evaluate("one => one.matches('input')")
    found.press("Space" if is_switch else "Enter")  # at once: a late run takes the focus away


def at(one: Visit, place: str, words: str = "") -> None:
    """Assert that the focus comes to this place, with these words, and is there at the end."""
    one.until(lambda: one.page.evaluate(HAS, place), True)
    one.settle()
    one.until(lambda: one.page.evaluate(HAS, place) and words in one.page.evaluate(WORDS), True)


PRESSES = {
    "/": [
        (".st-key-tour_press a", ".st-key-tour_press"),
        (".st-key-projector input", ".st-key-leave_projector"),
        (".st-key-leave_projector button", ".st-key-projector"),
    ],
    "/?init=learnt": [(".st-key-random_rows button", ".st-key-train_rows")],
    "/?text=é": [("button:has-text('Use bytes')", ".st-key-stage, .st-key-panel")],
    "/?text=hello&init=own": [(".refusal button", ".st-key-stage")],
    "/context?text=hello&init=own": [(".refusal button", ".st-key-static, summary")],
    "/context?shuffle=5": [(".back", ".st-key-static")],
    "/limits?find=index+out+of+range+in+self": [
        ("[class*=st-key-more_] button", TITLE),
        (".st-key-back_to_cards button", "[class*=st-key-open_]"),
        ("[class*=st-key-open_] button", TITLE),
        (".st-key-next_page a", TITLE),
    ],
    f"{LAB}7": [
        (".st-key-lab_next button", TITLE),
        (".st-key-lab_next button", TITLE),
        ("button:has-text('All labs')", TITLE),
        ("[class*=st-key-lab_start] button", TITLE),
    ],
}


def test_a_button_that_goes_leaves_the_focus_in_its_place(visit: Visits) -> None:
    """Each press, one after the other, takes the focus to what it opened or what is near."""
    one = visit(None)
    for path, presses in PRESSES.items():
        one.move(path)
        for control, place in presses:
            press(one, control)
            at(one, place)


def test_what_opens_above_its_button_gets_the_focus(visit: Visits) -> None:
    """A case of the list, a step, another page: Tab goes on there. A link's title is in view."""
    one = visit("/limits")
    one.page.get_by_text(f"All {len(CASES)}").click()
    link = one.page.locator(".st-key-all_cases a[href*='case=max-norm']")
    link.scroll_into_view_if_needed()
    assert one.page.evaluate(SCROLLED) > 0
    press(one, link)
    at(one, TITLE, case_named("max-norm").title)
    expect(one.page.locator("h2")).to_be_in_viewport()
    one.move(f"{LAB}1")
    press(one, ".st-key-lab_next button")
    at(one, TITLE, "step 2 of")
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate(HAS, ".st-key-lab_step")


def test_a_press_shows_the_title_that_it_opens(moves: Visits) -> None:
    """The next step of a lab, by its button and by the row of steps, on low and narrow windows."""
    for width, height in ((1280, 450), (390, 600)):
        one = moves(f"{LAB}5", viewport={"width": width, "height": height})
        for step, control in ((6, ".st-key-lab_next button"), (1, ".st-key-step_shown button")):
            pressed = one.page.locator(control).first
            pressed.evaluate("one => one.scrollIntoView({ block: 'start' })")
            assert one.page.evaluate(SCROLLED) > 0
            pressed.click()
            at(one, TITLE, f"step {step} of")
            expect(one.page.locator("h1")).to_be_in_viewport(ratio=1)


def test_a_sweep_leaves_the_focus_on_its_question(visit: Visits) -> None:
    """When it begins and when it ends, the whole page is drawn anew."""
    one = visit("/timing?values=16+64+256&time_dim=4")
    press(one, ".st-key-timing_start_button button")
    one.sees(".st-key-start_row", "Stop")
    press(one, one.page.get_by_role("button", name="Half precision"))
    at(one, ".st-key-questions", "Half precision")
    stop = one.page.locator(".st-key-timing_stop_button")
    stop.wait_for(state="detached", timeout=120_000)
    at(one, ".st-key-questions", "Half precision")


def test_play_and_pause_give_the_focus_to_each_other(visit: Visits) -> None:
    """A training that runs is paused by a second press of the same key."""
    one = visit("/training?lesson=write&learn_steps=0")
    press(one, ".st-key-learn_steps_play button")
    one.until(lambda: one.page.evaluate(HAS, ".st-key-learn_steps_pause"), True)
    one.page.keyboard.press("Enter")
    at(one, ".st-key-learn_steps_play")


def test_start_and_stop_give_the_focus_to_each_other(visit: Visits) -> None:
    """By a press, and where the sweep ends by itself; a held key presses once."""
    one = visit(LONG_SWEEP)
    page = one.page
    listening(page)
    page.evaluate("window.presses = 0; addEventListener('click', () => { presses += 1; }, true)")
    page.locator(".st-key-timing_start_button button").focus()
    page.keyboard.down("Enter")
    at(one, ".st-key-timing_stop_button")
    page.keyboard.down("Enter")  # again: it is held
    page.wait_for_timeout(100)
    page.keyboard.up("Enter")
    assert page.evaluate("presses") == 1
    page.keyboard.press("Enter")
    at(one, ".st-key-timing_start_button")
    one.page.locator(".st-key-start_row", has_text="Stopped: ").wait_for()
    one.move("/timing?values=16+64&time_dim=4")
    press(one, ".st-key-timing_start_button button")
    page.locator(".st-key-start_row", has_text="Done: ").wait_for(timeout=120_000)
    at(one, ".st-key-timing_start_button")


def test_nobody_who_has_moved_on_loses_the_focus(visit: Visits) -> None:
    """After a press somebody goes to another control, or presses beside all controls."""
    one = visit("/")
    press(one, ".st-key-projector input")
    leave, text = ".st-key-leave_projector button", ".st-key-text input"
    one.page.locator(leave).wait_for()
    one.page.evaluate(GO_ON, [leave, text])
    one.page.wait_for_timeout(LOOKED_MS)
    assert one.page.evaluate(HAS, ".st-key-text")
    press(one, leave)
    one.settle()
    one.move(f"{LAB}1")
    press(one, ".st-key-lab_next button")
    steps = one.page.locator(".st-key-step_shown button")
    steps.first.focus()
    at(one, ".st-key-step_shown")
    one.sees(".stMain", "step 2 of")
    one.page.wait_for_timeout(LOOKED_MS)
    assert one.page.evaluate(HAS, ".st-key-step_shown")
    press(one, "button:has-text('All labs')")
    one.page.mouse.click(1_200, 880)  # where nothing stands
    expect(steps).to_have_count(0)
    one.settle()
    one.page.wait_for_timeout(LOOKED_MS)
    assert not one.page.evaluate(HAS, f"button, {TITLE}")


def test_the_board_of_a_class(visit: Visits) -> None:
    """Two of its buttons replace each other; a popover that a key opens has the focus.

    A deleted class leaves the focus on the way back.
    """
    one = visit("/labs")
    one.page.get_by_text("Work together as a class").click()
    one.page.locator("[name=word]").fill(CLASS_WORD)
    one.page.get_by_role("button", name="Start a class").click()
    one.page.get_by_text("Large code").click()
    press(one, ".st-key-step-row-1 button")
    for name, then in (("Pause here", "Go on"), ("Go on", "Pause here")):
        press(one, one.page.get_by_role("button", name=name, exact=True))
        one.until(lambda: one.page.evaluate(WORDS), then)
    press(one, one.page.get_by_role("button", name="Class", exact=True))
    one.until(lambda: one.page.evaluate(HAS, "[data-testid=stPopoverBody]"), True)
    one.page.get_by_role("button", name="Delete", exact=True).click()
    press(one, one.page.get_by_role("button", name="Yes, delete"))
    one.page.get_by_text("is deleted: nothing of it is kept").wait_for()
    at(one, f".stMain .stButton, {TITLE}")


PHONE: ViewportSize = {"width": 390, "height": 844}


def test_the_focus_stays_on_a_phone(visit: Visits) -> None:
    """The same in a narrow window, where the sidebar is folded."""
    one = visit(None, viewport=PHONE)
    for path in ("/", f"{LAB}7"):
        one.move(path)
        control, place = PRESSES[path][0]
        press(one, control)
        at(one, place)


# A page with Streamlit's names; `run` is a run of so many ms, which ends with a change of the page.
FAKE = """<div class="stApp" data-test-script-state="notRunning"><section class="stMain">
  <h1>Page</h1>
  <div class="stElementContainer st-key-go stButton"><button>Go</button></div>
  <button id="near">Near</button>
</section></div>"""
START = """
keepFocus((events) => {
  for (const [name, listener] of Object.entries(events)) {
    document.addEventListener(name, listener, true);
  }
}, new AbortController().signal);
const app = () => document.querySelector(".stApp");
const anew = (element) => element.replaceWith(element.cloneNode(true));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const run = async (ms, change) => {
  app().dataset.testScriptState = "running";
  await pause(ms);
  change?.();
  app().dataset.testScriptState = "notRunning";
};
const go = () => document.querySelector(".st-key-go button");
const add = (where, html) => document.querySelector(".stMain").insertAdjacentHTML(where, html);
const replace = (html) => { go().remove(); add("beforeend", html); };
Object.assign(window, { add, anew, app, go, pause, replace, run, seen: [] });
document.addEventListener("focusin", ({ target }) => window.seen.push(target.textContent));
"""
LOADS = "await run(20, () => replace('<p data-testid=stSkeleton></p>'));"
# What happens after a press of *Go*, the script of it, and what gets the focus then, in this order.
RUNS: tuple[tuple[str, str, list[str]], ...] = (
    ("a press hides its button without a run", "go().hidden = true", ["Near"]),
    ("the button is drawn anew", "await run(20, () => anew(go()))", ["Go"]),
    ("the app is drawn anew", "anew(app()); await run(20)", ["Go"]),
    (
        "another run begins at once, and brings a title",
        """await run(20, () => go().remove()); await pause(50);
        await run(400, () => add('beforeend', '<h2>New</h2>'))""",
        ["New"],
    ),
    (
        "the script of a new title loads",
        LOADS + "await pause(400); document.querySelector('p').outerHTML = '<h2>New</h2>'",
        ["New"],
    ),
    (
        "a run so short that nobody sees its state",
        "await pause(300); replace('<h2>New</h2>')",
        ["New"],
    ),
    ("an element loads for ever", LOADS, ["Near"]),
    (
        "runs leave no rest",
        """await run(20, () => replace('<button>Pause</button>'));
        for (let k = 0; k < 5; k += 1) { await pause(90); await run(350) }""",
        ["Pause"],
    ),
    ("a title above", "await run(20, () => add('afterbegin', '<h2>Above</h2>'))", ["Above"]),
    (
        "the button is drawn anew by the run that brings a title above it",
        "await run(20, () => { anew(go()); add('afterbegin', '<h2>Above</h2>') })",
        ["Go", "Above"],
    ),
    ("a title below", "await run(20, () => add('beforeend', '<h2>Below</h2>'))", []),
    (
        "somebody has gone on",
        """document.querySelector('#near').focus();
        await run(20, () => { go().remove(); add('afterbegin', '<h2>Above</h2>') })""",
        ["Near"],
    ),
)


def test_one_look_after_each_run(context: BrowserContext) -> None:
    """The focus moves once, to the right place, however runs follow each other.

    The app may be drawn after the script has begun.
    """
    script = (scripts.FOLDER / "ui" / "frame" / "focus.js").read_text("utf-8")
    page = context.new_page()
    page.set_content("<main></main>")
    page.add_script_tag(type="module", content=script + START)
    page.wait_for_function("() => window.seen")
    for what, happens, wanted in RUNS:
        page.evaluate("html => { document.body.innerHTML = html; go().focus(); }", FAKE)
        page.evaluate("async () => { await run(20); await pause(200); seen.length = 0; }")
        page.keyboard.press("Enter")
        page.evaluate(f"async () => {{ {happens} }}")
        page.wait_for_function("() => document.activeElement !== document.body")
        page.wait_for_timeout(250)  # in which a second look would move it
        assert (page.evaluate("seen"), what) == (wanted, what)
    page.close()


# The pictures on which arrow keys move, and a key that leads to something else.
PICTURES = [
    ("/?text=ab", ".ways", "Right", "output[0, 0, 0] = "),
    ("/?text=ab", ".ways", "Down", " picked instead"),
    ("/bag_of_words", ".bag .ways", "Right", "output[0] = "),
    ("/bag_of_words", ".bag .ways", "Down", ": "),
    ("/training", ".pictures", "Down", "the model expects"),
    ("/training?text=ab", ".panels", "Right", " = "),
]
# What each status says, without what a picture is called.
SAID = """picture => [...picture.getRootNode().querySelectorAll("[role=status]")]
  .map((one) => one.textContent)"""


def test_where_an_arrow_key_leads_is_said_once(moves: Visits) -> None:
    """By a status. The picture's name tells of the keys, and stays: nothing says it twice."""
    one = moves(None, reduced_motion="reduce")
    for path, picture, key, words in PICTURES:
        one.move(path)
        found = one.page.locator(picture).first
        found.press("Escape")
        name, before = found.get_attribute("aria-label"), found.evaluate(SAID)
        assert "arrow" in str(name), path
        found.press(f"Arrow{key}")
        said = [text for text in found.evaluate(SAID) if text not in before]
        assert len([text for text in said if words in text]) == 1, path
        assert found.get_attribute("aria-label") == name, path


def test_a_count_that_changes_says_the_sums(moves: Visits) -> None:
    """They change below the field; the sentence that both are alike stays as it is."""
    one = moves("/bag_of_words")
    one.page.locator(".count input").first.press("ArrowUp")
    one.page.keyboard.press("Tab")
    one.sees(".bag .heard", "oth sums: ")
    first = one.page.locator(".bag .heard").text_content()
    one.page.locator(".count [data-by='1']").first.click()
    expect(one.page.locator(".bag .heard")).not_to_have_text(str(first))


HEARD = "[...document.querySelectorAll('body > .heard')].map((one) => one.textContent).join()"
BOX = """() => {
  const one = document.activeElement, { left, right, width } = one.getBoundingClientRect();
  return one === document.body || (left >= 0 && right <= innerWidth && width > 0);
}"""


def test_tab_leads_to_nothing_beyond_the_window(visit: Visits) -> None:
    """A closed sidebar stands left of it. Opened, its first controls can be reached."""
    one = visit("/limits")
    for path in ("/limits", "/labs"):
        one.move(path)
        one.page.locator("body").evaluate("() => document.activeElement.blur()")
        for _ in range(16):
            one.page.keyboard.press("Tab")
            assert one.page.evaluate(BOX), one.page.evaluate("document.activeElement.outerHTML")
    press(one, one.page.get_by_test_id("stExpandSidebarButton"))
    expect(one.page.locator(".st-key-projector input")).to_be_visible()


def test_what_a_colour_shows_is_told(visit: Visits) -> None:
    """The page shown, in a landmark; the question that is chosen, and its answer."""
    one = visit("/timing")
    current = one.page.locator("[role=navigation][aria-label=Pages] [aria-current=page]")
    chosen = one.page.locator(".st-key-questions [aria-pressed=true]")
    expect(current).to_have_text("Timing")
    expect(chosen).to_contain_text("What does it cost?")
    assert one.page.evaluate(HEARD).strip(",") == ""
    press(one, one.page.get_by_role("button", name="Half precision"))
    expect(chosen).to_contain_text("Half precision")
    expect(chosen).to_have_count(1)
    headline = one.page.locator(".st-key-timing_answer h2")
    one.until(lambda: headline.inner_text() in one.page.evaluate(HEARD), True)
    one.move("/timing?values=16+64&time_dim=4")
    press(one, ".st-key-timing_start_button button")
    one.until(lambda: "Done: " in one.page.evaluate(HEARD), True)
    one.go("Playground")
    expect(current).to_have_text("Playground")
