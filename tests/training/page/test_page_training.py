"""A training on a page: up to the steps of its setting, one thread at a time."""

import re
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.settings.pages import SETTINGS
from embviz.training.learning import Learning
from embviz.training.page import page_training, write
from embviz.training.page.page_training import Drawn, redraw
from tests.ui.headless import open_page, value


class Counter(Learning):
    """A model that knows how many threads train it at once, and waits until it is let go."""

    def __init__(self) -> None:
        self.threads = self.most_threads = 0
        self.entered, self.leave = threading.Event(), threading.Event()

    def step(self) -> None:
        """Take one step."""
        self.threads += 1
        self.most_threads = max(self.most_threads, self.threads)
        self.entered.set()
        assert self.leave.wait(30)
        self.steps += 1
        self.threads -= 1


def opened(**query: str) -> AppTest:
    """*Letters find their kind* on a short text."""
    text = {"lesson": "write", "corpus": "own", "text": "the cat sat", "char_dim": "2"}
    return open_page("training", **text, **query)


def trained(app: AppTest) -> tuple[int, Any]:
    """The steps that the page says, and those of its address."""
    says = [one.value for one in app.caption] + [one.proto.text for one in app.get("progress")]
    (steps,) = [
        found[1] for one in says if (found := re.match(r"([\d,]+)( of [\d,]+)? steps?", one))
    ]
    return int(steps.replace(",", "")), value(app, "learn_steps")


def model_of(app: AppTest) -> Any:
    """The training that the session keeps."""
    return app.session_state["_embviz"].cached[page_training.SLOT][1]


def one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time slice is one step long."""
    monkeypatch.setattr(page_training, "BETWEEN_S", 0.0)
    monkeypatch.setattr(
        page_training, "time_slice", lambda *_: nullcontext(iter([True, False]).__next__)
    )


def test_a_training_has_the_steps_of_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link trains as far; a press adds its goal, Pause and Reset write theirs; Back goes back."""
    monkeypatch.setattr(page_training, "FIRST_S", 600.0)
    monkeypatch.setattr(write, "GOAL", 40)
    few = replace(SETTINGS["learn_steps"], high=100)
    monkeypatch.setattr(page_training, "SETTINGS", {"learn_steps": few})
    app = opened(learn_steps="20")
    assert trained(app) == (20, 20)
    model = model_of(app)
    for steps in (60, 100):
        play = app.button(key="learn_steps_play")
        assert [play.label, play.disabled] == [f"Train to step {steps}", False]
        play.click().run()
        assert trained(app) == (steps, steps)
        assert model_of(app) is model
    assert app.button(key="learn_steps_play").disabled
    most = "100 steps, the most that one training may take here"
    assert most in [one.value for one in app.caption]
    app.query_params["learn_steps"] = "10"
    assert trained(app.run()) == (10, 10)
    app.button(key="learn_steps_undo").click().run()
    assert trained(app) == (0, 0)
    one_step(monkeypatch)
    app = opened(learn_steps="0", seed="7")
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (1, 40)
    app.button(key="learn_steps_pause").click().run()
    assert trained(app) == (1, 1)


def test_a_training_that_failed_names_its_reason_alone() -> None:
    """It stopped because it diverged, not because it may take no more steps."""
    app = open_page("training", lesson="step", text="aab", dim="2", rate="100x", steps="400")
    app.session_state["fold And after 100 steps?"] = True
    app.run()
    says = [one.value for one in (*app.caption, *app.warning, *app.error)]
    assert "2 steps" in says
    assert any("diverges here" in one for one in says)


def test_sessions_share_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that opens one link trains one model; each shows it after its own steps."""
    monkeypatch.setattr(page_training, "FIRST_S", 60.0)
    first, second = opened(learn_steps="200", seed="8"), opened(learn_steps="100", seed="8")
    assert model_of(first) is model_of(second)
    for app, steps in ((first, 200), (second, 100)):
        assert trained(app) == (steps, steps)
        (written,) = [one.value for one in app.markdown if one.value.startswith("What it writes")]
        assert f"**step {steps}**" in written
        assert f"**step {steps + 100}**" not in written


def test_the_end_redraws_the_page_once_it_has_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that draws the page is not interrupted: the widgets would lose their values."""
    reruns: list[int] = []
    monkeypatch.setattr("streamlit.rerun", lambda: reruns.append(1))
    monkeypatch.setattr(page_training, "setting", lambda name: 10)
    for before, expected in ((0, 0), (4, 1)):
        model = Counter()
        model.leave.set()
        given = "steps", model, 10, lambda *_: None, Drawn(time.monotonic() - before)
        redraw(*given)
        assert (model.steps, len(reruns)) == (0, 0)
        redraw(*given)
        assert (model.steps, len(reruns)) == (10, expected)


def test_what_one_time_slice_trains_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page has a timer only while its training goes on."""
    timers: list[object] = []
    monkeypatch.setattr(
        page_training, "queued_fragment", lambda every_s, *_: timers.append(every_s)
    )
    monkeypatch.setattr(page_training, "FIRST_S", 60.0)
    opened(learn_steps="20", seed="5")
    assert timers == [None]
    one_step(monkeypatch)
    opened(learn_steps="20", seed="6")
    assert timers[1]


def test_one_thread_at_a_time_trains_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rerun that starts before the previous one has stopped does not train its model."""
    model, drawn = Counter(), []
    monkeypatch.setattr(page_training, "setting", lambda name: 10)
    draw = lambda _, runs: drawn.append(runs)  # noqa: E731
    given = "steps", model, 10, draw, Drawn(time.monotonic(), is_first=False)
    first = threading.Thread(target=redraw, args=given)
    first.start()
    assert model.entered.wait(30)
    redraw(*given)
    assert model.steps == 0
    model.leave.set()
    first.join()
    assert model.steps == 10
    assert model.most_threads == 1
    assert drawn == [True, False]
