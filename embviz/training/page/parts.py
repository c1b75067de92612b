"""The parts of *Training* that follow the text."""

from functools import partial

from embviz.picture.part import Part
from embviz.training.page.film import one_step, unseen

ONE_STEP = Part("one_step", one_step.one_step, (*one_step.READS, "token"))
UNSEEN = Part("unseen", partial(unseen.unseen, names=unseen.FIRST))
UNSEEN_MORE = Part("unseen_more", partial(unseen.unseen, names=unseen.OTHERS))
PARTS = ONE_STEP, UNSEEN, UNSEEN_MORE
