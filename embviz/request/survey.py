"""Every vocabulary on the same text: its pieces, and the size of its table.

Each is read as if it were chosen, so a refusal is the sentence of the page. Only ids are made, no
table. The text and the memory have the limits of `read_inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from embviz.core.refused import Refused
from embviz.core.tokenizers import VOCABULARIES
from embviz.core.wording import format_bytes
from embviz.request.inputs import Cache, no_cache, read_inputs

SHOWN = 80  # pieces
COLUMNS = ["vocabulary", "pieces", "ids", "rows", "rows used", "table", "refused"]


def survey(
    settings: Mapping[str, Any],
    upload: tuple[str, bytes] | None = None,
    cache: Cache = no_cache,
) -> pd.DataFrame:
    """A row for each vocabulary, in the order of the records.

    Args:
        settings: of the page, as for `read_inputs`.
        upload: as for `read_inputs`.
        cache: as for `read_inputs`.

    Returns:
        `vocabulary`; `pieces`, the first `SHOWN` labels; counts of `ids`, of `rows` and of `rows
        used`; `table`, its bytes in words; and `refused`, a sentence. A refused one has no others.
        A column that would be empty is left out.
    """
    lines = []
    for name in VOCABULARIES:
        mark = " (chosen)" if name == settings["vocab"] else ""
        line: dict[str, object] = {"vocabulary": name + mark}
        try:
            # As many rows as it needs, not as many as the page's table.
            found = read_inputs({**settings, "vocab": name, "rows": 1}, upload, cache)
        except Refused as refused:
            line["refused"] = str(refused)
        else:
            assert found.vocabulary is not None
            ids, size = found.ids.flatten().tolist(), found.config
            weight = size.num_embeddings * size.embedding_dim * size.torch_dtype.itemsize
            line |= {
                "pieces": [*map(found.vocabulary.label, ids[:SHOWN])],
                "ids": len(ids),
                "rows": size.num_embeddings,
                "rows used": len(set(ids)),
                "table": format_bytes(weight),
            }
        lines.append(line)
    table = pd.DataFrame(lines, columns=COLUMNS).dropna(axis="columns", how="all")
    return table.convert_dtypes()
