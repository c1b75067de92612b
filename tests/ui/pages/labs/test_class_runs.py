"""A timing run on its way from a student's file to the teacher's board."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from embviz.classes import here as here_of
from embviz.classes.codes import new_token
from embviz.classes.here import here
from embviz.core.data_folder import FOLDER_VARIABLE
from tests.classes.test_timings import BOTH, SECRET, file_of
from tests.figures.timing.made_runs import sweep
from tests.ui.headless import unescaped

TOKEN = new_token()


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A class of lab *cost* with one member, in a file of its own."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    found = here()
    assert found is not None
    code = found.store.start("cost", "t" * 43).code
    found.store.join(code, TOKEN).result()
    yield code
    here_of.close()


def both_folds(code: str, token: str, step: int) -> None:
    """The student's fold and the board's on one page."""
    import streamlit as st

    from embviz.classes.here import here
    from embviz.ui.pages.labs import class_runs

    st.session_state["step"] = step
    found = here()
    assert found is not None
    class_runs.draw(code, token)
    class_runs.draw_board(found.rooms.get(code))


def opened(code: str, step: int = 6) -> AppTest:
    """Both folds, that of the board open."""
    app = AppTest.from_function(both_folds, args=(code, TOKEN, step), default_timeout=60)
    app.session_state["class_runs"] = True
    return app.run()


def words(app: AppTest) -> str:
    """All that is said."""
    parts = [*app.markdown, *app.caption, *app.error, *app.success]
    return unescaped("\n".join(part.value for part in parts))


def test_a_run_goes_from_a_file_to_the_board(code: str) -> None:
    """The student sees what the class gets, gives it, and the board draws it."""
    app = opened(code)
    assert "No student has given a run yet." in words(app)
    app.file_uploader[0].set_value(("run.jsonl", b"no run", "")).run()
    assert "run.jsonl has no complete line" in words(app)
    file = file_of(sweep(BOTH))
    app.file_uploader[0].set_value(("run.jsonl", file, "")).run()
    assert "times of lookup and matmul, 64 to 4,096 rows, dim 64" in words(app)
    assert "is on your teacher's board" not in words(app)
    assert not app.get("plotly_chart")
    app.button(key="class_run_button").click().run()
    assert "Your run is on your teacher's board." in words(app)
    room = (found := here()) and found.rooms.get(code)
    assert room
    room.asked = 0
    room.refresh()
    ((member, text),) = room.runs()
    assert SECRET not in text
    (chart,) = opened(code).get("plotly_chart")
    assert member.pseudonym in chart.proto.spec


def test_a_run_that_cannot_be_kept_is_refused(code: str) -> None:
    """In a class that has ended the student reads why; nothing is said to be on the board."""
    app = opened(code)
    app.file_uploader[0].set_value(("run.jsonl", file_of(sweep(BOTH)), "")).run()
    found = here()
    assert found is not None
    found.store.change(code, "t" * 43, ended=True).result()
    app.button(key="class_run_button").click().run()
    assert f"The class {code} has ended" in words(app)
    assert "is on your teacher's board" not in words(app)


def test_runs_are_asked_for_where_times_are_measured(code: str) -> None:
    """Before the first measured step there is no uploader."""
    assert not opened(code, step=5).file_uploader
