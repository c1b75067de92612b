"""A training on a page: up to the steps of its setting, one thread at a time."""

import threading
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.ui.parts import live_training
from tests.ui.headless import open_page, value


class Counter:
    """A model of 25 steps that knows how many threads train it at once."""

    def __init__(self) -> None:
        self.steps, self.threads, self.most_threads = 0, 0, 0
        self.entered, self.leave = threading.Event(), threading.Event()

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
    """*Learn to write* on a short text."""
    text = {"lesson": "write", "corpus": "own", "text": "the cat sat", "char_dim": "2"}
    return open_page("training", **text, **query)


def trained(app: AppTest) -> tuple[Any, Any]:
    """The steps of the model, and of the address."""
    model = app.session_state["_embviz"]["cached"]["learn_steps"][1]
    return model.steps, value(app, "learn_steps")


def test_a_training_has_the_steps_of_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link trains as far; a press adds its goal, Pause and Reset write theirs; Back goes back."""
    monkeypatch.setattr(live_training, "SLICE_S", 60.0)
    app = opened(learn_steps="20")
    assert trained(app) == (20, 20)
    model = app.session_state["_embviz"]["cached"]["learn_steps"][1]
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (2_020, 2_020)
    assert app.session_state["_embviz"]["cached"]["learn_steps"][1] is model
    app.query_params["learn_steps"] = "4900"
    assert trained(app.run()) == (4_900, 4_900)
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (5_000, 5_000)
    assert app.button(key="learn_steps_play").disabled
    assert app.caption[0].value == "5,000 steps, the most that one training may take here"
    app.query_params["learn_steps"] = "10"
    assert trained(app.run()) == (10, 10)
    app.button(key="learn_steps_undo").click().run()
    assert trained(app) == (0, 0)
    monkeypatch.setattr(live_training, "SLICE_S", 1e-9)
    app.button(key="learn_steps_play").click().run()
    assert trained(app) == (1, 2_000)
    app.button(key="learn_steps_pause").click().run()
    assert trained(app) == (1, 1)


def test_the_end_redraws_the_page_once_it_has_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that draws the page is not interrupted: the widgets would lose their values."""
    reruns: list[int] = []
    monkeypatch.setattr("streamlit.rerun", lambda: reruns.append(1))
    for since, expected in ((time.monotonic(), 0), (time.monotonic() - 4, 1), (None, 1)):
        model = Counter()
        model.leave.set()
        monkeypatch.setattr(live_training, "setting", lambda name: 10)
        live_training._redraw("steps", model, 10, lambda *_: None, since)
        assert (model.steps, len(reruns)) == (10 if since else 0, expected)


def test_one_thread_at_a_time_trains_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rerun that starts before the previous one has stopped does not train its model."""
    model, drawn = Counter(), []
    monkeypatch.setattr(live_training, "setting", lambda name: 10)
    given = "steps", model, 10, lambda _, runs: drawn.append(runs), time.monotonic()
    first = threading.Thread(target=live_training._redraw, args=given)
    first.start()
    assert model.entered.wait(30)
    live_training._redraw(*given)
    assert model.steps == 0
    model.leave.set()
    first.join()
    assert (model.steps, model.most_threads, drawn) == (10, 1, [True, False])
