"""The parts of *Context* that follow the text."""

from embviz.context.page.strips import contextual, static
from embviz.picture.part import Part

STATIC = Part("static", static.static, ("shuffle", "edit"))
CONTEXTUAL = Part("contextual", contextual.contextual, contextual.READS)
PARTS = STATIC, CONTEXTUAL
