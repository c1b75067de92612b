"""A film: panels of rows of numbers, which change from state to state.

`drawing.py` has the record, `one_step.py` and `unseen.py` make it, `film.js` draws it.
"""
