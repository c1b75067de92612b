"""The row of steps has each step once, wherever one is in the lab."""

import pytest

from embviz.labs.catalogue import LABS
from tests.labs.page.visitor import Visitor

END = len(LABS["row"].steps) + 1
STEPS = [*map(str, range(1, END)), "end"]


@pytest.mark.parametrize(
    ("step", "options"),
    [(1, STEPS), (END - 1, STEPS), (END, STEPS), (END + 1, [*STEPS, "easier"])],
)
def test_each_step_stands_once_in_the_row(step: int, options: list[str]) -> None:
    """At the end too; a question beside the steps stands behind them while it is shown."""
    visitor = Visitor(lab="row", step=str(step), numbers="5")
    assert visitor.app.segmented_control(key="step_shown").options == options
