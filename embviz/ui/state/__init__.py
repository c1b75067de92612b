"""One session's state: settings, the link that carries them, and the tables it uses."""
