"""Equal tokens have equal rows wherever they stand: letters, and where they move."""

from __future__ import annotations

import torch

from embviz.context.page.strips.drawing import COLOURS, Band, LetterStrips, Moved, Said, Strips
from embviz.context.page.strips.text import ShownText, alike
from embviz.context.settings import DRAWN_TOKENS
from embviz.context.static import MovedRows, edited, shuffled
from embviz.fact.inputs import Inputs, another_text
from embviz.fact.table import origin
from embviz.settings.model_settings import MODEL
from embviz.settings.page_record import Reader
from embviz.settings.pages import SETTINGS
from embviz.text.wording import counted


def static(given: Inputs, of: Reader) -> Strips:
    """The letters before and after they move.

    Raises:
        Refused: about either text.
    """
    seed, other = of("shuffle"), None
    if of("edit"):
        given, other = another_text(given, {name: of(name) for name in MODEL}, of("edit"), "edit")
        seed = None
    text = ShownText(given)
    table = text.given.table
    size = f"{table.num_embeddings:,} × {table.embedding_dim:,}"
    about = f"A strip is a row. {COLOURS}. The table: {size}, {origin(table)}."
    if other is not None:
        proof = edited(text.layers, text.ids, other.flatten()[:DRAWN_TOKENS])
    else:
        proof = shuffled(text.layers, text.ids, seed)

    def letters(ids: torch.Tensor, rows: torch.Tensor, said: Said) -> LetterStrips:
        names = text.labels(ids)
        told = alike(ids.tolist(), names, rows)
        return LetterStrips(names, ids.tolist(), [Band("row", rows)], said, told, about)

    count, rows = len(text.ids), len(set(text.ids.tolist()))
    shared = ": equal tokens share one." if rows < count else "."
    cut = text.cut
    if other is not None and max(given.ids.numel(), other.numel()) > DRAWN_TOKENS:
        cut = f"The first {DRAWN_TOKENS} of each text: "
    moved = _moved(proof, cut, other is not None)
    before = {now: was for was, now in proof.kept}
    then = Moved(
        letters(proof.after_ids, proof.after, moved),
        origin=[before.get(place, -1) for place in range(len(proof.after_ids))],
        go="To the other text" if seed is None else "Shuffle the tokens below",
        seed=seed,
        open=seed != SETTINGS["shuffle"].default,
    )
    said = [f"{text.cut}{counted(count, 'token')}, {counted(rows, 'row')}{shared}"]
    return Strips(letters(text.ids, proof.before, said), then)


def _moved(proof: MovedRows, cut: str, is_other: bool) -> Said:
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
