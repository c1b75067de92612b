"""`limits` and `context` from the command line: what they print, and how they refuse."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from embviz.__main__ import main
from embviz.limits.case import Case
from embviz.limits.cases import CASES
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove

FIELDS = {"name", "group", "claim", "same", "detail", "holds"}


def test_limits_proves_all_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """A new PyTorch could not be checked in one command, or a case would be left out."""
    assert main(["limits", "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert printed.err == ""
    assert [one["name"] for one in found] == [one.name for one in CASES]
    assert all(set(one) >= FIELDS for one in found)
    assert [one["name"] for one in found if one["holds"] is False] == []
    (gpu,) = (one for one in found if one["name"] == "tf32-on-a-gpu")
    if gpu["holds"] is None:
        assert (gpu["same"], gpu["detail"]) == (None, "not run: no CUDA device")


def test_limits_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The table would miss a case, or break where a cell has a bar in it."""
    assert main(["limits", "--markdown"]) == 0
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(CASES)
    bars = {line.replace("\\|", "").count("|") for line in (head, rule, *rows)}
    assert len(bars) == 1


def test_limits_exits_with_1_if_a_claim_is_refuted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A PyTorch that changed something would pass."""

    def changed(one: Case, **given: object) -> Proof:
        wanted = replace(one, expected="same") if one.name == "minus-zero" else one
        return prove(wanted, **given)

    monkeypatch.setattr("embviz.limits.prove.prove", changed)
    assert main(["limits"]) == 1
    printed = capsys.readouterr()
    assert "REFUTED Weights    minus-zero" in printed.out
    assert printed.err == "embviz: no longer so on this PyTorch: minus-zero.\n"


def test_context_of_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    """The page's figures could not be had without the page."""
    assert main(["context", "the river bank", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["static_max_abs_difference_under_shuffle"] == 0
    assert found["same_character_static_cosine"] == 1
    assert found["same_character_contextual_cosine"] < 0.999
    assert [row["sees_order"] for row in found["permutation"]] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["limits", "--dtype", "float16"], "dtype 'float16' is not one of: float32, float64."),
        (["context"], "give a text, --sentences with --word, or both"),
        (["context", "--word", "bank"], "--sentences and --word go together"),
        (["context", "é"], "is not among the 100 characters"),
        (["context", "a", "--sentences", "no/such/file", "--word", "b"], "no/such/file"),
        (["context", "a", "--dim", "0"], "embedding_dim"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """A typing mistake would end in a traceback."""
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_context_of_a_model_that_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Offline, the command would end in a traceback or wait for a minute."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    sentences = tmp_path / "banks.txt"
    sentences.write_text("a bank\nthe bank\n", encoding="utf-8")
    assert main(["context", "--sentences", str(sentences), "--word", "bank", "--json"]) == 2
    assert "nobody/no-such-model" in capsys.readouterr().err
