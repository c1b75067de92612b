"""A text as letters, each with its vectors as strips of coloured cells.

`drawing.py` has the record, `static_strips.py` and `contextual_strips.py` make it, and `strips.js`
draws it.
"""
