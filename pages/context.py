"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

from embviz.context.page.story import draw as draw
