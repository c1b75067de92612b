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
from embviz.core.cores import default_threads, most_threads
from embviz.core.dtypes import DTYPES, WIDE
from embviz.core.inits import INITS
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
    Choice("input", _MODEL, "text", "what is given: a text or ids", lambda: ("text", "ids")),
    Text(
        "text",
        _MODEL,
        "WTF does nn.Embedding do?",
        "the text; long ones stay out of the link",
        long=True,
    ),
    Text("ids", _MODEL, "2 3 1", "the ids: `2 3 1` or `[[1, 3], [0, 1]]`", long=True),
    Choice(
        "vocab",
        _MODEL,
        "printable",
        "what has an id: characters, pieces, words",
        lambda: VOCABULARIES,
    ),
    Text("chars", _MODEL, "abcdefghij", "the characters of `vocab=custom`, each once", long=True),
    Number(
        "merges",
        _MODEL,
        MOST_MERGES,
        "of `vocab=bpe`: how many merges of its pieces are used",
        0,
        MOST_MERGES,
    ),
    Number("rows", _MODEL, 100, "`num_embeddings`: rows of the table", 1, MAX_NUM_EMBEDDINGS),
    Number("dim", _MODEL, 10, "`embedding_dim`: numbers in a row", 1, MAX_EMBEDDING_DIM),
    Number("seed", _MODEL, 123, "seed of the weights", 0, MAX_SEED),
    Choice("init", _MODEL, "normal", "how the weights start", lambda: INITS),
    Text(
        "weights",
        _MODEL,
        "8 2 1 9\n6 5 4 0\n7 1 6 2\n1 3 5 8\n0 4 9 1",
        "your own `Embedding.weight` for `init=own`, one row a line or nested lists",
        long=True,
    ),
    Choice("dtype", _MODEL, "float32", "dtype of the weights", lambda: DTYPES),
    Choice(
        "device", _MODEL, "cpu", "device that computes; only those found here", available_devices
    ),
    Choice(
        "unknown",
        _MODEL,
        "error",
        "unknown characters: refuse them, or give them one more row",
        lambda: ("error", "unk"),
    ),
    Switch("escapes", _MODEL, False, r"read `\n`, `\t`, `\x0b`, `\u00e9` in the text"),
    Choice(
        "view",
        _STAGE,
        "linear",
        "draw the weight as `Linear.weight` (D x V) or `Embedding.weight` (V x D)",
        lambda: ("linear", "embedding"),
        has_widget=False,
    ),
    Choice(
        "panel",
        _STAGE,
        "none",
        "the panel under the picture",
        lambda: ("none", "tokenizers", "tables", "weights", "one_hot", "storage", "code"),
    ),
    # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
    Number(
        "token",
        (*_STAGE, *_TRAINING),
        0,
        "position of the selected token",
        0,
        999_999_999,
        has_widget=False,
    ),
    Choice(
        "bag",
        _BAG,
        "documents",
        "where the rows of counts come from",
        lambda: _with_files("matrix", "documents"),
        entry=True,
    ),
    Text("x", _BAG, "1 0 1 0\n0 0 1 1\n1 1 1 0", "the matrix, one row a line", long=True),
    Text(
        "docs",
        _BAG,
        "cats like cats and dogs\ndogs like cats",  # four words: the default weight fits
        "the documents, one a line",
        long=True,
    ),
    Choice(
        "counts",
        _BAG,
        "count",
        "how a document becomes a row",
        _kinds,
    ),
    Switch("stop", _BAG, False, "leave out English stop words"),
    Number("row", _BAG, 0, "the row looked at", 0, MAX_ROWS - 1),
    Choice("start", _BAG, "own", "your own weight or a random one", lambda: ("own", "random")),
    Text(
        "linear",
        _BAG,
        "-0.0976 -0.2872 -0.1632 0.0354\n0.2979 0.3021 0.4652 0.1204\n"
        "-0.3786 0.2526 -0.3794 -0.0699",
        "your own `Linear.weight`, one output a line",
        long=True,
    ),
    Number("outputs", _BAG, 3, "`out_features` of a random weight", 1, 64),
    Number("bag_seed", _BAG, 123, "seed of a random weight", 0, MAX_SEED),
    Choice("bag_dtype", _BAG, "float32", "dtype of the weight", lambda: WIDE),
    Choice(
        "bag_panel",
        _BAG,
        "contributions",
        "the part shown under the row",
        lambda: ("contributions", "matrix", "from_pretrained", "batch"),
    ),
    Choice(
        "lesson",
        _TRAINING,
        "step",
        "the lesson",
        lambda: ("step", "lockstep", "drift", "characters"),
        entry=True,
    ),
    Choice(
        "loss",
        _TRAINING,
        "mse",
        "squared distance to the target, or cross-entropy of the next character",
        lambda: ("mse", "next"),
    ),
    Text("target", _TRAINING, "0", "the target: one number, or one for each dimension"),
    Choice("optimizer", _TRAINING, "sgd", "the optimizers of both layers", _optimizers),
    Choice(
        "drift",
        _TRAINING,
        "sgd",
        "the optimizer of the lesson *drift*, which ignores `optimizer`",
        _drifts,
    ),
    Choice("rate", _TRAINING, "1x", "multiple of the optimizer's usual learning rate", _rates),
    Choice(
        "batches",
        _TRAINING,
        "fixed",
        "each step takes the whole text (`fixed`) or a few of its tokens",
        lambda: ("fixed", "minibatch"),
    ),
    Choice(
        "corpus",
        _TRAINING,
        "library",
        "the characters' text: docstrings of Python's library, your own text, or a file",
        lambda: _with_files("library", "own"),
    ),
    Choice(
        "learn_on",
        _TRAINING,
        "characters",
        "what has an id in that text: characters, or byte-pair pieces",
        _learn_on,
    ),
    Number("char_dim", _TRAINING, 16, "`embedding_dim` of the character model", 2, 64),
    Choice("space", _TRAINING, "2-D", "dimensions of the drawn space", lambda: ("2-D", "3-D")),
    Text("letter", _TRAINING, "a", "the character, or the piece, whose neighbours are shown"),
    Choice("vary", _TIMING, "vocab", "what differs from point to point", lambda: timing.VARY),
    Ends(
        "span",
        _TIMING,
        ["64", "65536"],
        "smallest and largest value, powers of two: `span=64&span=65536`",
        lambda: [str(2**k) for k in range(21)],
    ),
    Choices(
        "methods",
        _TIMING,
        list(DEFAULT_METHODS),
        "the methods timed: `methods=lookup&methods=matmul`",
        lambda: METHODS,
    ),
    Choices("devices", _TIMING, ["cpu"], "devices, side by side", available_devices),
    Choices(
        "cache",
        _TIMING,
        ["same"],
        "what each call looks up: `cache=same&cache=new`",
        lambda: timing.CACHES,
    ),
    Choice("pass", _TIMING, "forward", "what is timed", lambda: timing.PASSES),
    Choice("skew", _TIMING, "uniform", "how ids are drawn", lambda: timing.SKEWS),
    Choice("output", _TIMING, "fresh", "a new output or a reused one", lambda: timing.OUTPUTS),
    Switch("steady", _TIMING, False, "go on until each median is known to 2 %, or the time is up"),
    Number("time_rows", _TIMING, 4096, "`num_embeddings`, where it does not vary", 1, 2**20),
    Number("time_dim", _TIMING, 64, "`embedding_dim`, where it does not vary", 1, 2**12),
    Number("time_tokens", _TIMING, 256, "ids looked up at once, where it does not vary", 1, 2**14),
    Choice("time_dtype", _TIMING, "float32", "dtype, where it does not vary", lambda: DTYPES),
    Number(
        "threads",
        _TIMING,
        default_threads(),
        "PyTorch's threads, where it does not vary; by default one core less than it may use",
        1,
        most_threads()[0],
    ),
    Names(
        "machines",
        _TIMING,
        [timing.HERE],
        "with a cluster: this machine, and names of its workers: `machines=one&machines=two`",
        lambda: (),
    ),
    Text("find", _LIMITS, "", "words to search for, or an error message", long=True),
    Choice("group", _LIMITS, "all", "the group of cases listed", _groups),
    Choice(
        "verdict",
        _LIMITS,
        "all",
        "the verdict of the cases listed",
        lambda: ("all", "differ", "raises", "same", "not run"),
    ),
    Choice(
        "case",
        _LIMITS,
        "none",
        "the opened case, as `python -m embviz limits` names it; `none` shows five to begin with",
        _cases,
        entry=True,
    ),
    Choice(
        "chapter",
        _CONTEXT,
        "static",
        "the chapter",
        lambda: ("static", "contextual", "sentences"),
        entry=True,
    ),
    Choice(
        "then",
        _CONTEXT,
        "shuffle",
        "what happens to the text: it is shuffled or edited",
        lambda: ("shuffle", "edit"),
    ),
    Number("shuffle", _CONTEXT, 0, "seed of the new order", 0, MAX_SEED),
    Text("edit", _CONTEXT, "WTF does nn.Linear do?", "the edited text", long=True),
    Switch("places", _CONTEXT, True, "add a row for each position"),
    Switch("attention", _CONTEXT, True, "add self-attention"),
    Choice("mask", _CONTEXT, "causal", "the mask of the attention", lambda: ("full", "causal")),
    Number("place", _CONTEXT, 0, "position of the token that is followed", 0, 63),
    Text(
        "sentences",
        _CONTEXT,
        "the river bank was muddy\nwe sat on the grassy bank of the stream\n"
        "the bank raised its interest rates\nshe opened an account at the bank",
        "sentences, one a line",
        long=True,
    ),
    Text("word", _CONTEXT, "bank", "a word of every sentence", long=True),
    Text("student", _LABS, "", "a name or number; the lab's seed follows from it", long=True),
    Choice("lab", _LABS, "all", "the lab, or all to choose from", _labs, entry=True),
    Number("step", _LABS, 1, "the step of the lab; after the last one, its end", 1, 20, entry=True),
    Text("done", _LABS, "", "the work so far, packed; at most 4,000 characters"),
    Text("class", _LABS, "", "the code of a class, for its members: `class=tidy-otter-42`"),
    Text("member", _LABS, "", "a member's random token; the pseudonym follows from it"),
    Text("board", _LABS, "", "the code of a class, for its teacher", entry=True),
    Number(
        "question",
        _LABS,
        0,
        "the step whose answers the board shows; 0 for all",
        0,
        20,
        entry=True,
    ),
    Switch("projector", _EVERY, False, "large type and no sidebar"),
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
