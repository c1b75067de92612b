"""The folder for what this user's machine keeps: runs, the lock of sweeps, and classes."""

import os
from pathlib import Path

FOLDER_VARIABLE = "EMBVIZ_DATA_FOLDER"


def data_folder() -> Path:
    """The folder; it need not exist."""
    import platformdirs

    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else platformdirs.user_data_path("embviz", appauthor=False)
