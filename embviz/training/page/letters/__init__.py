"""Six letters learn: their rows before and while they move, a map, and what the model guesses.

`drawing.py` makes the record, `component.py` mounts it, `letters.js` draws it.
"""
