"""What the scripts of the frame know of the parameters: history entries, pages, default numbers."""

import json

from embviz.request.pages import PAGES
from embviz.request.parameter_kinds import Number
from embviz.request.parameters import PARAMETERS, SURELY_FITS

_FIRST = next(iter(PAGES))  # its path in the address is empty
_READ_BY = {
    one.name: [*one.pages, *([""] if _FIRST in one.pages else [])] for one in PARAMETERS.values()
}
_ENTRIES = [one.name for one in PARAMETERS.values() if one.entry]
_WITHOUT_WIDGET = [one.name for one in PARAMETERS.values() if not one.has_widget]
_NUMBERS = {one.name: one.default for one in PARAMETERS.values() if isinstance(one, Number)}
_CONSTANTS = {
    "ENTRIES": _ENTRIES,
    "READ_BY": _READ_BY,
    "WITHOUT_WIDGET": _WITHOUT_WIDGET,
    "SURELY_FITS": SURELY_FITS,
    "NUMBERS": _NUMBERS,
}
SCRIPT = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in _CONSTANTS.items())
