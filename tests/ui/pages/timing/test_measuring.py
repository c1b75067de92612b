import re
from pathlib import Path

import pytest

from embviz.core.data_folder import FOLDER_VARIABLE
from embviz.timing.cases import Case
from embviz.timing.settings import HERE
from embviz.ui.pages.timing import measuring as timing_page
from embviz.ui.pages.timing import sweeps
from tests.ui.headless import open_page, page_words, unescaped
from tests.ui.pages.timing.test_sweeps import CASE, NoEngine


def test_a_sweep_that_was_over_at_once_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that began and ended between two updates reruns the page."""

    def again(scope: str) -> None:
        raise InterruptedError(scope)

    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    mine = sweeps.SessionSweep()
    monkeypatch.setattr(sweeps, "session_sweep", lambda: mine)
    monkeypatch.setattr(timing_page.st, "rerun", again)
    monkeypatch.setattr(sweeps, "engine", NoEngine)
    before = mine.seen
    timing_page._row(before, True)
    mine.start([CASE])
    mine.sweeps[HERE].finish("done")
    with pytest.raises(InterruptedError, match="app"):
        timing_page._row(before, True)
    timing_page._row(mine.seen, True)


@pytest.mark.parametrize("query", [{}, {"vary": "dtype"}, {"time_dtype": "float16"}], ids=str)
def test_without_a_run_the_page_states_no_speed(
    query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any run the page states no factor of speed and no error of the model."""
    monkeypatch.setattr(sweeps, "recorded", lambda: None)
    words = page_words("timing", **query)
    assert "One worker process, apart from this server, measures all points" in words
    assert "process of its own" not in words
    assert re.findall(r"\d+x\b|\d+ times|than float32", words) == []


def test_the_page_opens_on_a_recorded_run_that_is_not_the_users() -> None:
    """The recorded run is named with its machine and date; its data is not offered as a run."""
    run = sweeps.recorded()
    assert run is not None
    app = open_page("timing")
    captions = [unescaped(one.value) for one in app.caption]
    assert f"A recorded run of {run.label}. Press Start to measure yours." in captions
    labels = [one.proto.label for one in app.get("download_button")]
    assert labels == ["Recorded data (.jsonl)"]


def test_the_page_says_why_a_sweep_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hosted page names the limit that stopped a sweep, and a refusal."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    monkeypatch.delenv("EMBVIZ_SWEEP_SECONDS", raising=False)
    mine = sweeps.SessionSweep()
    sweep = mine.sweeps[HERE] = sweeps.Sweep([Case("lookup", 64, 8, 4)])
    mine.refusal = "16 sweeps are in the queue already; try again in a minute."
    sweep.begin({"cpu": "none"})
    sweep._began -= 60
    sweep.stop_in_time()
    sweep.finish("stopped")
    monkeypatch.setattr(sweeps, "session_sweep", lambda: mine)
    app = open_page("timing")
    shown = [one.value.replace("\\", "") for one in [*app.caption, *app.error]]
    cut = "one sweep may take 60 s here (EMBVIZ_SWEEP_SECONDS), and 0 of 12 rounds fitted in."
    assert f"Stopped: {cut}" in shown
    assert mine.refusal in shown
    assert "This server keeps no runs: download yours." in " ".join(shown)


def test_a_mistyped_link_is_noted() -> None:
    """Each unusable parameter of a link is noted; Start without a method is refused in words."""
    wrong = {"methods": "warp", "time_tokens": "nan", "vary": "time"}
    words = page_words("timing", span=["64", "63"], **wrong).replace("\\", "")
    for note in (
        "methods='warp' is not one of lookup",
        "span='63' is not one of the 21 there are; nearest: ",
        "time_tokens='nan' is not a whole number from 1 to 16,384; using 256",
        "vary='time' is not one of vocab, dim, tokens",
    ):
        assert note in words
    app = open_page("timing", span="64")
    note = "span='64' is not a smallest and a largest value; using 64 65536"
    assert note in "".join(unescaped(one.value) for one in app.warning)
    app.multiselect(key="methods").set_value([]).run()
    app.button(key="timing_start_button").click().run()
    assert any("no method is chosen" in one.value for one in app.error)
