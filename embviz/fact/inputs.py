"""From settings to a `Table`, ids and the user's own weights, or a refusal.

For a text, `rows` means "at least": a larger vocabulary has more. A character that the vocabulary
lacks is `<unk>`, one row after all others, unless the settings refuse it. For typed ids `rows` is
exact. A table of learnt rows has its own sizes: `rows`, `dim` and `seed` change nothing of it. A
refusal names the setting that it is about.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch

from embviz.fact.dtypes import DTYPES
from embviz.fact.ids import parse_ids
from embviz.fact.inits import INITS, VECTORS
from embviz.fact.table import Table, check_work_bytes
from embviz.fact.table_rows import TableRows, read_text, rows_for, vocabulary_of
from embviz.fact.vocabulary import Symbols
from embviz.fact.weights import Own, Reading, parse_weights, read_weights
from embviz.text.refused import Refused, refusals_about
from embviz.text.wording import counted, quote

# keep(slot, key, make): the result kept in this slot if its key is equal, else `make()`.
Keep = Callable[[str, object, Callable[[], Own]], Own]
FEW = 3  # Ids, or words of the user's own table, that are proposed.


@dataclass(frozen=True)
class Inputs:
    """The inputs of a page.

    Attributes:
        table: sizes, seed, init, dtype and device.
        ids: int64. A text gives shape (1, N); typed ids keep their own.
        text: the text; `None` when ids were given.
        vocabulary: `None` when ids were given.
        own: the user's own weights, for `init=own` and `init=vectors`.
        unknown: the characters or words of the text that the vocabulary lacks, each once.
    """

    table: Table
    ids: torch.Tensor
    text: str | None = None
    vocabulary: Symbols | None = None
    own: Own | None = None
    unknown: tuple[str, ...] = ()

    @property
    def weights(self) -> torch.Tensor | None:
        """The user's own weights, float64 (V, D)."""
        return self.own and self.own.weight

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
    """The `Table`, the ids and the user's own weights that the settings ask for.

    Args:
        settings: values of the settings `MODEL`, by name.
        upload: name and content of a file of weights; it replaces typed ones.
        keep: keeps the user's own table for this session alone, so that a rerun for every key
            does not read a file or a long text again.
        finite: whether own weights with NaN or inf are refused; only the playground shows them.

    Raises:
        Refused: says what is wrong, with the settings that would correct it.
    """
    own: Own | None = None
    init = INITS[settings["init"]]
    if not init.draw:
        typed, dtype = settings["weights"], settings["dtype"]
        reading = Reading(finite, header=settings["header"], words=init.words)
        with refusals_about("weights"):
            own = keep(
                "own_table", (upload or typed, reading), lambda: _own(typed, upload, reading)
            )
        most = float(own.weight.nan_to_num(0.0, 0.0, 0.0).abs().max())
        if most > torch.finfo(DTYPES[dtype].torch).max:
            raise Refused(
                f"{most:g} is too large a weight for {dtype}.",
                {"Use float64": {"dtype": "float64"}},
                "dtype",
            )
    return _read(settings, own)


def _own(typed: str, upload: tuple[str, bytes] | None, reading: Reading) -> Own:
    """The user's own table.

    Raises:
        Refused: it cannot be read; where words in front of its rows are the reason, a fix reads it.
    """

    def read(reading: Reading) -> Own:
        return read_weights(*upload, reading) if upload else parse_weights(typed, reading)

    try:
        return read(reading)
    except Refused as refused:
        with suppress(Refused):
            if not reading.words and read(reading._replace(words=True)).has_words():
                refused.fixes = {"Read words and vectors": {"init": VECTORS.name}}
        raise


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
        other = _read({**settings, given.input: typed}, given.own)
    table = other.table if other.table.unk else given.table
    unknown = tuple(dict.fromkeys(given.unknown + other.unknown))
    return replace(given, table=table, unknown=unknown), other.ids


def _read(settings: Mapping[str, Any], own: Own | None) -> Inputs:
    given = (_from_ids if settings["input"] == "ids" else _from_text)(settings, own)
    check_work_bytes(given.table, given.ids.numel(), settings["input"])
    return given


def _table(settings: Mapping[str, Any], rows: TableRows, own: Own | None = None) -> Table:
    init, dim = INITS[settings["init"]], settings["dim"]
    if own:
        dim = own.weight.shape[1]
    elif init.sizes:
        dim = init.sizes[1]
    return Table(
        num_embeddings=rows.count,
        embedding_dim=dim,
        seed=0 if init.recorded else settings["seed"],  # with one seed, all share one table
        init=init.name,
        dtype=settings["dtype"],
        device=settings["device"],
        unk=rows.unk,
    )


def _check_vocabulary(settings: Mapping[str, Any]) -> None:
    """Refuse rows that were learnt for another vocabulary."""
    init = INITS[settings["init"]]
    if not init.fits(settings):
        needed = init.goes_with.get("chars", init.goes_with["vocab"])
        chosen = settings["chars"] if settings["vocab"] == "custom" else settings["vocab"]
        raise Refused(
            f"The rows of init={init.name} were learnt for the vocabulary {needed}; "
            f"chosen is {quote(chosen)}.",
            {
                f"Use the vocabulary {needed}": init.goes_with,
                "Use random weights": {"init": "normal"},
            },
            "init",
        )


def _from_ids(settings: Mapping[str, Any], own: Own | None) -> Inputs:
    table = _table(settings, TableRows(len(own.weight)) if own else rows_for(settings), own)
    rows = table.num_embeddings
    is_fixed = own is not None or INITS[table.init].sizes
    try:
        with refusals_about("ids"):
            ids = parse_ids(settings["ids"], rows)
    except Refused as refused:
        if is_fixed and refused.fixes:  # another number of rows mends nothing here
            refused.fixes = {f"Use {_few_ids(rows)} as ids": {"ids": _few_ids(rows)}}
        raise
    return Inputs(table, ids, own=own)


def _from_text(settings: Mapping[str, Any], own: Own | None) -> Inputs:
    text = read_text(settings["text"])
    if own is not None:
        return _own_text(settings, own, text)
    known = vocabulary_of(settings)
    _check_vocabulary(settings)
    unknown = tuple(known.unknown(text)) if settings["unknown"] == "unk" else ()
    table = _table(settings, rows_for(settings, known, bool(unknown)))
    if settings["unknown"] == "error":
        known.encode(text)  # a table that was learnt has a row `<unk>` all the same
    ids = torch.tensor([known.encode(text, table.unk_id)], dtype=torch.int64)
    return Inputs(table, ids, text, known, None, unknown)


def _own_text(settings: Mapping[str, Any], own: Own, text: str) -> Inputs:
    """A text for the user's own table, which has no row for what is unknown.

    Its symbols are the words in front of the rows, or those of the vocabulary.

    Raises:
        Refused: the table has fewer rows than the vocabulary, or a symbol is unknown.
    """
    rows = len(own.weight)
    known = own.words or vocabulary_of(settings)
    fixes = _fixes_of_text(own, text, known, settings["ids"])
    if len(known) > rows:
        said = (
            f"Your table of weights has {counted(rows, 'row')}, and the vocabulary "
            f"{settings['vocab']} has {counted(len(known), known.unit)}: each needs a row."
        )
        if own.other == "words":
            said += f" Its rows have words in front: init={VECTORS.name} looks them up."
        raise Refused(said, fixes, "weights")
    try:
        ids = torch.tensor([known.encode(text)], dtype=torch.int64)
    except Refused as refused:
        refused.fixes = fixes  # `<unk>` would need a row of its own
        raise
    return Inputs(_table(settings, TableRows(rows), own), ids, text, known, own)


def _fixes_of_text(
    own: Own, text: str, known: Symbols, typed_ids: str
) -> dict[str, Mapping[str, Any]]:
    """Settings with which a text, or the ids that were typed before, fit the user's own table."""
    rows, fixes = len(own.weight), dict[str, Mapping[str, Any]]()
    if own.other == "words":
        fixes["Look up the words"] = {"init": VECTORS.name}
    if own.words:
        few = known.decode(range(min(rows, FEW)))
        if not known.unknown(few):
            fixes[f"Use the text {quote(few)}"] = {"text": few}
    elif 0 < len(letters := "".join(dict.fromkeys(text))) <= rows:
        label = f"Use the {counted(len(letters), 'character')} of the text as vocabulary"
        fixes[label] = {"vocab": "custom", "chars": letters}
    try:
        parse_ids(typed_ids, rows)
    except Refused:
        typed_ids = _few_ids(rows)
    return fixes | {"Type ids instead of text": {"input": "ids", "ids": typed_ids}}


def _few_ids(rows: int) -> str:
    """Ids that a table of so many rows has."""
    return " ".join(map(str, range(min(rows, FEW))))
