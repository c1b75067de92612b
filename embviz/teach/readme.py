"""The README of the labs, of which the pages for teachers show some sections."""

from pathlib import Path

from embviz import labs

README = Path(labs.__file__).with_name("README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """A section of the README, with its title."""
    heading = f"## {title}\n"
    return heading + README.partition(heading)[2].partition("\n## ")[0]
