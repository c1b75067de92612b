"""One session: its settings, the address that carries them, and what it keeps beside it.

Reading order; a module imports only those before it: session, bound, address, redraw, changes.
"""
