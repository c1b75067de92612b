"""The stage: one component that shows a weight with two ways out of it.

`drawing.py` makes its record, `component.py` sends it, `stage.js` draws it.
"""
