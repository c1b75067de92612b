"""The error that says what a person did wrong; every other exception is a defect of ours."""

from collections.abc import Mapping
from typing import Any


class Refused(ValueError):
    """A sentence about what was given, and what would correct it.

    Attributes:
        fixes: button label -> the settings it changes.
    """

    def __init__(self, message: str, fixes: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.fixes = dict(fixes or {})
