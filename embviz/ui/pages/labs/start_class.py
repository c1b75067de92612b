"""The fold of classes below the cards: a student types a code, a teacher starts a class.

The forms go to the routes of `class_routes`, because a page cannot set a cookie that scripts cannot
read.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from embviz.classes.here import here
from embviz.classes.room import StoreError
from embviz.core.bounds import class_word
from embviz.labs.catalogue import LABS
from embviz.request.markdown import literal
from embviz.server.class_routes import TEACHER
from embviz.ui.pages.labs import class_link
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.state.session import go, setting, state

OPTIONS = "".join(f'<option value="{code}">{escape(lab.title)}' for code, lab in LABS.items())
WORD = '<label>Word <input name="word" type="password" autocomplete="off"></label>'
FORMS = f"""
<form action="class">
  <label>Students: the code of your class
    <input name="code" placeholder="k7m-q2x4" required></label>
  <button>Join</button>
</form>
<form class="start">
  <label>Lab <select name="lab">{OPTIONS}</select></label>
  <label>Pace <select name="pace"><option value="vote">votes: nobody is told before Reveal
  <option value="own">own pace: each answer is told at once</select></label>
  {WORD if class_word() else ""}
  <button>Start a class</button>
  <output role="alert"></output>
</form>
"""
CSS = """
form, label { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
form { margin-bottom: 12px; color: var(--st-text-color); font: 1rem/1.4 var(--st-font); }
label { gap: 8px; }
input, select, button { min-height: 2.5rem; padding: 0 12px; font: inherit; color: inherit;
  border: 1px solid var(--st-border-color); border-radius: 4px; max-width: 100%;
  background: var(--st-background-color); box-sizing: border-box; }
button { cursor: pointer; }
.start button { color: var(--st-background-color); background: var(--st-primary-color); }
:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
output { color: var(--st-red-text-color); }
"""
_forms = component(
    "embviz_start_class", [Path(__file__).parent / "start_class.js"], html=FORMS, css=CSS
)


def draw() -> None:
    """The fold, on a server with classes, and this browser's own boards."""
    if deleted := state().pop("class_deleted", None):
        st.success(literal(f"The class {deleted} and all its answers are deleted."))
    store, secret = here(), class_link.cookie(TEACHER)
    if store is None:
        return
    with st.expander("Work together as a class", expanded=bool(setting("class"))):
        _forms(key="start_class", data={"code": setting("class")[:40]})
        try:
            found = store.classes_of(secret)
        except StoreError as error:
            refuse(f"Your classes cannot be listed now. {error}")
            return
        for room in found:
            st.button(
                f"Board of {room.code}: {LABS[room.lab].title}{', ended' * room.ended}",
                on_click=go,
                args=({"board": room.code, "class": ""},),
                type="tertiary",
            )
