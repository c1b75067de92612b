"""The parts of pages that follow typing, by name: what the route `live` answers for each."""

from embviz.context.page import parts as context
from embviz.text.records import by_name
from embviz.training.page import parts as training

PARTS = by_name((*training.PARTS, *context.PARTS))
