"""The parts of *Context* that follow the text."""

from embviz.context.page.strips import contextual_strips, static_strips
from embviz.picture.part import Part

STATIC = Part("static", static_strips.static_strips, ("shuffle", "edit"))
CONTEXTUAL = Part("contextual", contextual_strips.contextual_strips, contextual_strips.READS)
PARTS = STATIC, CONTEXTUAL
