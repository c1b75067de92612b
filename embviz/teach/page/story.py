"""The page *Labs*: a teacher's guide, the board of a class, a student's page, a lab, or the cards.

It stands in the last of the three rooms that draw it, because that one knows the other two.
"""

from types import ModuleType

from embviz.classes.page import board_page, door, member
from embviz.labs.page import alone, cards, looks
from embviz.teach.page import teach
from embviz.ui.elements.failure import contained
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting
from embviz.ui.state.changes import assign


@body
def draw() -> None:
    """The teacher's board, a class, a lab, or the cards, and the way back to these."""
    looks.style()
    is_alone = not any(map(setting, ("class", "board")))
    if is_alone and setting("teach") == teach.OFF and setting("sheet") != "none":
        assign({"teach": setting("lab")})  # The teacher's page has the sheets.
    page: ModuleType = alone
    if setting("teach") != teach.OFF:
        page = teach
    elif setting("board"):
        page = board_page
    elif setting("class"):
        page = member
    elif setting("lab") == cards.ALL:
        page = cards
    with contained(page.__name__):
        if page is cards:
            cards.draw(above=door.classes)
            teach.link()
        else:
            page.draw()
    if page is not cards:
        cards.back()
