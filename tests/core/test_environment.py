import platform
from dataclasses import replace
from pathlib import Path

import pytest

from embviz.core import cores
from embviz.core.environment import JOBS, Environment
from embviz.timing.runs import Run


@pytest.fixture(autouse=True)
def no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start as no batch job and no public server."""
    for name in [*JOBS, "EMBVIZ_HOSTED"]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variable", "value", "job"),
    [
        ("SLURM_JOB_ID", "123", "Slurm 123"),
        ("PBS_JOBID", "123[4].server.example", "PBS 123[4]"),
        ("LSB_JOBID", "7", "LSF 7"),
        ("JOB_ID", "/home/anna", None),
        ("JOB_ID", "", None),
    ],
)
def test_a_batch_job_is_recorded(
    variable: str, value: str, job: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job's system and id are recorded, without its server, and no path."""
    assert Environment.capture().job is None
    monkeypatch.setenv(variable, value)
    assert Environment.capture().job == job


def test_the_hostname_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hostname is there if wanted, and never on a public server."""
    assert Environment.capture().hostname == platform.node()
    assert Environment.capture(hostname=False).hostname is None
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert Environment.capture().hostname is None


def test_the_affinity_is_written_as_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The affinity and the cgroup's limit are recorded."""
    monkeypatch.setattr(cores, "affinity", lambda: [0, 1, 2, 3, 8, 10, 11])
    monkeypatch.setattr(cores, "cgroup_cores", lambda: 2.5)
    here = Environment.capture()
    assert (here.affinity, here.cgroup_cores) == ("0-3,8,10-11", 2.5)


def test_a_run_file_keeps_every_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of run files keeps the whole record, and no user name or folder is in it."""
    monkeypatch.setenv("USER", "anna_secret")
    here = replace(Environment.capture(), hostname="box", job="Slurm 1", governor="powersave")
    kept = Run("r", {**here.to_dict(), "date": "2026-01-02"}).environment
    assert kept == {**here.to_dict(), "date": "2026-01-02"}
    assert not any("anna_secret" in str(v) or str(Path.home()) in str(v) for v in kept.values())
