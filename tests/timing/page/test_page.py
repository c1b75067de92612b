"""The timing page: questions, own settings, results, other runs."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from embviz.settings.pages import SETTINGS
from embviz.system.bounds import Fixed
from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.system.devices import available_devices
from embviz.timing.measure.methods import METHODS, ROUTES
from embviz.timing.measure.run import labels, read_run
from embviz.timing.page import kept, measuring
from embviz.timing.page.measuring import Sweeps
from embviz.timing.tell.charts import WAIT
from embviz.timing.tell.my_model import PRESETS, times_of
from embviz.timing.tell.my_model import estimate as model_answer
from embviz.timing.tell.notes import caveat, details
from embviz.timing.tell.questions import (
    CAN_WIN,
    CPU_OR_GPU,
    GPU_QUESTIONS,
    MY_MODEL,
    QUESTIONS,
    TRIES,
    Question,
)
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.sentences import answer, win_table
from embviz.timing.tell.work import answer_and_waits, waits
from tests.timing.made import made_run, vocab
from tests.timing.page.conftest import NoEngine
from tests.ui.headless import open_page, press, refused, unescaped, value

OWN: dict[str, str | list[str]] = {"methods": ["lookup", "matmul"], "values": "16 64 1024"}
BACKWARD = ("lookup", "lookup_sparse", "matmul")
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
    return {METHODS[one].label for one in methods}


def words(app: AppTest) -> str:
    """What the page says beside its refusals."""
    said = [one.value for one in [*app.header, *app.caption, *app.markdown]]
    return unescaped("\n".join([*said, *(one.proto.text for one in app.get("progress"))]))


def words_in_order(app: AppTest) -> list[str]:
    """The headers and captions of the page, from above."""
    return [one.value for one in app.main if one.type in ("caption", "header")]


def measure_here(app: AppTest) -> Any:
    """The button that measures."""
    return next(one for one in app.button if one.label == "Measure here")


def marked(app: AppTest) -> list[str]:
    """The questions that are marked."""
    return [one.label for one in app.button if one.proto.type == "primary"]


@pytest.mark.parametrize("question", [one.name for one in QUESTIONS if one.name != MY_MODEL])
def test_a_question_shows_its_recorded_answer(
    mine: Sweeps, engine: NoEngine, question: str
) -> None:
    """A press sets all settings, is marked, and measures nothing; the run is named."""
    app = open_page("timing", time_dim="8", methods="module")
    assert marked(app) == []
    press(app, question)
    run = recorded(question)
    assert (marked(app), engine.started) == ([question], [])
    here = "no cuda here" if measure_here(app).proto.disabled else "yours may differ"
    assert f"Recorded on {run.label}; {here}." in words(app)
    first, *rest = [*answer_and_waits(run), caveat(run)]
    assert unescaped(app.header[0].value) == first
    assert " ".join(filter(None, rest)) in words(app)
    methods = {name.partition(", ")[0] for name in drawn(app)} - {WAIT}
    assert methods == labelled(*(case.method for case in run.measured))


def test_cpu_or_gpu_leads_to_the_other_questions_on_a_gpu(mine: Sweeps, engine: NoEngine) -> None:
    """Each shows the recorded run of a GPU, and stays below its question; without one none can be
    measured here.
    """
    app = open_page("timing")
    assert not [one for one in app.button if one.label.startswith("On a GPU: ")]
    press(app, CPU_OR_GPU)
    for one in GPU_QUESTIONS:
        press(app, one.name)
        run = recorded(one.name)
        assert unescaped(app.header[0].value) == answer(run)[0]
        assert waits(run)[0] in words(app)
        assert f"Recorded on {run.label}; " in words(app)
        assert marked(app) == [CPU_OR_GPU]
        is_here = "cuda" in available_devices()
        assert measure_here(app).proto.disabled is not is_here
        assert (f"{run.label}; no cuda here." in words(app)) is not is_here
        why = measure_here(app).proto.help
        assert why.startswith("cuda cannot be measured here. No GPU to choose") is not is_here
    assert refused(app) == []


@pytest.mark.parametrize("line", TRIES)
def test_a_link_shows_what_it_promises(mine: Sweeps, line: Question) -> None:
    """At once, from a recorded run; no question is marked."""
    written = {name: SETTINGS[name].written(value) for name, value in line.settings.items()}
    app = open_page("timing", **written)
    run = recorded(line.name)
    assert unescaped(app.header[0].value) == answer(run)[0]
    assert f"Recorded on {run.label}; yours may differ." in words(app)
    assert marked(app) == []


def test_a_press_measures_and_no_press_loses_an_answer(mine: Sweeps, engine: NoEngine) -> None:
    """A running sweep has a chart and no statement; each question keeps its own last run.

    *Measure here* ends the sweep under way, as Stop does.
    """
    app = open_page("timing")
    press(app, "Backward")
    press(app, "Measure here")
    (sweep,) = engine.started
    assert {case.mode for case in sweep.cases} == {"backward"}
    assert (value(app, "time_dim"), marked(app)) == (64, ["Backward"])
    assert "Queued: 0 of 24 rounds" in words(app)
    assert (drawn(app), list(app.header)) == (labelled(*BACKWARD), [])
    engine.measure(sweep)
    sweep.done = 6
    app.run()
    assert (drawn(app), list(app.header)) == (labelled(*BACKWARD), [])
    said = rf"^Running: 6 of 24 rounds of {len(sweep.cases)} cases, [\d.]+ s\.\s*$"
    assert re.search(said, words(app), re.MULTILINE)
    assert app.get("progress")[0].proto.value == 25
    press(app, "Half precision")
    assert sweep.active, "a press on a question is a view"
    assert "Backward Running: 6 of 24 rounds" in words(app)
    assert unescaped(app.header[0].value) == answer(recorded("Half precision"))[0]
    sweep.finish("done")
    press(app, "Backward")
    measured = answer(sweep.run)
    assert unescaped(app.header[0].value) == measured[0]
    assert " ".join(measured[1:]) in words(app)
    assert "Done: 24 of 24 rounds" in words(app)
    press(app, "Half precision")
    press(app, "Measure here")
    engine.measure(engine.started[1], "done")
    press(app, "Backward")
    assert unescaped(app.header[0].value) == measured[0]
    assert "Measured here before." in words(app)
    press(app, "Measure here")
    assert engine.started[2].cases == sweep.cases
    assert mine.run_of("Backward") is sweep.run, "the new one has no times yet"
    press(app, "Can matmul win?")
    press(app, "Stop")
    assert engine.started[2].stopping.is_set()
    assert [one.question for one in engine.started] == ["Backward", "Half precision", "Backward"]


def test_a_session_keeps_few_lines(mine: Sweeps, engine: NoEngine, monkeypatch: Patch) -> None:
    """The oldest run is forgotten where all have too many lines together."""
    app = open_page("timing")
    for question in ("Backward", "Half precision", "What does it cost?"):
        press(app, question)
        press(app, "Measure here")
        engine.measure(engine.started[-1], "done")
    lines = [one.run.count for one in engine.started]
    monkeypatch.setattr(measuring, "KEPT_LINES", Fixed(lines[1] + lines[2], 0))
    app.run()
    press(app, "Measure here")
    assert mine.run_of("Backward") is None
    for sweep in engine.started[1:3]:
        assert mine.run_of(sweep.question) is sweep.run


def test_can_matmul_win(mine: Sweeps, engine: NoEngine) -> None:
    """The first words answer yes or no."""
    app = open_page("timing")
    press(app, CAN_WIN)
    press(app, "Measure here")
    (sweep,) = engine.started
    assert {one.num_embeddings for one in sweep.cases} == {2**k for k in range(1, 13)}
    engine.measure(sweep, "done", seconds=lambda case: 1e-5 + 1e-5 * (case.method == "matmul"))
    app.run()
    said = unescaped(app.header[0].value)
    assert said == "1 token, 64 numbers each, 1 thread. Not certain from 2 to 4,096 rows."
    assert sweep.question == CAN_WIN
    cells = ["| a matmul |", "| matmul on the lookup's table |"]
    for (_, *places), cell in zip(win_table(sweep.run), cells, strict=True):
        assert f"{cell} {' | '.join(places)} |" in words(app)


def test_a_busy_machine_is_said_before_the_answer(mine: Sweeps, engine: NoEngine) -> None:
    """Of each question, *My model* too: what may be wrong stands above what is said."""
    busy = {"load_1min": 10.8, "logical_cores": 2}
    said = "These times may be off: the load was 10.8 on 2 cores."
    app = open_page("timing")
    for question in (CAN_WIN, "Backward", MY_MODEL):
        press(app, question)
        press(app, "Measure here")
        engine.measure(engine.started[-1], "done")
        engine.started[-1].run.environment |= busy
        app.run()
        page = [*map(unescaped, words_in_order(app))]
        (place,) = (k for k, text in enumerate(page) if said in text)
        assert place < page.index(unescaped(app.header[0].value))


def test_own_settings_ask_no_question(mine: Sweeps, engine: NoEngine) -> None:
    """The same methods as those of a question, at other sizes, do not say yes or no."""
    app = open_page("timing", methods=["lookup", "matmul", "matmul_table"], values="16 64")
    assert "These settings were not measured yet." in words(app)
    press(app, "Measure here")
    (sweep,) = engine.started
    engine.measure(sweep, "done")
    app.run()
    assert sweep.question == ""
    assert unescaped(app.header[0].value).startswith(
        "256 tokens, 64 numbers each, 1 thread. At 64 rows a lookup takes"
    )
    assert "These are other settings." not in words(app)
    app.number_input(key="time_dim").set_value(8).run()
    assert "These are other settings." in words(app)


def test_my_model_is_measured(mine: Sweeps, engine: NoEngine) -> None:
    """It says what it needs before a press; what failed is said beside the recorded times."""
    app = open_page("timing", my_model="true")
    recorded_answer = unescaped(app.header[0].value)
    assert marked(app)[0] == MY_MODEL
    assert "one-hot, " in words(app)
    press(app, "Measure here")
    (sweep,) = engine.started
    assert [case.method for case in sweep.cases] == ["lookup", "matmul"]
    sweep.add({"type": "environment"})
    for index in (0, 1):
        sweep.add({"type": "failure", "case": index, "reason": "needs 9 GiB"})
    sweep.finish("done")
    app.run()
    assert unescaped(app.header[0].value) == recorded_answer
    assert "Matmul at 50,257 rows: needs 9 GiB." in words(app)
    app.number_input(key="model_rows").set_value(1000).run()
    assert "needs 9 GiB" not in words(app), "that was of other sizes"
    press(app, "Measure here")
    engine.measure(engine.started[1], "done")
    app.run()
    said = r"a lookup takes [\d.]+ µs, a matmul [\d.]+ µs"
    assert re.search(said, unescaped(app.header[0].value))
    app.number_input(key="model_batch").set_value(2**20).run()
    press(app, "Measure here")
    assert ["tokens; at most 1,048,576 are timed" in text for text in refused(app)] == [True]
    assert len(engine.started) == 2


def test_a_preset_of_my_model_answers_at_once(mine: Sweeps, engine: NoEngine) -> None:
    """It sets the sizes, and its time is from the recorded run."""
    app = open_page("timing", my_model="true")
    for name, model in PRESETS.items():
        press(app, name)
        assert marked(app) == [MY_MODEL, name]
        assert value(app, "model_rows") == model.num_embeddings
        times = times_of(model, recorded(MY_MODEL), recorded(MY_MODEL))
        assert unescaped(app.header[0].value) == model_answer(model, times)
    press(app, "Backward")
    press(app, MY_MODEL)
    assert marked(app) == [MY_MODEL, name], "the sizes stay"


def test_no_press_measures_a_device_that_is_not_here(mine: Sweeps, engine: NoEngine) -> None:
    """The settings of a question about a GPU are no mistake on a machine without one."""
    app = open_page("timing", devices=["cpu", "xpu"])
    assert (refused(app), value(app, "devices")) == ([], ["cpu", "xpu"])
    assert measure_here(app).proto.disabled
    assert "not measured yet; no xpu here." in words(app)
    assert "xpu cannot be measured here. " in measure_here(app).proto.help
    assert engine.started == []


@pytest.mark.parametrize(
    ("question", "start"),
    [
        (CAN_WIN, "Yes, at 4 and 64 rows."),
        ("", "At 16,384 rows"),
        ("Another page?", "At 16,384 rows"),
    ],
)
def test_an_opened_run_answers_its_question(question: str, start: str, folder: Path) -> None:
    """The question is read from the file; one that the page does not know is like none."""
    folder.mkdir()
    content = made_run(vocab(), question=question).to_bytes()
    (folder / "2020 opened.jsonl").write_bytes(content)
    app = open_page("timing")
    app.multiselect(key="kept_runs").set_value(["2020 opened"]).run()
    sizes, _, rest = unescaped(app.header[0].value).partition(". ")
    assert sizes == "256 tokens, 64 numbers each, 1 thread"
    assert rest.startswith(start)


def test_an_opened_run_of_another_question_is_drawn_whole(folder: Path) -> None:
    """The methods of the page's own question choose none of its lines."""
    folder.mkdir()
    methods = ("lookup", "matmul", "matmul_table")
    content = made_run(vocab(*methods), question=CAN_WIN).to_bytes()
    (folder / "2020 opened.jsonl").write_bytes(content)
    app = open_page("timing")
    assert drawn(app) == labelled("lookup", "matmul")
    app.multiselect(key="kept_runs").set_value(["2020 opened"]).run()
    assert drawn(app) == labelled(*methods)


def test_own_settings(mine: Sweeps, engine: NoEngine) -> None:
    """Start measures them; Reset goes back."""
    given = {"vary": "dim", "time_rows": "32", "skew": "zipf", "cache": "cold", "values": ""}
    app = open_page("timing", **OWN | given, repeat="5", mode="sgd")
    press(app, "Measure here")
    (sweep,) = engine.started
    assert {case.embedding_dim for case in sweep.cases} == {2**k for k in range(2, 11)}
    found = {(one.num_embeddings, one.ids, one.mode, one.cache) for one in sweep.cases}
    assert (found, sweep.rounds) == ({(32, "zipf", "sgd", "cold")}, (0, 120))
    engine.measure(sweep, "done", seconds=lambda case: 1e-6 * case.embedding_dim)
    app.multiselect(key="methods").set_value(["lookup"]).run()
    assert drawn(app) == labelled("lookup", "matmul")
    app.text_input(key="values").set_value("8 16").run()
    app.selectbox(key="vary").set_value("tokens").run()
    assert value(app, "values") == ""  # Values of another axis.
    press(app, "Reset settings")
    assert (value(app, "vary"), marked(app)) == ("vocab", [QUESTIONS[0].name])


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
    ("change", "part"),
    [
        ({"methods": []}, "no method is chosen"),
        ({"methods": ["lookup", "lookup_sparse"]}, "sparse has no mode 'forward'"),
        ({"values": "64 many"}, "embeddings='many' is not a whole number"),
        ({"values": "64 1,024"}, "embeddings='1,024' is not a whole number"),
        ({"values": "６４ ２ｘ"}, "embeddings='２ｘ' is not a whole number"),
        ({"values": "9" * 9999}, "embeddings='999"),
    ],
)
def test_a_refusal_is_one_sentence_and_nothing_is_lost(
    mine: Sweeps, engine: NoEngine, change: dict[str, list[str] | str], part: str
) -> None:
    """What cannot be measured is refused, until it can be."""
    app = open_page("timing", time_dim="8")
    for name, given in change.items():
        widget = app.multiselect if name == "methods" else app.text_input
        widget(key=name).set_value(given).run()
    press(app, "Measure here")
    assert [part in text for text in refused(app)] == [True]
    assert (value(app, "time_dim"), engine.started) == (8, [])
    press(app, "Backward")
    press(app, "Measure here")
    assert (refused(app), len(engine.started)) == ([], 1)


def test_a_hosted_page_says_why_a_sweep_ended(
    mine: Sweeps, engine: NoEngine, folder: Path, monkeypatch: Patch
) -> None:
    """The limit that stopped it is named; no file is kept, listed or uploaded."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    app = open_page("timing")
    press(app, "Measure here")
    engine.measure(engine.started[0], "stopped", reason="one sweep may take 60 s here.")
    app.run()
    assert "One sweep may take 60 s here." in words(app)
    assert refused(app) == []
    assert not app.get("file_uploader")
    assert not folder.exists()
    folder.mkdir()
    (folder / "x.jsonl").touch()
    assert kept.earlier() == {}


def test_a_run_is_kept_line_by_line(mine: Sweeps, engine: NoEngine, folder: Path) -> None:
    """A reload finds it, where the settings ask for it; a closed tab ends the sweep."""
    app = open_page("timing", **OWN)
    press(app, "Measure here")
    (sweep,) = engine.started
    engine.measure(sweep)
    (path,) = folder.glob("*.jsonl")
    kept_run = read_run(path.read_bytes(), "r")
    assert kept_run.measured == sweep.run.measured
    assert kept_run.question == ""
    mine.stop()
    assert sweep.stopping.is_set()
    mine.newest = None
    (folder / "2020 older.jsonl").write_bytes(made_run(vocab(), cpu="Older").to_bytes())
    again = open_page("timing", **OWN)
    assert f"Measured before: {sweep.run.label}." in words(again)
    assert f"Recorded on {recorded(QUESTIONS[0].name).label}; yours may differ." in words(
        open_page("timing")
    )


def test_two_runs_of_one_second_are_two_files(folder: Path, monkeypatch: Patch) -> None:
    """As in a class that presses Start together; a user's run of before is left alone too."""
    moment = datetime(2026, 11, 26, 10, 20, 30, tzinfo=UTC)
    monkeypatch.setattr(kept, "datetime", SimpleNamespace(now=lambda _zone: moment))
    lines = [json.loads(one) for one in made_run(vocab()).to_bytes().splitlines()]
    sinks = [kept.new(vocab()) for _ in range(3)]
    for line in lines:
        for sink in sinks:
            assert sink is not None
            sink(line)
    names = [*kept.earlier()]
    assert sorted(names) == [f"2026-11-26 10.20.30 num_embeddings{n}" for n in ("", " (2)", " (3)")]
    written = "".join(f"{json.dumps(line)}\n" for line in lines)
    assert [kept.earlier()[name].read_text() for name in names] == [written] * 3


def test_a_user_without_a_folder_can_look(monkeypatch: Patch, no_home: None) -> None:
    """The page has the recorded run; Start says what to set."""
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    app = open_page("timing")
    assert recorded(QUESTIONS[0].name).label in words(app)
    assert (refused(app), kept.earlier()) == ([], {})
    press(app, "Measure here")
    assert ["set HOME" in text for text in refused(app)] == [True]


def test_a_folder_that_cannot_be_written_costs_the_file_alone(
    mine: Sweeps, engine: NoEngine, folder: Path
) -> None:
    """The run goes on, and one sentence says what cannot be written."""
    folder.write_text("no folder")
    app = open_page("timing", **OWN)
    press(app, "Measure here")
    engine.measure(engine.started[0], "done")
    app.run()
    assert len(engine.started[0].run.measured) == 6
    assert ["could not be written" in text for text in refused(app)] == [True]


@pytest.mark.parametrize(
    ("address", "headers", "listed"),
    [
        (None, {}, True),  # Streamlit's word for the machine itself
        ("::ffff:127.0.0.1", {"Host": "localhost"}, True),
        ("192.168.1.5", {}, False),
        (None, {"X-Forwarded-For": "127.0.0.1"}, False),
    ],
)
def test_kept_runs_are_listed_on_the_machine_itself(
    address: str | None, headers: dict[str, str], listed: bool, folder: Path, monkeypatch: Patch
) -> None:
    """Others in the network neither see nor open what its user measured."""
    folder.mkdir()
    (folder / "2020 mine.jsonl").write_bytes(made_run(vocab()).to_bytes())
    monkeypatch.setattr(st, "context", SimpleNamespace(ip_address=address, headers=headers))
    assert ("2020 mine" in kept.earlier()) == listed
    assert len(kept.opened(["2020 mine"], ())[0]) == listed


def test_a_folder_that_is_closed_to_this_user(folder: Path, monkeypatch: Patch) -> None:
    """The page has the recorded runs alone."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder.parent / ("x" * 300)))  # for root too
    assert kept.earlier() == {}


def test_all_numbers_and_how_it_is_measured(mine: Sweeps, engine: NoEngine) -> None:
    """Every comparison and point as tables, rates among them, and files; the statements timed."""
    app = open_page("timing")
    press(app, "Measure here")
    (sweep,) = engine.started
    engine.measure(sweep, "done")
    for name in ("All numbers", "fold How is it measured?"):
        app.session_state[name] = True
    app.run()
    judged, points = (one.value for one in app.dataframe)
    assert "matmul at 64 rows" in [*judged["case"]]
    assert len(points) == len(sweep.cases)
    assert {"GB/s", "GFLOP/s"} <= {*points.columns}
    assert "GFLOP/s* its operations" in words(app)
    assert "*Quartiles* are of all blocks" in words(app)
    assert "its point may lie beside its bar" in words(app)
    assert "F.embedding(ids, table)" in words(app)
    assert all(f"- {text}" in words(app) for text in details(sweep.run))
    assert (len(app.get("plotly_chart")), len(app.get("download_button"))) == (1, 2)
    name = QUESTIONS[0].name
    app.multiselect(key="kept_runs").set_value([kept.recorded_name(name)]).run()
    both = labels([sweep.run, recorded(name)])
    assert drawn(app) == {f"{method}, {label}" for method in ROUTES for label in both}
    assert f"{both[0]}: {answer(sweep.run)[0]}" in words(app)
    press(app, "Measure here")
    assert not app.dataframe  # Nothing is judged while it runs.


def test_files_are_opened_or_refused_one_by_one(folder: Path) -> None:
    """A name that is not listed opens nothing."""
    good = made_run(vocab()).to_bytes()
    files: list[Any] = [
        SimpleNamespace(name=name, getvalue=lambda content=content: content)
        for name, content in (("0", good), ("bad", b"[]\n"), ("1", good))
    ]
    files.append(SimpleNamespace(name="long", getvalue=lambda: b" " * (kept.UPLOAD_BYTES + 1)))
    runs, troubles = kept.opened(["../../etc/passwd", "gone"], files)
    assert "long has more than 8,388,608 bytes" in troubles.pop()
    assert [run.name for run in runs] == ["0", "1"]
    assert [text.split()[0] for text in troubles] == ["bad,"]
