"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

from embviz.ui.frame import body
from embviz.ui.pages.context.chapters import CHAPTERS
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting


@body.body
def draw() -> None:
    """The chapter."""
    if chapter.needs_ids:
        chapter.draw(body.inputs())
    else:
        chapter.draw()


chapter = CHAPTERS[setting("chapter")]
headline(chapter.claim)
segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
chapter.settings()
draw()
chapter.more()

try_this(*chapter.tries)
