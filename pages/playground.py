"""Type a string: both routes give the same vectors."""

from embviz.playground.page.story import draw as draw
