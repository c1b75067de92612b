"""The content of components, as JSON: a rerun and the route `live` call the same functions.

Reading order; a module imports only those before it: numbers, stage, strips, film, text, static,
contextual, one_step, unseen, parts.
"""
