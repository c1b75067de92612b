"""Where lookup and product differ, each case proved on the installed PyTorch."""

from embviz.ui.frame.body import body
from embviz.ui.pages.limits import browse, opened
from embviz.ui.parts.links import headline, try_this
from embviz.ui.state.session import setting


@body
def draw() -> None:
    """The search; then the opened case, or five cards; then the list of all cases."""
    browse.refuted()
    found = browse.search()
    if (case := browse.opened(found)) is not None:
        browse.others(found, case)
        opened.show(case)
    else:
        if setting("find").strip():
            browse.nothing()
        browse.cards()
    browse.listed()


headline("Where `nn.Embedding` and one-hot × `nn.Linear` differ, or are said to: proved now.")
draw()

try_this(
    (
        "A *nan* in a row that is not looked up spoils the product, not the lookup.",
        "limits",
        {**browse.CARDS, "find": "nan"},
    ),
    (
        "The last line of an error finds its case: `IndexError: index out of range in self`.",
        "limits",
        {**browse.CARDS, "find": "IndexError: index out of range in self"},
    ),
)
