"""The folder for what this user's machine keeps: runs, the lock of sweeps, and classes."""

import os
from pathlib import Path

from embviz.core.refused import Refused

FOLDER_VARIABLE = "EMBVIZ_DATA_FOLDER"


def data_folder() -> Path:
    """The folder; it need not exist.

    Raises:
        Refused: this user has no home folder, and the variable names no other one.
    """
    import platformdirs

    if given := os.environ.get(FOLDER_VARIABLE):
        return Path(given)
    try:
        return platformdirs.user_data_path("embviz", appauthor=False)
    except RuntimeError:  # neither HOME nor an entry of this user tells it
        raise Refused(
            "This user has no home folder, so embviz cannot keep files: set HOME, or set "
            f"{FOLDER_VARIABLE} to a folder."
        ) from None
