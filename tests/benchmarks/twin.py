"""The measuring process with a method `twin`: the lookup, in a table of its own with equal numbers.

The timing benchmark starts it, and imports it for the record. Without it there would be no test
of a difference between methods where there is none.
"""

from __future__ import annotations

from dataclasses import replace

from embviz.timing.measure.methods import METHODS

LOOKUP = METHODS["lookup"]
METHODS["twin"] = replace(LOOKUP, name="twin", label="twin", source="F.embedding(ids, twin)")

if __name__ == "__main__":
    from embviz.timing.measure import process as measure
    from embviz.timing.measure import tensors

    tensors.MADE["twin"] = tensors.MADE["table"]
    measure.main()
