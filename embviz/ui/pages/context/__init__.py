"""The context page's record and settings."""

from embviz.fact.table import MAX_SEED
from embviz.request.pages import Page, Reader, everything, nothing
from embviz.request.settings import Choice, Number, Switch, Text
from embviz.system.bounds import id_characters

MAX_WORD = 1_000  # characters; a model takes fewer, and says so


def _model(setting: Reader) -> frozenset[str]:
    return (nothing if setting("chapter") == "sentences" else everything)(setting)


def _texts(setting: Reader) -> tuple[str, ...]:
    return ("text", "edit") if setting("chapter") == "static" else ("text",)


def _most_sentences() -> int:
    from embviz.context.pieces import MAX_CHARACTERS, MAX_SENTENCES  # imports PyTorch

    return 2 * MAX_SENTENCES * MAX_CHARACTERS


PAGE = Page(
    "context",
    "Context",
    (
        Choice(
            "chapter",
            "static",
            lambda: ("static", "contextual", "sentences"),
            help="The chapter.",
            whole=True,
        ),
        Number("shuffle", 0, 0, MAX_SEED, help="Another number, another order."),
        Text(
            "edit",
            "",
            help="A text to compare with, in place of another order.",
            most=id_characters,  # where ids are typed
        ),
        Switch("places", True, help="Another `nn.Embedding`, looked up by place, is added."),
        Switch(
            "attention",
            True,
            help="Each token's vector is mixed with the vectors that it attends to.",
        ),
        Choice(
            "mask",
            "causal",
            lambda: ("full", "causal"),
            help="Which tokens a token may attend to. `full`: all of them. `causal`: itself and "
            "those before it.",
        ),
        Number(
            "place",
            0,
            0,
            63,
            help="Counted from 0. After the last token of the text, the last is followed.",
        ),
        Text(
            "sentences",
            "she sat on the bank of the river\nshe opened an account at the bank",
            help="Sentences, one a line.",
            most=_most_sentences,
        ),
        Text("word", "bank", help="A word of every sentence.", most=lambda: MAX_WORD),
    ),
    _model,
    _texts,
)
