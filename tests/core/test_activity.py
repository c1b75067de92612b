from pathlib import Path

import pytest

from embviz.core import cores
from embviz.core.activity import governor, now


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any file of Linux; a test adds to it."""
    monkeypatch.setattr(cores, "PROC", tmp_path / "proc")
    monkeypatch.setattr(cores, "SYS", tmp_path / "sys")
    monkeypatch.setattr(cores, "affinity", lambda: [0, 1])
    (tmp_path / "proc").mkdir()
    return tmp_path


def test_a_system_without_these_files_gives_none(machine: Path) -> None:
    """What cannot be read is None, and nothing fails."""
    assert machine
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
