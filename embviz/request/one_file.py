"""The stage as one HTML file: scripts, styles, colours and numbers inside, no network.

The file holds the part of a large table that fits, and says which. Too many tokens, and a file over
`MOST_BYTES`, are refused. Typed text enters escaped or as base64, so that it cannot become markup.
"""

from __future__ import annotations

import re
import tomllib
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from embviz.core.routes import BothRoutes
from embviz.core.wording import quote
from embviz.request.inputs import Inputs
from embviz.request.payload import DIMS, ROWS, TOKENS, Window, headed, pack
from embviz.request.stage_files import STAGE, looks, scripts

MOST_BYTES = 300_000
_SHOWN = 200  # characters of the input
_PAGE = Path(__file__).with_suffix(".html")
_SCRIPT = STAGE / "standalone.js"
_CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
# Of the stage's message: it follows no field and asks no route.
_HEAD: dict[str, Any] = {"run": "file", "live": None, "field": None, "settings": {}}


class TooLargeError(ValueError):
    """A result that does not fit one file; the message says what is allowed."""


def one_file(both: BothRoutes, given: Inputs) -> str:
    """The HTML of one result and its inputs.

    Raises:
        TooLargeError: there are too many tokens, or the file would be too large.
    """
    if (tokens := both.ids.numel()) > TOKENS:
        raise TooLargeError(f"{tokens:,} tokens are more than the {TOKENS:,} that one file takes.")
    for window in _windows(*both.layers.embedding.weight.shape):
        page = _page(both, given, window)
        if len(page.encode()) <= MOST_BYTES:
            return page
    raise TooLargeError(
        f"One file of these {tokens:,} tokens would be over {MOST_BYTES // 1000} KB; "
        f"the first {tokens // 2:,} would take less."
    )


def _windows(rows: int, dims: int) -> Iterator[Window]:
    """Parts of the table, largest first: the whole one, then what the page shows, and less."""
    dims = min(dims, DIMS)
    if rows * dims * 4 <= MOST_BYTES:
        yield Window(rows=rows, dims=dims)
    while dims:
        yield Window(rows=min(rows, ROWS), dims=dims)
        dims //= 2


def _page(both: BothRoutes, given: Inputs, window: Window) -> str:
    look = looks(STAGE / "stage")
    page = Template(_PAGE.read_text(encoding="utf-8")).substitute(
        title=escape(f"embviz: {_input(given)[1]}"),
        light=_variables("light"),
        dark=_variables("dark"),
        settings=" ".join(
            f"<li>{escape(name)} <code>{escape(str(value))}</code></li>"
            for name, value in _settings(both, given)
        ),
        note=_note(both, window),
        css=look["css"],
        html=look["html"],
        data=b64encode(headed(_HEAD, pack(both, given, window))).decode(),
        script="\n".join([*scripts(), _SCRIPT.read_text(encoding="utf-8")]),
    )
    return page.encode("utf-8", "replace").decode()  # a lone surrogate becomes "?"


def _input(given: Inputs) -> tuple[str, str]:
    """What is given, and its beginning."""
    name = "ids" if given.text is None else "text"
    return name, quote(given.settings[name], _SHOWN)


def _settings(both: BothRoutes, given: Inputs) -> list[tuple[str, object]]:
    """The configuration, by the names of the page's fields."""
    config = both.config
    known = [] if given.text is None else [("vocabulary", given.settings["vocab"])]
    return [
        _input(given),
        *known,
        ("num_embeddings", config.num_embeddings),
        ("embedding_dim", config.embedding_dim),
        ("seed", config.seed),
        ("weights", config.init),
        ("dtype", config.dtype),
    ]


def _note(both: BothRoutes, window: Window) -> str:
    """Which part of the table the file holds; empty for the whole one."""
    rows, dims = both.layers.embedding.weight.shape
    if (rows, dims) == (window.rows, window.dims):
        return ""
    return (
        f"<p>Of the table's {rows:,} rows and {dims:,} columns, this file holds the first "
        f"{window.dims:,} columns of {window.rows:,} rows around the first token's, and of the row "
        "of each token. Other rows are drawn grey.</p>"
    )


def _variables(shade: str) -> str:
    """The theme as the variables that Streamlit sets: `--st-text-color: #0f131a; ...`."""
    theme = tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["theme"]
    options = {"redColor": theme[shade]["redTextColor"]} | theme | theme[shade]
    return " ".join(
        f"--st-{re.sub('[A-Z]', lambda found: '-' + found[0].lower(), name)}: {_css(value)};"
        for name, value in options.items()
        if not isinstance(value, dict)
    )


def _css(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
