"""A text as letters, each with its vectors as strips of coloured cells.

`drawing.py` has the record, `static.py` and `contextual.py` make it, `strips.js` draws it.
"""
