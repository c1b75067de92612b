"""Records by their names."""

import ast
from dataclasses import dataclass

import pytest

from embviz.text.records import by_name
from tests.test_names import TREES


@dataclass(frozen=True)
class Record:
    """A record."""

    name: str
    value: int = 0


def test_records_by_their_names() -> None:
    """The records keep their order; the same one twice is one, two of one name are an error."""
    a, b = Record("b"), Record("a")
    assert [*by_name([a, b, a]).items()] == [("b", a), ("a", b)]
    with pytest.raises(ValueError, match="two records have the name 'a'"):
        by_name([a, b, Record("a", 1)])


def test_no_records_are_named_in_another_way() -> None:
    """A dict of records by `one.name` would hide one of two in silence."""
    found = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.DictComp):
                key, value = ast.unparse(node.key), ast.unparse(node.value)
                if key == f"{value}.name":
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []
