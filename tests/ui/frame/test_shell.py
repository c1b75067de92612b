"""The frame reads the page records."""

import pytest

from embviz.request.pages import PAGES
from tests.ui.headless import ROOT, open_page


def test_every_page_has_a_record_and_a_file() -> None:
    """The records and the files in `pages/` name the same pages."""
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)
    assert all(page.title and page.sentence for page in PAGES.values())


@pytest.mark.parametrize(
    ("page", "query", "containers"),
    [
        ("playground", {}, {"input_seen", "model_seen", "panels_seen"}),
        ("training", {}, {"input_seen", "model_seen", "panels_unseen"}),
        ("limits", {}, {"input_unseen", "model_unseen", "panels_unseen"}),
        ("context", {}, {"input_seen", "model_seen", "panels_unseen"}),
        ("context", {"chapter": "trained"}, {"input_unseen", "model_seen", "panels_unseen"}),
        ("context", {"chapter": "sentences"}, {"input_unseen", "model_unseen", "panels_unseen"}),
    ],
)
def test_a_page_shows_what_its_record_asks_for(
    page: str, query: dict[str, str], containers: set[str]
) -> None:
    """Text field, model settings and panels are visible where the record says so, else hidden."""
    app = open_page(page, **query)
    blocks = [*app.main.children.values(), *app.sidebar.children.values()]
    assert containers <= {getattr(block, "key", None) for block in blocks}
