"""The panel *Tokenizers*, headless."""

from embviz.core.tokenizers import VOCABULARIES
from tests.ui.headless import answer, open_page


def test_every_vocabulary_has_a_line_below_the_finding() -> None:
    """The title has the fewest and the most ids and rows of the table below it."""
    app = open_page(panel="tokenizers", text="the letters", vocab="bytes", merges="0")
    (table,) = app.dataframe
    assert len(table.value) == len(VOCABULARIES)
    rows, ids = table.value.rows, table.value.ids
    assert (rows.min(), ids.max()) == (11, 11)  # ten digits and <unk>
    title = f"**The same text: {ids.min()} to 11 ids, 11 to {rows.max():,} rows**"
    assert title in [one.value for one in app.markdown]


def test_it_stays_where_the_chosen_one_refuses_the_text() -> None:
    """A refused text can be taken by another vocabulary, so the panel stays."""
    app = open_page(panel="tokenizers", vocab="digits", text="a1", unknown="error")
    assert answer(app)["refusal"]
    assert len(app.dataframe) == 1


def test_it_needs_a_text_that_can_be_read() -> None:
    """Typed ids have no vocabulary, and a text that no vocabulary can take has no table."""
    app = open_page(panel="tokenizers", input="ids")
    assert "ids are typed" in app.info[0].value
    assert not app.dataframe
    assert not open_page(panel="tokenizers", text="\\d", escapes="true").dataframe
