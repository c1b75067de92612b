"""Records by their names."""

from dataclasses import dataclass

import pytest

from embviz.text.records import by_name


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
