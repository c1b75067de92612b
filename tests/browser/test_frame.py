"""The frame in a browser: deep links, links to pages, folds, the console."""

import re
from collections.abc import Callable

from playwright.sync_api import Route, WebSocketRoute, expect

from embviz.ui.frame.sidebar import WIDTH_PX
from tests.browser.conftest import Visits
from tests.load.server import Server


def test_first_deep_link_on_a_fresh_server(
    fresh_server: Callable[..., Server], visit: Visits
) -> None:
    """It may be to a page without settings; scripts and route are below the base path.

    Ordinary use prints nothing on the terminal.
    """
    server = fresh_server(STREAMLIT_SERVER_BASE_URL_PATH="some/base")
    one = visit("/limits?case=float-ids", base=server.address)
    one.sees("h2", "Ids that are no integers")
    expect(one.page).to_have_title("Ids that are no integers · Where it breaks · embviz")
    one.move("/context?text=hi&dim=3")
    expect(one.page).to_have_title("Context · embviz")
    expect(one.page.get_by_role("spinbutton", name="embedding_dim")).to_have_value("3")
    one.go("Playground")
    one.until(one.glyphs, ["h", "i"])
    one.text().press("End")
    with one.page.expect_response(f"{server.address}/live") as answered:
        one.page.keyboard.type("!")
    assert answered.value.status == 200
    one.until(one.glyphs, ["h", "i", "!"])
    one.settle()
    assert server.printed() == []


def test_the_sidebar_has_one_width(visit: Visits) -> None:
    """Also where the first page begins without it."""
    one = visit("/limits")
    sidebar = one.page.locator("section.stSidebar")
    one.go("Playground")
    one.until(lambda: sidebar.evaluate("one => one.getBoundingClientRect().width"), WIDTH_PX)


def test_an_unknown_address_leads_to_one_that_is_known(visit: Visits) -> None:
    """Also below a page, where a browser finds no script. No dialog covers the picture."""
    one = visit("/limits/abc?text=hi")
    one.sees("[data-testid=stAlert]", "No page has the address '/limits/abc'.")
    expect(one.page.get_by_role("dialog")).to_have_count(0)
    assert one.glyphs() == ["h", "i"]
    one.linked("no_page=limits%2Fabc", "text=hi")


def test_the_names_of_pages_lead_to_them_and_back(visit: Visits) -> None:
    """Parameters are kept. The name is no entry of its own, so Back passes it at once."""
    one = visit("/where_it_breaks?find=nan")
    expect(one.page).to_have_url(f"{one.base}/limits?find=nan")
    one.open("/playground?text=hi&token=1")
    expect(one.page).to_have_url(f"{one.base}/?text=hi&token=1")
    one.picked(18, 0, 1)
    one.page.go_back()
    expect(one.page).to_have_url(f"{one.base}/limits?find=nan")
    expect(one.settle().page).to_have_title(re.compile("Where it breaks · embviz$"))


def test_a_lost_connection_names_the_command_of_this_app(visit: Visits) -> None:
    """Streamlit's own dialog names `yourscript.py`. The page goes on once the server answers."""
    one = visit(None)
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    one.page.route_web_socket(re.compile("/_stcore/stream"), connect)
    one.open("/?text=ab")
    one.page.route("**/_stcore/health", lambda route: route.abort())
    sockets[0].close()
    dialog = one.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_text("yourscript.py")).to_be_hidden()
    told = "one => getComputedStyle(one.querySelector('div:has(> .stErrorCodeBlock)'), '::after')"
    assert "streamlit run app.py" in dialog.evaluate(f"{told}.content")
    one.page.unroute_all()
    expect(dialog).to_be_hidden()
    assert one.settle().glyphs() == ["a", "b"]
    one.problems.clear()  # of the requests that failed
    one.page.close()  # no other test may have its routed websocket


def test_a_script_that_did_not_load_is_fetched_again(visit: Visits) -> None:
    """The stage is drawn although its script failed first; the next try has another folder."""
    one = visit(None)
    failed: list[str] = []

    def fail(route: Route) -> None:
        failed.append(route.request.url)
        route.abort()

    one.page.route(re.compile(r"/assets/\w+/1/playground/page/stage/stage\.js$"), fail)
    assert one.open("/?text=ab").glyphs() == ["a", "b"]
    assert failed
    assert [problem for problem in one.problems if "net::ERR_FAILED" not in problem] == []
    one.problems.clear()


def test_the_links_by_keyboard_and_on_a_phone(visit: Visits) -> None:
    """All pages are seen, and each leads to the next."""
    one = visit("/limits", viewport={"width": 390, "height": 844})
    links = one.page.locator(".st-key-pages a")
    expect(links).to_have_count(7)
    for link in links.all():
        expect(link).to_be_in_viewport(ratio=1)
    links.nth(1).press("Enter")
    one.page.wait_for_url("**/training")
    one.settle().page.locator(".st-key-next_page a").click()
    one.page.wait_for_url("**/context")
    one.settle()
