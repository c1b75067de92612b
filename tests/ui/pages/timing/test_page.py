"""The timing page: questions, own settings, results, machines."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from embviz.core.refused import Refused
from embviz.timing.cluster import VARIABLE
from embviz.timing.methods import HERE, METHODS
from embviz.timing.run import labels, read_run
from embviz.timing.sentences import answer, crossings, sentences
from embviz.ui.pages.timing import page, session
from tests.timing.made import CASE, made_run, vocab
from tests.ui.headless import open_page, press, refused, unescaped, value
from tests.ui.pages.timing.conftest import NoEngine

OWN: dict[str, str | list[str]] = {"methods": ["lookup", "matmul"], "span": ["16", "64"]}


@pytest.fixture
def mine(engine: NoEngine, monkeypatch: pytest.MonkeyPatch) -> session.Session:
    """The sweeps of the session; the engine measures nothing."""
    monkeypatch.delenv(VARIABLE, raising=False)
    made = session.Session()
    monkeypatch.setattr(session, "session", lambda: made)
    return made


def drawn(app: AppTest) -> set[str]:
    """The legend of the chart of times."""
    return {one["name"] for one in _chart(app)["data"]}


def panels(app: AppTest) -> list[str]:
    """The titles of its panels."""
    return [one["text"] for one in _chart(app)["layout"].get("annotations", [])]


def _chart(app: AppTest) -> Any:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def labelled(*methods: str) -> set[str]:
    """These methods as a legend names them."""
    return {METHODS[one].label for one in methods}


def words(app: AppTest) -> str:
    """What the page says beside its refusals."""
    said = [one.value for one in [*app.header, *app.caption, *app.markdown, *app.info]]
    shown = "\n".join([*said, *(one.proto.text for one in app.get("progress"))])
    return unescaped(shown).replace("\xa0", " ")


def marked(app: AppTest) -> list[str]:
    """The questions that are marked."""
    return [one.label for one in app.button if one.proto.type == "primary"]


def start(app: AppTest) -> None:
    """Press Start."""
    app.button(key="timing_start_button").click().run()


def test_one_press_measures_and_answers(mine: session.Session, engine: NoEngine) -> None:
    """The question sets all settings and is marked; a running sweep has a chart and no statement.

    Then comes the answer in the words of the run, and Start measures the same again.
    """
    app = open_page("timing", time_dim="8", methods="module")
    assert marked(app) == []
    press(app, "Backward")
    (sweep,) = engine.started
    assert {case.mode for case in sweep.cases} == {"backward"}
    assert {case.method for case in sweep.cases} == {"lookup", "lookup_sparse", "matmul"}
    assert (value(app, "mode"), value(app, "time_dim")) == ("backward", 64)
    assert marked(app) == ["Backward"]
    assert "waits for the sweeps before it" in words(app)
    engine.measure(sweep)
    sweep.done = 6
    app.run()
    assert drawn(app) == labelled("lookup", "lookup_sparse", "matmul")
    assert list(app.header) == []
    left = rf"^6 of 24 rounds through {len(sweep.cases)} cases, \d+ s left\.$"
    assert re.search(left, words(app), re.MULTILINE)
    assert app.get("progress")[0].proto.value == 25
    assert "Press a point." not in words(app)
    sweep.finish("done")
    app.run()
    said = unescaped(app.header[0].value).replace("\xa0", " ")
    assert said == f"{answer(sweep.run)} {crossings(sweep.run)}".strip()
    assert f"{len(sweep.cases)} cases in" in words(app)
    assert "Press a point." in words(app)
    start(app)
    assert engine.started[1].cases == sweep.cases
    assert list(app.get("plotly_chart")) == []
    app.button(key="timing_stop_button").click().run()
    assert engine.started[1].stopping.is_set()


def test_own_settings(mine: session.Session, engine: NoEngine) -> None:
    """Start measures them; the chart has the methods of the sidebar; Reset goes back."""
    given = {"vary": "dim", "time_rows": "32", "skew": "zipf", "cache": "cold"}
    app = open_page("timing", **given, threads="1", rounds="72", mode="sgd", **OWN)
    assert app.selectbox(key="rounds").options == ["24", "48", "72", "96"]
    start(app)
    (sweep,) = engine.started
    assert {case.embedding_dim for case in sweep.cases} == {16, 32, 64}
    found = {(one.num_embeddings, one.ids, one.mode, one.cache) for one in sweep.cases}
    assert found == {(32, "zipf", "sgd", "cold")}
    assert sweep.rounds == (0, 72)
    engine.measure(sweep, "done", seconds=lambda case: 1e-6 * case.embedding_dim)
    app.run()
    app.multiselect(key="methods").set_value(["lookup"]).run()
    assert drawn(app) == labelled("lookup")
    app.multiselect(key="methods").set_value(["module"]).run()
    assert drawn(app) == labelled("lookup", "matmul")  # none of the chosen ones was measured
    app.selectbox(key="vary").set_value("tokens").run()
    assert value(app, "span") == ("1", "4096")
    press(app, "Reset settings")
    assert (value(app, "vary"), value(app, "skew")) == ("vocab", "uniform")
    assert marked(app) == ["What does it cost?"]


def test_own_settings_begin_open_where_no_question_has_them() -> None:
    """Else they take one press."""

    def is_open(**query: str) -> bool:
        (fold,) = open_page("timing", **query).sidebar.expander
        return bool(fold.proto.expanded)

    assert is_open(time_dim="8")
    assert not is_open()


def test_a_sweep_that_was_over_at_once_is_shown(
    mine: session.Session, engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It began and ended between two updates, and the next one draws the page again."""

    def again(scope: str) -> None:
        raise InterruptedError(scope)

    monkeypatch.setattr(st, "rerun", again)
    mine.start([CASE])
    for seen in ([], [*engine.started]):
        with pytest.raises(InterruptedError, match="app"):
            page.live(seen, True)
    engine.measure(engine.started[0], "done")
    with pytest.raises(InterruptedError, match="app"):
        page.live([*engine.started] * 2, True)
    page.live([*engine.started], True)


def test_before_any_run_there_is_the_recorded_one(mine: session.Session) -> None:
    """It is named as recorded, with its machine, and answers the first question."""
    run = read_run(session.RECORDED.read_bytes(), "recorded")
    app = open_page("timing")
    assert f"Recorded on {run.label}. Start measures here." in words(app)
    assert answer(run) in words(app)
    assert marked(app) == ["What does it cost?"]
    sizes = [case.num_embeddings for case in run.cases]
    assert value(app, "span") == (str(min(sizes)), str(max(sizes)))
    assert len(app.get("plotly_chart")) == 1
    assert not app.dataframe


def test_failures_are_said(mine: session.Session, engine: NoEngine) -> None:
    """With method, place and reason; of many the page counts the rest."""
    app = open_page("timing", methods=["lookup", "matmul"], span=["16", "1024"])
    start(app)
    (sweep,) = engine.started
    sweep.add({"type": "environment", "cpu": "x"})
    for case in sweep.cases[1::2]:
        why = "needs 4.0 GiB, over the budget."
        sweep.add({"type": "failure", "case": vars(case) | {}, "reason": why})
    sweep.finish("failed", "three workers were lost.")
    app.run()
    said = words(app)
    assert "Matmul at 16 rows: needs 4.0 GiB, over the budget." in said
    assert said.count("4.0 GiB") == page.FAILURES
    assert f"{len(sweep.cases) // 2 - page.FAILURES} more" in said
    assert "Failed after 0 of 24 rounds." in said
    assert refused(app) == ["Three workers were lost."]


def test_a_refusal_is_one_sentence_and_nothing_is_lost(
    mine: session.Session,
    engine: NoEngine,
) -> None:
    """A link's mistakes are noted, and methods that cannot be measured so are left out."""
    app = open_page("timing", span="64", time_tokens="nan", time_dim="8", methods="warp")
    notes = unescaped(" ".join(one.value for one in app.warning))
    assert all(name in notes for name in ("span=", "tokens='nan'", "methods='warp'"))
    app.multiselect(key="methods").set_value([]).run()
    start(app)
    start(app)
    (text,) = refused(app)
    assert "no method" in text.lower()
    assert (value(app, "time_dim"), engine.started) == (8, [])
    app.multiselect(key="methods").set_value(["lookup"]).run()
    start(app)
    assert refused(app) == []
    app.multiselect(key="methods").set_value(["lookup", "lookup_sparse"]).run()
    assert "Left out" not in words(app)
    engine.started[0].finish("stopped")
    app.run()
    assert "Left out: lookup" in words(app)
    assert "sparse has no mode" in words(app)


def test_a_hosted_page_says_why_a_sweep_ended(
    mine: session.Session,
    engine: NoEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The limit that stopped it is named; no file can be uploaded."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    mine.start(vocab())
    engine.measure(engine.started[0])
    engine.started[0].finish("stopped", "one sweep may take 60 s here.")
    app = open_page("timing")
    assert "One sweep may take 60 s here." in words(app)
    assert refused(app) == []
    assert "keeps no runs" in words(app)
    assert not app.get("file_uploader")
    start(app)
    engine.started[1].finish("stopped")
    app.run()
    assert "Stopped after 0 of 24 rounds." in words(app)


def test_all_numbers_and_how_it_is_measured(mine: session.Session, engine: NoEngine) -> None:
    """Every comparison and point as tables, three charts, files; the statements in the clock.

    The heading also says where matmul wins.
    """
    mine.start(vocab("lookup", "matmul"))
    engine.measure(engine.started[0], "done")
    app = open_page("timing", kept_runs="")
    app.session_state["_numbers"] = app.session_state["_method"] = True
    app.run()
    judged, numbers, clock = (one.value for one in app.dataframe)
    assert "matmul at 64 rows" in [*judged["case"]]
    assert [*numbers["num_embeddings"]] == [4, 4, 64, 64, 1024, 1024, 16384, 16384]
    assert numbers["time, µs"].iloc[0] == pytest.approx(10, rel=0.1)
    assert "F.embedding(ids, table)" in clock.to_string()
    assert all(f"- {text}" in words(app) for text in sentences(mine.runs[0])[1:])
    assert "PyTorch" in words(app)
    assert len(app.get("plotly_chart")) == 4
    files = ["Run (.jsonl)", "CSV", "Report (.html)"]
    assert [one.proto.label for one in app.get("download_button")] == files
    app.multiselect(key="kept_runs").set_value(["recorded"]).run()
    both = labels([*mine.runs, session.recorded()])
    assert [one.replace("<br>", " ") for one in panels(app)] == both
    assert f"{both[0]}: {answer(mine.runs[0])} {crossings(mine.runs[0])}" in words(app)
    assert "is faster than lookup at 4" in words(app)
    start(app)
    assert len(app.dataframe) == 1  # nothing is judged while it runs


def test_opened_runs_take_the_place_of_the_recorded_one(
    mine: session.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are named by their machine; a name that is forged opens nothing."""
    session.kept()
    run = made_run(vocab(), cpu="Another CPU")
    (session._folder() / "2020.jsonl").write_bytes(run.to_bytes())
    app = open_page("timing")
    app.multiselect(key="kept_runs").set_value(["2020"]).run()
    assert "Recorded on Another" in words(app)
    assert app.header[0].value.startswith("At 16,384")
    monkeypatch.setattr(st, "session_state", {"kept_runs": [["x"], "gone"]})
    monkeypatch.setattr(page, "cached", lambda slot, made_of, make: make())
    assert page._others() == ([], [])


def test_the_question_about_a_gpu_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It measures CPU and GPU side by side."""
    monkeypatch.setattr(page, "available_devices", lambda: ["cpu"])
    assert "CPU or GPU?" not in page.questions()
    monkeypatch.setattr(page, "available_devices", lambda: ["cpu", "cuda"])
    assert page.questions()["CPU or GPU?"]["devices"] == ["cpu", "cuda"]


class NoCluster:
    """Machines `one` and `two`, on an engine that measures nothing."""

    def __init__(self, made: NoEngine) -> None:
        self.engine, self.asked = made, list[Any]()

    def machines(self) -> list[str]:
        """Both."""
        return ["one", "two"]

    def start(self, cases: Any, sink: Any, processes: int, machine: str) -> Any:
        """A sweep that waits."""
        self.asked.append(machine)
        return self.engine.start(cases, sink, processes)


@pytest.fixture
def cluster(
    mine: session.Session,
    engine: NoEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[NoCluster]:
    """The cluster that EMBVIZ_CLUSTER names."""
    made = NoCluster(engine)
    monkeypatch.setenv(VARIABLE, "tcp://127.0.0.1:8786")
    monkeypatch.setattr(session, "cluster", lambda: made)
    session.machines.clear()
    yield made
    session.machines.clear()


def test_the_same_sweep_on_several_machines(
    cluster: NoCluster,
    engine: NoEngine,
) -> None:
    """Each is a panel and has a bar; the one that fails is named, and the other goes on."""
    app = open_page("timing", **OWN)
    field = app.multiselect(key="machines")
    assert (field.options, field.value) == ([HERE, "one", "two"], [HERE])
    field.set_value(["one", "two"]).run()
    start(app)
    assert cluster.asked == ["one", "two"]
    for sweep, name in zip(engine.started, ("one", "two"), strict=True):
        sweep.add({"type": "environment", "cpu": "Some CPU", "worker": name})
        engine.measure(sweep)
    engine.started[1].finish("failed", "its worker has ended.")
    app.run()
    assert [panel.split()[0] for panel in panels(app)] == ["one", "two"]
    assert refused(app) == ["Machine two: its worker has ended."]
    assert len(app.get("progress")) == 2
    assert "Machine one: 0 of 24 rounds through 6 cases" in words(app)
    engine.started[0].finish("done")
    app.run()
    assert "Machine one: 6 cases in" in words(app)
    assert "Machine two: failed after 0 of 24 rounds." in words(app)


def test_a_cluster_in_trouble_is_one_sentence(
    cluster: NoCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine itself still measures; a stranger's sweep goes out, and he reads no address."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise Refused("no scheduler at tcp://10.0.0.5:1.")

    monkeypatch.setattr(cluster, "machines", refuse)
    monkeypatch.setattr(cluster, "start", refuse)
    app = open_page("timing", **OWN)
    assert words(app).count("tcp://10.0.0.5") == 1
    start(app)
    assert len(cluster.engine.started) == 1
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page("timing", **OWN)
    app.button(key="timing_stop_button").click()
    page._start()
    assert session.session().troubles == [session.UNREACHABLE]
    assert "10.0.0.5" not in words(app)
    assert len(cluster.engine.started) == 1
