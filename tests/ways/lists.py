"""The lists of the ways, as the docstrings of `embviz` and `tests.ways` have them."""

import re

import embviz
from tests import ways

KEY = "a key becomes a picture"
_LINE = re.compile(r"^    ([\w/]+\.(?:py|js)) +(\S.*)$", re.MULTILINE)
# Stands in place of a list of scripts.
_AS_A_KEY = "the scripts of a key"


def _lists() -> dict[str, dict[str, str]]:
    """What each file does, by the title of its list, which begins with *How*."""
    text = f"{embviz.__doc__}\n{ways.__doc__}"
    parts = re.split(r"^How ", text, flags=re.MULTILINE)[1:]
    found = dict[str, dict[str, str]]()
    for part in parts:
        words = dict(_LINE.findall(part))
        if _AS_A_KEY in " ".join(part.split()):
            words |= {file: of for file, of in found[KEY].items() if file.endswith(".js")}
        found[re.split(r"[.:;,]", part)[0]] = words
    return found


LISTS = _lists()
# What a file does, in whichever list has it.
WORDS = {file: words for one in LISTS.values() for file, words in one.items()}
