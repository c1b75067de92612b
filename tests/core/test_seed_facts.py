import json
import string
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.ids import parse_ids
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import run_both
from embviz.core.vocabulary import Vocabulary

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))


def as_published(values: torch.Tensor, published: list[object]) -> None:
    """Asserts that values are the published ones, printed to 4 decimals."""
    expected = torch.tensor(published, dtype=values.dtype)
    torch.testing.assert_close(values.detach(), expected, rtol=0, atol=5.1e-5)


def test_the_embedding_of_seed_123() -> None:
    """Seed 123 gives the article's nn.Embedding."""
    fact = FACTS["embedding_seed_123_4x5"]
    config = Config("", fact["num_embeddings"], fact["embedding_dim"], seed=fact["seed"])
    both = run_both(config, parse_ids("2 3 1", 4))
    assert both.ids.tolist() == fact["ids"]
    as_published(both.layers.embedding.weight, fact["weight"])
    as_published(both.layers.linear.weight.T, fact["weight"])
    as_published(both.comparison.lookup, fact["output"])
    as_published(both.comparison.matmul, fact["output"])
    assert F.one_hot(both.ids, 4).tolist() == fact["one_hot"]
    assert both.one_hot_shape == (3, 4)
    assert both.comparison.bitwise_equal


def test_the_linear_layer_of_seed_123() -> None:
    """`init=kaiming_uniform` gives the article's nn.Linear."""
    fact = FACTS["linear_seed_123_4_to_5"]
    config = Config(
        "", fact["in_features"], fact["out_features"], seed=fact["seed"], init="kaiming_uniform"
    )
    layers = tie(config)
    as_published(layers.linear.weight, fact["weight"])
    as_published(layers.embedding.weight.T, fact["weight"])
    assert layers.linear.bias is None


def test_the_shapes_of_batches() -> None:
    """A batch of ids gives the output shape of nn.Embedding."""
    assert FACTS["batch_shapes"]
    for fact in FACTS["batch_shapes"]:
        config = Config("", fact["num_embeddings"], fact["embedding_dim"])
        both = run_both(config, parse_ids(str(fact["ids"]), config.num_embeddings))
        assert both.ids.tolist() == fact["ids"]
        assert list(both.output_shape) == fact["output_shape"]
        assert list(both.comparison.matmul.shape) == fact["output_shape"]


def test_the_default_text_over_the_printable_characters() -> None:
    """The default text has shapes (1, 25) -> (1, 25, 10)."""
    fact = FACTS["printable"]
    vocabulary = Vocabulary(string.printable)
    assert vocabulary.characters == string.printable
    assert len(vocabulary) == fact["characters"]
    assert vocabulary.encode("a") == [fact["id_of_a"]]
    both = run_both(
        Config(vocabulary.characters, embedding_dim=fact["embedding_dim"]),
        torch.tensor([vocabulary.encode(fact["text"])]),
    )
    assert list(both.ids_shape) == fact["ids_shape"]
    assert list(both.output_shape) == fact["output_shape"]
    assert both.comparison.bitwise_equal


def test_a_one_hot_row_times_a_matrix() -> None:
    """A one-hot row times a matrix gives that row."""
    fact = FACTS["one_hot_times_matrix"]
    weight = torch.tensor(fact["weight"], dtype=torch.float32)
    linear = nn.Linear(*weight.shape, bias=False)
    linear.weight = nn.Parameter(weight.T.contiguous())
    layers = TiedLayers(nn.Embedding.from_pretrained(weight), linear)
    token = torch.tensor(fact["one_hot"]).argmax()
    as_published(layers.lookup(token), fact["output"])
    as_published(layers.multiply(token), fact["output"])
    as_published(linear(torch.tensor(fact["one_hot"], dtype=torch.float32)), fact["output"])
