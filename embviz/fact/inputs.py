"""From settings to a `Table`, ids and the user's own weights, or a refusal.

For a text, `rows` means "at least": a larger vocabulary has more. A character that the vocabulary
lacks is `<unk>`, one row after all others, unless the settings refuse it. For typed ids `rows` is
exact. A table of learnt rows has its own sizes: `rows`, `dim` and `seed` change nothing of it. A
refusal names the setting that it is about.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from embviz.fact.dtypes import DTYPES
from embviz.fact.ids import parse_ids
from embviz.fact.inits import INITS
from embviz.fact.table import Table, check_work_bytes
from embviz.fact.table_rows import read_text, vocabulary_of
from embviz.fact.vocabulary import Symbols
from embviz.fact.weights import parse_weights, read_weights
from embviz.text.refused import Refused, refusals_about

# keep(slot, key, make): the result kept in this slot if its key is equal, else `make()`.
Keep = Callable[[str, object, Callable[[], torch.Tensor]], torch.Tensor]


@dataclass(frozen=True)
class Inputs:
    """The inputs of a page.

    Attributes:
        table: sizes, seed, init, dtype and device.
        ids: int64. A text gives shape (1, N); typed ids keep their own.
        text: the text; `None` when ids were given.
        vocabulary: `None` when ids were given.
        weights: the user's own weights, float64 (V, D), for `init=own`.
        unknown: the characters or words of the text that the vocabulary lacks, each once.
    """

    table: Table
    ids: torch.Tensor
    text: str | None = None
    vocabulary: Symbols | None = None
    weights: torch.Tensor | None = None
    unknown: tuple[str, ...] = ()

    @property
    def input(self) -> str:
        """The setting that was typed: `text` or `ids`."""
        return "ids" if self.text is None else "text"

    @property
    def folded(self) -> bool:
        """Whether the text has capital letters that count as small ones."""
        return bool(self.text and self.vocabulary and self.vocabulary.folded(self.text))

    def label(self, token: int) -> str:
        """A token's short name, also `<unk>`; empty where its row has no symbol."""
        return self.vocabulary.label(token, self.table.unk_id) if self.vocabulary else ""


def read_inputs(
    settings: Mapping[str, Any],
    upload: tuple[str, bytes] | None = None,
    keep: Keep = lambda _slot, _of, make: make(),
    finite: bool = True,
) -> Inputs:
    """The `Table`, the ids and, for `init=own`, the weights that the settings ask for.

    Args:
        settings: values of the settings `MODEL`, by name.
        upload: name and content of a file of weights; it replaces typed ones.
        keep: keeps the user's own table for this session alone, so that a rerun for every key
            does not read a file or a long text again.
        finite: whether own weights with NaN or inf are refused; only the playground shows them.

    Raises:
        Refused: says what is wrong, with the settings that would correct it.
    """
    weights: torch.Tensor | None = None
    if not INITS[settings["init"]].draw:
        typed, dtype = settings["weights"], settings["dtype"]
        with refusals_about("weights"):
            weights = keep(
                "own_table",
                (upload or typed, finite),
                lambda: read_weights(*upload, finite) if upload else parse_weights(typed, finite),
            )
        most = float(weights.nan_to_num(0.0, 0.0, 0.0).abs().max())
        if most > torch.finfo(DTYPES[dtype].torch).max:
            raise Refused(
                f"{most:g} is too large a weight for {dtype}.",
                {"Use float64": {"dtype": "float64"}},
                "dtype",
            )
    return _read(settings, weights)


def usable(given: Inputs | Refused) -> Inputs:
    """The inputs.

    Raises:
        Refused: there are none, for this reason.
    """
    if isinstance(given, Refused):
        raise given
    return given


def another_text(
    given: Inputs, settings: Mapping[str, Any], typed: str, setting: str
) -> tuple[Inputs, torch.Tensor]:
    """Another text, or other ids, for the same table.

    Args:
        given: the inputs of the page.
        settings: values of the settings `MODEL` that ask for them, by name.
        typed: the other text, or ids where the page has ids.
        setting: its name, for refusals.

    Returns:
        The inputs, with the row `<unk>` if either text needs it, and the int64 ids of the other.

    Raises:
        Refused: as `read_inputs` for this text; its fixes change `setting`.
    """
    with refusals_about(setting, instead_of=("text", "ids")):
        other = _read({**settings, given.input: typed}, given.weights)
    table = other.table if other.table.unk else given.table
    unknown = tuple(dict.fromkeys(given.unknown + other.unknown))
    return replace(given, table=table, unknown=unknown), other.ids


def _read(settings: Mapping[str, Any], weights: torch.Tensor | None) -> Inputs:
    given = (_from_ids if settings["input"] == "ids" else _from_text)(settings, weights)
    check_work_bytes(given.table, given.ids.numel(), settings["input"])
    return given


def _table(settings: Mapping[str, Any], rows: int, dim: int, unk: bool = False) -> Table:
    seed = settings["seed"]
    if sizes := INITS[settings["init"]].sizes:
        (rows, dim), unk, seed = sizes, True, 0  # with one seed, all share one table
    return Table(
        num_embeddings=rows,
        embedding_dim=dim,
        seed=seed,
        init=settings["init"],
        dtype=settings["dtype"],
        device=settings["device"],
        unk=unk,
    )


def _check_vocabulary(settings: Mapping[str, Any]) -> None:
    """Refuse rows that were learnt for another vocabulary."""
    init, chosen = INITS[settings["init"]], settings["vocab"]
    if init.vocabulary not in ("", chosen):
        raise Refused(
            f"The rows of init={init.name} were learnt for the vocabulary {init.vocabulary}; "
            f"chosen is {chosen}.",
            {
                f"Use the vocabulary {init.vocabulary}": {"vocab": init.vocabulary},
                "Use random weights": {"init": "normal"},
            },
            "init",
        )


def _from_ids(settings: Mapping[str, Any], weights: torch.Tensor | None) -> Inputs:
    rows, dim = (settings["rows"], settings["dim"]) if weights is None else weights.shape
    table = _table(settings, rows, dim)
    rows = table.num_embeddings
    is_fixed = weights is not None or INITS[table.init].sizes
    try:
        with refusals_about("ids"):
            ids = parse_ids(settings["ids"], rows)
    except Refused as refused:
        if is_fixed and refused.fixes:  # another number of rows mends nothing here
            refused.fixes = {f"Use {_few_ids(rows)} as ids": {"ids": _few_ids(rows)}}
        raise
    return Inputs(table, ids, weights=weights)


def _from_text(settings: Mapping[str, Any], weights: torch.Tensor | None) -> Inputs:
    text, known = read_text(settings["text"]), vocabulary_of(settings)
    if weights is not None:
        return _own_text(settings, weights, text, known)
    _check_vocabulary(settings)
    unknown = tuple(known.unknown(text)) if settings["unknown"] == "unk" else ()
    unk = bool(unknown)
    rows = max(settings["rows"], len(known)) + unk
    table = _table(settings, rows, settings["dim"], unk)
    if settings["unknown"] == "error":
        known.encode(text)  # a table that was learnt has a row `<unk>` all the same
    ids = torch.tensor([known.encode(text, table.unk_id)], dtype=torch.int64)
    return Inputs(table, ids, text, known, None, unknown)


def _own_text(
    settings: Mapping[str, Any], weights: torch.Tensor, text: str, known: Symbols
) -> Inputs:
    """A text for the user's own table, which has no row for unknown characters.

    Raises:
        Refused: the table has fewer rows than the vocabulary, or a character is unknown.
    """
    rows, dim = weights.shape
    fixes = _fit_text(settings, text, rows)
    if len(known) > rows:
        raise Refused(
            f"Your table of weights has {rows:,} rows, and the vocabulary {settings['vocab']} has "
            f"{len(known):,} {known.unit}s: each needs a row.",
            fixes,
            "weights",
        )
    try:
        ids = torch.tensor([known.encode(text)], dtype=torch.int64)
    except Refused as refused:
        refused.fixes = fixes  # `<unk>` would need a row of its own
        raise
    table = _table(settings, rows, dim)
    return Inputs(table, ids, text, known, weights)


def _fit_text(settings: Mapping[str, Any], text: str, rows: int) -> dict[str, Mapping[str, Any]]:
    """Fixes that make a text or ids fit the user's own weights."""
    fixes: dict[str, Mapping[str, Any]] = {}
    if 0 < len(letters := "".join(dict.fromkeys(text))) <= rows:
        label = f"Use the {len(letters):,} characters of the text as vocabulary"
        fixes[label] = {"vocab": "custom", "chars": letters}
    try:
        parse_ids(settings["ids"], rows)
        ids = settings["ids"]
    except Refused:
        ids = _few_ids(rows)
    return fixes | {"Type ids instead of text": {"input": "ids", "ids": ids}}


def _few_ids(rows: int) -> str:
    """Ids that a table of so many rows has."""
    return " ".join(map(str, range(min(rows, 3))))
