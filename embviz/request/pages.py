"""Every page of the dashboard with its settings, in the order of the path through it.

The function `draw` in `pages/<name>.py` draws a page. Choices that need a slow module import it
when they are asked for: the first picture does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from embviz.fact.dtypes import DTYPES, WIDE
from embviz.fact.table import MAX_EMBEDDING_DIM, MAX_SEED
from embviz.request.model_settings import MODEL, MODEL_SETTINGS, PLACE_SETTINGS
from embviz.request.settings import (
    MAX_URL_TEXT_BYTES,
    Choice,
    Choices,
    Number,
    Setting,
    Switch,
    Text,
)
from embviz.system.bounds import PASTED, SWEEP_CASES, hosted, id_characters
from embviz.text.glossary import TERMS
from embviz.text.records import by_name
from embviz.timing.axes import CACHES, DEVICES, MODES, PRECISIONS, VARY, Axis
from embviz.timing.methods import METHODS, ROUTES
from embviz.timing.timed import SIZES

Reader = Callable[[str], Any]  # a setting's name -> its value in this session


def everything(_setting: Reader) -> frozenset[str]:
    """All settings of the model."""
    return frozenset(MODEL)


def nothing(_setting: Reader) -> frozenset[str]:
    """No setting of the model."""
    return frozenset()


def one_text(_setting: Reader) -> tuple[str, ...]:
    """The text of the text field alone."""
    return ("text",)


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        name: its file in `pages/`, and its path in the address.
        title: its name in the row of links.
        settings: those of this page.
        model: names of the model's settings that have an effect on it, given the settings; `text`
            among them shows the text field, the others stand in the sidebar.
        texts: names of the settings whose texts are looked up in the table, given the settings.
        also: settings of other pages that it reads too.
        example: whether it shows the small example while nothing is typed.
        shows_nan: whether its picture may have numbers that are not finite.
    """

    name: str
    title: str
    settings: tuple[Setting, ...] = ()
    model: Callable[[Reader], frozenset[str]] = nothing
    texts: Callable[[Reader], tuple[str, ...]] = one_text
    also: tuple[str, ...] = ()
    example: bool = False
    shows_nan: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of all settings that its address may have."""
        model = () if self.model is nothing else MODEL
        own = (one.name for one in self.settings)
        return (*model, *own, *self.also, *(one.name for one in EVERYWHERE))


# Settings of every page.
EVERYWHERE = (Switch("projector", False, help="Large type and no sidebar.", sidebar=True),)


MAX_ONE_HOT = 400  # Characters of a pressed one_hot row: more than its ids need.
# Panels under the picture, each a press; a link opens that of the tokenizers.
PANELS = "all tokens", "weights", "one_hot", "nearest", "in a model", "code"
PLAYGROUND = Page(
    "playground",
    "Playground",
    (
        Choice(
            "view",
            "embedding",
            lambda: ("embedding", "linear"),
            help="Draw the weight as `Embedding.weight` (V x D) or `Linear.weight` (D x V).",
        ),
        Choice(
            "panel",
            "none",
            lambda: ("none", *PANELS, "tokenizers"),
            "none",
            help="The panel under the picture.",
        ),
        Switch("tied", False, help="In a model: the last layer uses the same weight."),
        Text(
            "one_hot",
            "",
            help="Pressed numbers of the row in the panel one_hot, by id; empty: that of the "
            "selected token.",
            most=lambda: MAX_ONE_HOT,
            # Another token has another row, and another vocabulary other ids.
            ends_with=("token", "text", "ids", "input", "vocab", "chars", "merges", "world"),
        ),
        *PLACE_SETTINGS,
    ),
    everything,
    example=True,
    shows_nan=True,
)


MAX_BAG_ROWS = 1_000_000  # Rows of a sparse matrix.
MAX_EDIT = 4_000  # Characters of pressed counts: about 400 counts.


def _bag_sources() -> tuple[str, ...]:
    return ("documents", "matrix") if hosted() else ("documents", "matrix", "file")


def _count_kinds() -> Iterable[str]:
    from embviz.bag.documents import KINDS  # imports scikit-learn

    return KINDS


BAG = Page(
    "bag_of_words",
    "Bag of words",
    (
        Choice("bag", "documents", _bag_sources, help="Where the rows of counts come from."),
        Text(
            "x",
            "1 0 1 0\n0 0 1 1\n1 1 1 0",
            help="The matrix, one row a line.",
            most=PASTED.value,
        ),
        Text(
            "docs",
            "cats like cats and dogs\ndogs like cats",
            help="The documents, one a line.",
            most=PASTED.value,
        ),
        Choice(
            "counts",
            "count",
            _count_kinds,
            help="A row has 1 for each word, how often it occurs (CountVectorizer), or TF-IDF "
            "(TfidfVectorizer): less for words of many documents, scaled to length 1.",
        ),
        Switch("stop", False, help="Leave out English stop words."),
        Number("row", 0, 0, MAX_BAG_ROWS - 1, help="The row looked at."),
        Text(
            "bag_edit",
            "",
            help="Counts of this row that were pressed, by column.",
            most=lambda: MAX_EDIT,
            ends_with=("bag", "x", "docs", "counts", "stop", "row"),
        ),
        # The headline stands outside of the body: a change draws the whole page again.
        Switch("forget", False, help="Add each row once, whatever its count.", sidebar=True),
        Text(
            "linear",
            "",
            help="Linear.weight, one output a line: numbers with spaces or commas, or nested "
            "lists. Empty for a random one.",
            most=PASTED.value,
        ),
        Number("outputs", 3, 1, 64, help="How many numbers nn.Linear makes of a row."),
        Number("bag_seed", 123, 0, MAX_SEED, help="Start of the random draw of the weight."),
        Choice("bag_dtype", "float32", lambda: WIDE, help="Dtype of the weight."),
        Choice("routed", "this row", lambda: ("this row", "all rows"), help="Rows in the table."),
    ),
)


MAX_STEPS = 5_000  # Steps that an address may ask for.
MAX_SIZE_STEPS = 2_000  # Steps of each of several models.
PRESS_STEPS = 100  # Steps of one press, and of the command.
BATCH = 4  # Tokens of a minibatch.
NUMBER_CHARACTERS = 25  # Characters of a float64 with all its digits, and of a separator.


def _optimizers() -> Iterable[str]:
    from embviz.training.optimizers import OPTIMIZERS

    return OPTIMIZERS


def _rates() -> Iterable[str]:
    from embviz.training.optimizers import RATES

    return RATES


def _temperatures() -> Iterable[str]:
    from embviz.training.writing import TEMPERATURES

    return [f"{one:g}" for one in TEMPERATURES]


def _training_model(setting: Reader) -> frozenset[str]:
    if setting("lesson") not in ("write", "size"):
        return everything(setting)
    return frozenset({"seed"} | ({"input", "text"} if setting("corpus") == "own" else set()))


TRAINING = Page(
    "training",
    "Training",
    (
        Choice(
            "lesson",
            "step",
            lambda: ("step", "unseen", "write", "size"),
            help="The lesson.",
            sidebar=True,
        ),
        Choice(
            "loss",
            "mse",
            lambda: ("mse", "next"),
            help="`mse`: squared distance to the target. `next`: cross-entropy of the next token, "
            "scored by a head that learns too.",
        ),
        Text(
            "target",
            "wave",
            help="`wave`, `ramp` or `stripes`, one number, or one for each column.",
            most=lambda: NUMBER_CHARACTERS * MAX_EMBEDDING_DIM,
        ),
        Choice("optimizer", "sgd", _optimizers, help="Of both layers."),
        Choice("rate", "1x", _rates, help="Times the optimizer's usual learning rate."),
        Choice(
            "batches",
            "fixed",
            lambda: ("fixed", "minibatch"),
            help="`fixed`: the whole text in every step. "
            f"`minibatch`: {BATCH} tokens drawn by seed, so that steps leave rows out.",
        ),
        Number("steps", PRESS_STEPS, 0, MAX_STEPS, help="Steps of both layers, side by side."),
        Choice(
            "corpus",
            "constitution",
            lambda: ("constitution", "own"),
            help="`constitution`: that of the United States, after their Declaration. "
            "`own`: the text above.",
            sidebar=True,
        ),
        Number("char_dim", 16, 2, 64, help="D: numbers in each row."),
        Number("learn_steps", 300, 0, MAX_STEPS, help="Steps of the model that learns to write."),
        Number("size_steps", 300, 0, MAX_SIZE_STEPS, help="Steps of each model of another D."),
        Choice(
            "temperature",
            "1",
            _temperatures,
            help=TERMS["temperature"],
        ),
    ),
    _training_model,
    also=("token",),
)


DRAWN_TOKENS = 64  # Tokens of a text that are drawn as letters.
MAX_TYPED_WORD = 1_000  # Characters; a model takes fewer, and says so.


def _context_model(setting: Reader) -> frozenset[str]:
    return (nothing if setting("chapter") == "sentences" else everything)(setting)


def _context_texts(setting: Reader) -> tuple[str, ...]:
    return ("text", "edit") if setting("chapter") == "static" else ("text",)


def _most_sentences() -> int:
    from embviz.context.pieces import MAX_CHARACTERS, MAX_SENTENCES  # imports PyTorch

    return 2 * MAX_SENTENCES * MAX_CHARACTERS


CONTEXT = Page(
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
        Switch("places", True, help="Another `nn.Embedding`, looked up by place, is added."),
        Switch(
            "attention",
            True,
            help=TERMS["attention"],
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
            DRAWN_TOKENS - 1,
            help="Counted from 0. After the last token of the text, the last is followed.",
        ),
        Text(
            "sentences",
            "she sat on the bank of the river\nshe opened an account at the bank\n"
            "she asked the bank for a loan",
            help="Sentences, one a line.",
            most=_most_sentences,
        ),
        Text("word", "bank", help="A word of every sentence.", most=lambda: MAX_TYPED_WORD),
    ),
    _context_model,
    _context_texts,
)


def _fixed(axis: Axis) -> Setting:
    """The setting of an axis where it does not vary."""
    if axis.size:
        return Number(axis.parameter, axis.usual, *SIZES[axis.field], help=axis.title)
    return Choice(axis.parameter, axis.usual, partial(list, axis.values), help=axis.title)


MAX_TOKENS = SIZES["tokens"][1]  # Tokens of one call.
# Sizes of *My model*; those of a small GPT-2 until others are chosen.
MODEL_SIZES = (
    Number("model_rows", 50_257, *SIZES["num_embeddings"], help="V: rows of your model's table."),
    Number("model_dim", 768, *SIZES["embedding_dim"], help="D: numbers in a row."),
    Number("model_batch", 4, 1, MAX_TOKENS, help="Texts in a batch."),
    Number("model_length", 1_024, 1, MAX_TOKENS, help="Tokens in a text."),
    Choice("model_dtype", "float32", lambda: DTYPES, help="Dtype of the table."),
)
# Settings of a sweep: a change of one of them ends *My model*.
_SWEEP = (
    *("vary", "values", "methods", "mode", *(one.parameter for one in VARY.values())),
    *("repeat", "cache", "devices", "precision"),
)
_CACHES = "".join(f"\n- `{name}`: {one.words}" for name, one in CACHES.items())
TIMING = Page(
    "timing",
    "Timing",
    (
        Choice("vary", "vocab", lambda: VARY, help="What differs from point to point."),
        Text(
            "values",
            "",
            help="Of what varies, such as `64 4096`; empty: the usual ones.",
            # A number of seven digits, with commas, and a blank.
            most=lambda: 10 * SWEEP_CASES.value(),
            ends_with=("vary",),
        ),
        Choices("methods", list(ROUTES), lambda: METHODS),
        Choice("mode", "forward", lambda: MODES),
        *map(_fixed, VARY.values()),
        Choice(
            "repeat",
            "1",
            lambda: ("1", "5", "10"),  # Two to four processes tell nothing apart.
            help="Fresh processes, each of which measures everything.",
        ),
        Choices("cache", ["same"], lambda: CACHES, help=f"What each call looks up.{_CACHES}"),
        # All that there are: a question about a GPU has a recorded run to show on every machine.
        Choices("devices", ["cpu"], lambda: DEVICES),
        Choices(
            "precision",
            ["highest"],
            lambda: PRECISIONS,
            help="Of float32 products on a CUDA GPU: `high` allows TF32.",
        ),
        Switch(
            "my_model",
            False,
            help="Time the sizes of one model, and nothing else.",
            ends_with=_SWEEP,
        ),
        *MODEL_SIZES,
    ),
)


def _cases() -> Iterable[str]:
    from embviz.limits.cases import CASES

    return ("none", *(case.name for case in CASES))


LIMITS = Page(
    "limits",
    "Where it breaks",
    (
        Text(
            "find",
            "",
            help="Words to search for, or an error message.",
            most=lambda: 100_000,  # A traceback is read from its end.
        ),
        Choice(
            "case",
            "none",
            _cases,
            "none",
            help="The opened case; `none` shows some to begin with.",
            ends_with=("find",),
        ),
    ),
)


def _labs() -> Iterable[str]:
    from embviz.labs.catalogue import LABS

    return ("all", *LABS)


def _guides() -> Iterable[str]:
    return ("none", *_labs())


def _most_done() -> int:
    from embviz.labs.work import MAX_TEXT

    return MAX_TEXT


LABS = Page(
    "labs",
    "Labs",
    (
        Choice("lab", "all", _labs, "all", help="The lab, or all to choose from."),
        Number("step", 1, 1, 20, help="The step of the lab; after the last one, its end."),
        Number("numbers", 0, 0, 2**32 - 1, help="The seed of the numbers; 0 for new ones."),
        Text("done", "", help="The answers so far.", most=_most_done),
        Text(
            "class",
            "",
            help="The code of a class, for its members.",
            most=lambda: MAX_URL_TEXT_BYTES,
        ),
        Text(
            "board",
            "",
            help="The code of a class, for its teacher.",
            sidebar=True,
            most=lambda: MAX_URL_TEXT_BYTES,
        ),
        Choice(
            "teach",
            "none",
            _guides,
            "none",
            help="The teacher's page: that of a lab, or of all.",
            sidebar=True,  # a board writes there, and one may lie under this page
        ),
        Choice(
            "sheet",
            "none",
            lambda: ("none", "handout", "ticket"),
            "none",
            help="A sheet for students without answers: a lab's handout, or its exit ticket.",
        ),
    ),
)


PATH = (PLAYGROUND, BAG, TRAINING, CONTEXT, TIMING, LIMITS, LABS)
PAGES = by_name(PATH)


def next_page(page: Page) -> str:
    """The name of the page after this one on the path; empty after the last."""
    place = PATH.index(page) + 1
    return PATH[place].name if place < len(PATH) else ""


SETTINGS: dict[str, Setting] = by_name(
    (
        *MODEL_SETTINGS,
        *EVERYWHERE,
        *(setting for page in PAGES.values() for setting in page.settings),
    )
)
