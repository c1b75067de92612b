"""Type a string: both routes give the same vectors."""

from functools import partial

from embviz.fact.inputs import Inputs
from embviz.playground.page import worlds
from embviz.playground.page.stage.component import stage
from embviz.playground.settings import PANELS
from embviz.settings.model_settings import MODEL
from embviz.text.refused import Refused
from embviz.ui.elements.links import Try, anchor, headline, link, try_this, typed
from embviz.ui.elements.unknown import note_unknown
from embviz.ui.elements.widgets import presses
from embviz.ui.frame import body, tour_bar
from embviz.ui.state.address import setting, settings
from embviz.ui.state.session import session


def draw() -> None:
    """The picture, and what to try."""
    headline(
        "`nn.Embedding` copies a row. `nn.Linear`, with the same weight and no bias, "
        "adds up to the same row."
    )
    with session().head.container(
        horizontal=True, width="content", vertical_alignment="center", gap="xsmall"
    ):
        tour_bar.start()
        worlds.draw()
    picture()
    try_this(*TRIES)


@body.body
def picture() -> None:
    """The stage and the chosen panel; after a mistake the last picture stays, with the reason."""
    given = body.tried_inputs()
    note_unknown(given)
    stage(settings(MODEL), given)
    if setting("init") == "trained":
        link("training", {"lesson": "write"}, label="See random rows become learnt ones")
    if setting("device") == "cuda":
        link("limits", {"case": "tf32"}, label="On a GPU, TF32 would round the matmul alone")
    body.framed(lambda: panel(given), above=look_closer)


def look_closer() -> None:
    """A press for each panel."""
    presses("Look closer", "panel", PANELS, help=None)


def panel(given: Inputs | Refused) -> None:
    """The chosen panel."""
    if (chosen := setting("panel")) != "none":
        from embviz.playground.page import panels  # needs pandas and plotly, which load slowly

        with anchor("panel"):
            panels.draw(chosen, given)


# The picture alone answers these links.
_typed = partial(typed, panel="none", view="embedding")
TRIES: tuple[Try, ...] = (
    (
        "*WTF does nn.Embedding do?*, a whole sentence: blanks, capitals and signs have rows too.",
        "playground",
        _typed("WTF does nn.Embedding do?", token=3),
    ),
    (
        "*hello*: both *l* get the same row. The table knows the letter, not its place.",
        "playground",
        _typed("hello", token=2),
    ),
    (
        "*Tokenizers*: other ways to cut a text into tokens, and the rows that each needs.",
        "playground",
        typed("hello", panel="tokenizers"),
    ),
    (
        "Ids of two texts, as with `padding_idx=0`: id 0 fills the shorter one up, and its row is "
        "zeros. The case *padding_idx does not make zeros* shows when it is not.",
        "playground",
        {
            "input": "ids",
            "ids": "[[2, 3, 1], [4, 0, 0]]",
            "init": "own",
            "weights": "0 0 0\n8 2 1\n6 5 4\n7 1 6\n1 3 5",
            "token": 4,
            "panel": "none",
        },
    ),
    (
        "Two shopping baskets, as recommenders read them: nn.EmbeddingBag sums the rows of items.",
        "bag_of_words",
        {"bag": "documents", "docs": "tea milk bread milk\nbread tea", "routed": "all rows"},
    ),
)
