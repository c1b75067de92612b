"""A page of a course may show embviz in a frame, if the host has named it; no other page may."""

from urllib.parse import quote

from playwright.sync_api import BrowserContext, expect

from tests.load.server import Server


def test_a_named_page_shows_embviz_in_a_frame(
    context: BrowserContext, course: str, server: Server
) -> None:
    """A key is answered there as on a page of its own; the page of another name stays empty."""
    shown = quote(f"{server.address}/?text=abc&dim=2")
    page, said = context.new_page(), list[str]()
    page.on("console", lambda one: said.append(one.text))
    page.goto(f"{course}/?{shown}")
    frame = page.frame_locator("iframe")
    field = frame.locator(".st-key-text input")
    expect(field).to_have_value("abc")
    field.press("End")
    page.keyboard.type("d")
    expect(frame.get_by_role("option", name="'d' (U+0064), id 13")).to_be_visible()
    assert [one for one in said if "_stcore" not in one] == []
    with page.expect_console_message(lambda one: "frame-ancestors" in one.text):
        page.goto(f"{course.replace('course', 'other')}/?{shown}")
    assert frame.locator(".stApp").count() == 0
    page.close()
