"""The error that says what a person did wrong; every other exception is a defect of ours."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Fixes = Mapping[str, Mapping[str, Any]]  # button label -> the settings it changes


class Refused(ValueError):
    """A sentence about what was given, and what would correct it.

    Attributes:
        fixes: button label -> the settings it changes.
        about: name of the setting that would have to change; a page draws its widget. Empty where
            no setting is at fault.
    """

    def __init__(self, message: str, fixes: Fixes | None = None, about: str = "") -> None:
        super().__init__(message)
        self.fixes: dict[str, Mapping[str, Any]] = dict(fixes or {})
        self.about = about

    def to_json(self) -> str:
        """The sentence as `refusal`, and `fixes`, for a component or a program that asked."""
        return json.dumps({"refusal": str(self), "fixes": self.fixes})


@contextmanager
def refusals_about(
    setting: str, fixes: Fixes | None = None, instead_of: tuple[str, ...] = ()
) -> Iterator[None]:
    """Name the setting that refusals of this block are about, unless they name another.

    Args:
        setting: its name.
        fixes: what a refusal without fixes gets.
        instead_of: settings whose place this one takes: a second text has the refusals of the
            first, and their fixes change the second one.

    >>> with refusals_about("edit", instead_of=("text",)):
    ...     raise Refused("Too long.", {"Shorten it": {"text": "abc"}}, "text")
    Traceback (most recent call last):
    embviz.text.refused.Refused: Too long.
    """
    try:
        yield
    except Refused as refused:
        if not refused.about or refused.about in instead_of:
            refused.about = setting
            refused.fixes = refused.fixes or dict(fixes or {})
        if instead_of:
            refused.fixes = {
                label: {setting if name in instead_of else name: to for name, to in fix.items()}
                for label, fix in refused.fixes.items()
            }
        raise
