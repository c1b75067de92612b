"""Prints the five lists as they are measured: `python -m tests.ways`.

A file keeps the words of its list, or gets those of another one; `?` asks for words.
"""

import tempfile
from pathlib import Path

import pytest

from tests.ways.lists import LISTS, WORDS
from tests.ways.measure import MEASURED

for title, measure in MEASURED.items():
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        found = measure(patch, Path(folder))
    print(f"\nHow {title}: {len(found.python)} in Python, {len(found.scripts)} scripts\n")
    files = [*found.python, *sorted(found.scripts)]
    width = max(map(len, files))
    for file in files:
        print(f"    {file:{width}}  {LISTS.get(title, {}).get(file) or WORDS.get(file, '?')}")
