"""Labs: predict, try, explain; every answer is checked by computing it."""

from embviz.ui.frame.body import body
from embviz.ui.pages.labs import alone, board_page, cards, looks, member
from embviz.ui.parts.failure import contained
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The teacher's board, a class, a lab, or the cards, and the way back to these."""
    looks.style()
    lab = cards if setting("lab") == cards.ALL else alone
    page = board_page if setting("board") else member if setting("class") else lab
    with contained(page.__name__):
        page.draw()
    if page is not cards:
        cards.back()
