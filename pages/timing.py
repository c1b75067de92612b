"""Live timing: lookup against matmul, on the machine that runs this page."""

import streamlit as st

from embviz.request.settings import SETTINGS
from embviz.ui.frame.body import body
from embviz.ui.pages.timing import machines, measuring
from embviz.ui.parts.terms import try_this

CLOCK = (
    "One worker process, apart from this server, measures all points, with the clock of "
    "`torch.utils.benchmark`. After a case that hangs or ends it, a new one goes on. A sweep "
    "has 12 rounds. Each round measures every case once, points and methods in random order, "
    "so that a slow phase of the machine hits all alike. With the cache `same`, each call "
    "looks up the same ids, so their rows stay in the cache. With `new`, each call looks up "
    "ids of its own, drawn before the clock starts. With `cold`, the caches are flushed "
    "before each call. Warm-up is discarded, all other times are kept. The first method of a "
    "point is measured twice, and one case, the anchor, at every point: these differences are "
    "the noise. A statement compares times round by round, and needs a difference beyond the "
    "noise; else it says *not told apart*. The band is the middle half of the times."
)


@body
def draw() -> None:
    """The settings in the sidebar, the results, and what is folded below them."""
    measuring.settings()
    with st.container(gap="xsmall"):
        measuring.watch()
        measuring.questions()
        with st.expander("Compare with other runs"):
            measuring.compare()
        with st.expander("What exactly is inside the clock?"):
            measuring.methods()
            st.markdown(CLOCK)


st.markdown("##### A lookup reads one row for each token; a matmul reads the whole table.")
draw()
with st.expander("Which machine is this?"):
    machines.card()

usual = {name: SETTINGS[name].default for name in ("vary", "span", "cache", "pass", "skew")}
try_this(
    (
        "The same ids in each call, or new ones: a lookup does no arithmetic, but it reads memory. "
        "Press *Start* and compare its two curves.",
        "timing",
        {**usual, "cache": ["same", "new"], "methods": ["lookup", "matmul"]},
    ),
    (
        "Backward: the dense gradient is as large as the table; with `sparse=True` it has one row "
        "for each id.",
        "timing",
        {**usual, "pass": "backward", "methods": ["lookup", "lookup_sparse", "matmul"]},
    ),
    (
        "Ids drawn evenly, as words occur, or all equal: does the time of a lookup differ?",
        "timing",
        {**usual, "vary": "ids"},
    ),
)
