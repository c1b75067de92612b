"""The folder for what this user's machine keeps: runs, the lock of sweeps, and classes.

Other users of the machine cannot read it: folders are made with 0700, files with 0600.
"""

import os
from contextlib import suppress
from pathlib import Path

from embviz.text.refused import Refused

FOLDER_VARIABLE = "EMBVIZ_DATA_FOLDER"
FILE_MODE = 0o600  # permissions of each file: its owner alone


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


def make_private(folder: Path) -> None:
    """Make a folder for this user alone.

    One that is there and wider is narrowed: earlier versions made it so. But what
    `EMBVIZ_DATA_FOLDER` names, and what is in it, keeps its permissions: it may be shared on
    purpose, or be a folder for other things too.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(0o700, parents=True, exist_ok=True)
    if not os.environ.get(FOLDER_VARIABLE) and folder.stat().st_mode & 0o077:
        with suppress(OSError):  # somebody else's: its files are still private
            folder.chmod(0o700)


def opened_private(path: str, flags: int) -> int:
    """The `opener` of a file that only this user may read."""
    return os.open(path, flags, FILE_MODE)
