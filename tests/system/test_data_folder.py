"""The folder of this user: where it is, and what is said of a user who has none."""

from pathlib import Path

import pytest

from embviz.classes.here import here
from embviz.classes.store import Store
from embviz.system.data_folder import FOLDER_VARIABLE, data_folder
from embviz.text.refused import Refused
from embviz.timing.measure.sweep import lock
from embviz.timing.measure.timed import Timed
from embviz.timing.page import kept

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


@pytest.mark.parametrize(("named", "made"), [(False, 0o755), (True, 0o755), (True, None)])
def test_other_users_of_the_machine_read_nothing(
    named: bool, made: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files are their owner's, and the folders that embviz makes; its own is narrowed.

    One that the variable names, and that is there, keeps its permissions.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    if named:
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "named"))
    folder = data_folder()
    if made is not None:
        folder.mkdir(made, parents=True)
    with lock():
        keeps = kept.new([Timed("lookup", num_embeddings=4, embedding_dim=2, tokens=1)])
        assert keeps is not None
        keeps({"type": "end"})
        store = Store(folder / "votes.sqlite3")
        store.start("row", "a cookie")
        modes = {path: path.stat().st_mode & 0o777 for path in folder.rglob("*")}
    assert len([path for path in modes if path.is_file()]) >= 3  # SQLite has some beside its own
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert modes[folder / "runs"] == 0o700
    assert folder.stat().st_mode & 0o777 == (0o755 if named and made else 0o700)
