"""One session: its settings, the address that carries them, and what it remembers beside it."""
