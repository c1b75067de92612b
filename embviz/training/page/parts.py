"""The parts of *Training* that follow the text."""

from embviz.picture.part import Part
from embviz.training.page.film import step_film, unseen_film

ONE_STEP = Part("one_step", step_film.step_film, (*step_film.READS, "token"))
UNSEEN = Part("unseen", unseen_film.unseen_film)
PARTS = ONE_STEP, UNSEEN
