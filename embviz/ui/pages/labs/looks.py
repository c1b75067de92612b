"""How the labs look: the signs of their cards, and the pictures of their steps."""

from __future__ import annotations

import streamlit as st

from embviz.labs.drawing import Picture, html_of
from embviz.ui.parts.theme import chart_colours, style_sheet

_STYLE = """
.lab-picture, .lab-picture .joined { display: flex; gap: 14px; align-items: center; }
.lab-picture { flex-wrap: wrap; }
.lab-picture .joined { max-width: 100%; }
.lab-picture .part { overflow-x: auto; }
.lab-picture .between { font-size: 20px; white-space: nowrap; }
.lab-picture table { border-collapse: separate; border-spacing: 2px; }
.lab-picture caption { font-size: 14px; padding: 0 0 4px; white-space: nowrap; text-align: left; }
.lab-picture th { font-weight: 400; padding: 2px 6px; white-space: nowrap; }
.lab-picture td { box-sizing: border-box; min-width: 32px; height: 34px; padding: 2px 5px;
  text-align: center; border: 1px solid BORDER; border-radius: 3px; }
.lab-picture th[scope=row] { text-align: right; }
.lab-picture td:first-child:empty:has(+ th) { border: 0; }
.lab-picture :is(td, th) { font: 16px "Source Code Pro", monospace; }
.lab-picture .marked { font-weight: 700; border: 2px solid LOOKUP;
  background: color-mix(in srgb, LOOKUP 22%, transparent); }
.st-key-lab_rows button { min-height: 34px; padding: 0 6px; }
.st-key-lab_rows code { font-size: 1.15rem; white-space: pre; }
.st-key-lab_question h5 { font-size: 1.7rem; }
.st-key-lab_question p { font-size: 1.3rem; }
.st-key-lab_question pre { font-size: 1.15rem; }
.st-key-class_bars p { font-size: 1.2rem; }
.st-key-class_head h1 { font-size: clamp(2rem, 8vw, 7rem); }
@media (max-width: 640px) {
  .st-key-lab_step .stHorizontalBlock:first-child { gap: 8px; }
  .st-key-lab_step .stColumn:last-child { order: -1; }
  .st-key-lab_step .stColumn:last-child:not(:has(td)) { display: none; }
  .lab-picture { max-height: 26vh; overflow: auto; gap: 4px 10px; }
  .lab-picture td { min-width: 22px; height: 19px; padding: 0 3px; }
  .lab-picture th { padding: 0 4px; }
  .lab-picture :is(td, th) { font-size: 13px; }
  .st-key-lab_question h5 { font-size: 1.3rem; padding: 0; }
  .st-key-lab_question p { font-size: 1.1rem; }
}
.lab-sign { zoom: 0.5; }
.lab-sign caption { display: none; }
.lab-sign .lab-picture { flex-wrap: nowrap; justify-content: center; }
.class-forms :is(form, label) { display: flex; flex-wrap: wrap; gap: 8px 16px;
  align-items: center; }
.class-forms form { margin-bottom: 16px; }
.class-forms :is(input:not([type=checkbox]), select, button) { font: inherit; padding: 8px 12px;
  color: inherit; background: none; border: 1px solid BORDER; border-radius: 4px; }
.class-forms button { cursor: pointer; }
"""


def style() -> None:
    """The style sheet; a page draws it once, before what it is for."""
    sheet = _STYLE.replace("LOOKUP", chart_colours()[0])
    st.html(style_sheet(sheet, BORDER="borderColor"))


def sign(shown: Picture) -> None:
    """The small picture of a lab; it says nothing that its title does not."""
    drawn = html_of(shown).replace(' tabindex="0"', "")
    st.html(f'<div class="lab-sign" aria-hidden="true">{drawn}</div>', width=150)


def picture(shown: Picture) -> None:
    """A step's picture."""
    st.html(html_of(shown))
