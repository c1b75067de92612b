"""The panel *Tokenizers*: every vocabulary on the same text, and a button that chooses it.

One component draws all of it from HTML that Python writes, because an element of Streamlit for
each row would cost more than the figures. `request/survey.py` computes them.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from embviz.core.tokenizers import VOCABULARIES
from embviz.core.wording import format_bytes
from embviz.request.inputs import Inputs
from embviz.request.settings import MODEL
from embviz.request.survey import SHOWN, Line, finding, survey
from embviz.ui.parts.component import component
from embviz.ui.state.session import cached, go, settings, state, widget_value

_KEY = "tokenizers"
_HEADS = ("vocabulary", "pieces", "ids", "rows", "table", "one-hot", "rows touched")
_CSS = """
.tokenizers { color: var(--st-text-color); font: 13px/1.35 var(--st-font); }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
caption { text-align: left; font-weight: 600; padding: 2px 0 6px; }
th, td { padding: 5px 0 5px 14px; text-align: right; font-weight: 400; vertical-align: top; }
thead th { color: var(--st-gray-text-color); font-size: 12px; width: 76px; padding-block: 0 3px; }
thead th:nth-child(2) { width: auto; }
thead th:nth-child(3) { width: 48px; }
thead th:last-child { width: 104px; }
th:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
th:first-child { padding-left: 0; }
tbody tr { border-top: 1px solid var(--st-border-color); }
td { font: 12px/20px var(--st-code-font); white-space: nowrap; }
.words { font-family: var(--st-font); color: var(--st-gray-text-color); white-space: normal; }
button {
  width: 100%; padding: 2px 4px; border: 1px solid var(--st-border-color); border-radius: 4px;
  font: 12px var(--st-code-font); background: none; color: inherit; cursor: pointer;
}
button:hover { background: var(--st-secondary-background-color); }
button:disabled { opacity: 0.5; cursor: default; }
button[aria-pressed="true"] {
  background: var(--st-text-color); border-color: var(--st-text-color);
  color: var(--st-background-color);
}
:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.cut {
  overflow: hidden; padding-left: 2px;
  mask: linear-gradient(to left, transparent, black 24px); /* a cut piece fades */
}
/* No gaps, and one width for each letter: equal letters of two lines stand below each other. */
.cut i {
  display: inline-block; vertical-align: top; margin-left: -1.5px; padding-left: 1.5px;
  font-style: normal; letter-spacing: 3px; white-space: pre; unicode-bidi: isolate;
}
.cut i:nth-child(even) { background: var(--st-secondary-background-color); }
.cut i + i { box-shadow: inset 1px 0 var(--st-gray-text-color); }
@media (max-width: 640px) {
  table, caption, tbody { display: block; }
  thead { display: none; }
  tbody tr {
    display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 8px;
    padding: 6px 0;
  }
  tbody :is(td, th) { padding: 2px 0; text-align: left; }
  .across { grid-column: 1 / -1; }
  td:last-child { grid-column: 2 / -1; }
  [data-head]::before {
    content: attr(data-head) " "; font-family: var(--st-font); color: var(--st-gray-text-color);
  }
}
"""
_JS = """
export default function ({ parentElement, data, setTriggerValue }) {
  const box = parentElement.querySelector(".tokenizers");
  const pressed = parentElement.activeElement?.value;
  box.innerHTML = data.html; // Python escapes every text in it
  box.onclick = ({ target }) => {
    const name = target.closest("button")?.value;
    if (name) setTriggerValue("choose", name);
  };
  if (pressed) box.querySelector(`button[value="${pressed}"]`)?.focus();
}
"""
_component = component("embviz_tokenizers", [_JS], html='<div class="tokenizers"></div>', css=_CSS)


def draw(given: Inputs) -> None:
    """Draw a line for each vocabulary; also for a text that the chosen one refuses."""
    if given.settings["input"] != "text":
        st.info("Vocabularies cut a text, and here ids are typed. Type a text instead.")
        return
    file = state().get("weights_file")
    made_of = (settings(MODEL), file)
    with st.spinner("A large vocabulary is loaded, once for this server …"):  # drawn after 0.5 s
        lines = cached("survey", made_of, lambda: survey(given, file, cached))
    if any(line.cost for line in lines):
        _component(key=_KEY, data={"html": table(lines)}, on_choose_change=_choose)


def _choose() -> None:
    name = widget_value(_KEY, {}).get("choose")
    if isinstance(name, str) and name in VOCABULARIES:  # a forged message may hold a list
        go({"vocab": name})


def table(lines: list[Line]) -> str:
    """The lines as an HTML table; every text is escaped."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    body = "".join(map(_row, lines))
    return (
        f"<table><caption>{finding(lines)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _row(line: Line) -> str:
    pressed, off = str(line.chosen).lower(), "disabled" if line.rows is None else ""
    button = (
        f'<button value="{line.name}" aria-pressed="{pressed}" title="{escape(line.sentence)}" '
        f"{off}>{line.name}</button>"
    )
    start = f'<tr><th scope="row">{button}</th>'
    if line.cost is None:
        why = escape(line.refusal)
        return f'{start}<td class="words across" colspan="{len(_HEADS) - 1}">{why}</td></tr>'
    cost = line.cost
    cut = "".join(f"<i>{escape(piece)}</i>" for piece in line.pieces)
    more = " …" if cost.tokens > SHOWN else ""
    share = 100 * line.touched / cost.num_embeddings
    figures = (
        f"{cost.tokens:,}",
        f"{cost.num_embeddings:,}",
        format_bytes(cost.table_bytes),
        format_bytes(cost.one_hot_bytes),
        f"{line.touched:,} ({share:.3g} %)",
    )
    cells = "".join(
        f'<td data-head="{head}">{cell}</td>'
        for head, cell in zip(_HEADS[2:], figures, strict=True)
    )
    return f'{start}<td class="across"><div class="cut">{cut}{more}</div></td>{cells}</tr>'
