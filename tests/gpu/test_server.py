"""Pages with device=cuda."""

import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.timing.measure.run import read_run
from embviz.timing.measure.sweep import Engine
from embviz.timing.page import measuring
from tests.gpu.measured import show
from tests.timing.conftest import until
from tests.ui.headless import NAMES, answer, open_page, press, refused

DEVICE = "cuda"
QUESTION = "CPU or GPU?"
QUESTION_S = 15.0  # seconds that the default question may take


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly:UserWarning")  # 2.11
@pytest.mark.parametrize("page", NAMES)
def test_every_page_runs_there(page: str) -> None:
    """With its own settings and a text; nothing is refused."""
    app = open_page(page, device=DEVICE, text="hello embeddings")
    assert refused(app) == []


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_playground_is_bitwise_equal_there(dtype: str) -> None:
    """Also with a large table: what the picture says is what it says on a CPU."""
    said = []
    for device in ("cpu", DEVICE):
        app = open_page(text="hello", device=device, rows="100000", dim="64", dtype=dtype)
        assert refused(app) == []
        said.append(answer(app))
    for one in said:
        del one["question"]  # it names the device
    assert said[0] == said[1]


def test_the_page_answers_cpu_or_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's own question, as it stands: both devices, the GPU with both clocks."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with closing(Engine()) as engine:
        monkeypatch.setattr(measuring, "ENGINE", engine)
        app = open_page("timing")
        press(app, QUESTION)
        begun = time.monotonic()
        press(app, "Measure here")
        until(lambda: _over(app))
        show("wall_s", time.monotonic() - begun)
    (file,) = (tmp_path / "runs").glob("*.jsonl")
    content = file.read_bytes()
    if kept := os.environ.get("EMBVIZ_TESTS_KEEP"):
        Path(kept).write_bytes(content)
    run = read_run(content, "r")
    assert (run.end or {})["status"] == "done"
    show("sweep_s", (run.end or {})["wall_s"])
    assert {one.device for one in run.measured} == {"cpu", DEVICE}
    assert run.failures == {}
    assert run.question == QUESTION
    with_work = run.times.loc[run.times["clock"] == "gpu", "case"]
    assert {*with_work} == {one for one in run.measured if one.device == DEVICE}
    assert (run.end or {})["wall_s"] <= QUESTION_S


def _over(app: Any) -> bool:
    """Whether the page shows that its sweep has ended."""
    time.sleep(0.5)
    app.run()
    assert [one.value for one in app.exception] == []
    return "timing_stop_button" not in {one.key for one in app.button}
