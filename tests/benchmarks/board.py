"""The size of a class board's letters, for each step of each lab, on the screens of projectors.

Without it nobody would know that a question shrinks in some step. The server is this project's. A
class is written into its file, with an answer for the right bar, three mistakes and *other*. Two
pages show its board: one in projector mode. Each step is shown open, then told.

The exit code is 1 if projector mode has smaller letters than the usual board, or a question or
answers below `LEAST_PX`, or a state of the vote below `STATE_PX`, or if anything is cut.

    python -m tests.benchmarks.board [--labs row bag] [--pictures FOLDER]
"""

import argparse
import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from embviz.classes.room import StoredAnswer
from embviz.classes.routes import TEACHER
from embviz.classes.store import Store
from embviz.labs.catalogue import LABS, questions
from embviz.labs.question import bar_of, judge, typed
from tests.browser.chromium import FLAGS, MISSING, find
from tests.load.server import start

BOSS = "t" * 43  # the teacher's cookie
SIZES = ((1280, 600), (1280, 720), (1920, 1080))  # px
# px of the letters in projector mode, by what they say. A question that is told is known.
LEAST_PX = {"open": {"question": 24}, "told": {"question": 20, "answers": 19}}
STATE_PX = 24  # of the class's code, how many are here, and the state of the vote
ROUNDING_PX = 0.3  # px by which projector mode may be smaller
MODES = ("usual", "projector")
# px of the smallest letters of the question, of the answers that are told, of the row of the state,
# and of the others; the top of the question, and what is cut.
MEASURE = """() => {
  const board = document.querySelector(".st-key-board_question");
  const text = (one) => one.checkVisibility() && one.textContent.trim()
    && one.getBoundingClientRect().height;
  const size = (one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom;
  const all = [...board.querySelectorAll("p, p > *, li, td, th, pre code")].filter(text);
  // Lines of code and tables stay whole, so their letters may be smaller.
  const isAsked = (one) => one.matches(".st-key-lab_question :is(p, li)") && !one.closest("pre");
  const isTold = (one) => one.matches(".st-key-board_answers :is(p, p > :not(code))");
  const state = [...document.querySelectorAll(".st-key-board_state :is(h1 code, p)")].filter(text);
  const box = board.getBoundingClientRect(), cut = [];
  for (const one of board.querySelectorAll("td, table, pre, p, li, h2")) {
    const { right, bottom } = one.getBoundingClientRect();
    if (!text(one)) continue;
    if (one.scrollWidth > one.clientWidth + 1 || right > innerWidth || bottom > innerHeight)
      cut.push(one.textContent.slice(0, 30));
  }
  const least = (some) => some.length && Math.min(...some.map(size)); // 0 for none
  const isOther = (one) => one.matches("td, th, pre code");
  return { question: least(all.filter(isAsked)), answers: least(all.filter(isTold)),
    state: least(state), others: least(all.filter(isOther)),
    top: Math.round(box.top), bottom: Math.round(box.bottom), cut };
}"""
FITTED = """() => document.querySelector(".st-key-lab_question").style.zoom"""
# The script that fits the board waits for a frame.
FRAMES = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""


def fill(store, code, lab, step):
    """Answers of five students to a step: right, three mistakes, and another number."""
    question = questions(lab, store.room(code).seed)[step - 1]
    answers = [question.right, *list(question.mistakes)[:3]]
    if not question.choices:
        answers.append(tuple(number + 777 for number in question.right))
    for who, answer in enumerate(answers):
        words = bar_of(question, answer)
        made = StoredAnswer(typed(answer), words, *judge(question, answer), question.title)
        store.keep(code, f"{who}" * 43, lab, step, made, vote=1)


def still(page):
    """The measures, once the board is fitted and two in turn are the same."""
    page.wait_for_function(FITTED)
    before = None
    while (found := page.evaluate(MEASURE)) != before:
        before = found
        page.evaluate(FRAMES)
        page.wait_for_timeout(150)
    return found


def measured(pages, store, code, steps, *, sizes=SIZES, pictures=None):
    """A line for each step (lab, number), state, size, and page: the usual one, then projector."""
    for lab, step in steps:
        store.press(code, BOSS, "bring", lab, step)
        store.press(code, BOSS, "show", lab, step)
        question = questions(lab, store.room(code).seed)[step - 1]
        fill(store, code, lab, step)
        for told in LEAST_PX:
            if told == "told":
                store.press(code, BOSS, "reveal", lab, step)
            for mode, page in zip(MODES, pages, strict=True):
                page.bring_to_front()  # a tab behind another one is drawn once a second
                head = page.locator(".st-key-lab_question h2")
                head.filter(has_text=f"{step} · {question.title}").wait_for()
                shown = "attached" if told == "told" else "detached"
                page.locator(".st-key-class_bars").wait_for(state=shown)
                for width, height in sizes:
                    page.set_viewport_size({"width": width, "height": height})
                    size = f"{width}x{height}"
                    place = {"step": f"{lab} {step}", "told": told, "mode": mode, "size": size}
                    yield place | still(page)
                    if pictures:
                        page.screenshot(path=pictures / f"{lab}{step}_{told}_{size}_{mode}.png")


def faults(lines):
    """Each line of projector mode that is too small, or cut."""
    usual = {
        (one["step"], one["told"], one["size"]): one for one in lines if one["mode"] == "usual"
    }
    for one in lines:
        place = one["step"], one["told"], one["size"]
        if one["cut"]:
            yield f"{place} {one['mode']}: {one['cut']} is cut"
        if one["mode"] == "projector":
            if one["state"] < STATE_PX:
                yield f"{place}: state of the vote {one['state']:.1f} px"
            for what, least in LEAST_PX[one["told"]].items():
                if one[what] < least - ROUNDING_PX:
                    yield f"{place}: {what} {one[what]:.1f} px"
            main = [*LEAST_PX[one["told"]]][-1]
            if one[main] < usual[place][main] - ROUNDING_PX:
                yield f"{place}: {main} {one[main]:.1f} px, and {usual[place][main]:.1f} without"


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labs", nargs="+", default=[*LABS], choices=[*LABS])
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each")
    given, path = parser.parse_args(), find()
    if path is None:
        sys.exit(MISSING)
    with start() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        server.wait_for("ready")
        store = Store(server.log.parent / "data" / "votes.sqlite3")
        code, pages = store.start(given.labs[0], BOSS), []
        fill(store, code, given.labs[0], 1)  # in an empty class the boards show the code
        for more in ("", "&projector=true"):
            page = browser.new_context().new_page()
            page.context.add_cookies([{"name": TEACHER, "value": BOSS, "url": server.address}])
            page.set_default_timeout(60_000)
            page.goto(f"{server.address}/labs?board={code}{more}")
            pages.append(page)
        steps = [(lab, 1 + at) for lab in given.labs for at in range(len(LABS[lab].steps))]
        lines = []
        for line in measured(pages, store, code, steps, pictures=given.pictures):
            print(json.dumps(line), flush=True)
            lines.append(line)
        browser.close()
    found = [*faults(lines)]
    print("\n".join(found) or f"{len(lines)} boards, none too small, none cut")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
