import threading

import pytest
from streamlit.testing.v1 import AppTest

from embviz.ui.parts.live_training import LiveTraining


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


def page(autoplay: int) -> None:
    """A page with a counter of 25 steps."""
    import streamlit as st

    from embviz.ui.parts.live_training import live_training
    from tests.ui.parts.test_live_training import Counter

    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    model = st.session_state.setdefault("model", Counter())
    model.leave.set()
    live = live_training("count", model, goal=10, redraw_s=60, budget_s=1, autoplay=autoplay)

    def draw(row: object) -> None:
        live.play_button("Play")
        st.caption(f"{model.steps} steps")

    live.show(draw)


def test_a_press_trains_up_to_its_goal_and_the_model_to_its_end() -> None:
    """A press of Play adds the goal to the steps, and a finished model does not run.

    The run that draws the page is not interrupted: the widgets would lose their values.
    """
    app = AppTest.from_function(page, kwargs={"autoplay": 10}).run()
    assert (app.session_state["runs"], app.caption[0].value) == (1, "10 steps")
    app = AppTest.from_function(page, kwargs={"autoplay": 0}).run()
    for steps in (10, 20, 25):
        app.button(key="count_play").click().run()
        assert [one.value for one in app.caption] == [f"{steps} steps"]
    assert app.button(key="count_play").disabled


def test_one_thread_at_a_time_trains_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rerun that starts before the previous one has stopped does not train its model."""
    model = Counter()
    live = LiveTraining("count", model, 10, 60.0, 1.0, until=10)
    monkeypatch.setattr("streamlit.rerun", lambda scope: None)
    first = threading.Thread(target=live._redraw, args=(lambda row: None, True))
    first.start()
    assert model.entered.wait(30)
    live._redraw(lambda row: None, True)
    assert model.steps == 0
    model.leave.set()
    first.join()
    assert (model.steps, model.most_threads) == (10, 1)
