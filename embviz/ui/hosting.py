"""Where the app runs: on somebody's own machine, or for strangers."""

import os


def hosted() -> bool:
    """Whether strangers share this server (`EMBVIZ_HOSTED=1`): then nothing is kept on it."""
    return os.environ.get("EMBVIZ_HOSTED") == "1"
