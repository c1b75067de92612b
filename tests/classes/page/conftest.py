"""Classes for the tests of their pages."""

from tests.classes.page.made import one

__all__ = ["one"]
