"""The settings of *Context*."""

from __future__ import annotations

from embviz.context.pieces import MAX_CHARACTERS, MAX_SENTENCES
from embviz.fact.table import MAX_SEED
from embviz.settings.kinds import Choice, Number, Switch, Text
from embviz.settings.page_record import Page, Reader, everything, nothing
from embviz.system.bounds import id_characters
from embviz.text.glossary import TERMS

DRAWN_TOKENS = 64  # Tokens of a text that are drawn as letters.
MAX_TYPED_WORD = 1_000  # Characters; a model takes fewer, and says so.


def _context_model(setting: Reader) -> frozenset[str]:
    return (nothing if setting("chapter") == "sentences" else everything)(setting)


def _context_texts(setting: Reader) -> tuple[str, ...]:
    return ("text", "edit") if setting("chapter") == "static" else ("text",)


PAGE = Page(
    "context",
    "Context",
    (
        Choice(
            "chapter",
            "static",
            lambda: ("static", "contextual", "sentences"),
            help="The chapter.",
            sidebar=True,
        ),
        Number("shuffle", 0, 0, MAX_SEED, help="Another number, another order."),
        Text(
            "edit",
            "",
            help="A text to compare with, in place of another order.",
            most=id_characters,  # where ids are typed
        ),
        Switch(
            "places",
            True,
            help="Where a token stands in the text: 0, 1, 2 ... A second `nn.Embedding` has a row "
            "for each place, which is added to the token's row.",
        ),
        Switch(
            "attention",
            True,
            help=f"{TERMS['attention'].says} Untrained: its weights are random. The mask says "
            "which tokens a token looks at. `full`: all of them. `causal`: itself and those "
            "before it.",
        ),
        Choice(
            "mask",
            "causal",
            lambda: ("full", "causal"),
            help="Which tokens a token may attend to. `full`: all of them. `causal`: itself and "
            "those before it.",
        ),
        Text(
            "sentences",
            "she sat on the bank of the river\nshe opened an account at the bank\n"
            "she asked the bank for a loan",
            help="Sentences, one a line.",
            most=lambda: 2 * MAX_SENTENCES * MAX_CHARACTERS,
        ),
        Text("word", "bank", help="A word of every sentence.", most=lambda: MAX_TYPED_WORD),
    ),
    _context_model,
    _context_texts,
    example="deed",  # has equal letters, and a row knows nothing of their places
)
