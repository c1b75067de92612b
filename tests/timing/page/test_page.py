"""The timing page draws what its room answers: questions, own settings, other runs, refusals."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from embviz.system.bounds import Fixed
from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.system.devices import available_devices
from embviz.timing.measure.methods import METHODS, ROUTES
from embviz.timing.measure.run import labels, read_run
from embviz.timing.measure.sweep import Sweep
from embviz.timing.page import kept, measuring
from embviz.timing.page.measuring import Sweeps
from embviz.timing.tell.charts import WAIT
from embviz.timing.tell.my_model import PRESETS, estimates, times_of
from embviz.timing.tell.my_model import estimate as model_answer
from embviz.timing.tell.notes import caveat, details
from embviz.timing.tell.questions import (
    CAN_WIN,
    CPU_OR_GPU,
    GPU_QUESTIONS,
    MY_MODEL,
    QUESTIONS,
)
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.sentences import answer, win_table
from embviz.timing.tell.work import answer_and_waits
from tests.timing.made import made_run, vocab
from tests.timing.page.conftest import NoEngine
from tests.ui.headless import open_page, press, refused, unescaped, value

OWN: dict[str, str | list[str]] = {"methods": ["lookup", "matmul"], "values": "16 64 1024"}
USUAL = QUESTIONS[0].name
Patch = pytest.MonkeyPatch


@pytest.fixture
def mine(engine: NoEngine, monkeypatch: Patch) -> Sweeps:
    """The sweeps of the session; the engine measures nothing."""
    made = Sweeps()
    monkeypatch.setattr(measuring, "sweeps", lambda: made)
    return made


def drawn(app: AppTest) -> set[str]:
    """The names of the lines of the chart."""
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    return {line["name"] for line in spec["data"]}


def labelled(*methods: str) -> set[str]:
    """The names of these methods in a chart."""
    return {METHODS[name].label for name in methods}


def headline(app: AppTest) -> str:
    """The first sentence of the answer; empty where there is none."""
    return unescaped(app.header[0].value) if app.header else ""


def words(app: AppTest) -> str:
    """All that the page says beside its refusals, in order."""
    said = [part.value for part in app.main if part.type in ("header", "caption", "markdown")]
    return unescaped("\n".join([*said, *(bar.proto.text for bar in app.get("progress"))]))


def measure_here(app: AppTest) -> Any:
    """The button that measures."""
    return next(button for button in app.button if button.label == "Measure here")


def measure(app: AppTest, engine: NoEngine, state: str = "done", **made: Any) -> Sweep:
    """Press *Measure here*; the page shows what comes back."""
    press(app, "Measure here")
    sweep = engine.started[-1]
    engine.measure(sweep, state, **made)
    app.run()
    return sweep


def marked(app: AppTest) -> list[str]:
    """The questions that are marked."""
    return [button.label for button in app.button if button.proto.type == "primary"]


def keep(folder: Path, name: str, content: bytes) -> None:
    """Put a run where the page keeps those of before."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(content)


def test_each_question_shows_its_recorded_answer(mine: Sweeps, engine: NoEngine) -> None:
    """A press sets all settings, is marked, and measures nothing; the run is named.

    The questions about a GPU stay below *CPU or GPU?*; without a GPU none can be measured.
    """
    app = open_page("timing", devices=["cpu", "xpu"])
    assert (marked(app), refused(app)) == ([], [])
    assert measure_here(app).proto.disabled
    assert "not measured yet; no xpu here." in words(app)
    for question in [*QUESTIONS[:-1], *GPU_QUESTIONS]:
        if question in QUESTIONS:
            assert (CPU_OR_GPU in marked(app)) is any("On a GPU" in b.label for b in app.button)
        press(app, CPU_OR_GPU if question in GPU_QUESTIONS else question.name)
        press(app, question.name)
        is_above = question.name.startswith("On a GPU")
        assert marked(app) == [CPU_OR_GPU if is_above else question.name]
        run = recorded(question.name)
        needs_gpu = any(case.device == "cuda" for case in run.cases)
        is_here = not needs_gpu or "cuda" in available_devices()
        assert measure_here(app).proto.disabled is not is_here
        where = "yours may differ" if is_here else "no cuda here"
        why = "" if is_here else "cuda cannot be measured here. No GPU to choose"
        assert measure_here(app).proto.help.startswith(why)
        assert f"Recorded on {run.label}; {where}." in words(app)
        first, *rest = [*answer_and_waits(run), caveat(run)]
        assert headline(app) == first
        assert " ".join(filter(None, rest)) in words(app)
        for matmul, *places in win_table(run):
            cells = [unescaped(cell) for cell in (matmul, *places)]
            assert f"| {' | '.join(cells)} |" in words(app)
        methods = {name.partition(", ")[0] for name in drawn(app)} - {WAIT}
        assert methods == labelled(*(case.method for case in run.measured))
    assert (engine.started, refused(app)) == ([], [])


def test_a_press_measures_and_no_press_loses_an_answer(mine: Sweeps, engine: NoEngine) -> None:
    """A running sweep has a chart and no statement; each question keeps its own last run.

    *Measure here* ends the sweep under way, as Stop does. What may be wrong is said above.
    """
    lines = labelled("lookup", "lookup_sparse", "matmul")
    app = open_page("timing")
    press(app, "Backward")
    press(app, "Measure here")
    (sweep,) = engine.started
    assert {case.mode for case in sweep.cases} == {"backward"}
    assert "Queued: 0 of 24 rounds" in words(app)
    assert (drawn(app), headline(app)) == (lines, "")
    engine.measure(sweep)
    sweep.done = 6
    app.run()
    assert (drawn(app), headline(app)) == (lines, "")
    said = rf"^Running: 6 of 24 rounds of {len(sweep.cases)} cases, [\d.]+ s\.\s*$"
    assert re.search(said, words(app), re.MULTILINE)
    assert app.get("progress")[0].proto.value == 25
    press(app, "Half precision")
    assert sweep.active, "a press on a question is a view"
    assert "Backward Running: 6 of 24 rounds" in words(app)
    assert headline(app) == answer(recorded("Half precision"))[0]
    sweep.finish("done")
    sweep.run.environment |= {"load_1min": 10.8, "logical_cores": 2}
    press(app, "Backward")
    first, *rest = answer(sweep.run)
    assert headline(app) == first
    assert " ".join(rest) in words(app)
    before, _, _ = words(app).partition(first)
    assert "Done: 24 of 24 rounds" in before
    assert "These times may be off: the load was 10.8 on 2 cores." in before
    press(app, "Half precision")
    measure(app, engine)
    press(app, "Backward")
    assert headline(app) == first
    assert "Measured here before." in words(app)
    press(app, "Measure here")
    assert engine.started[2].cases == sweep.cases
    assert mine.run_of("Backward") is sweep.run, "the new one has no times yet"
    press(app, CAN_WIN)
    press(app, "Stop")
    assert engine.started[2].stopping.is_set()
    assert [one.question for one in engine.started] == ["Backward", "Half precision", "Backward"]


def test_a_session_keeps_few_lines(engine: NoEngine, monkeypatch: Patch) -> None:
    """The oldest run is forgotten where all have too many lines together."""
    mine = Sweeps()
    for question in ("first", "second", "third", "fourth"):
        sweep = engine.start(vocab(), question=question)
        engine.measure(sweep, "done")
        monkeypatch.setattr(measuring, "KEPT_LINES", Fixed(2 * sweep.run.count, 0))
        mine.begin(sweep)
    assert mine.run_of("first") is None
    for sweep in engine.started[1:]:
        assert mine.run_of(sweep.question) is sweep.run


def test_own_settings(mine: Sweeps, engine: NoEngine) -> None:
    """They ask no question; Reset goes back."""
    given = {"vary": "dim", "time_rows": "32", "skew": "zipf", "cache": "cold", "values": ""}
    app = open_page("timing", **OWN | given, repeat="5", mode="sgd")
    assert "These settings were not measured yet." in words(app)
    sweep = measure(app, engine, seconds=lambda case: 1e-6 * case.embedding_dim)
    assert {case.embedding_dim for case in sweep.cases} == {2**k for k in range(2, 11)}
    found = {(case.num_embeddings, case.ids, case.mode, case.cache) for case in sweep.cases}
    assert found == {(32, "zipf", "sgd", "cold")}
    assert (sweep.question, sweep.processes) == ("", 5)
    assert headline(app).startswith("32 rows, 256 tokens, 1 thread, zipf ids,")
    for chosen in ("lookup", "module"):
        app.multiselect(key="methods").set_value([chosen]).run()
        assert drawn(app) == labelled("lookup", "matmul")
        assert ("These are other settings." in words(app)) is (chosen == "module")
    app.text_input(key="values").set_value("8 16").run()
    app.selectbox(key="vary").set_value("tokens").run()
    assert value(app, "values") == ""  # Values of another axis.
    press(app, "Reset settings")
    assert (value(app, "vary"), marked(app)) == ("vocab", [USUAL])


def test_my_model_is_measured(mine: Sweeps, engine: NoEngine) -> None:
    """It says what it needs before a press; what failed is said beside the recorded times."""
    app = open_page("timing", my_model="true")
    recorded_answer = headline(app)
    assert marked(app)[0] == MY_MODEL
    assert "one-hot, " in words(app)
    press(app, "Measure here")
    (sweep,) = engine.started
    assert [case.method for case in sweep.cases] == ["lookup"], "others wait for the matmul"
    sweep.add({"type": "environment"})
    sweep.add({"type": "failure", "case": 0, "reason": "needs 9 GiB"})
    sweep.finish("done")
    app.run()
    assert headline(app) == recorded_answer
    assert "Lookup at 50,257 rows: needs 9 GiB." in words(app)
    assert "A matmul is not timed here: its 10 calls would take over 30 s" in words(app)
    app.number_input(key="model_rows").set_value(1000).run()
    assert "needs 9 GiB" not in words(app), "that was of other sizes"
    press(app, "Measure here")
    assert [case.method for case in engine.started[1].cases] == ["lookup", "matmul"]
    engine.measure(engine.started[1], "done")
    app.run()
    assert re.search(r"a lookup takes [\d.]+ µs, a matmul [\d.]+ µs", headline(app))
    app.number_input(key="model_batch").set_value(2**20).run()
    press(app, "Measure here")
    assert ["tokens; at most 1,048,576 are timed" in text for text in refused(app)] == [True]
    assert len(engine.started) == 2


def test_a_preset_of_my_model_answers_at_once(mine: Sweeps) -> None:
    """It sets the sizes, and its time is from the recorded run; a question keeps them."""
    app = open_page("timing", my_model="true")
    for name, model in PRESETS.items():
        press(app, name)
        assert marked(app) == [MY_MODEL, name]
        times = times_of(model, recorded(MY_MODEL), recorded(MY_MODEL))
        assert headline(app) == model_answer(model, times)
        assert all(f"| {' | '.join(row)} |" in words(app) for row in estimates(model, times))
        assert (f"The other layers of {name} multiply" in words(app)) is (name != "Recommender")
    press(app, "Backward")
    press(app, MY_MODEL)
    assert marked(app) == [MY_MODEL, name]


def test_an_opened_run_answers_its_own_question(folder: Path) -> None:
    """And is drawn whole, with methods that the page's question has not."""
    run = made_run(vocab("lookup", "matmul", "matmul_table"), question=CAN_WIN)
    keep(folder, "2020 win", run.to_bytes())
    app = open_page("timing")
    app.multiselect(key="kept_runs").set_value(["2020 win"]).run()
    assert headline(app) == answer(run)[0]
    assert drawn(app) == labelled("lookup", "matmul", "matmul_table")


def test_failures_are_said(mine: Sweeps, engine: NoEngine) -> None:
    """With method, place and reason; a sweep that failed, or cannot wait, says why."""
    app = open_page("timing", **OWN)
    engine.refusal = "too many sweeps wait."
    press(app, "Measure here")
    assert (refused(app), mine.newest) == ([engine.refusal], None)
    engine.refusal = ""
    press(app, "Measure here")
    (sweep,) = engine.started
    sweep.add({"type": "environment", "cpu": "Some CPU"})
    for index in range(1, len(sweep.cases), 2):
        sweep.add({"type": "failure", "case": index, "reason": "needs 4.0 GiB."})
    sweep.finish("failed", "three workers were lost.")
    app.run()
    assert "No time for 3 cases. Matmul at 16 rows: needs 4.0 GiB." in words(app)
    assert re.search(r"Failed: 0 of 24 rounds .* Three workers were lost\.", words(app))


@pytest.mark.parametrize(
    ("name", "given", "part"),
    [
        ("methods", [], "no method is chosen"),
        ("methods", ["lookup", "lookup_sparse"], "sparse has no mode 'forward'"),
        ("values", "64 1,024", "embeddings='1,024' is not a whole number"),
        ("values", "9" * 9999, "embeddings='999"),
    ],
)
def test_a_refusal_is_one_sentence_and_nothing_is_lost(
    mine: Sweeps, engine: NoEngine, name: str, given: Any, part: str
) -> None:
    """What cannot be measured is refused, until it can be."""
    app = open_page("timing", time_dim="8")
    widget: Any = app.multiselect if name == "methods" else app.text_input
    widget(key=name).set_value(given).run()
    press(app, "Measure here")
    assert [part in text for text in refused(app)] == [True]
    assert (value(app, "time_dim"), engine.started) == (8, [])
    press(app, "Backward")
    press(app, "Measure here")
    assert (refused(app), len(engine.started)) == ([], 1)


def test_a_hosted_page_keeps_no_file(
    mine: Sweeps, engine: NoEngine, folder: Path, monkeypatch: Patch
) -> None:
    """None is written, listed or uploaded; the limit that stopped a sweep is named."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page("timing")
    measure(app, engine, "stopped", reason="one sweep may take 60 s here.")
    assert "One sweep may take 60 s here." in words(app)
    assert (refused(app), len(app.get("file_uploader"))) == ([], 0)
    assert not folder.exists()
    keep(folder, "x", b"")
    assert kept.earlier() == {}


def test_a_run_is_kept_line_by_line(mine: Sweeps, engine: NoEngine, folder: Path) -> None:
    """A reload finds it, where the settings ask for it; a closed tab ends the sweep."""
    app = open_page("timing", **OWN)
    sweep = measure(app, engine, "")
    (path,) = folder.glob("*.jsonl")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.\d{6} num_embeddings", path.stem)
    assert read_run(path.read_bytes(), "r").measured == sweep.run.measured
    mine.stop()
    assert sweep.stopping.is_set()
    mine.newest = None
    keep(folder, "2020 older", made_run(vocab(), cpu="Older").to_bytes())
    assert f"Measured before: {sweep.run.label}." in words(open_page("timing", **OWN))
    assert f"Recorded on {recorded(USUAL).label}; yours may differ." in words(open_page("timing"))


def test_a_user_without_a_folder_can_look(monkeypatch: Patch, no_home: None) -> None:
    """The page has the recorded run; Start says what to set."""
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    app = open_page("timing")
    assert recorded(USUAL).label in words(app)
    assert (refused(app), kept.earlier()) == ([], {})
    press(app, "Measure here")
    assert ["set HOME" in text for text in refused(app)] == [True]


def test_a_folder_that_cannot_be_written_costs_the_file_alone(
    mine: Sweeps, engine: NoEngine, folder: Path
) -> None:
    """The run goes on, and one sentence says what cannot be written."""
    folder.write_text("no folder")
    app = open_page("timing", **OWN)
    assert len(measure(app, engine).run.measured) == 6
    assert ["could not be written" in text for text in refused(app)] == [True]


def test_runs_are_opened_in_the_order_in_which_they_were_chosen(folder: Path) -> None:
    """The first one answers the question."""
    for name in ("old", "new"):
        keep(folder, name, made_run(vocab()).to_bytes())
    for chosen in (["old", "new"], ["new", "old"]):
        assert [run.name for run in kept.opened(chosen, ())[0]] == chosen


def test_kept_runs_are_listed_on_the_machine_itself(folder: Path, monkeypatch: Patch) -> None:
    """Others in the network neither see nor open what its user measured."""
    keep(folder, "2020 mine", made_run(vocab()).to_bytes())
    # None is Streamlit's word for the machine itself.
    for address, is_listed in (("192.168.1.5", False), (None, True)):
        monkeypatch.setattr(st, "context", SimpleNamespace(ip_address=address, headers={}))
        assert ("2020 mine" in kept.earlier()) == is_listed
        assert len(kept.opened(["2020 mine"], ())[0]) == is_listed
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder.parent / ("x" * 300)))  # closed, for root too
    assert kept.earlier() == {}


def test_all_numbers_and_how_it_is_measured(mine: Sweeps, engine: NoEngine) -> None:
    """Every comparison and point as tables, and files; the statements timed; another run."""
    app = open_page("timing")
    sweep = measure(app, engine)
    for name in ("All numbers", "fold How is it measured?"):
        app.session_state[name] = True
    app.run()
    judged, points = (table.value for table in app.dataframe)
    assert "matmul at 64 rows" in [*judged["case"]]
    assert len(points) == len(sweep.cases)
    assert "F.embedding(ids, table)" in words(app)
    assert all(f"- {text}" in words(app) for text in details(sweep.run))
    assert (len(app.get("plotly_chart")), len(app.get("download_button"))) == (1, 2)
    app.multiselect(key="kept_runs").set_value([f"Recorded: {USUAL}"]).run()
    both = labels([sweep.run, recorded(USUAL)])
    assert drawn(app) == {f"{method}, {label}" for method in ROUTES for label in both}
    assert headline(app) == f"{both[0]}: {answer(sweep.run)[0]}"
    press(app, "Measure here")
    assert not app.dataframe  # Nothing is judged while it runs.


def test_files_are_opened_or_refused_one_by_one(folder: Path) -> None:
    """A name that is not listed opens nothing."""
    good = made_run(vocab()).to_bytes()
    contents = {"0": good, "bad": b"[]\n", "1": good, "long": b" " * (kept.UPLOAD_BYTES + 1)}
    files: list[Any] = [
        SimpleNamespace(name=name, getvalue=lambda content=content: content)
        for name, content in contents.items()
    ]
    runs, troubles = kept.opened(["../../etc/passwd", "gone"], files)
    assert [run.name for run in runs] == ["0", "1"]
    bad, long = troubles
    assert bad.startswith("bad,")
    assert "long has more than 8,388,608 bytes" in long
