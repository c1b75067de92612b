"""The stage's bytes: a JSON header and the visible numbers.

Layout: uint32 length of the header, the header (JSON, padded with spaces), then each array of
`header["arrays"]`, all on 8-byte boundaries, little endian. It holds at most `TOKENS` tokens, the
rows of their distinct ids from both routes, and `ROWS` x `DIMS` of the table around the
selection. That is at most 1.6 MiB in float64, and 6 KiB at the default size. `matmul` and `differs`
are there only if a bit differs: else the rows of both routes are the same bytes.
`header["digest"]` is a hash of all that is shown, without `stale`: equal digests draw the same
picture. It draws nothing.
"""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import torch

from embviz.core.config import Config
from embviz.core.cost import Cost
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes
from embviz.core.tokenizers import vocabulary
from embviz.core.vocabulary import Named
from embviz.core.wording import format_bytes
from embviz.request.inputs import Inputs
from embviz.request.settings import SETTINGS

TOKENS = 2000
ROWS = 256
DIMS = 64
_SHOWN_ROUND_TRIP = 80


@dataclass(frozen=True)
class Window:
    """The part that the stage shows: the selected token, the first dimension, and how much."""

    token: int = 0
    dim: int = 0
    rows: int = ROWS
    dims: int = DIMS

    @classmethod
    def read(cls, asked: object) -> Window:
        """The window that a browser asks for; the start where it asks for nonsense."""
        if isinstance(asked, dict):
            return cls(_count(asked.get("token")), _count(asked.get("dim")))
        return cls(_count(asked))


def pack(both: BothRoutes, given: Inputs, window: Window, stale: bool = False) -> bytes:
    """The bytes for one result and one window; `stale` marks an earlier input's result."""
    config, flat = both.config, both.ids.flatten()
    token = min(window.token, max(0, len(flat) - 1))
    first_token = _first(token, len(flat), TOKENS)
    first_dim = min(window.dim, max(0, config.embedding_dim - window.dims))
    dims = slice(first_dim, min(first_dim + window.dims, config.embedding_dim))

    ids = flat[first_token : first_token + TOKENS]
    distinct, slot = torch.unique(ids, return_inverse=True)
    # One token of each id: these are the outputs themselves, no second lookup.
    sample = torch.empty_like(distinct).scatter_(0, slot, torch.arange(len(ids))) + first_token
    lookup, matmul, differs = (
        result.reshape(-1, config.embedding_dim)[sample, dims].cpu()
        for result in (both.comparison.lookup, both.comparison.matmul, both.comparison.differs)
    )
    selected = int(flat[token]) if len(flat) else 0
    first_row = _first(selected, config.num_embeddings, window.rows)
    last_row = first_row + window.rows
    table = both.layers.embedding.weight.detach()[first_row:last_row, dims].cpu()

    arrays = {
        "ids": ids.numpy().astype(np.int32),
        "slot": slot.numpy().astype(np.uint16),
        "lookup": widened(lookup),
        "table": widened(table),
    }
    if not both.comparison.bitwise_equal:
        arrays |= {"matmul": widened(matmul), "differs": differs.numpy().astype(np.uint8)}
    header = {
        "tokens": len(flat),
        "firstToken": first_token,
        "selected": token,
        "rows": config.num_embeddings,
        "firstRow": first_row,
        "rowsLoaded": len(table),
        "dims": config.embedding_dim,
        "firstDim": first_dim,
        "dimsLoaded": table.shape[1],
        "dtype": config.dtype,
        "shape": list(both.ids_shape),
        "unit": given.vocabulary.unit if given.vocabulary else "",
        "pieces": isinstance(config.characters, Named),
        "extremes": _extremes(both),
        "labels": _labels(distinct.tolist(), given),
        "rowLabels": _row_labels(first_row, last_row, given),
        "verdict": _verdict(both),
        "cost": _cost(both),
        "sizes": _sizes(both, given),
        "roundTrip": _round_trip(both, given),
    }
    return _bytes(header, arrays, stale)


def headed(head: dict[str, Any], packed: bytes) -> bytes:
    """A message: uint32 length, a JSON head of such length, padded to 8 bytes, the result."""
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % 8)
    return len(text).to_bytes(4, "little") + text + packed


def with_digest(content: dict[str, Any]) -> bytes:
    """The content as JSON with one entry more, `digest`: a hash of all the others."""
    text = json.dumps(content, separators=(",", ":"))
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    return f'{text[:-1]},"digest":"{digest}"}}'.encode()


def _extremes(both: BothRoutes) -> list[float]:
    """Smallest and largest weight of the table: a value has one colour in every window."""
    return [value if math.isfinite(value) else 0.0 for value in both.layers.extremes]


def _labels(ids: list[int], given: Inputs) -> list[dict[str, Any]]:
    """For each distinct id: its label, whether the label replaces the character, its name."""
    vocabulary = given.vocabulary
    if vocabulary is None:
        return [{"label": "", "standIn": False, "name": "row"} for _ in ids]
    unk_id = given.config.unk_id
    return [
        {
            "label": given.label(token),
            "standIn": vocabulary.is_stand_in(token, unk_id),
            "name": vocabulary.name(token, unk_id),
        }
        for token in ids
    ]


def _row_labels(first_row: int, last_row: int, given: Inputs) -> list[str]:
    if given.vocabulary is None:
        return []
    unk_id = given.config.unk_id
    last = last_row if unk_id is not None else min(last_row, len(given.vocabulary))
    return [given.label(row) for row in range(first_row, last)]


def _verdict(both: BothRoutes) -> dict[str, Any]:
    result = both.comparison
    differing = result.differing_tokens
    return {
        "bitwiseEqual": result.bitwise_equal,
        "equal": result.num_equal,
        "values": result.num_values,
        "maxAbsError": f"{result.max_abs_error:.3g}",
        "maxUlp": "none (NaN)" if result.max_ulp is None else f"{result.max_ulp:,}",
        "differing": differing[:5],
        "differingTotal": len(differing),
        "idsShape": str(both.ids_shape),
        "oneHotShape": str(both.one_hot_shape),
        "outputShape": str(both.output_shape),
    }


def _cost(both: BothRoutes) -> dict[str, int | str]:
    cost = both.cost
    return {
        "read": cost.numbers_read,
        "multiplications": cost.multiplications,
        "byZero": cost.multiplications_by_zero,
        "ids": format_bytes(cost.ids_bytes),
    }


def _sizes(both: BothRoutes, given: Inputs) -> str:
    """Ids, rows and bytes of this vocabulary; of pieces, those of characters before."""
    config, what = both.config, "these ids" if given.text is None else "this text"
    cost = both.cost
    own = (
        f"{_table(cost)}; the one-hot of {what} would be {format_bytes(cost.one_hot_bytes)} in "
        f"{config.dtype}, and {format_bytes(8 * cost.tokens * cost.num_embeddings)} as "
        "F.one_hot makes it."
    )
    if given.text is None or not isinstance(config.characters, Named):
        return own
    return f"{_as_characters(given.text, config)}As {config.characters.vocab}: {own}"


def _as_characters(text: str, config: Config) -> str:
    """The same of the text's characters: in the default vocabulary, else as bytes."""
    for name in (SETTINGS["vocab"].default, "bytes"):
        known = vocabulary({"vocab": name})
        with contextlib.suppress(Refused):
            tokens, itemsize = len(known.encode(text)), config.torch_dtype.itemsize
            cost = Cost(tokens, len(known), config.embedding_dim, itemsize)
            return f"As {known.unit}s: {_table(cost)}. "
    return ""


def _table(cost: Cost) -> str:
    ids, rows = _many(cost.tokens, "id"), _many(cost.num_embeddings, "row")
    return f"{ids}, {rows}: a table of {format_bytes(cost.table_bytes)}"


def _many(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def _round_trip(both: BothRoutes, given: Inputs) -> dict[str, Any] | None:
    """Whether `decode(encode(text)) == text`, what is lost, and what comes back."""
    known = given.vocabulary
    if known is None:
        return None
    ids = both.ids.flatten().tolist()
    unknown = ids.count(given.config.unk_id)
    if not unknown:
        return {"equal": True, "why": "the ids hold the whole text.", "back": ""}
    back = known.decode(ids)
    shown = back if len(back) <= _SHOWN_ROUND_TRIP else back[:_SHOWN_ROUND_TRIP] + " …"
    why = f"{_many(unknown, known.unit)} became <unk>. What comes back: "
    return {"equal": False, "why": why, "back": shown}


def widened(values: torch.Tensor) -> np.ndarray[Any, np.dtype[Any]]:
    """The values as a numpy array, float64 or exactly widened to float32; numpy has no bfloat16."""
    wide = values if values.dtype == torch.float64 else values.float()
    return np.ascontiguousarray(wide.cpu().numpy())


def _bytes(
    header: dict[str, Any], arrays: dict[str, np.ndarray[Any, np.dtype[Any]]], stale: bool
) -> bytes:
    header["arrays"] = [[name, array.dtype.name, array.size] for name, array in arrays.items()]
    raws = [array.tobytes() for array in arrays.values()]
    shown = json.dumps(header, separators=(",", ":"))
    digest = blake2b(shown.encode(), digest_size=8)
    for raw in raws:
        digest.update(raw)
    more = json.dumps({"stale": stale, "digest": digest.hexdigest()}, separators=(",", ":"))
    text = f"{shown[:-1]},{more[1:]}".encode()
    text += b" " * (-(4 + len(text)) % 8)
    parts = [len(text).to_bytes(4, "little"), text]
    for raw in raws:
        parts += [raw, b"\0" * (-len(raw) % 8)]
    return b"".join(parts)


def _first(selected: int, total: int, size: int) -> int:
    """Start of a window of `size` around the selection, within 0 to `total`."""
    return max(0, min(selected - size // 2, total - size))


def _count(asked: object) -> int:
    """A whole number below 10**9; 0 for anything else that a forged message may hold."""
    if isinstance(asked, float) and asked.is_integer():
        asked = int(asked)
    text = "" if isinstance(asked, bool) else str(asked)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
