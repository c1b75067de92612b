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
from embviz.timing.measure.run import points
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.charts import WAIT, draw
from embviz.timing.tell.my_model import PRESETS, estimates, times_of
from embviz.timing.tell.my_model import estimate as my_answer
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
from embviz.timing.tell.times import format_ratio, format_time, named
from embviz.timing.tell.work import answer_and_waits, real_models, waits

COLOURS = "#1666b8", "#c05a00", "#5b6472"
# A time and a ratio in the recorded runs: they are those of the day on which they were recorded.
TIME, TIMES = r"([\d.]+ [µm]s)", r"([\d.,]+) times as (?:long|fast)"
WAITED = "works (.*); from Python one waits (.*)\\."
# The place that is told, and the methods.
SAID = {
    CPU_OR_GPU: ("At 65,536 rows", ["a lookup", "a matmul"]),
    "On a GPU: What does the one-hot cost?": (
        "At 65,536 rows",
        ["a lookup", "a matmul", "one-hot built + matmul"],
    ),
    "On a GPU: Can matmul win?": (
        "At 4,096 rows",
        ["a lookup", "a matmul", "matmul on the lookup's table"],
    ),
    "On a GPU: Backward": (
        "At 65,536 rows",
        ["a lookup", "lookup with sparse gradients", "a matmul"],
    ),
    "On a GPU: Half precision": ("In float32", ["a lookup", "a matmul"]),
}
UNIT = {"µs": 1e-6, "ms": 1e-3}


def seconds_of(time: str) -> float:
    """A time as a sentence has it."""
    number, unit = time.split()
    return float(number) * UNIT[unit]


def found(pattern: str, said: str) -> list[str]:
    """The times and ratios of a sentence: the last ratio is that of the last two times."""
    match = re.search(pattern, said)
    assert match, (pattern, said)
    return [*match.groups()]


@pytest.mark.parametrize("question", SAID)
def test_the_work_and_the_wait_are_said(question: str) -> None:
    """After the answer, of each method at the largest size, as the table of points has them."""
    run = recorded(question)
    place, methods = SAID[question]
    said, why = waits(run)
    assert answer_and_waits(run) == [*answer(run), said, why]
    assert said.startswith(f"{place} the H200 works ")
    work, wait = found(WAITED, said)
    table = run.points.dropna(subset="gpu_seconds")
    value = table[run.axis].max() if AXES[run.axis].size else "float32"
    table = table[(table[run.axis] == value) & (table.precision == "highest")]
    table = table.set_index(table["case"].map(named)).loc[methods]
    assert re.findall(f"{TIME} for ([^,]+?)(?=,| and \\d|$)", work) == [
        (format_time(seconds), method) for method, seconds in table.gpu_seconds.items()
    ]
    assert re.findall(TIME, wait) == [*map(format_time, table.seconds)]
    assert (table.seconds > table.gpu_seconds).all(), "the rest is the start of a call"


def test_nothing_is_added_to_a_run_of_a_cpu() -> None:
    """There is one clock."""
    run = recorded(QUESTIONS[0].name)
    assert answer_and_waits(run) == answer(run)


def test_an_answer_on_a_gpu_is_of_its_work() -> None:
    """A ratio of waits would be 6, one of float16 by its wait less."""
    told = {one.name: " ".join(answer(recorded(one.name))) for one in GPU_QUESTIONS}
    backward, half = told["On a GPU: Backward"], told["On a GPU: Half precision"]
    assert "a matmul multiplies every row" in backward
    assert "its gradient has 256 rows, not 65,536" in backward
    for said, pattern, low, high in (
        (backward, f"takes the GPU {TIME}, a matmul {TIME}: {TIMES}", 9, 12),
        (half, f"a matmul takes the GPU {TIME} in float32, {TIME} in bfloat16: {TIMES}", 4, 6),
        (half, f"a matmul takes the GPU {TIME} in float32, {TIME} in float16: {TIMES}", 4, 6),
        (half, f"takes the GPU {TIME} with full precision, {TIME} with TF32: {TIMES}", 2, 3),
    ):
        first, second, ratio = found(f"(?i){pattern}", said)
        times = sorted(map(seconds_of, (first, second)))
        assert format_ratio(times[1] / times[0]) == ratio
        assert low < float(ratio) < high
    assert re.match(
        "1 token, 64 numbers each, on the GPU. (Yes,|Not certain) ",
        told["On a GPU: Can matmul win?"],
    )
    cpu, gpu = found(
        f"a lookup takes {TIME} on the CPU, {TIME} on the GPU", answer(recorded(CPU_OR_GPU))[0]
    )
    assert seconds_of(cpu) < seconds_of(gpu)


def test_one_method_alone_is_said() -> None:
    """Whatever it is; a run of a machine whose GPU has no name says so."""
    run = recorded("On a GPU: Backward")
    those = [index for index, case in enumerate(run.cases) if case.method == "lookup_sparse"]
    alone = type(run)("alone")
    for line in map(json.loads, run.to_bytes().splitlines()):
        if line.get("case", those[0]) in those:
            alone.add({**line, "gpus": []} if line["type"] == "environment" else line)
    said, _ = waits(alone)
    pattern = f"^At 65,536 rows the GPU works {TIME} for lookup with sparse gradients; "
    work, wait = found(f"{pattern}from Python one waits {TIME}.$", said)
    assert seconds_of(work) < seconds_of(wait)


def test_work_is_a_line_and_a_wait_is_thin_and_dashed() -> None:
    """Of the same colour; the legend has a sample of the wait, and the floor a label."""
    run = recorded(CPU_OR_GPU)
    drawn = points([run])
    figure = draw(drawn, COLOURS)
    assert figure is not None
    lines = {one.name: one for one in figure.data}
    on_gpu = drawn[drawn.device == "cuda"]
    for method, colour in zip(("lookup", "matmul"), COLOURS, strict=False):
        work, wait = lines[f"{method}, GPU work"], lines[f"{method}, {WAIT}"]
        own = on_gpu[on_gpu.method == method]
        assert [*work.y] == [*own.gpu_seconds]
        assert [*wait.y] == [*own.seconds]
        assert (work.line.color, work.line.dash) == (colour, "solid")
        assert (wait.line.color, wait.line.dash) == (colour, "dash")
        assert wait.line.width < work.line.width
        assert f"{method}, on the CPU" in lines
        assert "65,536 rows on the GPU" in work.hovertext[-1]
        assert work.hovertext[-1].endswith("GPU work")
    shown = [name for name, one in lines.items() if one.showlegend is not False]
    assert shown.count(WAIT) == 1
    assert not [name for name in shown if name.endswith(f", {WAIT}")]
    (floor,) = figure.layout.shapes
    assert floor.line.color == COLOURS[2]
    assert {floor.y0, floor.y1} == {*drawn.floor}
    assert 1e-7 < floor.y0 < on_gpu.gpu_seconds.min()
    (label,) = figure.layout.annotations
    assert label.text.startswith("an empty kernel: ")
    assert 10 ** figure.layout.yaxis.range[0] < floor.y0, "the axis shows it"
    without = draw(points([recorded(QUESTIONS[0].name)]), COLOURS)
    assert without is not None
    assert {one.name for one in without.data} == {"lookup", "matmul"}


def test_tf32_has_a_symbol_of_its_own() -> None:
    """Kinds have no lines whose dashes would differ."""
    figure = draw(points([recorded("On a GPU: Half precision")]), COLOURS)
    assert figure is not None
    symbols = {one.name: one.marker.symbol for one in figure.data}
    assert symbols["matmul, with full precision, GPU work"] == "diamond"
    assert symbols["matmul, with TF32, GPU work"] == "diamond-open"


def test_rates_are_of_the_work_where_it_is_known() -> None:
    """Bytes by the wait would be those of Python's start of a call."""
    for row in recorded(CPU_OR_GPU).points.itertuples():
        is_gpu = row.device == "cuda"
        assert math.isnan(row.gpu_seconds) != is_gpu
        seconds = row.gpu_seconds if is_gpu else row.seconds
        assert row.gb_per_s == pytest.approx(row.case.bytes / seconds / 1e9)


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
    """Of the H200's run: the sentence, the table and the wait; the verdict is of the work too."""
    run = recorded_models()["GPT-2"]
    model = PRESETS["GPT-2"]
    times = times_of(model, run, recorded(MY_MODEL))
    assert times.is_work
    assert times.told
    assert times.lookup
    assert times.matmul
    assert times.lookup.word == times.matmul.word == ""
    lookup, matmul, ratio = found(
        "^It matters for GPT-2: for 4,096 tokens a lookup takes the GPU "
        f"{TIME}, a matmul {TIME}: {TIMES}.$",
        my_answer(model, times),
    )
    assert format_ratio(seconds_of(matmul) / seconds_of(lookup)) == ratio
    call, share = estimates(model, times)[-2:]
    assert call == ("one call", f"{lookup} of GPU work", f"{matmul} of GPU work")
    rest = seconds_of(matmul) * 124e6 / (50_257 * 768)
    for words, taken in zip(share[1:], map(seconds_of, (lookup, matmul)), strict=True):
        percent = float(words.removeprefix("about ").removesuffix(" %"))
        assert percent == pytest.approx(100 * taken / (taken + rest), rel=0.05)
    _, waited = found(WAITED, waits(run)[0])
    assert seconds_of(waited.split(" and ")[0]) > 2 * seconds_of(lookup)
    alike = type(run)("alike")  # one waits equally long for both
    for line in map(json.loads, run.to_bytes().splitlines()):
        alike.add(line | {"wait": [1e-5]} if "wait" in line else line)
    assert times_of(model, alike, recorded(MY_MODEL)).told is True
    on_cpu = times_of(PRESETS["GPT-2"], recorded(MY_MODEL), recorded(MY_MODEL))
    assert not on_cpu.is_work


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
    times = found(rf"Llama 3 \(128,256 × 4,096, 4,096 tokens\) {TIME} and {TIME}, {TIMES}", said)
    *times, ratio = times
    assert [format_time(taken) for taken in map(seconds_of, times)] == times
    assert format_ratio(seconds_of(times[1]) / seconds_of(times[0])) == ratio
    assert said.count(";") == len(GPU_MODELS) - 1
