"""Every vocabulary on the same text: its tokens, and the size of its table.

Each is read as if it were chosen, so a refusal is the sentence of the page. Only ids are made, no
table. The text and the memory have the limits of `read_inputs`.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from embviz.fact.inits import INITS
from embviz.fact.inputs import read_inputs
from embviz.fact.tokenizers import VOCABULARIES
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes

SHOWN = 80  # tokens
EACH = "numbers a row"


def survey(settings: Mapping[str, Any], *more: Any) -> pd.DataFrame:
    """A row for each vocabulary, in the order of the records.

    Args:
        settings: of the page, as for `read_inputs`.
        more: the upload, the cache and whether weights are finite, as for `read_inputs`.

    Returns:
        `vocabulary`; `tokens`, the first `SHOWN` labels; counts of `ids`, of `rows` and of `rows
        used`; `numbers a row`, where not all tables have the same; `table`, its bytes in words;
        and `refused`, a sentence. A refused one has no others. A column that would be empty is
        left out.
    """
    lines = []
    for name in VOCABULARIES:
        chosen = " (chosen)" if name == settings["vocab"] else ""
        line: dict[str, object] = {"vocabulary": name + chosen}
        try:
            # As many rows as it needs, not as many as the page's table.
            asked = {**settings, "vocab": name, "rows": 1}
            init = INITS[asked["init"]]
            if init.words or not init.fits(asked):
                asked["init"] = "normal"  # ids are shown, and no numbers
            found = read_inputs(asked, *more)
        except Refused as refused:
            line["refused"] = str(refused)
        else:
            ids, size = found.ids.flatten().tolist(), found.table
            line |= {
                "tokens": [*map(found.label, ids[:SHOWN])],
                "ids": len(ids),
                "rows": size.num_embeddings,
                "rows used": len(set(ids)),
                EACH: size.embedding_dim,
                "table": format_bytes(
                    size.num_embeddings * size.embedding_dim * size.torch_dtype.itemsize
                ),
            }
        lines.append(line)
    found = pd.DataFrame(lines).convert_dtypes()
    is_same = EACH in found and found[EACH].nunique() == 1
    return found.drop(columns=EACH) if is_same else found
