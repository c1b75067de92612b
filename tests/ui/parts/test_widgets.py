"""Fields for files: on one's own machine they are there, on a hosted server they are not."""

from io import BytesIO

import pytest

from embviz.ui.parts import widgets
from tests.ui.headless import open_page


@pytest.mark.parametrize(
    ("page", "query", "typed"),
    [
        ("playground", {"init": "own"}, "weights"),
        ("bag_of_words", {"bag": "matrix"}, "x"),
        ("bag_of_words", {"bag": "file"}, "docs"),
        ("timing", {}, ""),
    ],
)
def test_a_hosted_server_shows_no_field_for_files(
    page: str, query: dict[str, str], typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matrices and texts are typed there; a link that asks for a file gets the default."""
    assert len(open_page(page, **query).get("file_uploader")) > 0
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page(page, **query)
    assert len(app.get("file_uploader")) == 0
    assert not typed or app.text_area(key=typed).value
    if "file" in query.values():
        assert any("file" in one.value for one in app.warning)


def test_a_number_beyond_what_there_is_shows_the_last() -> None:
    """As the page draws it: a link may name row 900,000 of two."""
    row = open_page("bag_of_words", row="900000").number_input(key="row")
    assert row.value == row.max == 1


def test_only_files_are_uploaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forged message may name files that the server does not have."""
    file = BytesIO()
    monkeypatch.setattr(widgets.st, "session_state", {"one": file, "two": [file, "gone"]})
    assert [widgets.uploaded(key) for key in ("one", "two", "none")] == [[file], [file], []]
