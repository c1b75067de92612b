"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

from embviz.bag.page.story import draw as draw
