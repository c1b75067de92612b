"""The headline and the sentence of the bag page: each is true of the row that is shown."""

from __future__ import annotations

import numpy as np

from embviz.bag.documents import LETTERS
from embviz.bag.page.fields import OneRow
from embviz.bag.routes import RouteResult
from embviz.text.wording import counted, isolate
from embviz.ui.state.address import setting


def noun() -> str:
    """The word for one number of a row: a count, or a number of TF-IDF."""
    is_tfidf = setting("bag") == "documents" and setting("counts") == "tfidf"
    return "number" if is_tfidf else "count"


def headline_words() -> str:
    """The headline. It holds for every row, because it is not drawn again for another one."""
    if setting("forget"):
        forget = f"Without the {noun()}s, the sum is sure to be right only"
        return f"{forget} where each {noun()} is 1."
    return (
        f"A row of {noun()}s through `nn.Linear` gives the sum of `nn.Embedding` rows, each times "
        f"its {noun()}."
    )


def sentence(bag_row: OneRow) -> str:
    """Says whether both sums of the row are the same, and what the counts change."""
    counts, number = bag_row.counts, noun()
    plain, weighted, linear = (
        bag_row.result.of_routes[name]
        for name in ("embedding_sum", "weighted_embedding_sum", "dense_linear")
    )
    if not len(counts.data):
        what = "document" if bag_row.matrix.documents else "row"
        return f"✓ Each {number} of this {what} is 0: every row × 0, so both sums are 0."
    wrong, total = int(plain.wrong.sum()), plain.wrong.numel()
    all_one = bool((counts.data == 1).all())
    if not setting("forget"):
        if not (weighted.right and linear.right):
            return "≠ The sums differ by more than rounding allows."
        same = f"✓ Both sums are the same, {exactness(weighted, linear)}."
        if all_one:
            return f"{same} Each {number} is 0 or 1, so the sums need no {number}s."
        if not wrong:
            return f"{same} Without the {number}s they would be the same by chance."
        numbers = counted(total, "number")
        return f"{same} Without the {number}s, {wrong:,} of {numbers} would be wrong."
    if all_one:
        same = exactness(plain, linear)
        return (
            f"✓ Each {number} is 0 or 1, so forgetting the {number}s changes nothing: both sums "
            f"are the same, {same}."
        )
    k = int(np.abs(counts.data - 1).argmax())
    column = int(counts.indices[k])
    word = f"column {column:,}"
    if bag_row.matrix.columns:
        word = isolate(short(bag_row.matrix.columns[column]))
    why = f"{word} has the {number} {count_words(counts.data[k])}, but its row was added once."
    if not wrong:
        return f"✓ Right by chance: {why}"
    verb = "is" if wrong == 1 else "are"
    return f"≠ {wrong:,} of {counted(total, 'number')} {verb} wrong: {why}"


def exactness(routed: RouteResult, linear: RouteResult) -> str:
    """How equal a sum and that of `linear(x)` are, which are equal within rounding."""
    if routed.same_bits:
        return "bit for bit"
    apart = (routed.output.double() - linear.output.double()).abs().max()
    if not apart:
        return "but for the sign of a 0"
    return f"within rounding: they differ by up to {count_words(float(apart))}"


def short(word: str) -> str:
    """A word of `LETTERS` letters at most."""
    return word if len(word) <= LETTERS else f"{word[: LETTERS - 1]}…"


def count_words(value: float) -> str:
    """A whole number as it is, another one with three digits.

    >>> count_words(-12.0), count_words(0.12345)
    ('−12', '0.123')
    """
    shown = f"{value:.9g}" if float(value).is_integer() else f"{value:.3g}"
    return shown.replace("-", "−")
