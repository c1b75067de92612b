"""The URL parameters, one record each, and how a link of them is read.

What cannot be read or is out of range becomes the default, with a note that quotes it. A value
that does not fit the others (four rows for ten characters) is kept: the page refuses it with the
reason. A new parameter needs its record here and a widget with its name as key, nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote_plus

from embviz.core.bounds import hosted
from embviz.core.config import (
    MAX_EMBEDDING_DIM,
    MAX_NUM_EMBEDDINGS,
    MAX_SEED,
    available_devices,
)
from embviz.core.dtypes import DTYPES, WIDE
from embviz.core.inits import INITS
from embviz.core.machine import default_threads, most_threads
from embviz.core.merges import MOST_MERGES
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.pages import PAGES, no_setting
from embviz.request.parameter_kinds import (
    Choice,
    Choices,
    Ends,
    Names,
    Number,
    Parameter,
    Switch,
    Text,
)
from embviz.timing import settings as timing
from embviz.timing.methods import DEFAULT_METHODS, METHODS

MAX_ROWS = 1_000_000  # of a sparse matrix
# Proxies cut long addresses; Streamlit itself answers 400 at about 65,000 bytes.
MAX_URL_TEXT_BYTES = 6000
_LONGEST_CHARACTER = 12  # bytes of a character in a link: four of UTF-8, each as %XX
SURELY_FITS = MAX_URL_TEXT_BYTES // _LONGEST_CHARACTER  # characters that fit a link in any case

_EVERY = tuple(PAGES)
_MODEL = tuple(page.name for page in PAGES.values() if page.reads_model is not no_setting)
_STAGE = tuple(page.name for page in PAGES.values() if page.panels)
_BAG = ("bag_of_words",)
_TRAINING = ("training",)
_TIMING = ("timing",)
_LIMITS = ("limits",)
_CONTEXT = ("context",)
_LABS = ("labs",)


def _with_files(*sources: str) -> tuple[str, ...]:
    """These sources and `file`; a hosted server takes no uploads."""
    return sources if hosted() else (*sources, "file")


# Imported when a page asks for its choices: the first picture does not wait for these modules.
def _kinds() -> Iterable[str]:
    from embviz.bag.documents import KINDS

    return KINDS


def _optimizers() -> Iterable[str]:
    from embviz.training.optimizers import OPTIMIZERS

    return OPTIMIZERS


def _drifts() -> Iterable[str]:
    from embviz.training.drift import OPTIMIZERS_SHOWN

    return OPTIMIZERS_SHOWN


def _rates() -> Iterable[str]:
    from embviz.training.optimizers import RATES

    return RATES


def _learn_on() -> Iterable[str]:
    from embviz.training.text import LEARN_ON

    return LEARN_ON


def _groups() -> Iterable[str]:
    from embviz.limits.cases import GROUPS

    return ("all", *GROUPS)


def _cases() -> Iterable[str]:
    from embviz.limits.cases import CASES

    return ["none", *(case.name for case in CASES)]


def _labs() -> Iterable[str]:
    from embviz.labs.exercises import LABS

    return ["all", *(lab.code for lab in LABS)]


_RECORDS: tuple[Parameter, ...] = (
    # What is given: a text or ids.
    Choice("input", _MODEL, "text", lambda: ("text", "ids")),
    # The text; long ones stay out of the link.
    Text(
        "text",
        _MODEL,
        "WTF does nn.Embedding do?",
        long=True,
    ),
    # The ids: `2 3 1` or `[[1, 3], [0, 1]]`.
    Text("ids", _MODEL, "2 3 1", long=True),
    # What has an id: characters or pieces.
    Choice(
        "vocab",
        _MODEL,
        "printable",
        lambda: VOCABULARIES,
    ),
    # The characters of `vocab=custom`, each once.
    Text("chars", _MODEL, "abcdefghij", long=True),
    # Of `vocab=bpe`: how many merges of its pieces are used.
    Number(
        "merges",
        _MODEL,
        MOST_MERGES,
        0,
        MOST_MERGES,
    ),
    # `num_embeddings`: rows of the table.
    Number("rows", _MODEL, 100, 1, MAX_NUM_EMBEDDINGS),
    # `embedding_dim`: numbers in a row.
    Number("dim", _MODEL, 10, 1, MAX_EMBEDDING_DIM),
    # Seed of the weights.
    Number("seed", _MODEL, 123, 0, MAX_SEED),
    # How the weights start.
    Choice("init", _MODEL, "normal", lambda: INITS),
    # Your own `Embedding.weight` for `init=own`, one row a line or nested lists.
    Text(
        "weights",
        _MODEL,
        "8 2 1 9\n6 5 4 0\n7 1 6 2\n1 3 5 8\n0 4 9 1",
        long=True,
    ),
    # Dtype of the weights.
    Choice("dtype", _MODEL, "float32", lambda: DTYPES),
    # Device that computes; only those found here.
    Choice("device", _MODEL, "cpu", available_devices),
    # Unknown characters: refuse them, or give them one more row.
    Choice(
        "unknown",
        _MODEL,
        "error",
        lambda: ("error", "unk"),
    ),
    # Read `\n`, `\t`, `\x0b`, `\u00e9` in the text.
    Switch("escapes", _MODEL, False),
    # Draw the weight as `Linear.weight` (D x V) or `Embedding.weight` (V x D).
    Choice(
        "view",
        _STAGE,
        "linear",
        lambda: ("linear", "embedding"),
        has_widget=False,
    ),
    # The panel under the picture.
    Choice(
        "panel",
        _STAGE,
        "none",
        lambda: ("none", "tokenizers", "weights", "one_hot", "storage", "code"),
    ),
    # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
    # Position of the selected token.
    Number(
        "token",
        (*_STAGE, *_TRAINING),
        0,
        0,
        999_999_999,
        has_widget=False,
    ),
    # Where the rows of counts come from.
    Choice(
        "bag",
        _BAG,
        "documents",
        lambda: _with_files("matrix", "documents"),
        entry=True,
    ),
    # The matrix, one row a line.
    Text("x", _BAG, "1 0 1 0\n0 0 1 1\n1 1 1 0", long=True),
    # The documents, one a line. They have four words, so that the default weight fits.
    Text(
        "docs",
        _BAG,
        "cats like cats and dogs\ndogs like cats",
        long=True,
    ),
    # How a document becomes a row.
    Choice(
        "counts",
        _BAG,
        "count",
        _kinds,
    ),
    # Leave out English stop words.
    Switch("stop", _BAG, False),
    # The row looked at.
    Number("row", _BAG, 0, 0, MAX_ROWS - 1),
    # Your own weight or a random one.
    Choice("start", _BAG, "own", lambda: ("own", "random")),
    # Your own `Linear.weight`, one output a line.
    Text(
        "linear",
        _BAG,
        "-0.0976 -0.2872 -0.1632 0.0354\n0.2979 0.3021 0.4652 0.1204\n"
        "-0.3786 0.2526 -0.3794 -0.0699",
        long=True,
    ),
    # `out_features` of a random weight.
    Number("outputs", _BAG, 3, 1, 64),
    # Seed of a random weight.
    Number("bag_seed", _BAG, 123, 0, MAX_SEED),
    # Dtype of the weight.
    Choice("bag_dtype", _BAG, "float32", lambda: WIDE),
    # The part shown under the row.
    Choice(
        "bag_panel",
        _BAG,
        "contributions",
        lambda: ("contributions", "matrix", "from_pretrained", "batch"),
    ),
    # The lesson.
    Choice(
        "lesson",
        _TRAINING,
        "step",
        lambda: ("step", "lockstep", "drift", "characters"),
        entry=True,
    ),
    # Squared distance to the target, or cross-entropy of the next character.
    Choice(
        "loss",
        _TRAINING,
        "mse",
        lambda: ("mse", "next"),
    ),
    # The target: one number, or one for each dimension.
    Text("target", _TRAINING, "0"),
    # The optimizers of both layers.
    Choice("optimizer", _TRAINING, "sgd", _optimizers),
    # The optimizer of the lesson *drift*, which ignores `optimizer`.
    Choice(
        "drift",
        _TRAINING,
        "sgd",
        _drifts,
    ),
    # Multiple of the optimizer's usual learning rate.
    Choice("rate", _TRAINING, "1x", _rates),
    # Each step takes the whole text (`fixed`) or a few of its tokens.
    Choice(
        "batches",
        _TRAINING,
        "fixed",
        lambda: ("fixed", "minibatch"),
    ),
    # The characters' text: docstrings of Python's library, your own text, or a file.
    Choice(
        "corpus",
        _TRAINING,
        "library",
        lambda: _with_files("library", "own"),
    ),
    # What has an id in that text: characters, or byte-pair pieces.
    Choice(
        "learn_on",
        _TRAINING,
        "characters",
        _learn_on,
    ),
    # `embedding_dim` of the character model.
    Number("char_dim", _TRAINING, 16, 2, 64),
    # Dimensions of the drawn space.
    Choice("space", _TRAINING, "2-D", lambda: ("2-D", "3-D")),
    # The character, or the piece, whose neighbours are shown.
    Text("letter", _TRAINING, "a"),
    # What differs from point to point.
    Choice("vary", _TIMING, "vocab", lambda: timing.VARY),
    # Smallest and largest value, powers of two: `span=64&span=65536`.
    Ends(
        "span",
        _TIMING,
        ["64", "65536"],
        lambda: [str(2**k) for k in range(21)],
    ),
    # The methods timed: `methods=lookup&methods=matmul`.
    Choices(
        "methods",
        _TIMING,
        list(DEFAULT_METHODS),
        lambda: METHODS,
    ),
    # Devices, side by side.
    Choices("devices", _TIMING, ["cpu"], available_devices),
    # What each call looks up: `cache=same&cache=new`.
    Choices(
        "cache",
        _TIMING,
        ["same"],
        lambda: timing.CACHES,
    ),
    # What is timed.
    Choice("pass", _TIMING, "forward", lambda: timing.PASSES),
    # How ids are drawn.
    Choice("skew", _TIMING, "uniform", lambda: timing.SKEWS),
    # `num_embeddings`, where it does not vary.
    Number("time_rows", _TIMING, 4096, 1, 2**20),
    # `embedding_dim`, where it does not vary.
    Number("time_dim", _TIMING, 64, 1, 2**12),
    # Ids looked up at once, where it does not vary.
    Number("time_tokens", _TIMING, 256, 1, 2**14),
    # Dtype, where it does not vary.
    Choice("time_dtype", _TIMING, "float32", lambda: DTYPES),
    # PyTorch's threads, where it does not vary; by default one core less than it may use.
    Number(
        "threads",
        _TIMING,
        default_threads(),
        1,
        most_threads()[0],
    ),
    # With a cluster: this machine, and names of its workers: `machines=one&machines=two`.
    Names(
        "machines",
        _TIMING,
        [timing.HERE],
        lambda: (),
    ),
    # Words to search for, or an error message.
    Text("find", _LIMITS, "", long=True),
    # The group of cases listed.
    Choice("group", _LIMITS, "all", _groups),
    # The verdict of the cases listed.
    Choice(
        "verdict",
        _LIMITS,
        "all",
        lambda: ("all", "differ", "raises", "same", "not run"),
    ),
    # The opened case, as `python -m embviz limits` names it; `none` shows five to begin with.
    Choice(
        "case",
        _LIMITS,
        "none",
        _cases,
        entry=True,
    ),
    # The chapter.
    Choice(
        "chapter",
        _CONTEXT,
        "static",
        lambda: ("static", "contextual", "sentences"),
        entry=True,
    ),
    # What happens to the text: it is shuffled or edited.
    Choice(
        "then",
        _CONTEXT,
        "shuffle",
        lambda: ("shuffle", "edit"),
    ),
    # Seed of the new order.
    Number("shuffle", _CONTEXT, 0, 0, MAX_SEED),
    # The edited text.
    Text("edit", _CONTEXT, "WTF does nn.Linear do?", long=True),
    # Add a row for each position.
    Switch("places", _CONTEXT, True),
    # Add self-attention.
    Switch("attention", _CONTEXT, True),
    # The mask of the attention.
    Choice("mask", _CONTEXT, "causal", lambda: ("full", "causal")),
    # Position of the token that is followed.
    Number("place", _CONTEXT, 0, 0, 63),
    # Sentences, one a line.
    Text(
        "sentences",
        _CONTEXT,
        "the river bank was muddy\nwe sat on the grassy bank of the stream\n"
        "the bank raised its interest rates\nshe opened an account at the bank",
        long=True,
    ),
    # A word of every sentence.
    Text("word", _CONTEXT, "bank", long=True),
    # A name or number; the lab's seed follows from it.
    Text("student", _LABS, "", long=True),
    # The lab, or all to choose from.
    Choice("lab", _LABS, "all", _labs, entry=True),
    # The step of the lab; after the last one, its end.
    Number("step", _LABS, 1, 1, 20, entry=True),
    # The work so far, packed; at most 4,000 characters.
    Text("done", _LABS, ""),
    # The code of a class, for its members: `class=tidy-otter-42`.
    Text("class", _LABS, ""),
    # A member's random token; the pseudonym follows from it.
    Text("member", _LABS, ""),
    # The code of a class, for its teacher.
    Text("board", _LABS, "", entry=True),
    # The step whose answers the board shows; 0 for all.
    Number(
        "question",
        _LABS,
        0,
        0,
        20,
        entry=True,
    ),
    # Large type and no sidebar.
    Switch("projector", _EVERY, False),
)
PARAMETERS = {one.name: one for one in _RECORDS}
DEFAULTS: dict[str, Any] = {one.name: one.default for one in _RECORDS}
LONG = tuple(one.name for one in _RECORDS if one.long)
MODEL = tuple(one.name for one in _RECORDS if one.pages == _MODEL)  # what `read_inputs` reads


def defaults_of(page: str) -> dict[str, Any]:
    """The defaults of the parameters that this page alone reads."""
    return {one.name: one.default for one in _RECORDS if one.pages == (page,)}


def read(name: str, raw: object) -> Any:
    """One parameter's value from what a link or a forged message carried.

    Raises:
        ValueError: a sentence that quotes `raw` and says what is allowed.
    """
    return PARAMETERS[name].read(raw)


def check(query: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Notes on the parameters of a link that cannot be used, by name."""
    notes = {}
    for name, default in DEFAULTS.items():
        if name in query:
            try:
                read(name, query[name])
            except ValueError as error:
                notes[name] = f"{error}; using {shown(default)}."
    return notes


def shown(value: object) -> str:
    """A setting as a sentence shows it."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def fits_link(text: str) -> bool:
    """Whether a text is short enough to travel in the URL."""
    if len(text) <= SURELY_FITS:
        return True
    return len(text) <= MAX_URL_TEXT_BYTES and url_bytes(text) <= MAX_URL_TEXT_BYTES


def url_bytes(text: str) -> int:
    """Bytes of a text once it is URL-encoded."""
    return len(quote_plus(text, errors="replace"))
