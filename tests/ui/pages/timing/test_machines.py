"""The timing page with a cluster: machines to choose from, sweeps on several, troubles."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.core.data_folder import FOLDER_VARIABLE
from embviz.timing.cases import Case
from embviz.timing.cluster import VARIABLE
from embviz.timing.cluster_address import ClusterError
from embviz.timing.cluster_sweep import Machine, RemoteSweep
from embviz.timing.results import Failure
from embviz.timing.settings import HERE
from embviz.ui.pages.timing import cluster, sweeps
from tests.timing.made_results import measured
from tests.ui.headless import open_page, unescaped
from tests.ui.pages.timing.test_sweeps import NoEngine

SECRET = "tcp://10.0.0.5:40123"
QUERY: dict[str, str | list[str]] = {"methods": ["lookup", "matmul"], "span": ["16", "64"]}


def machine(name: str, **more: Any) -> Machine:
    """One with known facts."""
    facts = {"cpu": f"CPU of {name}", "cores": 8, "threads": 8, "most_threads": 8, "torch": "2.9"}
    return Machine(name, SECRET, **facts | more)


class NoCluster:
    """Takes sweeps and measures nothing: the test says what comes back."""

    def __init__(self, *machines: Machine) -> None:
        self.known, self.trouble = list(machines), ""
        self.started: dict[str, RemoteSweep] = {}
        self.asked: list[dict[str, Any]] = []

    def machines(self) -> list[Machine]:
        """Those of the test."""
        if self.trouble:
            raise ClusterError(self.trouble)
        return self.known

    def start(self, cases: Sequence[Case], sink: Any, watcher: Any, **asked: Any) -> RemoteSweep:
        """A sweep that waits."""
        sweep = RemoteSweep(cases, sink, watcher)
        sweep.asked_for, sweep.hostname = asked["machine"], asked["hostname"]
        sweep.left_out = list(asked["left_out"])
        self.asked.append(asked)
        self.started[asked["machine"]] = sweep
        return sweep

    def measure(self, name: str, on: str = "") -> RemoteSweep:
        """The sweep of this name has measured its cases; it goes on."""
        sweep = self.started[name]
        (known,) = [one for one in self.known if one.name == (on or name)]
        sweep.assign(known)
        facts = {"type": "environment", "cpu": known.cpu, "hostname": None}
        for line in (
            facts,
            *(line for case in sweep.cases for line in measured(case, 1e-6).lines()),
        ):
            sweep.take({"attempt": "a", "lines": [json.dumps(line)]})
        return sweep


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[sweeps.SessionSweep]:
    """The sweeps of one session, with an engine that measures nothing."""
    session, engine = sweeps.SessionSweep(), NoEngine()
    monkeypatch.setattr(sweeps, "session_sweep", lambda: session)
    monkeypatch.setattr(sweeps, "engine", lambda: engine)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    yield session
    for sweep in session.sweeps.values():  # it closes its file
        if sweep.active:
            sweep.finish("stopped")


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch, mine: sweeps.SessionSweep) -> NoCluster:
    """A cluster of the machines `one` and `two`, and `odd`, which cannot be used."""
    why = "machine odd has no embviz: start dask worker in its folder."
    gpu = machine("two", gpus=("NVIDIA H100",), busy=True)
    made = NoCluster(machine("one"), gpu, Machine("odd", SECRET, trouble=why))
    watch(monkeypatch, made)
    return made


def watch(monkeypatch: pytest.MonkeyPatch, made: Any) -> cluster.Watched:
    """The server's cluster is this one, and a look at it ends at once."""

    class Looking(cluster.Watched):
        def look(self) -> None:
            if not self.looks:
                self._look()

    shared = Looking()
    shared._cluster = made
    monkeypatch.setenv(VARIABLE, "tcp://127.0.0.1:8786")
    monkeypatch.setattr(cluster, "watched", lambda: shared)
    return shared


def words(app: AppTest) -> str:
    """All that the page says."""
    parts = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info]
    said = [str(part.value) for part in parts] + [one.proto.text for one in app.get("progress")]
    return unescaped("\n".join(said))


def chart_names(app: AppTest) -> list[str]:
    """The entries of the legend of the chart of times."""
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    return [one["name"] for one in figure["data"] if one.get("showlegend", True) and "name" in one]


def test_one_sweep_on_each_chosen_machine(two: NoCluster, mine: sweeps.SessionSweep) -> None:
    """Facts, choice, a dash for each machine; one fails and the other goes on; Stop ends all."""
    app = open_page("timing", **QUERY)
    said = words(app)
    for line in (
        "**one**: free. of one, 8 cores, torch 2.9",
        "**two**: busy. of two, 8 cores, H100, torch 2.9",
        "**odd**: cannot be used",
        "Machine odd has no embviz: start dask worker in its folder.",
    ):
        assert line in said
    field = app.multiselect(key="machines")
    assert (field.options, field.value) == ([HERE, "one", "two"], [HERE])
    field.set_value(["one", "two"]).run()
    app.button(key="timing_start_button").click().run()
    assert [asked["machine"] for asked in two.asked] == ["one", "two"]
    assert all(asked["own_threads"] and asked["hostname"] for asked in two.asked)
    for name in ("one", "two"):
        two.measure(name)
    app.run()
    assert {"one", "two"} <= set(chart_names(app))
    two.started["two"].finish("failed", "the Dask worker of machine two has ended.")
    app.run()
    assert mine.active
    assert "The Dask worker of machine two has ended." in words(app)
    app.button(key="timing_stop_button").click().run()
    assert two.started["one"].stopping.is_set()
    two.started["one"].finish("stopped")
    app.run()
    assert [run.label.split()[0] for run in mine.runs()] == ["one", "two"]
    table = next(one for one in app.dataframe if "machine" in one.value.columns)
    assert list(table.value["machine"]) == ["one (stopped)", "two (failed)"]
    names = [path.name.split("Z")[1] for path in sweeps._folder().iterdir()]
    assert sorted(names) == ["-one.jsonl", "-two.jsonl"]


def test_a_question_runs_on_all_machines(two: NoCluster, mine: sweeps.SessionSweep) -> None:
    """The question takes this machine and each that can be used; more than three get panels."""
    two.known.append(machine("three"))
    app = open_page("timing")
    (button,) = [one for one in app.button if one.label == "How do our machines differ?"]
    button.click().run()
    assert [*mine.sweeps] == [HERE, "one", "two", "three"]
    for name in two.started:
        two.measure(name)
    app.run()
    layout = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]
    assert [note["text"] for note in layout["annotations"]] == [
        f"<b>{name}</b>" for name in (HERE, "one", "two", "three")
    ]


@pytest.mark.parametrize("public", [False, True])
def test_a_cluster_in_trouble_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, two: NoCluster, mine: sweeps.SessionSweep, public: bool
) -> None:
    """The page says why, and measures on this machine; a public server measures nothing itself."""
    two.trouble = f"no scheduler answers at {SECRET} within 3 s."
    if public:
        monkeypatch.setenv("EMBVIZ_HOSTED", "1")
        monkeypatch.setattr(NoCluster, "start", NoCluster.machines)
    app = open_page("timing", machines="one", **QUERY)
    assert (f"No scheduler answers at {SECRET} within 3 s." in words(app)) != public
    assert ("Sweeps run on this machine." in words(app)) != public
    monkeypatch.setattr(NoCluster, "start", lambda *_, **__: two.machines())
    app.button(key="timing_start_button").click().run()
    assert [*mine.sweeps] == ([] if public else [HERE])
    assert ("Machine one does not measure: no scheduler answers" in words(app)) != public
    assert (sweeps.UNREACHABLE[1:] in words(app)) == public
    assert (SECRET in words(app)) != public


def test_a_visitor_s_sweep_goes_to_any_machine(
    monkeypatch: pytest.MonkeyPatch, two: NoCluster, mine: sweeps.SessionSweep
) -> None:
    """A visitor sees the place in the queue, and no name or address of a machine."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    monkeypatch.setenv("EMBVIZ_TIMING_BUDGET_MIB", "1")
    two.known[0] = machine("rack-7", cpu="Some CPU")
    app = open_page("timing", **QUERY | {"span": ["16", "65536"]})
    app.button(key="timing_start_button").click().run()
    (asked,), (sweep,) = two.asked, two.started.values()
    assert (asked["machine"], asked["hostname"]) == ("", False)
    assert max(case.memory_bytes for case in sweep.cases) <= 2**20
    assert mine.runs() == []  # nothing has begun
    sweep.place = (2, 3)
    app.run()
    assert "Waits for a free machine: position 2 of 3 in this server's queue" in words(app)
    two.measure("", on="rack-7")
    sweep.finish("failed", f"the Dask worker of machine rack-7 at {SECRET} has ended.")
    app.run()
    (run,) = mine.runs()
    assert max(one.case.memory_bytes for one in run.results if isinstance(one, Failure)) > 2**20
    shown = words(app) + app.get("plotly_chart")[0].proto.spec + run.to_bytes().decode()
    assert "rack-7" not in shown
    assert SECRET not in shown
    assert sweeps.UNREACHABLE[1:] in words(app)


def test_without_a_cluster_there_are_no_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is as it is on one machine."""
    monkeypatch.delenv(VARIABLE, raising=False)
    app = open_page("timing", machines="one")
    assert "machines" not in [one.key for one in app.multiselect]
    assert "How do our machines differ?" not in [one.label for one in app.button]
    assert app.warning == []
