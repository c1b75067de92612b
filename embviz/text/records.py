"""Records in a list, found by their names: settings, methods, inits, cases."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from embviz.text.wording import quote


class Named(Protocol):
    """A record with a name, by which links, commands and files call it."""

    @property
    def name(self) -> str:
        """The name of the record."""


Record = TypeVar("Record", bound=Named)


def by_name(records: Iterable[Record]) -> dict[str, Record]:
    """The records by their names, in order; the same record may come again.

    Raises:
        ValueError: two records have one name: the second would hide the first.
    """
    found: dict[str, Record] = {}
    for record in records:
        if found.setdefault(record.name, record) is not record:
            raise ValueError(f"two records have the name {quote(record.name)}")
    return found
