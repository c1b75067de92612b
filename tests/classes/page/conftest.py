"""Classes for the tests of their pages."""

from tests.classes.page.made import made, one

__all__ = ["made", "one"]
