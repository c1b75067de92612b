"""Classes for the tests of the teacher's pages."""

from tests.classes.page.made import made, one

__all__ = ["made", "one"]
