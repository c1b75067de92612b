"""How the labs look: the signs of their cards, and the pictures of their steps."""

import streamlit as st

from embviz.labs.drawing import Picture, html_of
from embviz.ui.parts.theme import style_sheet

_STYLE = """
.lab-picture, .lab-picture .joined { display: flex; gap: 14px; align-items: center; }
.lab-picture {
  flex-wrap: wrap;
  .joined { max-width: 100%; }
  .part { overflow-x: auto; }
  .between { font-size: 20px; }
  table { border-collapse: separate; border-spacing: 2px; }
  caption { font-size: 14px; padding: 0 0 4px; white-space: nowrap; text-align: left; }
  th { font-weight: 400; padding: 2px 6px; white-space: nowrap; }
  td { box-sizing: border-box; min-width: 32px; height: 34px; padding: 2px 5px;
    text-align: center; border: 1px solid BORDER; border-radius: 3px; }
  th[scope=row] { text-align: right; }
  td:first-child:empty:has(+ th) { border: 0; }
  :is(td, th) { font: 16px "Source Code Pro", monospace; }
  .marked { font-weight: 700; border: 2px solid LOOKUP;
    background: color-mix(in srgb, LOOKUP 22%, transparent); }
}
.lab-sign {
  zoom: 0.45;
  caption { display: none; }
  .between { font-size: 32px; }
  .lab-picture { flex-wrap: nowrap; justify-content: center; }
}
.class-forms {
  :is(form, label) { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
  form { margin-bottom: 16px; }
  :is(input:not([type=checkbox]), select, button) { font: inherit; padding: 8px 12px;
    color: inherit; background: PAGE; border: 1px solid BORDER; border-radius: 4px; }
}
.st-key-lab_rows button { min-height: 28px; padding: 0 6px; }
.st-key-lab_rows code { font-size: 1rem; white-space: pre; }
:is(.st-key-lab_question, .st-key-class_bars) { zoom: 1.25; }
.stMain .st-key-class_head_large.st-key-class_head_large h2 { font-size: clamp(2rem, 8vw, 7rem); }
@media (forced-colors: active) { .lab-picture .marked { border: 3px solid Highlight; } }
@media (max-width: 640px) {
  .st-key-lab_step .stHorizontalBlock:first-child { gap: 8px; }
  .st-key-lab_step .stColumn:last-child { order: -1; }
  .st-key-lab_step .stColumn:last-child:not(:has(td)) { display: none; }
  .st-key-lab_step .lab-picture { zoom: 0.7; max-height: 36vh; overflow: auto;
    td { height: 26px; }
  }
  .st-key-lab_question { zoom: 1.1; }
}
"""


def style() -> None:
    """The style sheet; a page draws it once, before what it is for."""
    colours = {"LOOKUP": "blueColor", "BORDER": "borderColor", "PAGE": "backgroundColor"}
    st.html(style_sheet(_STYLE, **colours))


def sign(shown: Picture) -> None:
    """The small picture of a lab; it says nothing that its title does not."""
    drawn = html_of(shown).replace(' tabindex="0"', "")
    st.html(f'<div class="lab-sign" aria-hidden="true">{drawn}</div>', width=150)
