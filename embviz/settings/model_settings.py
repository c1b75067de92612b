"""The settings of the model, one record each: the table, and the text or ids that are looked up."""

from typing import Any

from embviz.fact.dtypes import DTYPES
from embviz.fact.inits import INITS
from embviz.fact.table import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS, MAX_SEED
from embviz.fact.tokenizers import MOST_MERGES, VOCABULARIES
from embviz.settings.kinds import Choice, Number, Setting, Text
from embviz.settings.worlds import CHARACTERS, WORLDS
from embviz.system.bounds import PASTED, TOKENS, id_characters
from embviz.system.devices import available_devices
from embviz.text.saved import HEADER


def _meanings(named: Any) -> str:
    return "".join(f"\n- `{record.name}`: {record.sentence}" for record in named.values())


# What `read_inputs` reads.
MODEL_SETTINGS: tuple[Setting, ...] = (
    Choice("input", "text", lambda: ("text", "ids"), help="Type a text, or ids.", sidebar=True),
    Text(
        "text",
        "hello embeddings",
        help="The text: each character has an id.",
        most=TOKENS.value,
    ),
    Text(
        "ids",
        "2 3 1",
        help="The ids: `2 3 1` or `[[1, 3], [0, 1]]`.",
        most=id_characters,
    ),
    Choice(
        "vocab",
        "printable",
        lambda: VOCABULARIES,
        help=f"The place of each token in it is its id.{_meanings(VOCABULARIES)}",
        sidebar=True,
    ),
    Text(
        "chars",
        "abcdefghij",
        help="The characters of `custom`, in id order.",
        most=TOKENS.value,
    ),
    Number("merges", MOST_MERGES, 0, MOST_MERGES, help="Of `bpe`: each joins two tokens to one."),
    Number(
        "rows",
        100,
        1,
        MAX_NUM_EMBEDDINGS,
        help="V: rows of the table, or more where the vocabulary needs them.",
    ),
    Number("dim", 10, 1, MAX_EMBEDDING_DIM, help="D: how many numbers each row has."),
    Number("seed", 123, 0, MAX_SEED, help="Start of the draw: one seed is one table, everywhere."),
    Choice(
        "init",
        "normal",
        lambda: INITS,
        help=f"How the weights start.{_meanings(INITS)}",
        sidebar=True,
    ),
    Text(
        "weights",
        "8 2 1 9\n6 5 4 0\n7 1 6 2\n1 3 5 8\n0 4 9 1",
        help="Of `own`: `Embedding.weight`, one row a line, or nested lists. Of `vectors`: a word "
        "and its numbers on each line.",
        most=PASTED.value,
    ),
    Choice(
        "header",
        "auto",
        lambda: HEADER,
        help="Whether a first line or column of `weights` that only counts the others is left "
        "out: `yes`, `no`, or `auto`, which leaves it out if all other cells have a decimal point.",
        ends_with=("init", "weights"),
    ),
    Choice(
        "dtype",
        "float32",
        lambda: DTYPES,
        help="How a number is stored: drawn in float32, then cast.",
    ),
    Choice("device", "cpu", available_devices, help="Where it is computed."),
    Choice(
        "unknown",
        "unk",
        lambda: ("unk", "error"),
        help="An unknown character: `unk` shows it as `<unk>`, one row more; `error` refuses it.",
    ),
    Choice(
        "world",
        CHARACTERS.name,
        lambda: WORLDS,
        help="A vocabulary and a table that go together.",
        sidebar=True,
    ),
)

# What the playground's picture depends on besides the model.
PLACE_SETTINGS: tuple[Setting, ...] = (
    # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
    Number("token", 0, 0, 999_999_999, help="Index of the selected token, from 0."),
    Number("column", 0, 0, MAX_EMBEDDING_DIM, help="First column that is shown."),
)

MODEL = tuple(record.name for record in MODEL_SETTINGS)
PLACE = tuple(record.name for record in PLACE_SETTINGS)
