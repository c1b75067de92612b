"""The fold of classes: join one, start one, go to a board.

Its forms go to the routes of classes, because a page cannot set a cookie that scripts cannot
read.
"""

from html import escape

import streamlit as st

from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.room import ClassError
from embviz.classes.routes import REFUSALS, REFUSED, TEACHER
from embviz.labs.catalogue import LABS, title_of
from embviz.system.bounds import class_word, classes_on, hosted
from embviz.ui.elements.refusal import refuse
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go

OPTIONS = "".join(f'<option value="{code}">{escape(lab.title)}' for code, lab in LABS.items())
WORD = '<label>Class word <input name="word" type="password" autocomplete="off"></label>'
JOIN = """<form action="class">
<label>Students: the code of your class
  <input name="code" value="{code}" placeholder="k7m-q2x4" required></label>
<button>Join</button></form>"""
START = """<form action="class/start" method="post">
<label>First lab <select name="lab">{options}</select></label>
{word}<button>Start a class</button></form>"""
NO_START = (
    "<p>Nobody can start a class here: whoever runs this server must set EMBVIZ_CLASS_WORD.</p>"
)


def classes() -> None:
    """On a server with classes a fold: a student types a code, a teacher starts a class."""
    if not classes_on():
        return
    code = setting("class")[:40]
    refusal = REFUSALS.get(st.query_params.get(REFUSED, ""))
    with st.expander("Work together as a class", expanded=bool(code or refusal)):
        if refusal:
            refuse(ClassError(refusal))
        word = WORD if class_word() else ""
        form = START.format(options=OPTIONS, word=word) if word or not hosted() else NO_START
        st.html(f'<div class="class-forms">{JOIN.format(code=escape(code))}{form}</div>')
        for room in here().classes_of(class_link.cookie(TEACHER)):
            label = f"Board of {room.code}: {', '.join(map(title_of, room.labs))}"
            if room.ended:
                label += ", ended"
            to = {"board": room.code, "class": ""}
            st.button(label, on_click=go, args=(to,), type="tertiary")
