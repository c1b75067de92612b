"""Every vocabulary on the same text: the figures of the page itself, or its refusal."""

import pandas as pd
import pytest

from embviz.fact.inputs import read_inputs
from embviz.playground.survey import SHOWN, survey
from embviz.settings.given import defaults
from embviz.text.wording import format_bytes


def lines(**changes: object) -> pd.DataFrame:
    """The rows for these settings, by vocabulary."""
    found = survey({**defaults(), **changes})
    return found.set_index(found.vocabulary.str.removesuffix(" (chosen)"))


@pytest.mark.parametrize(("name", "rows"), [("printable", 100), ("bytes", 256), ("bpe", 256 + 300)])
def test_the_figures_are_those_of_the_vocabulary_once_chosen(name: str, rows: int) -> None:
    """The first tokens of a long text are shown; counts and bytes are those of the page."""
    changes = {"text": "the letters " * 20, "rows": 700, "dim": 3, "dtype": "float64"}
    line = lines(**changes, merges=300).loc[name]
    given = read_inputs({**defaults(), **changes, "merges": 300, "vocab": name})
    ids = given.ids.flatten().tolist()
    assert line.tokens == [given.label(one) for one in ids][:SHOWN]
    assert line.ids == len(ids)
    assert line.rows == rows
    assert line["rows used"] == len({*ids})
    assert line.table == format_bytes(rows * 3 * 8)


def test_learnt_rows_refuse_no_other_vocabulary() -> None:
    """Each is shown as it would be with rows of its own."""
    found = lines(text="the king", vocab="words", init="trained")
    assert "refused" not in found or found.refused.isna().all()
    assert found.loc["words", "rows"] == 2801


def test_the_bytes_of_a_table_are_its_rows_times_what_is_shown_of_a_row() -> None:
    """Learnt rows are wider than those of other vocabularies; else no column says it."""
    found = lines(text="the king", vocab="words", init="trained", dim=10)
    assert found["numbers a row"].to_dict() == dict.fromkeys(found.index, 10) | {"words": 384}
    for line in found.itertuples():
        assert line.table == format_bytes(line.rows * found.loc[line.Index, "numbers a row"] * 4)
    assert "numbers a row" not in lines(text="the king")
