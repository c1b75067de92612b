"""The timing page: questions, own settings, results, other runs."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from embviz.timing.methods import METHODS
from embviz.timing.run import labels, read_run
from embviz.timing.sentences import answer, sentences
from embviz.ui.pages.timing import page, session
from tests.timing.made import made_run, vocab
from tests.ui.headless import open_page, press, refused, unescaped, value
from tests.ui.pages.timing.conftest import NoEngine

OWN: dict[str, str | list[str]] = {"methods": ["lookup", "matmul"], "span": ["16", "1024"]}
Patch = pytest.MonkeyPatch


@pytest.fixture
def mine(engine: NoEngine, monkeypatch: Patch) -> session.Session:
    """The sweeps of the session; the engine measures nothing."""
    made = session.Session()
    monkeypatch.setattr(session, "session", lambda: made)
    return made


def drawn(app: AppTest) -> tuple[set[str], list[str]]:
    """The legend of the chart of times, and the titles of its panels."""
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    titles = [one["text"].replace("<br>", " ") for one in spec["layout"].get("annotations", [])]
    return {one["name"] for one in spec["data"]}, titles


def labelled(*methods: str) -> tuple[set[str], list[str]]:
    """These methods as one panel names them."""
    return {METHODS[one].label for one in methods}, []


def words(app: AppTest) -> str:
    """What the page says beside its refusals."""
    said = [one.value for one in [*app.header, *app.caption, *app.markdown]]
    shown = "\n".join([*said, *(one.proto.text for one in app.get("progress"))])
    return unescaped(shown).replace("\xa0", " ")


def marked(app: AppTest) -> list[str]:
    """The questions that are marked."""
    return [one.label for one in app.button if one.proto.type == "primary"]


def test_one_press_measures_and_answers(mine: session.Session, engine: NoEngine) -> None:
    """The question sets all settings and is marked; a running sweep has a chart and no statement.

    Until then the last answer stands, as the last one. Start measures the same again.
    """
    app = open_page("timing", time_dim="8", methods="module")
    recorded = read_run(session.RECORDED.read_bytes(), "recorded")
    assert f"Recorded on {recorded.label}. Start measures here." in words(app)
    assert (marked(app), len(app.get("plotly_chart")), list(app.dataframe)) == ([], 1, [])
    press(app, "Backward")
    (sweep,) = engine.started
    assert {case.mode for case in sweep.cases} == {"backward"}
    assert (value(app, "time_dim"), marked(app)) == (64, ["Backward"])
    assert "waits for the sweeps before it" in words(app)
    assert (drawn(app), list(app.header)) == (labelled("lookup", "matmul"), [])
    engine.measure(sweep)
    sweep.done = 6
    app.run()
    assert (drawn(app), list(app.header)) == (labelled("lookup", "lookup_sparse", "matmul"), [])
    assert f"The last answer, {recorded.label}: {answer(recorded)}" in words(app)
    left = rf"^6 of 24 rounds through {len(sweep.cases)} cases, \d+ s left\.$"
    assert re.search(left, words(app), re.MULTILINE)
    assert app.get("progress")[0].proto.value == 25
    sweep.finish("done")
    app.run()
    said = unescaped(app.header[0].value).replace("\xa0", " ")
    assert said == answer(sweep.run)
    assert f"{len(sweep.cases)} cases in" in words(app)
    press(app, "Start")
    assert engine.started[1].cases == sweep.cases
    assert f"The last answer, {sweep.run.label}: {said}" in words(app)
    press(app, "Stop")
    assert engine.started[1].stopping.is_set()


def test_own_settings(mine: session.Session, engine: NoEngine) -> None:
    """Start measures them; the chart has the methods of the sidebar; Reset goes back."""
    given = {"vary": "dim", "time_rows": "32", "skew": "zipf", "cache": "cold"}
    app = open_page("timing", **OWN | given, threads="1", rounds="72", mode="sgd")
    assert app.sidebar.expander[0].proto.expanded
    press(app, "Start")
    (sweep,) = engine.started
    assert {case.embedding_dim for case in sweep.cases} == {2**k for k in range(4, 11)}
    found = {(one.num_embeddings, one.ids, one.mode, one.cache) for one in sweep.cases}
    assert (found, sweep.rounds) == ({(32, "zipf", "sgd", "cold")}, (0, 72))
    engine.measure(sweep, "done", seconds=lambda case: 1e-6 * case.embedding_dim)
    for chosen, there in ((["lookup"], ["lookup"]), (["module"], ["lookup", "matmul"])):
        app.multiselect(key="methods").set_value(chosen).run()
        assert drawn(app) == labelled(*there)
    app.selectbox(key="vary").set_value("tokens").run()
    assert value(app, "span") == ("1", "4096")
    press(app, "Reset settings")
    assert (value(app, "vary"), marked(app)) == ("vocab", ["What does it cost?"])


def test_failures_are_said(mine: session.Session, engine: NoEngine) -> None:
    """With method, place and reason; of many the page counts the rest."""
    app = open_page("timing", **OWN)
    press(app, "Start")
    (sweep,) = engine.started
    for case in sweep.cases[1::2]:
        sweep.add({"type": "failure", "case": {**vars(case)}, "reason": "needs 4.0 GiB."})
    sweep.finish("failed", "three workers were lost.")
    app.run()
    assert "Matmul at 16 rows: needs 4.0 GiB." in words(app)
    assert words(app).count("4.0 GiB") == page.FAILURES
    assert f"{len(sweep.cases) // 2 - page.FAILURES} more" in words(app)
    assert "Failed after 0 of 24 rounds." in words(app)
    assert refused(app) == ["Three workers were lost."]


def test_a_refusal_is_one_sentence_and_nothing_is_lost(
    mine: session.Session, engine: NoEngine
) -> None:
    """A link's mistakes are noted, and methods that cannot be measured so are left out."""
    app = open_page("timing", span="64", time_dim="8", methods="warp")
    notes = unescaped(" ".join(one.value for one in app.warning))
    assert all(name in notes for name in ("span=", "methods='warp'"))
    app.multiselect(key="methods").set_value([]).run()
    press(app, "Start")
    assert ["no method" in text.lower() for text in refused(app)] == [True]
    assert (value(app, "time_dim"), engine.started) == (8, [])
    app.multiselect(key="methods").set_value(["lookup", "lookup_sparse"]).run()
    assert "Left out: lookup" in words(app)
    press(app, "Start")
    assert (refused(app), "Left out" in words(app)) == ([], False)


def test_a_hosted_page_says_why_a_sweep_ended(
    mine: session.Session, engine: NoEngine, monkeypatch: Patch
) -> None:
    """The limit that stopped it is named; no file can be uploaded."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    mine.start(vocab())
    engine.measure(engine.started[0], "stopped", reason="one sweep may take 60 s here.")
    app = open_page("timing")
    assert "One sweep may take 60 s here." in words(app)
    assert (refused(app), list(app.get("file_uploader"))) == ([], [])


def test_all_numbers_and_how_it_is_measured(mine: session.Session, engine: NoEngine) -> None:
    """Every comparison and point as tables, three charts, files; the statements in the clock."""
    mine.start(vocab())
    engine.measure(engine.started[0], "done")
    app = open_page("timing")
    app.session_state["_numbers"] = app.session_state["_method"] = True
    app.run()
    judged, numbers, clock = (one.value for one in app.dataframe)
    assert "matmul at 64 rows" in [*judged["case"]]
    assert len(numbers) == len(vocab())
    assert "F.embedding(ids, table)" in clock.to_string()
    assert all(f"- {text}" in words(app) for text in sentences(mine.runs[0])[1:])
    assert (len(app.get("plotly_chart")), len(app.get("download_button"))) == (4, 2)
    app.multiselect(key="kept_runs").set_value(["recorded"]).run()
    both = labels([*mine.runs, session.recorded()])
    assert drawn(app)[1] == both
    assert f"{both[0]}: {answer(mine.runs[0])}" in words(app)
    press(app, "Start")
    assert len(app.dataframe) == 1  # nothing is judged while it runs


def test_opened_runs_take_the_place_of_the_recorded_one(mine: session.Session) -> None:
    """They are named by their machine."""
    session.kept()
    run = made_run(vocab(), cpu="Another CPU")
    (session._folder() / "2020.jsonl").write_bytes(run.to_bytes())
    app = open_page("timing")
    app.multiselect(key="kept_runs").set_value(["2020"]).run()
    assert "Recorded on Another" in words(app)


def test_the_questions_begin_with_that_of_the_recorded_run(monkeypatch: Patch) -> None:
    """The one about a GPU needs a GPU, and measures CPU and GPU side by side."""
    monkeypatch.setattr(page, "available_devices", lambda: ["cpu", "cuda"])
    asked = page.questions()
    sizes = [case.num_embeddings for case in session.recorded().cases]
    assert asked["What does it cost?"]["span"] == (str(min(sizes)), str(max(sizes)))
    assert asked["CPU or GPU?"]["devices"] == ["cpu", "cuda"]
    monkeypatch.setattr(page, "available_devices", lambda: ["cpu"])
    assert "CPU or GPU?" not in page.questions()
