"""The smallest contextual embedding: a row for each place, then one Transformer layer.

`stacked` begins with the playground's own nn.Embedding. Switches add an nn.Embedding over places
and one nn.TransformerEncoderLayer: one head, LayerNorm first, no bias, no dropout. Nothing is
trained. All of it computes in float32, whatever the dtype of the table.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
from torch import nn

from embviz.fact.layers import TiedLayers
from embviz.text.refused import Refused

Mask = Literal["full", "causal"]
MAX_PLACES = 256  # rows of the places' table
KEPT_DIM = 256  # up to here a layer is kept: 12 x D x D weights, 3 MB
_LOCK = threading.Lock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """PyTorch's constructors draw here as after `torch.manual_seed(seed)`, on the CPU.

    The global generator has its state back afterwards. One thread at a time is inside.
    """
    with _LOCK, torch.random.fork_rng(devices=[]):
        torch.set_rng_state(torch.Generator().manual_seed(seed).get_state())
        yield


@dataclass(frozen=True)
class Switches:
    """The parts that the stack adds to the embedding.

    Attributes:
        places: whether the row of its place is added to each token's row.
        attention: whether the Transformer layer stands on top.
        mask: the places that a token may look at: `full` all, `causal` its own and earlier ones.
    """

    places: bool = False
    attention: bool = False
    mask: Mask = "full"


@dataclass(frozen=True)
class Operation:
    """One line of the computation.

    Attributes:
        name: the result in a few words.
        code: the line of PyTorch that computes it.
        vectors: (N, D), the result.
        term: its name in the sum that comes out; `""` for a sum of terms.
    """

    name: str
    code: str
    vectors: torch.Tensor
    term: str = ""


@torch.no_grad()
def stacked(
    layers: TiedLayers, ids: torch.Tensor, switches: Switches, seed: int
) -> list[Operation]:
    """Every vector from the table's rows to the output of the stack, each with its line of code.

    Args:
        layers: the tables.
        ids: int64 (N,), N from 1 to 256.
        switches: what is added. A switch leaves the weights of the other part as they are.
        seed: of the weights.

    Returns:
        The rows first and the output last; the terms add up to the output.

    Raises:
        Refused: rows so large that the result is not finite.
        IndexError: an id without a row.
    """
    rows = layers.lookup(ids)
    x, cast = rows.float(), "" if rows.dtype == torch.float32 else ".float()"
    steps = [Operation("its row of the table", f"x = embedding(ids){cast}", x, "row")]
    if switches.places or switches.attention:
        draw = parts_of if x.shape[1] <= KEPT_DIM else parts_of.__wrapped__
        layer, places = draw(x.shape[1], seed, x.device)
    if switches.places:
        p = places(torch.arange(len(ids), device=x.device))
        x = x + p
        steps.append(Operation("the row of its place", "p = places(torch.arange(N))", p, "place"))
        steps.append(Operation("both added", "x = x + p", x))
    if switches.attention:
        is_causal = switches.mask == "causal"
        later = torch.ones(2 * x.shape[:1], dtype=torch.bool, device=x.device).triu(1)
        n = layer.norm1(x).unsqueeze(0)
        a = layer.self_attn(n, n, n, attn_mask=later if is_causal else None)[0][0]
        summed = x + a
        m = layer.linear2(layer.linear1(layer.norm2(summed)).relu())
        x = summed + m
        hidden = ", attn_mask=later" if is_causal else ""
        attend = f"a = layer.self_attn(n, n, n{hidden})[0]"
        mlp = "m = layer.linear2(layer.linear1(layer.norm2(x)).relu())"
        steps += [
            Operation("scaled by LayerNorm", "n = layer.norm1(x)", n[0]),
            Operation("what attention answers", attend, a, "attention"),
            Operation("answer added", "x = x + a", summed),
            Operation("what the MLP answers", mlp, m, "MLP"),
            Operation("answer added", "x = x + m", x),
        ]
    if not bool(x.isfinite().all()):
        raise Refused(
            f"The rows are too large: the stack's numbers leave {x.dtype}'s range. "
            "Choose a table with smaller numbers.",
            about="init",
        )
    return steps


@lru_cache(maxsize=4)
def parts_of(
    dim: int, seed: int, device: torch.device
) -> tuple[nn.TransformerEncoderLayer, nn.Embedding]:
    """The layer, drawn first, and the places of all stacks of one seed and size.

    Nobody changes their weights.
    """
    with seeded(seed):
        layer = nn.TransformerEncoderLayer(
            dim, 1, 4 * dim, dropout=0.0, batch_first=True, norm_first=True, bias=False
        )
        places = nn.Embedding(MAX_PLACES, dim)
    for module in (layer, places):
        module.to(device).requires_grad_(False).eval()
    return layer, places
