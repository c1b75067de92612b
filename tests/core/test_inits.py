"""An init is one record: whatever reads the table finds a new one without another edit."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from embviz.__main__ import main
from embviz.core.config import Config
from embviz.core.export import script
from embviz.core.inits import INITS, Init, Promise, code_of
from embviz.core.layers import tie
from embviz.request import settings

NEW = Init(
    "halves",
    "N(0, 1/4), narrower than nn.Embedding's own",
    lambda table, g: table.normal_(0, 0.5, generator=g),
    lambda _rows, _dim: Promise("N(0, 1/4)", 0.0, 0.5, lambda x: np.exp(-2 * x**2) * 0.7979),
    code_of("nn.init.normal_(torch.empty(V, D), 0, 0.5)"),
)


@pytest.fixture(autouse=True)
def _one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INITS, NEW.name, NEW)


def test_a_new_record_draws_and_keeps_its_promise() -> None:
    """A record that stands in the table alone is drawn as it says."""
    layers = tie(Config("", 400, 300, init="halves"))
    torch.manual_seed(123)
    assert torch.equal(layers.embedding.weight, torch.empty(400, 300).normal_(0, 0.5))
    assert NEW.promise is not None
    assert layers.distribution.std == pytest.approx(NEW.promise(400, 300).std, rel=0.02)


def test_a_new_record_exports_a_script_that_runs() -> None:
    """The exported lines of a record give the numbers that its `draw` gives."""
    config, ids = Config("", 5, 3, seed=7, init="halves"), torch.tensor([4, 0])
    source = script(config, ids=ids) + "import json\nprint(json.dumps(embedding.weight.tolist()))"
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    made = json.loads(done.stdout.splitlines()[-1])
    assert made == tie(config).embedding.weight.tolist()


def test_a_new_record_stands_in_command_line_help_and_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command line and a link take the name, and the help lists it."""
    assert main(["compare", "hi", "--init", "halves", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["init"] == "halves"
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    assert "halves" in capsys.readouterr().out
    assert settings.read("init", "halves") == "halves"
