"""The board of a class on a small projector; `tests/benchmarks/board.py` measures all steps."""

from playwright.sync_api import expect

from embviz.classes.routes import TEACHER
from embviz.classes.store import Store
from tests.benchmarks.board import BOSS, faults, fill, measured
from tests.browser.conftest import Visits
from tests.load.server import Server

# The longest table, the longest text, and the longest answers.
HARD = [("row", 7), ("cost", 3), ("row", 9)]


def test_the_longest_questions_can_be_read_from_the_last_row(visit: Visits, server: Server) -> None:
    """At 1280x600, not smaller than without projector mode; nothing cut.

    The question has 24 px until it is told, then mistakes and why have 19. The code, how many are
    here, and the state of the vote have 24.
    """
    store = Store(server.log.parent / "data" / "votes.sqlite3")
    code = store.start("row", BOSS)
    fill(store, code, *HARD[0])  # in an empty class the boards show the code
    pages = []
    for more in ("", "&projector=true"):
        one = visit(None)
        cookie = {"name": TEACHER, "value": BOSS, "url": server.address}
        one.page.context.add_cookies([cookie])  # type: ignore[list-item]
        pages.append(one.open(f"/labs?board={code}{more}").page)
    try:
        lines = [*measured(pages, store, code, HARD, sizes=[(1280, 600)])]
    finally:
        pages[0].context.clear_cookies(name=TEACHER)
    assert [*faults(lines)] == []
    assert len(lines) == len(HARD) * 2 * 2
    projected = pages[1]
    expect(projected.locator(".st-key-pages")).to_be_hidden()
    buttons = projected.locator(".st-key-board_bar button:visible")
    expect(projected.locator(".st-key-board_state")).to_contain_text("5 here")
    tops = buttons.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert max(tops) - min(tops) < 12  # one row
