"""The machine: cores that may be used, from its files, and the record of what it is."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from embviz.classes.page.class_link import link
from embviz.server.incoming import is_at_server
from embviz.system import machine
from embviz.system.machine import environment
from embviz.timing.measure.cluster import checked
from embviz.timing.measure.task import ClusterError

Write = Callable[[str, str], None]
CPU = "sys/devices/system/cpu"


@pytest.fixture(autouse=True)
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A machine of 64 logical and 32 physical cores; writes a file of it."""
    monkeypatch.setattr(machine, "PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "SYS", tmp_path / "sys")
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 64 if logical else 32)
    allow(monkeypatch, range(64))
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)

    def file(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "ascii")

    return file


def allow(monkeypatch: pytest.MonkeyPatch, allowed: Iterable[int]) -> None:
    """Give this process a CPU affinity."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*allowed}, raising=False)


@pytest.mark.parametrize(
    ("allowed", "files", "expected"),
    [
        (64, {}, (None, 64, 31)),
        (33, {"": "max 100000"}, (None, 33, 31)),
        (1, {"job": "200000 100000"}, (2.0, 1, 1)),
        (64, {"job/step": "470000 100000"}, (4.7, 4, 3)),
        (64, {"job": "50000 100000", "": "300000 100000"}, (0.5, 1, 1)),
    ],
)
def test_cores_affinity_and_cgroup_bound_the_threads(
    allowed: int,
    files: dict[str, str],
    expected: tuple[float | None, int, int],
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The least of physical cores, affinity and the cgroup's CPU limit counts; one stays free."""
    limit, most, threads = expected
    allow(monkeypatch, range(allowed))
    write("proc/self/cgroup", "0::/job/step\n")
    for folder, text in files.items():
        write(f"sys/fs/cgroup/{folder}/cpu.max", text)
    assert (machine.cgroup_cores(), machine.most_threads()[0]) == (limit, most)
    assert (machine.usable_cores(), machine.default_threads()) == (min(32, most), threads)


def test_where_no_physical_cores_are_known_logical_ones_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some ARM machines and some containers report no physical cores, or 0."""
    for physical in (None, 0):
        monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 64 if logical else physical)  # noqa: B023
        assert (machine.usable_cores(), machine.default_threads()) == (64, 63)


def test_the_record_of_a_machine(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts come from Linux's files where they are there, and no user or folder is named."""
    monkeypatch.setenv("USER", "anna_secret")
    monkeypatch.setattr("platform.node", lambda: "here")
    allow(monkeypatch, [1, 2, 3, 8])
    wanted = {"governor": None, "affinity": "1,2,3,8", "physical_cores": 32, "hostname": "here"}
    assert environment().items() >= wanted.items()
    write("proc/cpuinfo", "processor: 0\nmodel name\t: Fast One: 9000\nmodel name: Other\n")
    write(f"{CPU}/cpu1/cpufreq/scaling_governor", "powersave\n")
    write(f"{CPU}/cpu0/cache/index3/size", "32768K\n")
    found = environment(hostname=False)
    facts = {"cpu": "Fast One: 9000", "governor": "powersave", "cache_bytes": 32 * 1024**2}
    assert found.items() >= (facts | {"hostname": None}).items()
    assert "anna_secret" not in str(found)
    assert str(Path.home()) not in str(found)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert environment()["hostname"] is None


@pytest.mark.parametrize(
    "host",
    ["1270000000", "127.example.org", "127.0.0.1.example.org", "127.1", "127...1", "0x7f000001"],
)
def test_another_machine_is_none_that_looks_like_this_one(host: str) -> None:
    """Neither a cluster without a cipher, nor a visitor at the server, nor the link of a class."""
    with pytest.raises(ClusterError, match="another machine"):
        checked(f"tcp://{host}:8786")
    assert checked(f"tls://{host}:8786") == f"tls://{host}:8786"
    assert not is_at_server("127.0.0.1", {"host": f"{host}:8501"})
    assert link("abc", f"http://{host}/labs") == f"http://{host}/class/abc"
