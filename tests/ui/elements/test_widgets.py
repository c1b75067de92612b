"""Fields for files: on one's own machine they are there, on a hosted server they are not."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from embviz.settings.pages import SETTINGS
from embviz.ui.elements import widgets
from tests.ui.headless import open_page
from tests.ui.test_refusals import PLACES


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


def test_fields_of_one_line_and_of_several_wait_as_long() -> None:
    """A script has the number a second time."""
    script = Path(widgets.__file__).parents[1] / "frame" / "areas.js"
    (found,) = re.findall(r"^const PAUSE_MS = (\d+);$", script.read_text("utf-8"), re.MULTILINE)
    assert f"{found}ms" == widgets.PAUSE


def test_only_files_are_uploaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forged message may name files that the server does not have."""
    file = BytesIO()
    monkeypatch.setattr(widgets.st, "session_state", {"one": file, "two": [file, "gone"]})
    assert [widgets.uploaded(key) for key in ("one", "two", "none")] == [[file], [file], []]


@pytest.mark.parametrize(("page", "query"), PLACES)
def test_a_widget_whose_script_comes_late_begins_with_its_setting(
    page: str, query: dict[str, str]
) -> None:
    """Else it would begin empty, and the next press would send that as if it had been typed."""
    app = open_page(page, **query)
    begins, found = dict[str, Any](), dict[str, Any]()
    for kind in ("text_input", "text_area", "number_input", "toggle"):
        begins |= {one.key: one.proto.default for one in getattr(app, kind)}
        found |= {one.key: one.value for one in getattr(app, kind)}
    for one in app.selectbox:
        begins[one.key] = one.options[one.proto.default]
        found[one.key] = one.format_func(one.value)
    for one in app.multiselect:
        begins[one.key] = [one.options[index] for index in one.proto.default]
        found[one.key] = one.value
    for one in app.button_group:  # its options have labels of their own
        begins[one.key] = [one.options[index] for index in one.proto.default]
        found[one.key] = [*one.proto.raw_values]
    names = [name for name in found if name in SETTINGS]
    assert names
    assert {name: begins[name] for name in names} == {name: found[name] for name in names}
