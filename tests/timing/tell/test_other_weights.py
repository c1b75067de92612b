"""The weights by which real models multiply each token beside their table, counted by hand."""

import pytest

from embviz.timing.tell.my_model import OTHER_WEIGHTS, PRESETS, Time, Times, shares

# A block of GPT-2 and of BERT has 4 · D · D weights of attention, and 8 · D · D behind it. One of
# Llama 3 has 2 · D · D and 2 · D · 1,024 of attention, and 3 · D · 14,336. GPT-2 and Llama 3 have a
# last layer of D · V. Vectors of D numbers are left out.
COUNTED = {
    "GPT-2": 12 * 12 * 768**2 + 768 * 50_257,
    "BERT": 12 * 12 * 768**2,
    "Llama 3": 32 * 4_096 * (2 * 4_096 + 2 * 1_024 + 3 * 14_336) + 4_096 * 128_256,
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_other_layers_of_a_model_have_so_many_weights(name: str) -> None:
    """The share of a forward pass follows from them, and from the time of a matmul."""
    assert OTHER_WEIGHTS[name] == pytest.approx(COUNTED[name], rel=0.01)
    model = PRESETS[name]
    table = model.num_embeddings * model.embedding_dim
    rest = 10 * COUNTED[name] / table  # seconds of the other layers, where a matmul takes 10 s
    ((_, lookup, matmul),) = shares(model, Times(Time(0.1), Time(10.0)))
    for said, taken in ((lookup, 0.1), (matmul, 10.0)):
        percent = float(said.removeprefix("about ").removesuffix(" %"))
        assert percent == pytest.approx(100 * taken / (taken + rest), rel=0.05)


def test_only_these_models_have_a_share() -> None:
    """Of a recommender, and of sizes of one's own, the other layers are not known."""
    assert {*OTHER_WEIGHTS} == {*COUNTED} < {*PRESETS}
    assert shares(PRESETS["Recommender"], Times(Time(0.1), Time(10.0))) == []
    assert shares(PRESETS["GPT-2"], Times(Time(0.1))) == []
