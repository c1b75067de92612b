"""The stage outside the app: one file from the disk, and the frame of a notebook."""

import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from embviz import compare

Contexts = Callable[[bool], "object"]


@pytest.fixture
def page(contexts: Callable[[bool], object]) -> Iterator[Page]:
    """A tab without a network; whatever it logs or requests fails the test."""
    tab: Page = contexts(True).new_page()  # type: ignore[attr-defined]
    seen: list[str] = []
    tab.on("console", lambda message: seen.append(message.text))
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.on("request", lambda request: seen.append(request.url))
    yield tab
    asked = [one for one in seen if not re.match(r"file://[^?]*\.html$|about:srcdoc$", one)]
    tab.close()
    assert asked == []


def use(stage: Page | FrameLocator) -> None:
    """Assert that scrubbing, playing, pointing, terms and turning the weight work in a stage."""
    expect(stage.locator(".answer")).to_contain_text("same bits")
    stage.locator(".slider").press("End")
    expect(stage.locator(".where")).to_contain_text("24 'o'")
    stage.locator(".play").click()
    expect(stage.locator(".where")).to_contain_text("17 'h'")
    stage.locator(".play").click()
    stage.locator(".all summary").click()
    stage.locator(".row .cell").first.hover()
    expect(stage.locator(".sum")).to_contain_text("W[17, 0]")
    stage.get_by_text("How exact?").click()
    meaning = stage.locator(".embviz-meaning")
    stage.locator(".term").first.hover()
    expect(meaning).to_contain_text("Every bit is the same.")
    stage.get_by_text("How exact?").press("Tab")
    stage.locator(".term").first.press("Tab")
    expect(meaning).to_contain_text("last place")
    box = stage.locator(".picture").bounding_box()
    stage.locator("input[value=embedding]").check()
    assert stage.locator(".picture").bounding_box() != box


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_file_works_from_the_disk(page: Page, tmp_path: Path, theme: str) -> None:
    """The file scrubs, plays and explains cells, in both themes, and requests nothing."""
    file = tmp_path / "hello.html"
    file.write_text(compare("hello", dim=4).to_html(), encoding="utf-8")
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(file.as_uri())
    use(page)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 27)"
    assert dark == (theme == "dark")


def test_a_notebook_draws_the_result(page: Page, tmp_path: Path) -> None:
    """What `compare` gives a notebook works in its frame."""
    file = tmp_path / "notebook.html"
    shown = compare("hello", dim=4)._repr_html_()
    file.write_text(f"<!doctype html><p>{escape('A cell <1>')}</p>{shown}", encoding="utf-8")
    page.goto(file.as_uri())
    use(page.frame_locator("iframe"))


def test_a_file_offers_no_dimensions_that_it_lacks(page: Page, tmp_path: Path) -> None:
    """The file of a wide table says which columns it has, without buttons to others."""
    file = tmp_path / "wide.html"
    file.write_text(compare("hello", dim=100).to_html(), encoding="utf-8")
    page.goto(file.as_uri())
    expect(page.locator(".pan-text")).to_contain_text("of 100")
    expect(page.locator(".pan button")).to_have_count(0)
