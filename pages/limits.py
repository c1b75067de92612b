"""Where lookup and product differ, each case proved on the installed PyTorch."""

from embviz.ui.frame.body import body
from embviz.ui.pages.limits import browse
from embviz.ui.parts.links import headline, try_this


@body
def draw() -> None:
    """The search; then the opened case, or five cards; then the list of all cases."""
    if case := browse.search():
        browse.show(case)
    else:
        browse.cards()
    browse.listed()


headline("Where `nn.Embedding` and one-hot × `nn.Linear` differ, or are said to: proved now.")
draw()

try_this(
    (
        "A *nan* in a row that is not looked up spoils the product, not the lookup.",
        "limits",
        {"find": "nan"},
    ),
    (
        "The last line of an error finds its case: `IndexError: index out of range in self`.",
        "limits",
        {"find": "IndexError: index out of range in self"},
    ),
)
