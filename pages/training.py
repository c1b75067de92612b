"""Both layers learn, lesson by lesson."""

from embviz.training.page.story import draw as draw
