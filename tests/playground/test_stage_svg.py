"""The playground's picture as an SVG."""

from xml.etree.ElementTree import fromstring

import pytest

from embviz.fact.inputs import read_inputs
from embviz.fact.shared_layers import run_on_shared_layers
from embviz.playground.stage_svg import COLUMNS, ROWS, stage_svg
from embviz.settings.given import filled


@pytest.mark.parametrize("text", ["a<b>&", "hé"])
def test_it_has_the_tensors_numbers_as_text(text: str) -> None:
    """Any label is text and no markup; what is not drawn is counted."""
    given = read_inputs(filled({"text": text, "dim": 12}))
    both = run_on_shared_layers(given)
    picture = fromstring(stage_svg(both, 1, given.label))  # noqa: S314 - ours
    texts = [one.text or "" for one in picture.iter() if one.tag.endswith("text")]
    token = both.ids.flatten().tolist()[1]
    fromstring(stage_svg(both, 99, lambda _: "\x00\x0b\ud800"))  # noqa: S314 - ours
    assert f"{given.label(token)}  {token} →" in texts
    wanted = [
        f"{one:.3f}".replace("-", "−") for one in both.layers.embedding.weight[token, :COLUMNS]
    ]
    for at in (k for k, one in enumerate(texts) if one == wanted[0]):
        assert texts[at : at + COLUMNS] == wanted
    assert texts.count(wanted[0]) == 4  # the row, its product, and both answers
    rows = both.table.num_embeddings
    assert f"{rows} × 12; {rows - ROWS} more rows; 2 more columns" in texts
    every = 12 * len(text)
    assert texts[-1] == f"{every} of {every} numbers identical, bit for bit."
