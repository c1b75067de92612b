"""How the labs look: the signs of their cards, and the pictures of their steps."""

import streamlit as st

from embviz.labs.drawing import Picture, html_of
from embviz.ui.elements.theme import style_sheet

_STYLE = """
.lab-picture {
  container-type: inline-size;
  --size: 16px;
  .drawn, .joined { display: flex; gap: 14px; align-items: center; }
  .drawn { flex-wrap: wrap; font-size: min(var(--size), 100cqw / var(--widest)); }
  .joined { max-width: 100%; gap: 0.7em; }
  .between { font-size: 1.25em; }
  table { border-collapse: separate; border-spacing: 2px; }
  caption { font-size: 0.9em; padding: 0 0 4px; white-space: nowrap; text-align: left; }
  th { font-weight: 400; padding: 0.1em 0.4em; white-space: nowrap; }
  td { box-sizing: border-box; min-width: 2em; height: 2.1em; padding: 0.1em 0.3em;
    text-align: center; border: 1px solid BORDER; border-radius: 3px; white-space: nowrap; }
  th[scope=row] { text-align: right; }
  td:first-child:empty:has(+ th) { border: 0; }
  :is(td, th) { font-family: "Source Code Pro", monospace; font-size: 1em; }
  .marked { font-weight: 700; border: 2px solid LOOKUP;
    background: color-mix(in srgb, LOOKUP 22%, transparent); }
}
.lab-sign {
  zoom: 0.45;
  caption { display: none; }
  .between { font-size: 32px; }
  .lab-picture .drawn { flex-wrap: nowrap; justify-content: center; font-size: 16px; }
}
.class-forms {
  :is(form, label) { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
  form { margin-bottom: 16px; }
  :is(input:not([type=checkbox]), select, button) { font: inherit; padding: 8px 12px;
    color: inherit; background: PAGE; border: 1px solid BORDER; border-radius: 4px; }
}
/* A student in a class has one sentence without a connection (`class_poll.js`), and no dialog. */
body:has(.st-key-class_line):has(.stApp:not([data-test-connection-state=CONNECTED])) .stDialog {
  display: none; }
/* Nor links that lead away, until a press shows them. */
.stApp:has(.st-key-class_pages) {
  .st-key-pages, .st-key-next_page, .st-key-labs_all, [data-testid=stExpandSidebarButton] {
    display: none !important; }
}
.st-key-lab_rows button { min-height: 28px; padding: 0 6px; }
.st-key-lab_rows code { font-size: 1rem; white-space: pre; }
.st-key-lab_question { zoom: 1.25; }
.stMain .st-key-class_bars { gap: 0.4rem; }
.st-key-class_bars {
  [data-testid=stProgressBarTrack] { height: 12px; }
  .stHorizontalBlock { gap: 12px; }
  p { line-height: 1.3; }
  /* A bar stands beside its numbers. */
  :has(> [role=progressbar]) { display: flex; align-items: center; gap: 10px; }
  :has(> [role=progressbar]) > :first-child { flex: none; padding: 0; }
  [role=progressbar] { flex: 1; }
  :has(> [role=progressbar]) [data-testid=stMarkdownContainer] { margin: 0; }
  /* A line between two answers: each has two bars after a second vote. */
  > :not(:first-child) { border-top: 1px solid BORDER; padding-top: 0.4rem; }
  /* The first of two votes. */
  .stElementContainer:first-child:not(:last-child) [data-testid=stProgressBarTrack] > * {
    opacity: 0.45;
  }
}
.stMain .stHorizontalBlock:is(.st-key-class_head, .st-key-board_bar) {
  row-gap: 0;
  /* Streamlit takes 1rem off below. */
  h1 { padding: 0; margin: 0 0 1rem; line-height: 1; }
}
/* In projector mode a board has the window for itself, and its controls two rows. */
.stApp:has(.st-key-board_bar) {
  .stAppHeader, .st-key-pages, .st-key-next_page { display: none; }
  .stMainBlockContainer { padding: 10px 24px 0; }
  .stMain .stVerticalBlock:has(.st-key-board_bar) { gap: 4px; }
  .st-key-leave_projector { position: fixed; right: 12px; top: 8px; z-index: 99; }
  .st-key-leave_projector button { padding-inline: 10px; }
  /* The icon is enough; a screen reader has the words. */
  .st-key-leave_projector p { width: 0; height: 0; overflow: hidden; }
}
.st-key-board_bar { zoom: 0.75; padding-right: 80px; }
.stMain :is(.st-key-board_bar, .st-key-board_state) .stElementContainer { width: auto; }
/* What a class reads from its last row. */
.stMain .st-key-board_state {
  gap: 0 1.2rem;
  :is(p, h1, h1 code) { font-size: 1.3rem; line-height: 1.2; }
  :is(p, h1, [data-testid=stMarkdownContainer]) { margin: 0; padding: 0; }
}
/* `board_fit.js` places the parts in a wide window. */
@media (min-width: 900px) {
  .stMain .st-key-board_question { display: grid; gap: 12px 28px; align-items: start;
    grid-template: "question answers" auto "picture answers" 1fr / 1fr 1fr; }
  .st-key-board_question > :has(> .st-key-lab_question) { grid-area: question; }
  .st-key-board_question > :has(> .st-key-board_picture) { grid-area: picture; }
  .st-key-board_question > :has(> .st-key-board_answers) { grid-area: answers; }
}
/* It is as wide as its longest title, also in a projector's letters. */
.st-key-board_lab { min-width: 13.6rem; }
.st-key-class_code_large {
  container-type: inline-size;
  img { width: min(64vh, 50cqw); }
  h2 code { font-size: clamp(2rem, 8.5cqw, 8rem) !important; white-space: nowrap; padding: 0;
    background: none; }
  p { font-size: 1.3rem; overflow-wrap: anywhere; }
}
@media (min-width: 641px) {
  .stMain .st-key-class_code_large { flex-wrap: nowrap; }
  .st-key-class_code_large > :last-child { min-width: 0; }
}
.st-key-board_question {
  .st-key-lab_question, .lab-picture.lab-picture { zoom: 1; }
  .stMarkdown h2 { padding: 0 0 0.5rem; }
  p, li, pre { line-height: 1.35; }
  /* A mistake is read from the last row, too. */
  .st-key-class_bars p span { font-size: 1em !important; }
  .st-key-board_answers { gap: 0.5rem; }
  .st-key-board_answers pre { padding: 0.4rem 0.75rem; }
  .st-key-board_answers p:not(:last-child) { margin-bottom: 0.4rem; }
  pre code { font-size: 1rem; line-height: 1.25; }
  /* What is asked about a table stands beside it, where there is room for some words. */
  .st-key-lab_question [data-testid=stMarkdownContainer] { display: flex; flex-wrap: wrap;
    gap: 0.2rem 1.25rem; align-content: flex-start; margin: 0; }
  .st-key-lab_question [data-testid=stMarkdownContainer] > * { flex: 0 0 100%; }
  .st-key-lab_question [data-testid=stMarkdownContainer] > :has(pre) + * { flex: 1 1 7em; }
  .st-key-lab_question [data-testid=stMarkdownContainer] > :last-child { margin-bottom: 0; }
  .st-key-lab_question [data-testid=stMarkdownContainer] > :has(pre) {
    flex: 0 1 auto; min-width: 0; max-width: 100%; margin: 0; }
  .st-key-lab_question pre { padding: 0.5rem 0.75rem; }
}
.st-key-lab_question pre code { white-space: pre-wrap !important; overflow-wrap: anywhere; }
@media (min-width: 900px) {
  /* A line stays whole: `board_fit.js` makes its letters smaller. */
  .st-key-board_question .st-key-lab_question pre code { white-space: pre !important; }
  .st-key-board_question > * { min-width: 0; }
}
@media (forced-colors: active) { .lab-picture .marked { border: 3px solid Highlight; } }
@media (max-width: 640px) {
  .st-key-class_code_large img { width: min(64vh, 100cqw); }
  /* Nine steps with their marks, and the end, in one line. */
  .st-key-step_shown button { min-width: 8.5vw; padding-inline: 2px; }
  .st-key-lab_step .stHorizontalBlock:first-child { gap: 8px; }
  .st-key-lab_step .stColumn:last-child { order: -1; }
  .st-key-lab_step .stColumn:last-child:not(:has(td)) { display: none; }
  .st-key-lab_step .lab-picture { --size: 12px; }
  /* What became of an answer is in sight, below a long question too. */
  .st-key-lab_verdict { position: sticky; bottom: 8px; z-index: 9; background: PAGE; }
  .st-key-lab_question { zoom: 1.1; }
  .st-key-lab_answer [role=radiogroup] label { padding-block: 8px; }
}
"""


def style() -> None:
    """The style sheet; a page draws it once, before what it is for."""
    colours = {"LOOKUP": "blueColor", "BORDER": "borderColor", "PAGE": "backgroundColor"}
    st.html(style_sheet(_STYLE, **colours))


def sign(shown: Picture) -> None:
    """The small picture of a lab; it says nothing that its title does not."""
    st.html(f'<div class="lab-sign" aria-hidden="true">{html_of(shown)}</div>', width=150)
