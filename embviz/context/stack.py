"""The smallest contextual embedding: a row for each place, then one Transformer layer.

A `Stack` uses the playground's own nn.Embedding. Switches add an nn.Embedding over places and one
nn.TransformerEncoderLayer: one head, LayerNorm first, no bias, no dropout. Nothing is trained.
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
KEPT_DIM = 256  # up to here a layer is kept: 12 x D x D weights, 3 MB in float32
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


@dataclass(frozen=True)
class Trace:
    """All vectors that the stack computed for one text.

    Attributes:
        steps: in order, each with its line of code. Their terms add up to the output.
    """

    steps: list[Operation]

    @property
    def tokens(self) -> torch.Tensor:
        """(N, D), the rows of nn.Embedding."""
        return self.steps[0].vectors

    @property
    def outputs(self) -> torch.Tensor:
        """(N, D), the stack's output."""
        return self.steps[-1].vectors


class Stack:
    """The playground's embedding with places and a Transformer layer on top, by switch.

    Args:
        layers: the tables; its nn.Embedding is not copied.
        switches: what is added. A switch leaves the weights of the other part as they are.
        seed: of the weights.

    Attributes:
        layer: the nn.TransformerEncoderLayer, drawn first, or None.
        places: nn.Embedding(256, D), drawn after it, or None.
        dtype: the dtype of the computation: the table's if float32 or float64, else float32.
        is_cast: whether the table's rows (float16, bfloat16) are cast for that.
    """

    def __init__(self, layers: TiedLayers, switches: Switches, seed: int = 0) -> None:
        weight = layers.embedding.weight
        dim = layers.embedding.embedding_dim
        self.layers, self.switches = layers, switches
        self.is_cast = weight.dtype not in (torch.float32, torch.float64)
        self.dtype = torch.float32 if self.is_cast else weight.dtype
        self.layer: nn.TransformerEncoderLayer | None = None
        self.places: nn.Embedding | None = None
        if not (switches.attention or switches.places):
            return
        draw = parts_of if dim <= KEPT_DIM else parts_of.__wrapped__
        layer, places = draw(dim, seed, weight.device, self.dtype)
        self.layer = layer if switches.attention else None
        self.places = places if switches.places else None

    @torch.no_grad()
    def trace(self, ids: torch.Tensor) -> Trace:
        """Every vector from the table's rows to the stack's output.

        Args:
            ids: int64 (N,), N from 1 to 256.

        Raises:
            Refused: rows so large that the result is not finite.
            IndexError: an id without a row.
        """
        x = self.layers.lookup(ids).to(self.dtype)
        cast = ".float()" if self.is_cast else ""
        steps = [Operation("its row of the table", f"x = embedding(ids){cast}", x, "row")]
        if self.places is not None:
            p = self.places(torch.arange(len(ids), device=x.device))
            x = x + p
            steps.append(
                Operation("the row of its place", "p = places(torch.arange(N))", p, "place")
            )
            steps.append(Operation("both added", "x = x + p", x))
        if (layer := self.layer) is not None:
            causal = self.switches.mask == "causal"
            later = torch.ones(2 * x.shape[:1], dtype=torch.bool, device=x.device).triu(1)
            n = layer.norm1(x).unsqueeze(0)
            a = layer.self_attn(n, n, n, attn_mask=later if causal else None)[0][0]
            summed = x + a
            m = layer.linear2(layer.linear1(layer.norm2(summed)).relu())
            x = summed + m
            hidden = ", attn_mask=later" if causal else ""
            steps += [
                Operation("scaled by LayerNorm", "n = layer.norm1(x)", n[0]),
                Operation(
                    "what attention answers",
                    f"a = layer.self_attn(n, n, n{hidden})[0]",
                    a,
                    "attention",
                ),
                Operation("answer added", "x = x + a", summed),
                Operation(
                    "what the MLP answers",
                    "m = layer.linear2(layer.linear1(layer.norm2(x)).relu())",
                    m,
                    "MLP",
                ),
                Operation("answer added", "x = x + m", x),
            ]
        if not bool(x.isfinite().all()):
            raise Refused(
                f"The rows are too large: the stack's numbers leave {self.dtype}'s range. "
                "Choose a table with smaller numbers.",
                about="init",
            )
        return Trace(steps)


@lru_cache(maxsize=4)
def parts_of(
    dim: int, seed: int, device: torch.device, dtype: torch.dtype
) -> tuple[nn.TransformerEncoderLayer, nn.Embedding]:
    """The layer and the places of all stacks of one seed and size; nobody changes their weights."""
    with seeded(seed):
        layer = nn.TransformerEncoderLayer(
            dim, 1, 4 * dim, dropout=0.0, batch_first=True, norm_first=True, bias=False
        )
        places = nn.Embedding(MAX_PLACES, dim)
    for module in (layer, places):
        module.to(device, dtype).requires_grad_(False).eval()
    return layer, places
