from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.parameters import PARAMETERS
from embviz.ui.pages.training.lessons import LESSONS

ROOT = Path(__file__).resolve().parents[4]


def opened(**query: str) -> AppTest:
    """The training page at an address."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return healthy(app.switch_page(str(ROOT / "pages" / "training.py")).run())


def healthy(app: AppTest) -> AppTest:
    """The page, without an error on it."""
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


@pytest.mark.parametrize("lesson", PARAMETERS["lesson"].options())
def test_every_lesson_of_the_address_opens(lesson: str) -> None:
    """Each value of the parameter `lesson` has a record and draws its lesson."""
    assert set(LESSONS) == set(PARAMETERS["lesson"].options())
    assert len(opened(lesson=lesson).main.children) > 3


def test_lockstep_steps_plays_and_starts_over() -> None:
    """Step takes one step, Play 200 more in time slices, Reset starts with step 0."""
    app = opened(lesson="lockstep", optimizer="adam", text="abcab", dim="4")
    healthy(app.button(key="train_step").click().run())
    assert "1 steps" in [one.value for one in app.caption]
    healthy(app.button(key="train_play").click().run())
    for _ in range(300):
        if "201 steps" in [one.value for one in app.caption]:
            break
        healthy(app.run())
    assert "201 steps" in [one.value for one in app.caption]
    healthy(app.button(key="train_reset").click().run())
    assert "0 steps" in [one.value for one in app.caption]


def test_characters_pause_where_they_are() -> None:
    """Pause stops the training, and Learn goes on from there."""
    app = opened(lesson="characters", char_dim="2")
    healthy(app.button(key="learn_play").click().run())
    healthy(app.button(key="learn_pause").click().run())
    (steps,) = [one.value for one in app.caption if " steps on 200,000 characters" in one.value]
    assert 0 < int(steps.split()[0].replace(",", "")) < 2_000
    healthy(app.run())
    assert steps in [one.value for one in app.caption]
    assert app.button(key="learn_play").label == "Learn 2,000 steps"
