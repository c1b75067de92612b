"""The folder of this user: where it is, and what is said of a user who has none."""

from pathlib import Path

import pytest

from embviz.classes.here import here
from embviz.core.data_folder import FOLDER_VARIABLE, data_folder
from embviz.core.refused import Refused
from embviz.timing.sweep import lock
from tests.commands import refusal

SAID = r"^This user has no home folder, .*: set HOME, or set EMBVIZ_DATA_FOLDER to a folder\.$"


def test_a_user_without_a_home_reads_what_to_set(
    no_home: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Runs, sweeps and classes say it in one sentence; a folder in the variable serves all."""
    monkeypatch.setenv("EMBVIZ_CLASSES", "on")
    for needs in (data_folder, lock, here):
        with pytest.raises(Refused, match=SAID):
            needs()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    assert not lock().is_locked
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder().is_relative_to(tmp_path)


def test_the_command_says_it_too(no_home: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and the sentence, before anything is measured."""
    assert "set HOME" in refusal(capsys, "time", "--values", "4", "--methods", "lookup")
