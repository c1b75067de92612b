"""From inputs and settings to a training: the same for the page and the command."""

from __future__ import annotations

import torch

from embviz.fact.dtypes import WIDE, dtype_name
from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs
from embviz.fact.layers import tie
from embviz.fact.table import MAX_EMBEDDING_DIM, Table
from embviz.settings.page_record import Reader
from embviz.system import bounds
from embviz.system.bounds import OverLimitError
from embviz.text.digits import plain_digits
from embviz.text.refused import Refused, refusals_about
from embviz.text.typed import read_rows
from embviz.text.wording import format_bytes, quote
from embviz.training.losses import PATTERNS, Loss, Mse, NextId, pattern
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.settings import BATCH, RATES
from embviz.training.training import COPIES, Training, numbers_learnt


def weight_of(given: Inputs) -> torch.Tensor:
    """The table at the start, (V, D), refused before it is made if it is not trained here."""
    check_trained(given)
    return tie(given.table, given.weights).embedding.weight.detach()


def check_trained(given: Inputs) -> None:
    """Refuse a table that is not trained here.

    Raises:
        Refused: it is too large, or of a dtype that is too narrow.
    """
    table, most = given.table, bounds.TRAINED.value()
    rows, columns = table.num_embeddings, table.embedding_dim
    if rows * columns > most:
        said = (
            f"A table of {rows:,} × {columns:,} has {rows * columns:,} numbers; training side by "
            f"side takes up to {most:,}. "
        )
        if INITS[table.init].sizes:
            said += "The sizes of learnt rows are fixed; random weights take fewer columns."
            raise Refused(said, {"Use random weights": {"init": "normal"}}, "init")
        raise Refused(f"{said}Choose fewer rows or columns.", about=_sizes_of(given))
    if table.dtype not in WIDE:  # Adam's eps is 0 in float16: 0 / 0 is NaN.
        raise Refused(
            f"Training side by side takes {' or '.join(WIDE)}, not {table.dtype}, "
            "in which steps this small round to nothing.",
            {"Use float32": {"dtype": "float32"}},
            "dtype",
        )


def _sizes_of(given: Inputs) -> str:
    """The setting that decides the sizes of the table."""
    return "rows" if given.weights is None else "weights"


@refusals_about("target")
def loss_of(given: Inputs, of: Reader) -> Loss:
    """The loss that the settings name.

    Raises:
        Refused: the target is neither a pattern nor one or more finite numbers.
    """
    table = given.table
    if of("loss") == "next":
        check_trained(given)
        return NextId(table.num_embeddings, table.embedding_dim, table.seed)
    typed = of("target")
    if (name := typed.strip().lower()) in PATTERNS:
        return Mse(pattern(name, table.embedding_dim), table.embedding_dim)
    try:
        numbers = read_rows(typed, MAX_EMBEDDING_DIM).ravel().tolist()
    except Refused as error:
        named = ", ".join(PATTERNS)
        said = f"The target {quote(typed)} is not one or more finite numbers. {error} Or: {named}."
        raise Refused(said) from None
    try:
        return Mse(numbers, table.embedding_dim)
    except Refused as error:
        if "," not in plain_digits(typed):
            raise
        said = f"{error} A comma separates numbers; a decimal has a point, as in 0.5."
        raise Refused(said) from None


def start_of(table: Table) -> str:
    """The origin of the numbers of a table before its first step, to begin a sentence with."""
    if INITS[table.init].sizes:
        return "Learnt rows at first"
    return "Random at first" if INITS[table.init].draw else "Your own numbers at first"


def rate_of(of: Reader, optimizer: str = "sgd") -> float:
    """The learning rate: the optimizer's usual one, times the setting."""
    return OPTIMIZERS[optimizer].usual_lr * RATES[of("rate")]


def side_by_side(given: Inputs, of: Reader) -> Training:
    """The training of both routes on the whole text, or on minibatches of it.

    Raises:
        Refused, IndexError: as `Training`.
    """
    weight, loss, name = weight_of(given), loss_of(given, of), of("optimizer")
    seed = given.table.seed
    _check_held(weight, loss, _sizes_of(given))
    batch = BATCH if of("batches") == "minibatch" else None
    with refusals_about(given.input):
        return Training(weight, given.ids, loss, name, rate_of(of, name), batch=batch, seed=seed)


def _check_held(weight: torch.Tensor, loss: Loss, about: str) -> None:
    """Refuse a training that is too large to be held by each visitor of a public server.

    Raises:
        OverLimitError: shows the arithmetic.
    """
    learnt = numbers_learnt(weight, loss)
    needed = COPIES * learnt * weight.element_size()
    if needed > (most := bounds.TRAINING.value()):
        raise OverLimitError(
            f"Many steps side by side hold {COPIES} copies of {learnt:,} "
            f"{dtype_name(weight.dtype)} numbers, {format_bytes(needed)}, for each visitor; this "
            f"server has {format_bytes(most)}. Choose fewer rows or columns.",
            about=about,
        )
