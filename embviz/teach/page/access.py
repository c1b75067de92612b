"""The right to see answers on the teacher's page: whoever may start, or has started, a class.

Students can open that page too. Until `may_see` says yes, no message to their browsers has an
answer. It knows no labs.
"""

import hmac
from contextlib import suppress

import streamlit as st

from embviz.classes.here import here
from embviz.classes.pace import words
from embviz.classes.page import class_link
from embviz.classes.room import ClassError
from embviz.classes.routes import TEACHER, WRONG_WORD
from embviz.labs.page.lesson import attempt
from embviz.server.incoming import page_at_server
from embviz.system.bounds import class_word, classes_on, hosted
from embviz.ui.elements.refusal import refuse
from embviz.ui.state.session import session, widget_value

GIVEN = "labs_word_given"  # whether this session has typed the class word
TYPED = "teach_word_typed"  # key of the field
MOST = 100  # characters of the field
WITH_WORD = (
    "Students can open this page too, so it shows no answers yet. "
    "Type the class word, or start a class in this browser, to see them."
)
AT_SERVER = (
    "Students can open this page too, so it shows no answers here. "
    "Open it at http://localhost on the machine that runs embviz, or in a browser that has a class."
)
NO_WORD = (
    "Students can open this page too, so it shows no answers here. "
    "Whoever runs this server must set EMBVIZ_CLASS_WORD; then that word shows them."
)


def may_see() -> bool:
    """Whether this browser may have the right answers.

    It may if it has a class, or if it may start one as it is, or with the word that it has typed.
    """
    if _has_class():
        return True
    if class_word():
        return bool(session().own.get(GIVEN))
    return not hosted() and page_at_server()


def _has_class() -> bool:
    secret = class_link.cookie(TEACHER)
    if not secret or not classes_on():
        return False
    with suppress(ClassError):  # the file is locked: the word still counts
        return bool(here().classes_of(secret))
    return False


def ask() -> None:
    """Say how to see the answers; where a word is set, take it. Without a need draw nothing."""
    if may_see():
        return
    with st.container(key="teach_word"):
        if not class_word():
            st.info(NO_WORD if hosted() else AT_SERVER)
            return
        st.info(WITH_WORD)
        with st.form("teach_word_form", border=False):
            st.text_input("Class word", type="password", max_chars=MOST, width=320, key=TYPED)
            st.form_submit_button("Show the answers", on_click=attempt, args=(_take,))
        if refused := session().own.pop("labs_refused", None):
            refuse(refused)


def _take() -> None:
    """A callback: compare the typed word when it is its turn.

    Raises:
        ClassError: it is wrong, or too many wait.
    """
    typed = widget_value(TYPED, "")
    class_link.turn(words)
    if not hmac.compare_digest(typed.encode("utf-8", "replace"), class_word().encode()):
        raise ClassError(WRONG_WORD)
    session().own[GIVEN] = True
    words.right(class_link.address())
