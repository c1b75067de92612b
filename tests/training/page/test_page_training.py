"""A training on a page: up to the steps of its setting, one thread at a time."""

import re
import threading
import time
from contextlib import nullcontext
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.fact.characters import PRINTABLE
from embviz.training.page import page_training
from embviz.training.page.page_training import Drawn, redraw
from embviz.training.writing import Writing
from tests.ui.headless import open_page, value


class Counter:
    """A model of 25 steps that knows how many threads train it at once."""

    def __init__(self) -> None:
        self.steps, self.threads, self.most_threads = 0, 0, 0
        self.entered, self.leave = threading.Event(), threading.Event()
        self.most_steps, self.keeps_past = 25, False

    @property
    def finished(self) -> bool:
        """Whether all steps are taken."""
        return self.steps >= 25

    def advance(self, steps: int, budget_s: float = 0.0) -> int:
        """Take the steps, once it is let go."""
        self.threads += 1
        self.most_threads = max(self.most_threads, self.threads)
        self.entered.set()
        assert self.leave.wait(30)
        taken = min(steps, 25 - self.steps)
        self.steps += taken
        self.threads -= 1
        return taken


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
    app = opened(learn_steps="20")
    assert trained(app) == (20, 20)
    assert app.button(key="learn_steps_play").label == "Train to step 2,020"
    model = model_of(app)
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (2_020, 2_020)
    assert model_of(app) is model
    app.query_params["learn_steps"] = "4900"
    assert trained(app.run()) == (4_900, 4_900)
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (5_000, 5_000)
    assert app.button(key="learn_steps_play").disabled
    most = "5,000 steps, the most that one training may take here"
    assert most in [one.value for one in app.caption]
    app.query_params["learn_steps"] = "10"
    assert trained(app.run()) == (10, 10)
    app.button(key="learn_steps_undo").click().run()
    assert trained(app) == (0, 0)
    assert model_of(app) is model
    one_step(monkeypatch)
    app = opened(learn_steps="0", seed="7")
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (1, 2_000)
    app.button(key="learn_steps_pause").click().run()
    assert trained(app) == (1, 1)


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
    alone = Writing("the cat sat", PRINTABLE, 2, 8)
    alone.advance(100)
    seen = model_of(second).at(100)
    assert seen.points == alone.points
    assert (seen.frames[-1].points == alone.frames[-1].points).all()


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
