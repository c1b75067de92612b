"""Makes the file of the built-in tokenizer from the library text: merges.txt.

Everybody reads the same file, so that a link gives everybody the same ids. Another Python has
other docstrings. Run it only to replace it: `PYTHONPATH=. python tests/core/tokenizer_files.py`.
"""

from __future__ import annotations

import hashlib
import json
import platform

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from embviz.core.merges import MERGES
from embviz.training.text import library_text

MOST_MERGES = 2_000


def learn_merges(text: str) -> list[tuple[str, str]]:
    """The merges of byte-pair encoding, most frequent pair first, in the tokenizer's spelling."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) + MOST_MERGES, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(one, other) for one, other in merges]


def head(text: str) -> str:
    """The first line of a file: what it was made of."""
    made_of = f"library_text() of Python {platform.python_version()}"
    return f"# {made_of}, sha256 {hashlib.sha256(text.encode()).hexdigest()}"


def main() -> None:
    """Write the file."""
    text = library_text()
    merges = [" ".join(pair) for pair in learn_merges(text)]
    MERGES.write_text("\n".join([head(text), *merges]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
