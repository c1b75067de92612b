"""A visitor of *Labs* without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from embviz.labs.question import written
from tests.ui.headless import open_page, unescaped, value


def plain(text: str) -> str:
    """Markdown without marks of code and of weight."""
    return re.sub("[*`]", "", text)


class Visitor:
    """A visitor of the page: reads, types, presses."""

    def __init__(self, **query: str) -> None:
        self.app = open_page("labs", **query)

    @property
    def words(self) -> str:
        """All that the main part says."""
        main = self.app.main
        parts = [
            *main.markdown,
            *main.info,
            *main.warning,
            *main.error,
            *main.success,
            *(body for body in main.html if 'class="ask"' not in body.value),
        ]
        bars = [f"bar {one.value}: {one.text}" for one in main.get("progress")]
        return unescaped("\n".join([*(str(one.value) for one in parts), *bars]))

    def sees(self, *texts: str, never: Iterable[str] = ()) -> Visitor:
        """Assert what the page says, and what it does not."""
        said = plain(self.words)
        assert [one for one in texts if plain(one) not in said] == []
        assert [one for one in never if plain(one) in said] == []
        return self

    @property
    def place(self) -> str:
        """The shown step, such as `2 of 8`."""
        return re.findall(r"step (\d+ of \d+)", self.words)[0]

    @property
    def rows(self) -> list[Any]:
        """The rows of a table that can be pressed."""
        return [one for one in self.app.main.button if one.label.startswith("`")]

    @property
    def prompt(self) -> str:
        """The question, with the rows of a table that can be pressed."""
        texts = [str(part.value) for part in self.app.main.markdown]
        (title,) = (place for place, text in enumerate(texts) if text.startswith("## "))
        at = title + 1
        lines = [one.label.strip("`").replace("\xa0", " ") for one in self.rows]
        table = "\n".join(["", "```", *lines, "```", texts[at + 1]]) if lines else ""
        return texts[at] + table

    @property
    def field(self) -> Any:
        """The field for the answer."""
        return [*self.app.main.text_input, *self.app.main.radio][0]

    @property
    def picture(self) -> str:
        """The HTML of the picture."""
        shown = [str(one.value) for one in self.app.main.html]
        return next(one for one in shown if one.startswith('<div class="lab-picture'))

    def labels(self) -> list[str]:
        """Of the buttons that can be pressed."""
        return [one.label for one in self.app.button if not one.disabled]

    def press(self, label: str) -> Visitor:
        """Press a button."""
        next(one for one in self.app.button if one.label == label).click().run()
        assert [failure.value for failure in self.app.exception] == []
        return self

    def press_step(self, step: int) -> Visitor:
        """Press a step in the row of steps."""
        self.app.segmented_control(key="step_shown").set_value(step).run()
        return self

    def answer(self, typed: object) -> Visitor:
        """Type or choose an answer, or that of a question, and send it."""
        self.field.set_value(typed if isinstance(typed, str) else written(typed))  # type: ignore[arg-type]
        return self.press("Answer")

    def get(self, name: str) -> Any:
        """A setting of the address."""
        return value(self.app, name)

    @property
    def hint(self) -> str:
        """The hint; it is folded."""
        return "".join(one.markdown[0].value for one in self.app.expander if one.label == "Hint")
