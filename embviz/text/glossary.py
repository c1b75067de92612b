"""The words of the field that pages use, each explained in one line, for tooltips.

A tooltip stands where its word stands first on a page: `explained` writes it.
"""

from __future__ import annotations

TERMS = {
    "token": "A piece of the text that has an id: a character, a word, or a part of one.",
    "one-hot": "A row with a 1 at the id and 0 elsewhere; `one_hot` in code.",
    "matmul": "A matrix product. Here: the one-hot of each token times the weight of an nn.Linear.",
    "logits": "Scores before softmax, one for each row: the higher, the likelier that id.",
    "CSR": "Compressed sparse rows: of each row only the numbers that are not 0, with their "
    "columns.",
    "temperature": "Scores are divided by it before one is drawn: below 1 the likely is likelier "
    "still.",
    "nats": "How surprised a model is by what comes next, by natural logarithm: 0.693 nats are a "
    "coin toss.",
    "cosine": "How alike two directions are: 1 the same, 0 at a right angle, -1 opposite.",
    "attention": "Each token's vector is mixed with those of the tokens that it looks at; how much "
    "of each follows from the vectors themselves.",
    "bit for bit": "No bit of a number differs, not even the sign of a zero.",
    "ulp": "The step from a number to the next one that its dtype can hold.",
    "stride": "How many numbers further in memory the next row stands, and the next column.",
    "data_ptr": "The address of the first number.",
    "contiguous": "Row after row, without gaps.",
}


def explained(*names: str) -> str:
    """Markdown that explains these words, a paragraph each.

    >>> explained("contiguous")
    '**contiguous**: Row after row, without gaps.'
    """
    return "\n\n".join(f"**{name}**: {TERMS[name]}" for name in names)
