"""Whether a stack is contextual and whether it sees order, measured on the user's text.

A function that does not see order gives each character the same vector when the text is shuffled
(permutation equivariance). A causal function gives a character the same vector whatever comes
later. Each proof runs the stack twice and returns the largest difference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from embviz.context.similarity import cosine
from embviz.context.stack import Stack, Switches
from embviz.context.static import new_order
from embviz.core.comparison import Comparison
from embviz.core.layers import TiedLayers

# A sum in another order differs in its last bits. A difference above this share of the outputs'
# largest number is no rounding; the effect of order is a thousand times as large.
ORDER_TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-10}


@dataclass(frozen=True)
class PermutationRow:
    """One stack and the effect of shuffling its text.

    Attributes:
        label: the stack in words.
        switches: the parts on top of the embedding.
        error: largest |f(shuffled) - shuffled f|.
        sees_order: whether the error is above `ORDER_TOLERANCE` times the outputs' largest
            number.
    """

    label: str
    switches: Switches
    error: float
    sees_order: bool


@dataclass(frozen=True)
class SameCharacter:
    """One character at two places, before and after the stack.

    Attributes:
        static_cosine: of its two rows of the table.
        contextual_cosine: of the stack's two outputs.
        static_max_abs_difference, contextual_max_abs_difference: largest |difference|.
    """

    static_cosine: float
    contextual_cosine: float
    static_max_abs_difference: float
    contextual_max_abs_difference: float


def permutation_error(stack: Stack, ids: torch.Tensor, seed: int) -> tuple[float, float]:
    """Largest |f(ids[order]) - f(ids)[order]| for one order drawn by seed, and largest |f(ids)|.

    0 means that the stack gives a character the same vector at every place. A text of one position
    or of one character alone shows no difference.

    Args:
        stack: f.
        ids: int64 (N,), as `Stack.trace` takes them.
        seed: of the order.
    """
    ids = ids.cpu()
    order = new_order(len(ids), seed)
    outputs = stack.trace(ids).outputs
    again = stack.trace(ids[order]).outputs
    error = Comparison(outputs[order.to(outputs.device)], again).max_abs_error
    return error, float(outputs.abs().max())


def permutation_table(layers: TiedLayers, ids: torch.Tensor, seed: int) -> list[PermutationRow]:
    """Five stacks, from the embedding alone upward, with one text and one order.

    Args:
        layers: the tables.
        ids: int64 (N,), N from 1 to 256.
        seed: of the stacks' weights and of the order.

    Raises:
        ValueError, IndexError: as `Stack` and `Stack.trace`.
    """
    full = Switches(attention=True)
    causal = replace(full, mask="causal")
    stacks = {
        "embedding alone": Switches(),
        "attention, full mask, no positions": full,
        "attention, causal mask, no positions": causal,
        "attention, full mask, positions": replace(full, positions=True),
        "attention, causal mask, positions": replace(causal, positions=True),
    }
    found = []
    for label, switches in stacks.items():
        stack = Stack(layers, switches, seed=seed)
        error, largest = permutation_error(stack, ids, seed)
        sees = error > ORDER_TOLERANCE[stack.dtype] * largest
        found.append(PermutationRow(label, switches, error, sees))
    return found


def same_character(stack: Stack, ids: torch.Tensor, i: int, j: int) -> SameCharacter:
    """One character at places i and j, below the stack and above it.

    Args:
        stack: computes the text.
        ids: int64 (N,), as `Stack.trace` takes them.
        i: one place, 0 to N - 1.
        j: another, of the same id.
    """
    trace = stack.trace(ids)
    two = [trace.tokens[[i, j]], trace.outputs[[i, j]]]
    cosines = [float(cosine(vectors)[0, 1]) for vectors in two]
    return SameCharacter(*cosines, *(Comparison(v[0], v[1]).max_abs_error for v in two))
