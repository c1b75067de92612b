"""The playground's picture as an SVG, for slides and worksheets: text stays text.

It shows one token: the weight that both layers share, the row that `nn.Embedding` copies, and the
products that `nn.Linear` adds. It draws at most `ROWS` rows and `COLUMNS` columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.sax.saxutils import escape

from embviz.fact.routes import BothRoutes
from embviz.text.wording import counted, isolate

ROWS, COLUMNS = 12, 10  # drawn at most
# px of a number, a line, the names of rows, and what stands between weight and products
CELL, LINE, NAMES, BETWEEN = 64, 26, 130, 90
TOP = 92  # px above the first row
BLUE, ORANGE, INK, GREY = "#1565c0", "#bf5600", "#1f2328", "#5f6773"
POSITIVE, NEGATIVE = (27, 120, 55), (118, 42, 131)  # red, green and blue of the largest sizes
MOST_LABEL = 10  # Characters of a row's name.


def stage_svg(both: BothRoutes, token: int, label: Callable[[int], str]) -> str:
    """The picture of a token.

    Args:
        both: the result of both routes, with one token or more.
        token: index of the token, from 0; after the last one it is the last.
        label: an id's symbol; empty without one.
    """
    weight, ids = both.layers.embedding.weight.detach(), both.ids.flatten().tolist()
    place = min(token, len(ids) - 1)
    picked, (rows, dims) = ids[place], weight.shape
    shown, columns = min(rows, ROWS), min(dims, COLUMNS)
    first = max(0, min(picked - shown // 2, rows - shown))
    lookup, matmul = (
        output.reshape(-1, dims)[place, :columns].tolist()
        for output in (both.comparison.lookup, both.comparison.matmul)
    )
    middle, right = NAMES + columns * CELL / 2, NAMES + columns * CELL + BETWEEN
    bottom = TOP + (shown + 1) * LINE
    drawn = weight[first : first + shown, :columns].cpu()
    scale = float(drawn.nan_to_num(0, 0, 0).abs().max()) or 1.0
    far, between = right + columns * CELL / 2, right - BETWEEN / 2
    elements = [
        _text(middle - 12, 20, f"nn.Embedding({rows}, {dims})", BLUE, "end"),
        _text(middle + 12, 20, f"nn.Linear({rows}, {dims}, bias=False)", ORANGE, "start"),
        _text((NAMES + middle) / 2, 40, "▼", BLUE),
        _text((middle + right - BETWEEN) / 2, 40, "▼", ORANGE),
        f'<rect x="{NAMES}" y="46" width="{columns * CELL}" height="22" fill="{INK}"/>',
        _text(middle, 61, "the same weight in both", "#fff"),
        _text(middle, 82, _sizes(rows, dims, shown, columns), GREY),
        _text(NAMES - 40, 62, "id", BLUE),
        _text(between, 62, "one_hot", ORANGE),
        _text(far, 62, "products", ORANGE),
    ]
    for k, values in enumerate(drawn.tolist()):
        row, y = first + k, TOP + k * LINE
        factor, arrow, blue, orange = 0, "", "", ""
        if row == picked:
            factor, arrow, blue, orange = 1, " →", BLUE, ORANGE
        name = f"{isolate(label(row)[:MOST_LABEL])}  {row}{arrow}"
        elements.append(_text(NAMES - 8, y + 17, name, blue or GREY, "end"))
        elements.append(_text(between, y + 17, f"× {factor} =", orange or GREY))
        products = [factor * value for value in values]
        elements += _cells(NAMES, y, values, scale, blue) + _cells(
            right, y, products, scale, orange
        )
    elements += _cells(NAMES, bottom, lookup, scale, BLUE)
    elements += _cells(right, bottom, matmul, scale, ORANGE)
    compared = both.comparison
    sign = "≠" if bool(compared.differs.reshape(-1, dims)[place].any()) else "="
    total = counted(compared.num_values, "number")
    said = f"{compared.num_equal:,} of {total} identical, bit for bit."
    elements += [
        _text(between, bottom + 19, sign, INK),
        _text(middle, bottom + 44, "copied: embedding(id)", BLUE),
        _text(far, bottom + 44, "summed: linear(one_hot)", ORANGE),
        _text(NAMES, bottom + 72, said, INK, "start"),
    ]
    wide, high = right + columns * CELL + 20, bottom + 90
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" font-family="monospace" font-size="13">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(elements)}</svg>'
    )


def _sizes(rows: int, dims: int, shown: int, columns: int) -> str:
    said = f"{rows:,} × {dims:,}"
    if rows > shown:
        said += f"; {counted(rows - shown, 'more row')}"
    if dims > columns:
        said += f"; {counted(dims - columns, 'more column')}"
    return said


def _cells(x: float, y: float, values: list[float], scale: float, edge: str) -> list[str]:
    elements, is_whole = [], all(value.is_integer() for value in values if math.isfinite(value))
    for k, value in enumerate(values):
        size = min(1.0, abs(value) / scale) if math.isfinite(value) else 0.0
        most = NEGATIVE if value < 0 else POSITIVE
        tint = "#" + "".join(f"{round(245 + (channel - 245) * size):02x}" for channel in most)
        line = f' stroke="{edge}" stroke-width="2"' if edge else ""
        place = f'x="{x + k * CELL + 2}" y="{y + 2}" width="{CELL - 4}" height="{LINE - 4}"'
        elements.append(f'<rect {place} rx="3" fill="{tint}"{line}/>')
        said = f"{value:z.0f}" if is_whole else f"{value:z.3f}"  # `z`: no sign before a 0
        ink = "#fff" if size > 0.55 else INK
        elements.append(_text(x + (k + 0.5) * CELL, y + 17, said.replace("-", "−"), ink))
    return elements


def _text(x: float, y: float, words: str, fill: str, anchor: str = "middle") -> str:
    """A text; one in the colour of a layer is bold."""
    look = f'fill="{fill}" text-anchor="{anchor}" xml:space="preserve"'
    if fill in (BLUE, ORANGE):
        look += ' font-weight="bold"'
    printable = (letter if letter.isprintable() else "?" for letter in words)  # XML has no others
    return f'<text x="{x}" y="{y}" {look}>{escape("".join(printable))}</text>'
