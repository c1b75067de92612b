"""What *Training* says is true in every state that a link can give.

Each sentence is read, and its numbers are compared with those of PyTorch alone.
"""

import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from embviz.fact.characters import PRINTABLE
from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs, read_inputs
from embviz.picture.part import part_json
from embviz.settings.given import defaults
from embviz.settings.pages import SETTINGS
from embviz.training.inputs import loss_of, weight_of
from embviz.training.losses import PATTERNS
from embviz.training.page import parts, write
from embviz.training.page import sizes as sizes_page
from embviz.training.settings import RATES
from embviz.training.sizes import DIMS, HARDLY, Sizes
from embviz.training.writing import Writing
from tests.ui.headless import open_page

STARTS = {
    **dict.fromkeys(("trained", "learnt"), "Learnt rows at first"),
    **dict.fromkeys(("own", "vectors"), "Your own numbers at first"),
}
OWN = {"weights": "1 2\n3 4\n0 0", "input": "ids", "ids": "2 1"}
CHARACTERS = {"text": "hello"}
LEARNT = {"text": "king queen", "world": "words", "vocab": "words", "init": "trained"}
LETTERS = {"text": "cab", "world": "letters", "vocab": "custom", "chars": "abcdef"}
LOSSES = [*(("mse", target) for target in (*PATTERNS, "0", "-1.5")), ("next", "wave")]
WAVE = LOSSES[:1]
# Settings, the rate, and losses with their targets.
STATES: list[tuple[dict[str, Any], str, list[tuple[str, str]]]] = [
    *((CHARACTERS, rate, LOSSES) for rate in RATES),
    *((CHARACTERS | {"init": name}, "1x", WAVE) for name in INITS if name not in STARTS),
    ({"init": "own", **OWN}, "1x", LOSSES),
    ({"init": "vectors", "weights": "cat 1 2\ndog 3 4", "text": "dog cat"}, "1x", WAVE),
    (LEARNT, "1x", WAVE),
    (LETTERS | {"rows": 6, "dim": 3, "init": "learnt"}, "1x", LOSSES),
    ({"text": "aé", "dim": 1, "token": 9, "rows": 101}, "0.1x", LOSSES),
    ({"text": "ab", "dtype": "float64", "dim": 20}, "10x", LOSSES),
]
TEXTS = "the cat sat on the mat", "ab", "abcd" * 30, "Zoë 12, 34; \t\n", "bcbcbc"


def given(**own: Any) -> tuple[Inputs, Any]:
    """Inputs and a reader of settings."""
    values = defaults(SETTINGS) | own
    return read_inputs(values), values.__getitem__


def strips(panel: Any, columns: int) -> list[np.ndarray]:
    """The numbers of each row of a panel, (K + 1, columns)."""
    return [np.frombuffer(b64decode(row["values"]), "<f4").reshape(-1, columns) for row in panel[2]]


@pytest.mark.parametrize(("inputs", "rate", "losses"), STATES, ids=str)
def test_both_layers_learn_the_same_numbers_and_only_in_the_row_looked_up(
    inputs: dict[str, Any], rate: str, losses: list[tuple[str, str]]
) -> None:
    """The headline, the losses, the count of the other rows, and what the start is called."""
    for loss, target in losses:
        found, of = given(**inputs, rate=rate, loss=loss, target=target)
        film = json.loads(part_json(parts.ONE_STEP, found, of))
        lookup, matmul = (strips(panel, film["columns"]) for panel in film["panels"])
        np.testing.assert_array_equal(lookup, matmul)
        for row, strip in zip(film["panels"][0][2], lookup, strict=True):
            if row["kind"] == "small":
                assert (strip == strip[0]).all()
                assert {*row["notes"]} == {"0"}
        start = STARTS.get(found.table.init, "Random at first")
        assert film["said"][0].startswith(f"{start}. The loss is ")
        expected = by_torch(found, of, len(film["said"]))
        for step, said in enumerate(film["said"]):
            assert losses_of(said)[-1] == pytest.approx(expected[step], rel=2e-3, abs=1e-12)
            if step and found.table.num_embeddings > 1:
                others = f"{found.table.num_embeddings - 1:,}"
                assert (
                    f"{others} of {others} other rows stand still: their gradient is exactly 0."
                    in said
                )
        is_pressed = loss == "mse" and found.table.embedding_dim <= 16
        assert ("Press a number" in film["task"]) == is_pressed
        assert len(film["target"]) == (found.table.embedding_dim if is_pressed else 0)


def losses_of(said: str) -> list[float]:
    """The losses in a sentence, the first one and that of its step."""
    found = re.search(r"The loss (?:is|goes from) ([-\d.e+]+?)(?: to ([-\d.e+]+?))?[:.] ", said)
    assert found
    return [float(one) for one in found.groups() if one is not None]


def by_torch(found: Inputs, of: Any, count: int) -> list[float]:
    """The loss after 0, 1, ... steps of PyTorch's own layer and optimizer."""
    loss = loss_of(found, of)
    ids = found.ids.flatten()
    place = min(of("token"), len(ids) - 1)
    if of("loss") == "next":
        place = min(place, len(ids) - 2)
    token, follows = ids[place], ids[min(place + 1, len(ids) - 1)]
    layer = torch.nn.Embedding.from_pretrained(weight_of(found).clone(), freeze=False)
    head = [torch.nn.Parameter(one.detach().clone().to(layer.weight)) for one in loss.parameters()]
    optimizer = torch.optim.SGD([layer.weight, *head], 0.5 * float(of("rate").rstrip("x")))

    def measured() -> torch.Tensor:
        row = layer(token)
        if head:
            return F.cross_entropy(F.linear(row, *head), follows)
        return F.mse_loss(row, loss.target.to(row).expand_as(row))

    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        now = measured()
        losses.append(float(now.detach()))
        now.backward()
        optimizer.step()
    return losses


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("dim", [2, 16])
def test_learn_to_write_says_what_its_model_does(text: str, dim: int) -> None:
    """Loss, limit, kinds and what the map shows, at the start and later."""
    model = Writing(text, PRINTABLE, dim, 3)
    for steps in (0, 10, 100):
        model.advance(steps - model.steps)
        points, frames = model.points, model.frames
        assert points[-1].step == frames[-1].step == steps
        begun, loss = points[0].loss_embedding, points[-1].loss_embedding
        said = write.verdict(model)
        least = f"{model.limit:.3f} at best."
        assert said.startswith(f"Loss {loss:.3f}: {begun:.3f} at first, {least}")
        assert loss >= model.limit - 1e-6
        several = len({*model.shown.values()}) > 1
        kinds = (
            f" {frames[-1].same_kind} of the text's {len(model.shown)} rows are nearest to a row"
        )
        assert (kinds in said) == several
        spread = f"{frames[-1].spread:.0%} of the spread of {dim} numbers"
        assert (spread in write.distance(model)) == (dim > 2)
        assert ("both numbers" in write.distance(model)) == (dim == 2)


@pytest.mark.parametrize("text", TEXTS)
def test_the_sentence_on_d_is_that_of_the_losses(text: str) -> None:
    """Where it says that no doubling lowers the loss by much, none does; else the last one does."""
    model = Sizes(text, PRINTABLE, 3)
    for steps in (0, 50, 150):
        model.advance(steps - model.steps)
        said, losses = sizes_page.verdict(model), model.points[-1].losses
        if not steps:
            low, high = min(losses), max(losses)
            assert said == f"Random at first: with every D the loss is {low:.2f} to {high:.2f}."
        elif found := re.match(
            r"From D = (\d+) on, twice as many numbers lower the loss by less than (.*) on", said
        ):
            first = DIMS.index(int(found[1]))
            assert float(found[2]) == HARDLY
            assert all(
                a - b < HARDLY for a, b in zip(losses[first:], losses[first + 1 :], strict=False)
            )
            assert first == 0 or losses[first - 1] - losses[first] >= HARDLY
        else:
            fall = losses[-2] - losses[-1]
            assert fall >= HARDLY
            assert f"from 16 to 32 still lowers the loss, by {fall:.2f}; " in said


@pytest.mark.parametrize("lesson", ["write", "size"])
def test_it_says_which_text_and_which_model(lesson: str) -> None:
    """The country's law by its name, or the user's text, with the characters that have ids."""
    steps = {"learn_steps": "0", "size_steps": "0"}
    own = {"corpus": "own", "text": "Zoë sat"}
    for query, words in (
        ({}, "US Declaration of Independence and Constitution, 53,114 characters."),
        (own, "Text: yours, 6 characters."),
    ):
        app = open_page("training", lesson=lesson, **steps, **query)
        assert not app.exception
        (said,) = [one.value for one in app.caption if "score the next" in one.value]
        assert said.endswith(words)
        assert "`nn.Embedding(100, " in said
