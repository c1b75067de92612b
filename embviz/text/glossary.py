"""The words of the field that pages use, each explained in one line.

A tooltip of a headline explains the words that stand in it; *Ask* answers what a word means. A new
word is one record here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Term(NamedTuple):
    """One word.

    Attributes:
        says: what it means, in a sentence of at most 25 words, as Markdown.
        page: the name of the page where it is seen.
        settings: of that page, as in an address.
    """

    says: str
    page: str = "playground"
    settings: Mapping[str, str] = {}


_WORDS = {"world": "words", "panel": "nearest"}
_MODEL = {"world": "letters", "panel": "in a model"}
_WEIGHTS = {"world": "letters", "panel": "weights"}
_STEP = {"lesson": "step"}
_SENTENCES = {"chapter": "sentences"}
TERMS = {
    "token": Term("A piece of the text that has an id: a character, a word, or a part of one."),
    "id": Term("The number of a token's row in the table, counted from 0."),
    "vocabulary": Term("All tokens that have an id.", settings={"panel": "tokenizers"}),
    "one-hot": Term(
        "A row with a 1 at the id and 0 elsewhere; `one_hot` in code.",
        settings={"world": "letters", "panel": "one_hot"},
    ),
    "lookup": Term("Reading the rows with these ids, as nn.Embedding does.", "timing"),
    "matmul": Term(
        "A matrix product. Here: the one-hot of each token times the weight of an nn.Linear.",
        "timing",
    ),
    "nn": Term("PyTorch's collection of layers, `torch.nn`.", settings=_MODEL),
    "layer": Term(
        "A step of a model, from numbers to numbers. Most layers have a weight, which training "
        "moves.",
        settings=_MODEL,
    ),
    "model": Term("Layers one after another; here from ids to scores.", settings=_MODEL),
    "language model": Term(
        "A model that scores what comes next in a text. GPT is one; ChatGPT is built on such "
        "models.",
        settings=_MODEL,
    ),
    "weight": Term(
        "The numbers that a layer holds, and that training moves. Here: the table.",
        settings=_WEIGHTS,
    ),
    "parameter": Term("A tensor that training moves, such as a weight.", settings=_WEIGHTS),
    "bias": Term(
        "Numbers that nn.Linear adds to each output, whatever the input; with `bias=False` it adds "
        "none.",
        "limits",
        {"case": "bias"},
    ),
    "tensor": Term("PyTorch's array of numbers: a list, a table, or one of more dimensions."),
    "vector": Term("A list of numbers. Here: a row of the table, or what layers make of it."),
    "transposed": Term(
        "With rows and columns swapped: of 6 x 3 numbers it makes 3 x 6.",
        settings={"world": "letters", "view": "linear"},
    ),
    "dtype": Term("The kind of numbers in a tensor, such as float32 or int64.", settings=_WEIGHTS),
    "seed": Term(
        "Where random numbers begin: the same seed gives the same table, on every machine.",
        settings=_WEIGHTS,
    ),
    "training": Term(
        "Moving the weights in small steps, so that the loss becomes smaller.", "training"
    ),
    "loss": Term(
        "How wrong a model's answers are, as one number. Training makes it smaller.",
        "training",
        _STEP,
    ),
    "gradient": Term(
        "How the loss changes with each number of a weight. A step of training goes against it.",
        "training",
        _STEP,
    ),
    "optimizer": Term(
        "The rule by which a step of training moves the weights: SGD, Adam and others.",
        "training",
        {"lesson": "unseen"},
    ),
    "SGD": Term(
        "Stochastic gradient descent: each step moves a weight against its gradient, times the "
        "learning rate.",
        "training",
        _STEP,
    ),
    "weight decay": Term(
        "A rule by which each step of training also moves every weight a little towards 0.",
        "training",
        {"lesson": "unseen"},
    ),
    "learning rate": Term("How far one step of training moves a weight.", "training", _STEP),
    "batch": Term("Several inputs that a model reads at once.", "training", _STEP),
    "logits": Term(
        "Scores before softmax, one for each row: the higher, the likelier that id.",
        settings=_MODEL,
    ),
    "softmax": Term("Turns scores into shares that add up to 1.", settings=_MODEL),
    "temperature": Term(
        "Scores are divided by it before one is drawn: below 1 the likely is likelier still.",
        "training",
        {"lesson": "write"},
    ),
    "nats": Term(
        "How surprised a model is by what comes next, by natural logarithm: 0.693 nats are a coin "
        "toss.",
        "training",
        {"lesson": "write"},
    ),
    "cosine": Term(
        "How alike the directions of two vectors are: 1 the same, 0 at a right angle, -1 opposite.",
        settings=_WORDS,
    ),
    "attention": Term(
        "Each token's vector is mixed with those of the tokens that it looks at; how much of each "
        "follows from the vectors themselves.",
        "context",
        {"chapter": "contextual"},
    ),
    "causal mask": Term(
        "With it a token looks at itself and at those before it alone, as in GPT.",
        "context",
        {"chapter": "contextual"},
    ),
    "static": Term("The same vector wherever the token stands.", "context"),
    "contextual": Term(
        "A vector that depends on the other tokens of the text.",
        "context",
        {"chapter": "contextual"},
    ),
    "Sentence-BERT": Term(
        "A model that gives a vector for a whole sentence. Its first layer is an nn.Embedding.",
        "context",
        _SENTENCES,
    ),
    "API": Term(
        "A service that a program asks over the network, such as one that gives vectors of texts.",
        "context",
        _SENTENCES,
    ),
    "CSR": Term(
        "Compressed sparse rows: of each row only the numbers that are not 0, with their columns.",
        "bag_of_words",
    ),
    "MiB": Term("1,048,576 bytes. A float32 number has 4.", "timing", {"my_model": "true"}),
    "bit for bit": Term(
        "No bit of a number differs, not even the sign of a zero.", settings={"panel": "all tokens"}
    ),
    "ulp": Term(
        "The step from a number to the next one that its dtype can hold.",
        settings={"panel": "all tokens"},
    ),
    "stride": Term(
        "How many numbers further in memory the next row stands, and the next column.",
        settings=_WEIGHTS,
    ),
    "data_ptr": Term("The address of the first number.", settings=_WEIGHTS),
    "contiguous": Term("Row after row, without gaps.", settings=_WEIGHTS),
}


def terms_in(text: str) -> list[str]:
    """The words of the glossary that stand in a text, also in the plural.

    >>> terms_in("A step of SGD moves a row, in both layers alike.")
    ['layer', 'SGD']
    """
    return [name for name in TERMS if re.search(rf"(?<!\w){re.escape(name)}s?(?!\w)", text)]


def explained(text: str, *names: str) -> str:
    """Markdown that explains the words of the glossary in a text, then these; a paragraph each.

    >>> explained("Row after row", "contiguous")
    '**contiguous**: Row after row, without gaps.'
    """
    names = tuple(dict.fromkeys([*terms_in(text), *names]))
    return "\n\n".join(f"**{name}**: {TERMS[name].says}" for name in names)
