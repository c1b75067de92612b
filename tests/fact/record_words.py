"""Records the vocabulary `words`: plain words, and their rows in a published model.

    apt-get download scowl && dpkg-deb -x scowl_*.deb lists
    pip install better-profanity==0.7.0 names==0.3.0
    python -m tests.fact.record_words lists/usr/share/dict/scowl

It writes `words.txt` and `words.npy` of `embviz/fact/` anew. The model is the one that the
tests install, all-MiniLM-L6-v2. A word is chosen by this rule, and by nobody's taste:

1. It is a whole word of the model's own list, of the letters a to z; its order there, roughly how
   often it is used, is the order of the ids.
2. Debian's package `scowl` has it, in lower case, among the most usual English words (sizes 10 and
   20). Names of persons and of firms stand there with a capital, so they are left out.
3. It is no usual first name and no very usual surname, as the package `names` counts them in the
   census of the United States: *mark* and *rose* are left out, though they are words too.
4. The package `better-profanity` does not list it, nor what is left of it without an ending.
5. The words of `always.txt` are taken first: days, numbers, colours, countries and the like. The
   others follow until there are 2,800.
"""

import argparse
import importlib.util
from pathlib import Path

import numpy as np
from safetensors import safe_open

from embviz.fact.words import ROWS, SIZES, WORDS
from tests.context.record import model_folder

FIRST_WORD = 1996  # Line of the model's list from which on words stand, the most usual first.
LEVELS = 10, 20  # Lists of `scowl`: the smaller the number, the more usual the words.
# Per cent of Americans of one sex with this first name, and of all with this surname.
FIRST_NAME, SURNAME = 0.04, 0.5
LISTED = "profanity_wordlist.txt"  # One word a line, in that package.
ENDINGS = "s", "es", "d", "ed", "er", "ers", "ing", "al", "ally", "ly", "y", "en"
ALWAYS = Path(__file__).with_name("always.txt").read_text("utf-8").split()


def main(lists: Path) -> None:
    """Write both files."""
    spelled = Path(model_folder(), "vocab.txt").read_text("utf-8").splitlines()
    places = {word: place for place, word in enumerate(spelled)}
    listed = set(package_file("better_profanity", LISTED).read_text("utf-8").lower().splitlines())
    fit = {word for word in usual(lists) - names() if is_fit(word, listed)}
    always = [word for word in ALWAYS if word in places]
    others = [word for word in spelled[FIRST_WORD:] if is_plain(word) and word in fit]
    chosen = list(dict.fromkeys(always + others))[: SIZES[0] - 1]
    chosen.sort(key=places.__getitem__)
    with safe_open(Path(model_folder(), "model.safetensors"), "numpy") as file:
        table = file.get_tensor("embeddings.word_embeddings.weight")
    rows = table[[places[word] for word in [*chosen, "[UNK]"]]].astype(np.float16)
    WORDS.write_text("\n".join(chosen) + "\n", "utf-8")
    np.save(ROWS, rows)
    missing = [word for word in ALWAYS if word not in places]
    print(f"{len(chosen):,} words, {rows.nbytes:,} bytes. Not in the model: {missing}")


def is_plain(word: str) -> bool:
    """Whether it has letters from a to z alone, and two of them, unless it is *a* or *i*."""
    return word.isascii() and word.isalpha() and word.islower() and (len(word) > 1 or word in "ai")


def usual(lists: Path) -> set[str]:
    """The words of `scowl` in lower case."""
    found = set[str]()
    for kind in ("english", "american"):
        for size in LEVELS:
            found.update((lists / f"{kind}-words.{size}").read_text("latin-1").split())
    return found


def names() -> set[str]:
    """Usual names of persons."""
    found = set[str]()
    for file, most in (
        ("dist.male.first", FIRST_NAME),
        ("dist.female.first", FIRST_NAME),
        ("dist.all.last", SURNAME),
    ):
        for line in package_file("names", file).read_text("utf-8").splitlines():
            name, share, *_ = line.split()
            if float(share) >= most:
                found.add(name.lower())
    return found


def is_fit(word: str, listed: set[str]) -> bool:
    """Whether a classroom may read it.

    Args:
        word: in lower case.
        listed: words that it should not read. They stand in no file of embviz.
    """
    roots = [word.removesuffix(ending) for ending in ("", *ENDINGS)]
    return not any(root in listed for root in roots)


def package_file(package: str, file: str) -> Path:
    """A file of an installed package, which is not imported."""
    return Path(importlib.util.find_spec(package).origin).with_name(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("scowl", type=Path, help="folder of the package's word lists")
    main(parser.parse_args().scowl)
