"""Labs: predict, try, explain; every answer is checked by computing it."""

from embviz.teach.page.story import draw as draw
