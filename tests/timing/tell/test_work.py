"""The two sentences on a GPU's work and on the wait for it, and the chart of both."""

import json
import math
import re
from dataclasses import replace

import pytest

from embviz.settings.given import defaults
from embviz.system.devices import available_devices
from embviz.timing import cases as timing
from embviz.timing.cases import cases_of, settings_of
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import points
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.charts import WAIT, draw
from embviz.timing.tell.my_model import PRESETS, Time, Times, estimate, estimates, times_of
from embviz.timing.tell.questions import (
    CPU_OR_GPU,
    GPU_MODELS,
    GPU_QUESTIONS,
    MY_MODEL,
    QUESTIONS,
    RECORDS,
    Question,
)
from embviz.timing.tell.recorded import recorded, recorded_models
from embviz.timing.tell.sentences import answer
from embviz.timing.tell.times import format_time, joined, longer, named, ratio_shown
from embviz.timing.tell.work import answer_and_waits, real_models, waits

COLOURS = "#1666b8", "#c05a00", "#5b6472"
# The place that is told, and the methods.
SAID = {
    CPU_OR_GPU: ("At 65,536 rows", ["a lookup", "a matmul"]),
    "On a GPU: Backward": (
        "At 65,536 rows",
        ["a lookup", "lookup with sparse gradients", "a matmul"],
    ),
    "On a GPU: Half precision": ("In float32", ["a lookup", "a matmul"]),
}


@pytest.mark.parametrize("question", SAID)
def test_the_work_and_the_wait_are_said(question: str) -> None:
    """After the answer, of each method at the largest size, as the table of points has them."""
    run = recorded(question)
    place, methods = SAID[question]
    table = run.points.dropna(subset="gpu_seconds")
    value = table[run.axis].max() if AXES[run.axis].size else "float32"
    table = table[(table[run.axis] == value) & (table.precision == "highest")]
    table = table.set_index(table["case"].map(named)).loc[methods]
    work = [f"{format_time(seconds)} for {name}" for name, seconds in table.gpu_seconds.items()]
    wait = [*map(format_time, table.seconds)]
    said, why = waits(run)
    assert said == f"{place} the H200 works {joined(work)}; from Python one waits {joined(wait)}."
    assert answer_and_waits(run) == [*answer(run), said, why]
    assert (table.seconds > table.gpu_seconds).all(), "the rest is the start of a call"


def test_nothing_is_added_to_a_run_of_a_cpu() -> None:
    """There is one clock."""
    run = recorded(QUESTIONS[0].name)
    assert answer_and_waits(run) == answer(run)


def test_work_is_a_line_and_a_wait_is_thin_and_dashed() -> None:
    """Of the same colour; the legend has a sample of the wait, and the floor a label."""
    drawn = points([recorded(CPU_OR_GPU)])
    figure = draw(drawn, COLOURS)
    assert figure is not None
    lines = {line.name: line for line in figure.data}
    own = drawn[(drawn.device == "cuda") & (drawn.method == "matmul")]
    work, wait = lines["matmul, GPU work"], lines[f"matmul, {WAIT}"]
    assert ([*work.y], [*wait.y]) == ([*own.gpu_seconds], [*own.seconds])
    assert work.line.color == wait.line.color == COLOURS[1]
    assert (work.line.dash, wait.line.dash) == ("solid", "dash")
    assert wait.line.width < work.line.width
    assert re.fullmatch(r"matmul at 65,536 rows on the GPU: .* GPU work", work.hovertext[-1])
    shown = {name for name, line in lines.items() if line.showlegend is not False}
    both = {f"{name}, {where}" for name in ROUTES for where in ("GPU work", "on the CPU")}
    assert shown == {*both, WAIT}
    (floor,), (label,) = figure.layout.shapes, figure.layout.annotations
    assert {floor.y0, floor.y1} == {*drawn.floor}
    assert 1e-7 < floor.y0 < drawn.gpu_seconds.min()
    assert label.text == f"an empty kernel: {format_time(floor.y0)} of work"
    assert figure.layout.yaxis.range[0] < label.y == math.log10(floor.y0)


def test_tf32_has_a_symbol_of_its_own() -> None:
    """Kinds have no lines whose dashes would differ."""
    figure = draw(points([recorded("On a GPU: Half precision")]), COLOURS)
    assert figure is not None
    symbols = {line.name: line.marker.symbol for line in figure.data}
    assert symbols["matmul, with full precision, GPU work"] == "diamond"
    assert symbols["matmul, with TF32, GPU work"] == "diamond-open"


@pytest.mark.parametrize("one", GPU_QUESTIONS, ids=lambda one: one.name)
def test_a_recorded_run_of_a_gpu_is_the_one_that_its_settings_ask_for(one: Question) -> None:
    """All of its cases, on the GPU; the file names its question."""
    run = recorded(one.name)
    assert run.question == one.name == RECORDS[one.name].name
    wanted = {*cases_of(defaults(each.name for each in TIMING.settings) | settings_of(one.name))}
    threads = run.cases[0].threads
    assert {replace(case, threads=threads) for case in wanted} == {*run.cases}
    assert run.axis in AXES
    assert run.environment["gpus"] == ["NVIDIA H200"]


def test_my_model_on_a_gpu_is_told_by_its_work() -> None:
    """The sentence, the table and the verdict, also where one waits equally long for both."""
    run, model = recorded_models()["GPT-2"], PRESETS["GPT-2"]
    lookup, matmul = (Time(run.points.set_index("method").gpu_seconds[name]) for name in ROUTES)
    times = times_of(model, run, recorded(MY_MODEL))
    assert times.judged is not None
    assert 1.5 < times.judged.low < matmul.seconds / lookup.seconds < times.judged.high
    assert times == Times(lookup, matmul, times.judged, is_work=True)
    ratio = longer(ratio_shown(matmul.seconds, lookup.seconds))
    assert estimate(model, times) == (
        f"It matters for GPT-2: for 4,096 tokens a lookup takes the GPU {lookup}, a matmul "
        f"{matmul}: {ratio}."
    )
    one_call = "one call", f"{lookup} of GPU work", f"{matmul} of GPU work"
    assert one_call in estimates(model, times)
    alike = type(run)("alike")
    for line in map(json.loads, run.to_bytes().splitlines()):
        alike.add(line | {"wait": [1e-5]} if "wait" in line else line)
    assert times_of(model, alike, recorded(MY_MODEL)).judged == times.judged


def test_my_model_uses_a_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both cases are on it."""
    given = defaults(one.name for one in TIMING.settings) | {"my_model": True}
    assert {case.device for case in cases_of(given)} == {available_devices()[-1]}
    monkeypatch.setattr(timing, "available_devices", lambda: ["cpu", "cuda"])
    cases = cases_of(given)
    assert [(case.method, case.device) for case in cases] == [
        ("lookup", "cuda"),
        ("matmul", "cuda"),
    ]


def test_real_models_are_told_by_the_work_of_a_gpu() -> None:
    """Each with its sizes, which the times depend on."""
    said = real_models()
    assert said.startswith("Work of the H200 for a lookup and a matmul: GPT-2 (50,257 × 768, ")
    work = recorded_models()["Llama 3"].points.set_index("method").gpu_seconds
    times = " and ".join(format_time(work[name]) for name in ROUTES)
    ratio = longer(ratio_shown(work["matmul"], work["lookup"]))
    assert f"; Llama 3 (128,256 × 4,096, 4,096 tokens) {times}, {ratio};" in said
    assert said.count(";") == len(GPU_MODELS) - 1
