"""Live timing: lookup against matmul, on the machine that runs this page."""

from embviz.timing.page.story import draw as draw
