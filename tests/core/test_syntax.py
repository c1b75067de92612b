import ast
import inspect
import threading
import tomllib
from pathlib import Path

import pytest

from embviz.core.syntax import parse

ROOT = Path(__file__).resolve().parents[2]


def test_threads_parse_one_after_the_other() -> None:
    """Several threads get the tree that one thread gets."""
    source = inspect.getsource(inspect)
    expected, found = ast.dump(ast.parse(source)), list[bool]()

    def work() -> None:
        found.extend(ast.dump(parse(source)) == expected for _ in range(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 12
    with pytest.raises(SyntaxError):
        parse("1 +")


def test_streamlit_parses_no_page() -> None:
    """Streamlit's magic, which parses each page in its session's thread, is off."""
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["magicEnabled"] is False
