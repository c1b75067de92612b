"""The server's classes: off, on, moved, closed; and wrong codes are limited for all."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from embviz.classes import here as of_server
from embviz.classes.codes import new_code, new_token
from embviz.classes.here import WRONG_CODE_S, WRONG_CODES, Here, here
from embviz.classes.record import ClassError, StoreError
from embviz.classes.store import Store
from embviz.core.data_folder import FOLDER_VARIABLE
from tests.classes.stores import TEACHER

TOO_MANY = "Too many wrong codes"


class Clock:
    """A clock that tests set."""

    now = 0.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of `server`."""
    return Clock()


@pytest.fixture
def server(tmp_path: Path, clock: Clock) -> Iterator[Here]:
    """A server's classes."""
    made = Here(Store(tmp_path / "classes.sqlite3"), clock)
    yield made
    made.store.close()


def refusals(ask: Callable[[str], object], count: int) -> list[str]:
    """The sentences that refuse so many guessed codes."""
    found = []
    for _ in range(count):
        with pytest.raises(ClassError) as error:
            ask(new_code())
        found.append(str(error.value))
    return found


def test_classes_that_are_off_make_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Off, and by default where hosted, there is no file and no thread; on, there is one store."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    threads = {*threading.enumerate()}
    for name, value in (("EMBVIZ_CLASSES", "off"), ("EMBVIZ_HOSTED", "1")):
        with monkeypatch.context() as only:
            only.setenv(name, value)
            assert here() is None
    assert {*threading.enumerate()} <= threads
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    monkeypatch.setenv("EMBVIZ_CLASSES", "on")
    found = here()
    assert found is not None
    assert found is here()
    code = found.store.start("row", TEACHER).code
    of_server.close()
    with pytest.raises(StoreError):
        found.store.start("row", TEACHER)
    again = here()
    assert again is not None
    assert again.known(code).lab == "row"
    of_server.close()
    of_server.close()


def test_a_guesser_is_stopped_and_members_go_on(server: Here, clock: Clock) -> None:
    """Of 1,000 guesses few are looked up; then nobody new comes in, and members go on."""
    code, token, late = server.store.start("row", TEACHER).code, new_token(), new_token()
    server.store.join(code, token).result()
    server.store.join(code, late).result()
    assert server.known(code).code == server.known(code, token).code == code
    words = refusals(server.known, 1000)
    assert [TOO_MANY in one for one in words] == [False] * WRONG_CODES + [True] * (
        1000 - WRONG_CODES
    )
    # The right code of a stranger gets the same sentence as a wrong one.
    for stranger in ("", new_token(), "' OR 1 --"):
        with pytest.raises(ClassError, match=TOO_MANY):
            server.known(code, stranger)
    assert server.known(code, token).code == code
    assert server.known(code, late).code == code  # seen for the first time since the start
    clock.now += WRONG_CODE_S
    assert server.known(code).code == code  # a right code uses nothing up
    assert [TOO_MANY in one for one in refusals(server.known, 2)] == [False, True]


def test_guesses_at_once_are_limited_too(server: Here) -> None:
    """Many threads that guess at the same time get no more guesses than one."""
    server.store.start("row", TEACHER)
    with ThreadPoolExecutor(20) as pool:
        found = [*pool.map(lambda _: refusals(server.known, 10), range(20))]
    assert sum(TOO_MANY not in one for words in found for one in words) == WRONG_CODES


def test_a_deleted_class_uses_up_no_guesses(server: Here) -> None:
    """Pages that ask for one deleted class for hours do not keep others out."""
    code, gone = (server.store.start("row", TEACHER).code for _ in range(2))
    token = new_token()
    server.store.join(gone, token).result()
    assert server.known(gone, token).code == gone
    server.store.delete(gone, TEACHER).result()
    server.rooms.get(gone).asked = 0.0  # as if a poll was due
    for asked in (token, new_token()):
        for _ in range(WRONG_CODES):
            with pytest.raises(ClassError, match="no class"):
                server.known(gone, asked)
    assert server.known(code).code == code


def test_what_is_no_code_is_refused(server: Here) -> None:
    """Other texts than codes are refused, quoted and short, and cost no guess."""
    for text in ("", "<b>", "x" * 10_000, "tidy-otter-42 ", "Tidy-otter-42"):
        for _ in range(WRONG_CODES):
            with pytest.raises(ClassError, match="no class") as error:
                server.known(text)
            assert len(str(error.value)) < 120
    assert TOO_MANY not in refusals(server.known, 1)[0]
