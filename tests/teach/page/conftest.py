"""Classes for the tests of the teacher's pages."""

from tests.classes.page.made import one

__all__ = ["one"]
