"""Equal tokens have equal rows wherever they stand: letters that move, or those of two texts."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from embviz.context.moved_rows import MovedRows, edited, shuffled
from embviz.context.page.strips.drawing import COLOURS, Band, LetterStrips, Moved, Said, Strips
from embviz.context.page.strips.text import ShownText, alike, numbered
from embviz.context.settings import DRAWN_TOKENS
from embviz.fact.inputs import Inputs, another_text
from embviz.fact.table import origin
from embviz.settings.model_settings import MODEL
from embviz.settings.page_record import Reader
from embviz.settings.pages import SETTINGS
from embviz.text.wording import counted


def static_strips(given: Inputs, of: Reader) -> Strips:
    """The letters before and after they move, or both texts, one above the other.

    Raises:
        Refused: about either text.
    """
    if of("edit"):
        return _both_texts(
            *another_text(given, {name: of(name) for name in MODEL}, of("edit"), "edit")
        )
    seed, text = of("shuffle"), ShownText(given)
    proof = shuffled(text.layers, text.ids, seed)

    def letters(ids: torch.Tensor, rows: torch.Tensor, said: Said) -> LetterStrips:
        names = text.labels(ids)
        told = alike(ids.tolist(), names, rows)
        return LetterStrips(names, ids.tolist(), [Band("row", rows)], said, told, _about(text))

    count, rows = len(text.ids), len(set(text.ids.tolist()))
    shared = ": equal tokens share one." if rows < count else "."
    before = {now: was for was, now in proof.kept}
    then = Moved(
        letters(proof.after_ids, proof.after, _moved(proof, text.cut, is_other=False)),
        origin=[before[place] for place in range(len(proof.after_ids))],
        go="Shuffle the tokens below",
        seed=seed,
        open=seed != SETTINGS["shuffle"].default,
    )
    said = [f"{text.cut}{counted(count, 'token')}, {counted(rows, 'row')}{shared}"]
    return Strips(letters(text.ids, proof.before, said), then)


def _about(text: ShownText) -> str:
    table = text.given.table
    size = f"{table.num_embeddings:,} × {table.embedding_dim:,}"
    return f"A strip is a row. {COLOURS}. The table: {size}, {origin(table)}."


def _both_texts(given: Inputs, other: torch.Tensor) -> Strips:
    """Text 1 above text 2: a row that both have looks the same in both."""
    text = ShownText(given)
    proof = edited(text.layers, text.ids, other.flatten()[:DRAWN_TOKENS])
    ids, first = torch.cat([text.ids, proof.after_ids]), len(text.ids)
    rows, names = torch.cat([proof.before, proof.after]), text.labels(ids)
    longest = max(given.ids.numel(), other.numel())
    cut = f"The first {DRAWN_TOKENS} of each text: " if longest > DRAWN_TOKENS else ""

    def where(places: Sequence[int]) -> str:
        texts = [k for k in places if k < first], [k - first for k in places if k >= first]
        named = (f"text {k + 1}, {numbered('place', at)}" for k, at in enumerate(texts) if at)
        return f"in {'; '.join(named)}, from 0"

    letters = LetterStrips(
        names,
        ids.tolist(),
        [Band("row", rows)],
        _moved(proof, cut, is_other=True),
        alike(ids.tolist(), names, rows, where),
        _about(text),
        lines=[first, len(proof.after_ids)],
    )
    return Strips(letters)


def _moved(proof: MovedRows, cut: str, *, is_other: bool) -> Said:
    """The change of the strips; for another text, of those that both texts have."""
    count = counted(len(proof.after_ids), "token")
    if not proof.kept:
        return [f"{cut}0 of {count} kept, ", "no strip to compare", "."]
    said, kept = f"{proof.moved:,} of {count} moved", ""
    if is_other:
        said, kept = f"{len(proof.kept):,} of {count} kept, {proof.moved or 'none'} moved", "kept "
    same = f"each {kept}strip is bit for bit what it was"
    return [
        f"{cut}{said}, ",
        same if proof.same_bits else f"some {kept}strips changed",
        f": max |difference| {proof.lookup.max_abs_error:.3g} by lookup, "
        f"{proof.matmul.max_abs_error:.3g} by matmul.",
    ]
