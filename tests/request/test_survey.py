"""Every vocabulary on the same text: the figures of the page itself, or its refusal."""

import torch
from torch.nn import functional as F

from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import read_inputs
from embviz.request.parameters import DEFAULTS
from embviz.request.survey import SHOWN, Line, choosing, finding, survey


def lines(**changes: object) -> dict[str, Line]:
    """The lines for these settings, by vocabulary."""
    return {line.name: line for line in survey(read_inputs({**DEFAULTS, **changes}))}


def test_the_figures_are_those_of_real_tensors() -> None:
    """Ids, rows, bytes and share of rows are those of each vocabulary, chosen on the page."""
    changes = {"text": "the letters of the text", "dim": 3, "dtype": "float64", "merges": 300}
    found = lines(**changes)
    assert list(found) == list(VOCABULARIES)
    assert [name for name, line in found.items() if line.chosen] == ["printable"]
    used = {name: line for name, line in found.items() if line.cost is not None}
    assert used.keys() >= {"printable", "bytes", "bpe"}
    for name, line in used.items():
        settings = {**DEFAULTS, **changes}
        given = read_inputs({**settings, **choosing(settings, name)})
        assert given.ids is not None
        assert given.vocabulary is not None
        rows = len(given.vocabulary)
        assert line.cost is not None
        assert line.cost.tokens == given.ids.numel()
        assert line.rows == line.cost.num_embeddings == rows
        assert line.cost.table_bytes == torch.empty(rows, 3, dtype=torch.float64).nbytes
        if rows < 10_000:
            one_hot = F.one_hot(given.ids, rows).double()
            assert line.cost.one_hot_bytes == one_hot.nbytes
            assert line.touched == int((one_hot.sum((0, 1)) > 0).sum())
        assert line.pieces == tuple(map(given.vocabulary.label, given.ids.flatten().tolist()))


def test_a_refusal_is_that_of_the_page() -> None:
    """A vocabulary that refuses the text says what the page says once it is chosen."""
    found = lines(text="hé")
    for name in ("printable", "letters", "digits", "custom"):
        settings = {**DEFAULTS, "text": "hé", **choosing({**DEFAULTS}, name)}
        refusal = read_inputs(settings).refusal
        assert refusal is not None
        assert (found[name].refusal, found[name].cost) == (refusal.message, None)
        assert found[name].rows == settings["rows"]
    assert found["bytes"].cost is not None


def test_own_weights_keep_their_rows() -> None:
    """With own weights a vocabulary must fit the table."""
    table = "\n".join(["1 2"] * 60)
    found = lines(init="own", weights=table, vocab="letters", text="the")
    fitting = {name for name, line in found.items() if line.cost is not None}
    assert "letters" in fitting
    assert "printable" not in fitting
    assert "need 100 rows, but num_embeddings is 60" in found["printable"].refusal


def test_pieces_are_bounded_and_the_title_has_both_ends() -> None:
    """A long text shows its first pieces; the title names the fewest and the most."""
    long = lines(text="ab " * 1000)
    assert len(long["printable"].pieces) == SHOWN
    costs = [line.cost for line in long.values() if line.cost is not None]
    assert finding(long.values()) == (
        f"The same text: {min(one.tokens for one in costs):,} to 3,000 ids, "
        f"100 to {max(one.num_embeddings for one in costs):,} rows"
    )
    one = [line for line in long.values() if line.chosen]
    assert finding(one) == "The same text: 3,000 ids, 100 rows"
