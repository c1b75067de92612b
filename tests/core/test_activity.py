from pathlib import Path

import pytest

from embviz.core import cores
from embviz.core.activity import Activity, governor, now

PID = 77


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any file of Linux; a test adds to it."""
    monkeypatch.setattr(cores, "PROC", tmp_path / "proc")
    monkeypatch.setattr(cores, "SYS", tmp_path / "sys")
    monkeypatch.setattr(cores, "affinity", lambda: [0, 1])
    (tmp_path / "proc" / str(PID)).mkdir(parents=True)
    return tmp_path


def ticks(machine: Path, given: str, own: str | None) -> None:
    """Write what the machine and the measured process have used."""
    (machine / "proc" / "stat").write_text(f"cpu  {given} 0 0\ncpu0 1 2 3\n", "ascii")
    process = machine / "proc" / str(PID) / "stat"
    process.unlink(missing_ok=True)
    if own is not None:
        process.write_text(f"{PID} (a) b (c)) S 1 1 1 0 -1 4 5 6 7 8 {own} 20 0 1", "ascii")


def test_the_time_of_others_and_stolen_time_are_shares(machine: Path) -> None:
    """Time of the measured process is not that of others; what a span misses does not count."""
    seen = Activity()
    ticks(machine, "100 0 100 1000 0 0 0 10", "50 0 0 0")
    with seen.beside(PID):
        # Of 200 ticks: 90 user, 10 system, 80 idle and waiting, 20 stolen; 40 are its own.
        ticks(machine, "190 0 110 1060 20 0 0 30", "70 5 10 5")
    ticks(machine, "9190 0 110 1060 20 0 0 30", "70 5 10 5")  # between two spans
    assert seen.to_dict() == {
        **now(),
        "others_cpu_share": pytest.approx(0.3),
        "steal_share": pytest.approx(0.1),
    }
    with seen.beside(PID):  # it ends: its share is not known, steal time is
        ticks(machine, "9390 0 110 1060 20 0 0 30", None)
    shares = seen.to_dict()
    assert shares["others_cpu_share"] == pytest.approx(0.3)
    assert shares["steal_share"] == pytest.approx(0.05)


def test_a_system_without_these_files_gives_none(machine: Path) -> None:
    """What cannot be read is None, and nothing fails."""
    assert machine
    seen = Activity()
    with seen.beside(PID):
        pass
    assert (seen.to_dict()["others_cpu_share"], seen.to_dict()["steal_share"]) == (None, None)
    assert (now()["mhz"], governor()) == (None, None)


def test_frequency_and_governor(machine: Path) -> None:
    """The frequency is the mean of the usable cores; /proc/cpuinfo is read where /sys lacks it."""
    (machine / "proc" / "cpuinfo").write_text("cpu MHz\t: 2000.0\nx\ncpu MHz\t: 3000.0\n", "ascii")
    assert now()["mhz"] == pytest.approx(2500)
    for core, khz in enumerate((1_000_000, 1_600_000, 9_000_000)):
        place = machine / f"sys/devices/system/cpu/cpu{core}/cpufreq"
        place.mkdir(parents=True)
        (place / "scaling_cur_freq").write_text(f"{khz}\n", "ascii")
        (place / "scaling_governor").write_text("powersave\n", "ascii")
    assert (now()["mhz"], governor()) == (pytest.approx(1300), "powersave")
