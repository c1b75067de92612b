import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch

from embviz.__main__ import main
from embviz.core.config import BUDGET_VARIABLE, Config, available_devices
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import run_both
from embviz.core.vocabulary import Vocabulary, resolve

ROOT = Path(__file__).resolve().parents[2]
FIELDS = [
    "ids",
    "ids_shape",
    "output_shape",
    "lookup",
    "matmul",
    "bitwise_equal",
    "max_abs_error",
    "ids_bytes",
    "one_hot_bytes",
    "config",
]
# A developer's PYTHONUNBUFFERED would hide what happens at the last flush of a user's console.
UNSET = {"PYTHONUNBUFFERED", BUDGET_VARIABLE}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m embviz` as a user does, but with warnings as errors."""
    line = [sys.executable, "-W", "error", "-m", "embviz", *arguments]
    return subprocess.run(
        line, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command in this process: exit code, stdout, stderr."""
    try:
        code = main(list(arguments))
    except SystemExit as stopped:
        code = stopped.code
    return code, *capsys.readouterr()


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """The object that a successful command prints."""
    code, out, err = call(capsys, arguments[0], "--json", *arguments[1:])
    assert (code, err) == (0, "")
    return json.loads(out)


def test_compare_as_a_user_runs_it() -> None:
    """`python -m embviz compare` would not start, or print more than its result."""
    done = command("compare", "hello", "--dim", "8", "--seed", "123", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    result = json.loads(done.stdout)
    assert (result["ids_shape"], result["output_shape"]) == ([1, 5], [1, 5, 8])
    torch.manual_seed(123)
    weight = torch.nn.Embedding(100, 8).weight
    expected = weight[torch.tensor(result["ids"])].tolist()
    assert result["lookup"] == result["matmul"] == expected


def test_env_as_a_user_runs_it() -> None:
    """`python -m embviz env` would not start, or not describe this machine."""
    done = command("env", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    machine = json.loads(done.stdout)
    assert machine["python"] == platform.python_version()
    assert (machine["torch"], machine["numpy"]) == (torch.__version__, numpy.__version__)
    assert machine["devices"] == available_devices()
    assert machine["logical_cores"] == os.cpu_count()


def test_a_refusal_as_a_user_sees_it() -> None:
    """Bad input would end in a traceback, or with an exit code that says all is well."""
    done = command("compare", "naïve", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("embviz: 'ï' (U+00EF) at position 2")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["hello", "a" * 5000], ids=["short", "long"])
def test_a_reader_that_has_gone_is_no_error(text: str) -> None:
    """`python -m embviz compare ... | head` would end in an exception on the console."""
    reader, writer = os.pipe()
    os.close(reader)
    line = [sys.executable, "-m", "embviz", "compare", text, "--json"]
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            line,
            cwd=ROOT,
            env=ENVIRONMENT,
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            text=True,
        )
    assert done.stderr == ""
    assert done.returncode == 0


def test_json_is_what_both_routes_gave(capsys: pytest.CaptureFixture[str]) -> None:
    """The command line would print other numbers, or other fields, than the page shows."""
    result = as_json(capsys, "compare", "do?", "--dim", "3", "--init", "uniform", "--seed", "9")
    config = Config(resolve("printable"), embedding_dim=3, init="uniform", seed=9)
    both = run_both(config, torch.tensor([Vocabulary(config.characters).encode("do?")]))
    assert list(result) == FIELDS
    assert result["ids"] == both.ids.tolist()
    assert result["ids_shape"] == [1, 3]
    assert result["output_shape"] == [1, 3, 3]
    assert result["lookup"] == both.comparison.lookup.tolist()
    assert result["matmul"] == both.comparison.matmul.tolist()
    assert result["bitwise_equal"] is True
    assert result["max_abs_error"] == 0.0
    assert (result["ids_bytes"], result["one_hot_bytes"]) == (3 * 8, 3 * 100 * 4)
    assert Config(**result["config"]) == config


def test_text_and_its_ids_give_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """Giving ids instead of text would look up another table."""
    by_text = as_json(capsys, "compare", "hello", "--dim", "4")
    by_ids = as_json(capsys, "compare", "--ids", str(by_text["ids"]), "--rows", "100", "--dim", "4")
    assert by_text.pop("config") != by_ids.pop("config")
    assert by_text == by_ids


def test_nested_ids_keep_their_shape(capsys: pytest.CaptureFixture[str]) -> None:
    """A batch of ids would be flattened."""
    result = as_json(capsys, "compare", "--ids", "[[1,3],[0,1]]", "--rows", "10", "--dim", "4")
    assert result["ids"] == [[1, 3], [0, 1]]
    assert result["output_shape"] == [2, 2, 4]
    assert result["config"]["num_embeddings"] == 10


@pytest.mark.parametrize(
    ("arguments", "ids", "rows"),
    [
        (["a"], [[10]], 100),
        ([""], [[]], 100),
        (["--ids", ""], [], 100),
        (["--ids", "0 0"], [0, 0], 100),
        (["ab", "--vocab", "letters"], [[0, 1]], 100),
        (["7", "--vocab", "digits", "--rows", "10"], [[7]], 10),
        (["é", "--vocab", "bytes"], [[0xC3, 0xA9]], 256),
        (["ba", "--vocab", "custom", "--chars", "ab", "--rows", "2"], [[1, 0]], 2),
        (["aé", "--unknown", "unk"], [[10, 100]], 101),
        ([r"a\n", "--escapes"], [[10, 96]], 100),
        ([r"\n"], [[85, 23]], 100),
        (["--", "-1"], [[74, 1]], 100),
    ],
)
def test_options_choose_the_ids_and_the_rows(
    arguments: list[str], ids: list[object], rows: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option of the command line would be ignored or misread."""
    result = as_json(capsys, "compare", "--dim", "2", *arguments)
    assert result["ids"] == ids
    assert result["config"]["num_embeddings"] == rows
    assert result["config"]["embedding_dim"] == 2


@pytest.mark.parametrize(
    ("option", "value", "field"),
    [
        ("--dtype", "float64", "dtype"),
        ("--init", "integers", "init"),
        ("--seed", 4294967295, "seed"),
        ("--rows", 101, "num_embeddings"),
        ("--device", "cpu", "device"),
    ],
)
def test_settings_reach_the_config(
    option: str, value: object, field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A setting given on the command line would have no effect."""
    assert as_json(capsys, "compare", "a", option, str(value))["config"][field] == value


def test_without_json_the_verdict_is_one_readable_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A person reading the console would miss the shapes, the verdict or the numbers."""
    code, out, err = call(capsys, "compare", "WTF does nn.Embedding do?")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("(1, 25) -> (1, 25, 10): lookup and matmul are bitwise equal")
    assert "250 of 250 values" in lines[0]
    assert "24,750 of them by zero" in lines[1]
    torch.manual_seed(123)
    first = torch.nn.Embedding(100, 10).weight[58].tolist()  # 'W'
    assert lines[2].split()[:4] == ["id", "58", f"{first[0]:.4f}", f"{first[1]:.4f}"]
    assert lines[-1].startswith("... 5 more tokens")
    assert len(lines) == 2 + 20 + 1


def test_a_difference_is_told_as_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line would say "equal" whatever the comparison found."""

    def untied(config: Config) -> TiedLayers:
        layers = tie(config)
        torch.nn.init.zeros_(layers.linear.weight[:1])
        return layers

    monkeypatch.setattr("embviz.core.layers.tie", untied)
    result = as_json(capsys, "compare", "ab", "--dim", "2", "--dtype", "float64")
    assert result["bitwise_equal"] is False
    assert result["lookup"] != result["matmul"]
    assert result["max_abs_error"] == max(abs(row[0]) for row in result["lookup"][0])
    _, out, _ = call(capsys, "compare", "ab", "--dim", "2")
    assert "NOT bitwise equal: 2 of 4 values" in out


def test_env_without_json_names_the_same_fields(capsys: pytest.CaptureFixture[str]) -> None:
    """The readable form would leave out what the JSON has."""
    machine = as_json(capsys, "env")
    code, out, err = call(capsys, "env")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(machine)


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["env", "--help"]])
def test_help_is_printed_on_request(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A person asking for help would get an error instead."""
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "python -m embviz" in out


REFUSED = [
    ([], "command"),
    (["nonsense"], "nonsense"),
    (["compare"], "either a text or --ids"),
    (["compare", "a", "--ids", "1"], "either a text or --ids"),
    (["compare", "a", "b"], "b"),
    (["compare", "a", "--what"], "--what"),
    (["compare", "a", "--dim", "0"], "embedding_dim=0"),
    (["compare", "a", "--dim", "1025"], "embedding_dim=1025"),
    (["compare", "a", "--dim", "x"], "'x'"),
    (["compare", "a", "--dim", "1.5"], "'1.5'"),
    (["compare", "a", "--dim", "nan"], "'nan'"),
    (["compare", "a", "--dim", "inf"], "'inf'"),
    (["compare", "a", "--dim"], "--dim"),
    (["compare", "a", "--seed", "-1"], "seed=-1"),
    (["compare", "a", "--seed", "99999999999999999999"], "seed=99999999999999999999"),
    (["compare", "a", "--rows", "0"], "num_embeddings=0"),
    (["compare", "a", "--rows", "1" + "0" * 5000], "--rows"),
    (["compare", "7", "--vocab", "digits", "--rows", "4"], "need 10 rows"),
    (["compare", "a", "--rows", "1000000", "--dim", "1024"], "over the budget"),
    (["compare", "a", "--init", "zeros"], "init='zeros'"),
    (["compare", "a", "--dtype", "int8"], "dtype='int8'"),
    (["compare", "a", "--device", "tpu"], "device='tpu'"),
    (["compare", "a", "--vocab", "<script>"], "vocab='<script>'"),
    (["compare", "a", "--vocab", "custom"], "at least one character"),
    (["compare", "a", "--vocab", "custom", "--chars", "aba"], "'a' (U+0061)"),
    (["compare", "a", "--unknown", "maybe"], "'maybe'"),
    (["compare", "a\u200b"], "zero width space (U+200B) at position 1"),
    (["compare", "a\udc80", "--vocab", "bytes"], "U+DC80"),
    (["compare", r"a\q", "--escapes"], r"'\q' at position 1"),
    (["compare", "a\\\nb", "--escapes"], "at position 1"),
    (["compare", "a" * 100_001], "100,001 characters"),
    (["compare", "€" * 40_000, "--vocab", "bytes"], "120,000 tokens"),
    (["compare", "--ids", "[[1,2],[3]]"], "ragged"),
    (["compare", "--ids", "1.5"], "'1.5'"),
    (["compare", "--ids", "-1"], "Id -1 is negative"),
    (["compare", "--ids", "100"], "Id 100"),
    (["compare", "--ids", "x"], "'x'"),
    (["compare", "--ids", "[1,\n[2"], "brackets"),
    (["compare", "--ids", "1,\n,2"], "cannot be read"),
    (["compare", "--ids", "[" * 5000], "nested"),
    (["compare", "a", "b\nc"], "unrecognized"),
    (["env", "extra"], "extra"),
]


@pytest.mark.parametrize(
    ("arguments", "said"), REFUSED, ids=[" ".join(words)[:40] for words, _ in REFUSED]
)
def test_bad_input_is_told_in_one_line_on_stderr(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input would end in a traceback, in several lines, or with half a result on stdout."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert err.endswith("\n")
    assert err[:-1].isprintable()


def test_a_device_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for a GPU that is not there would end in PyTorch's own traceback."""
    missing = next(name for name in ("xpu", "mps", "cuda") if name not in available_devices())
    code, out, err = call(capsys, "compare", "a", "--device", missing)
    assert (code, out) == (2, "")
    assert f"device='{missing}'" in err


def test_a_nonsensical_budget_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing mistake in the environment would end in a traceback."""
    monkeypatch.setenv(BUDGET_VARIABLE, "lots")
    code, out, err = call(capsys, "compare", "a")
    assert (code, out) == (2, "")
    assert f"{BUDGET_VARIABLE}='lots'" in err
