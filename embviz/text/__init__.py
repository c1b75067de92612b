"""Typed and uploaded text, and the words of messages. It imports no other room.

Reading order; a module imports only those before it: refused, wording, records,
glossary, breaks, digits, printed, typed, headers, fronts, numbered, saved, files,
markdown.
"""
