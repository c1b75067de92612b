"""The teacher's page in a browser: its looks on screens, and what is on paper."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from embviz.labs.catalogue import LABS
from embviz.teach.plan import PLANS
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_fits, check_looks, turn, viewport

PAGE = ".st-key-teach_page"
# What is of no use on paper.
SCREEN_ALONE = (
    ".st-key-pages, section.stSidebar, .stButton, .stButtonGroup, .stDownloadButton, "
    ".st-key-teach_print, header, .teach-screen"
)
SEEN = "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.className)"
CUT = """(all) => all.filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.textContent)"""
INK = """(all) => [...new Set(all.filter((one) => one.checkVisibility())
  .map((one) => getComputedStyle(one))
  .flatMap((style) => [style.color, style.backgroundColor]))].sort()"""


def test_the_teachers_page_on_screens(moves: Callable[..., Visit]) -> None:
    """Plans, a guide and a sheet fit and pass axe, on a projector and on a phone in the dark."""
    one = moves("/labs?teach=all", viewport=viewport((1280, 720)))
    check_looks(one)
    for path, check in (("teach=learns&sheet=handout", check_fits), ("teach=row", check_looks)):
        one.move(f"/labs?{path}")
        expect(one.page.locator(f"{PAGE} h1")).to_have_count(1)
        check(one)
    turn(one, (390, 844), "dark")
    check_fits(one)


def test_paper_has_whole_pictures_few_pages_and_nothing_to_press(
    moves: Callable[..., Visit],
) -> None:
    """It is black on white in the dark theme too, and no picture is cut.

    Nine questions fit on three pages, an exit ticket on one: its key is on the back.
    """
    one = moves("/labs?teach=row", viewport=viewport((1280, 720)), color_scheme="dark")
    papers = [("row", "none", 12), *((lab, "handout", 3) for lab in LABS)]
    papers += [(lab, "ticket", 1) for lab in LABS]
    papers += [("all", f"ticket&plan={minutes}", 1) for minutes in PLANS]
    for lab, sheet, most in papers:
        one.move(f"/labs?teach={lab}&sheet={sheet}&numbers=4")
        expect(one.page.locator(f"{PAGE} :is(.teach-lines, h2)").last).to_be_visible()
        one.page.emulate_media(media="print")
        one.page.set_viewport_size({"width": 690, "height": 1000})  # an A4 page's text
        assert one.page.locator(SCREEN_ALONE).evaluate_all(SEEN) == []
        one.until(lambda: one.page.locator(f"{PAGE} .part").evaluate_all(CUT), [])
        found = one.page.locator(f"{PAGE} :is(p, td, th, h1, h2)").evaluate_all(INK)
        assert found == ["rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]
        paper = one.page.pdf(format="A4")
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= most, (lab, sheet)
        one.page.emulate_media(media="screen", color_scheme="dark")
        one.page.set_viewport_size({"width": 1280, "height": 720})
