"""The one library that draws numbers as coloured cells: scripts and style for components.

`colours.js` makes a value a colour and a text, `board.js` draws, points and plays, `ways.js` draws
a weight with two ways out of it. It knows nothing of where the numbers come from.
"""

from pathlib import Path

_HERE = Path(__file__).parent
COLOURS = _HERE / "colours.js"
BOARD = _HERE / "board.js"
CELLS = (COLOURS, BOARD, _HERE / "ways.js")
STYLE = _HERE / "cells.css"
