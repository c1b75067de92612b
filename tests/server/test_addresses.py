"""The server's own addresses below its base path: unknown ones, and published scripts."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from embviz.server import addresses, assets
from embviz.settings.pages import PAGES

VISIT = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}  # as browsers ask for a page


async def one_page(_request: Request) -> Response:
    """What Streamlit answers to every address that it does not know."""
    return HTMLResponse("the one page")


async def file(_request: Request) -> Response:
    """What another route answers."""
    return PlainTextResponse("a file")


@pytest.fixture(params=["", "some/base"])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server with a file and the one page, at the root and below a base path."""
    monkeypatch.setattr("streamlit.get_option", lambda _name: request.param)
    base = addresses.under_base("").rstrip("/")
    routes = [Route(f"{base}/class/csv", file), Route(f"{base}/{{rest:path}}", one_page)]
    app = Starlette(routes=routes, middleware=[Middleware(addresses.Unknown)])
    with TestClient(app, base_url=f"http://testserver{base}/", follow_redirects=False) as made:
        yield made


def leads(client: TestClient, path: str) -> str:
    """The page and query that a visit of this address comes to."""
    answer = client.get(path, headers=VISIT)
    if answer.status_code == 200:
        return path
    assert answer.status_code == 307, "a browser asks again each time"
    there = urljoin(str(answer.request.url), answer.headers["location"])
    return there.removeprefix(str(client.base_url))


def test_a_page_has_its_name_and_its_title_as_address(client: TestClient) -> None:
    """In any case, with any sign between the words and a slash at the end; the query stays."""
    assert {*PAGES} == addresses.PAGES
    for name, page in PAGES.items():
        own = "" if name == addresses.FIRST else name
        assert leads(client, f"{own}?find=a+b%26c") == f"{own}?find=a+b%26c"
        title = page.title
        for written in (name.upper(), title, title.replace(" ", "-"), title.replace(" ", "_")):
            for end in ("", "/"):
                assert leads(client, f"{written}{end}?find=a+b%26c") == f"{own}?find=a+b%26c"
    assert leads(client, "playground?text=hi") == "?text=hi"
    assert leads(client, "where_it_breaks/?find=nan") == "limits?find=nan"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("nosuchpage?text=a+b%26c", "no_page=nosuchpage&text=a+b%26c"),
        ("limits/abc", "no_page=limits%2Fabc"),
        ("Zo%C3%AB?no_page=x", "no_page=Zo%C3%AB&no_page=x"),
        (f"a{'b' * 500}", f"no_page=a{'b' * 99}"),
    ],
    ids=str,
)
def test_an_unknown_address_leads_to_the_first_page(
    path: str, query: str, client: TestClient
) -> None:
    """Its query says which one; below a page a browser finds no script."""
    assert leads(client, path) == f"?{query}"


def test_what_is_no_visit_or_has_a_route_is_passed_on(client: TestClient) -> None:
    """A program may ask for the one page anywhere, and a browser for a file."""
    assert client.get("nosuchpage", headers={"Accept": "*/*"}).text == "the one page"
    assert client.get("class/csv", headers=VISIT).text == "a file"
    assert client.post("class/csv", headers=VISIT).status_code == 405


def test_published_scripts_are_cached_without_a_limit() -> None:
    """A browser asks once for a script as it was published, and gets nothing else.

    All scripts have one address, and another one when any of them changes.
    """
    files = {"test/one.js": "export default 'é';", "two.js": "export const two = 2;"}
    folder = assets.publish(files)
    assert re.fullmatch(r"assets/[0-9a-f]{16}", folder)
    client = TestClient(Starlette(routes=assets.routes()))
    for name, text in files.items():
        for again in ("1", "2", "9" * 5_000):  # a second try has another folder
            answer = client.get(f"/{folder}/{again}/{name}")
            assert answer.text == text
            assert answer.headers["content-type"].startswith("text/javascript")
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert assets.publish(files) == folder
    changed = assets.publish(files | {"two.js": "export const two = 3;"})
    assert changed != folder
    assert client.get(f"/{changed}/1/test/one.js").text == files["test/one.js"]
    unknown = ["1/app.py", "1/..%2F..%2Fapp.py", "1/test/../two.js/", "1/test", "two.js", "1/", ""]
    for path in unknown:
        answer = client.get(f"/{folder}/{path}")
        assert (answer.status_code, path) == (404, path)
    assert client.get("/assets/0123456789abcdef/1/two.js").status_code == 404
