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
5. The words of `ALWAYS` are taken first: days, numbers, colours, countries and the like. The others
   follow until there are 2,800.
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
ALWAYS = """
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
spring summer autumn winter
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
thousand million billion first second third fourth fifth sixth seventh eighth ninth tenth
red orange yellow green blue purple violet pink brown black white grey gray gold silver
cat cats dog dogs horse horses cow cows pig pigs sheep goat duck chicken bird birds fish mouse mice
rat rabbit bear wolf fox lion tiger elephant monkey snake frog turtle shark whale dolphin eagle owl
bee butterfly spider ant fly camel deer kitten puppy lamb crow swan penguin dinosaur dragon
apple apples orange banana cherry grape lemon peach berry bread butter cheese milk egg eggs rice
meat soup salad cake pie sugar salt pepper honey coffee tea juice water wine potato tomato onion
corn bean chocolate cream
king queen prince princess man men woman women boy boys girl girls father mother son daughter
brother sister uncle aunt husband wife grandfather grandmother baby child children family friend
car cars bus train trains bicycle bike ship boat plane truck wheel road
book books pen pencil paper desk chair table school teacher student students class lesson homework
house door window kitchen garden tree trees flower flowers sun moon star stars sky rain snow wind
head hand hands foot feet eye eyes ear nose mouth hair heart
good better best bad worse worst big bigger biggest small smaller smallest
hot warm cool cold fast slow happy sad
go goes going went gone walk walks walking walked swim swimming swam run runs running ran
computer computers number numbers word words letter letters language languages science mathematics
hello hi yes no please thanks sit sits mat like likes love loves eat eats drink drinks sing sings
layer layers matrix vector row rows column columns sum sums zero random model models
english french german italian spanish portuguese greek dutch swedish norwegian danish finnish
polish russian turkish arabic chinese japanese korean latin irish indian american african european
asian british canadian australian mexican brazilian egyptian
africa asia europe america australia antarctica
france paris germany berlin italy rome spain madrid portugal lisbon greece athens turkey ankara
england london scotland edinburgh ireland dublin wales cardiff netherlands amsterdam belgium
brussels austria vienna switzerland bern poland warsaw hungary budapest sweden stockholm norway oslo
denmark copenhagen finland helsinki iceland estonia tallinn latvia riga lithuania vilnius russia
moscow ukraine kiev romania bucharest bulgaria sofia serbia belgrade croatia zagreb slovenia
slovakia bratislava czech prague albania china beijing japan tokyo korea seoul india delhi pakistan
islamabad bangladesh nepal kathmandu thailand bangkok vietnam hanoi indonesia jakarta malaysia
philippines manila singapore mongolia iran tehran iraq baghdad israel jerusalem jordan lebanon
beirut syria damascus egypt cairo libya tripoli tunisia tunis algeria algiers morocco kenya nairobi
ethiopia uganda tanzania nigeria ghana accra senegal dakar cameroon angola zambia zimbabwe
mozambique madagascar sudan somalia congo canada ottawa mexico cuba havana jamaica brazil argentina
chile santiago peru lima bolivia ecuador quito colombia venezuela caracas uruguay paraguay panama
guatemala honduras nicaragua haiti zealand wellington washington
"""


def main(lists: Path) -> None:
    """Write both files."""
    spelled = Path(model_folder(), "vocab.txt").read_text("utf-8").splitlines()
    places = {word: place for place, word in enumerate(spelled)}
    listed = set(package_file("better_profanity", LISTED).read_text("utf-8").lower().splitlines())
    fit = {word for word in usual(lists) - names() if is_fit(word, listed)}
    always = [word for word in ALWAYS.split() if word in places]
    others = [word for word in spelled[FIRST_WORD:] if is_plain(word) and word in fit]
    chosen = list(dict.fromkeys(always + others))[: SIZES[0] - 1]
    chosen.sort(key=places.__getitem__)
    with safe_open(Path(model_folder(), "model.safetensors"), "numpy") as file:
        table = file.get_tensor("embeddings.word_embeddings.weight")
    rows = table[[places[word] for word in [*chosen, "[UNK]"]]].astype(np.float16)
    WORDS.write_text("\n".join(chosen) + "\n", "utf-8")
    np.save(ROWS, rows)
    missing = [word for word in ALWAYS.split() if word not in places]
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
