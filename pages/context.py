"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

from embviz.ui.frame import controls
from embviz.ui.frame.body import body, redraw_all
from embviz.ui.pages.context.chapters import CHAPTERS
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import say, try_this
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The chapter."""
    given, chapter = controls.inputs(), CHAPTERS[setting("chapter")]
    if given.refusal is not None and chapter.needs_ids:
        controls.show_refusal(given.refusal)
        return
    try:
        chapter.draw(given)
    except ValueError as error:  # every refusal of the core is one, and says why
        refuse(error)


# The frame shows the text and the model only in chapters that read them.
segments("Chapter", "chapter", label_visibility="collapsed", wrap=True, on_change=redraw_all)
chapter = CHAPTERS[setting("chapter")]
say(f"##### {chapter.claim}")
chapter.settings()
draw()
chapter.more()

try_this(chapter.try_this)
