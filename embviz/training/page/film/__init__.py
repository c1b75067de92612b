"""A film: panels of rows of numbers, which change from state to state.

`drawing.py` has the record, `step_film.py` and `unseen_film.py` make it, `film.js` draws it.
"""
