"""The parts of *Training* that follow the text."""

from embviz.picture.part import Part
from embviz.training.page.film import one_step, unseen

ONE_STEP = Part("one_step", one_step.one_step, (*one_step.READS, "token"))
UNSEEN = Part("unseen", unseen.unseen)
PARTS = ONE_STEP, UNSEEN
