"""A tiny causal transformer on the page: it learns English, and one letter parts by what follows.

It trains in turns between redraws, so that no page waits for it; its text is
that of the training page.
"""

from __future__ import annotations

from html import escape

import streamlit as st
import torch

from embviz.context.letters import plane
from embviz.context.tiny import CONTEXT
from embviz.context.transformer import BUDGET_STEPS, Learner
from embviz.core import bounds
from embviz.figures.context import attention_figure, learning_figure, places_figure
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import buttons_row, queued_fragment, run_queue, time_slice
from embviz.ui.parts.chart import chart
from embviz.ui.parts.corpus import PRINTABLE, library
from embviz.ui.parts.theme import chart_colours, page_colour
from embviz.ui.parts.widgets import BOUND, text_line
from embviz.ui.state.session import cached, forget, setting, state

TICK_S = 0.3  # between redraws while it learns
BUDGET_S = 0.2  # of each; shared with all sessions that train
SAMPLE = 240  # characters written by the model
GROUPS = 6  # characters that follow, told apart in the picture


def learn() -> None:
    """Train it, and look at what it does with one letter."""
    steps = min(BUDGET_STEPS, bounds.STEPS.value())
    seed = setting("seed")
    learner = cached("transformer", seed, lambda: Learner(seed, library(), PRINTABLE, steps))
    memory = state().setdefault("transformer", {"learner": None, "running": False})
    if memory["learner"] is not learner:
        memory |= {"learner": learner, "running": False}
    running = memory["running"] and not learner.is_done
    queued_fragment(TICK_S if running else None, _live, learner, running)


def _live(learner: Learner, was_running: bool) -> None:
    memory = state()["transformer"]
    row = buttons_row("tiny_row")
    if was_running:
        with time_slice(learner, BUDGET_S) as seconds:
            if seconds:
                learner.steps(learner.budget_steps, seconds)
    running = memory["running"] and not learner.is_done
    if running != was_running:
        st.rerun(scope="app")
    with row:
        _buttons(learner, running)
    if not learner.step:
        st.info(
            "Nothing is learnt yet: press Learn. It guesses the next character from up to "
            f"{CONTEXT} before it; a *bigram* model, which only counts pairs, sees one. Both are "
            "judged on *held-out* text that neither has seen, by their *loss* in nats a character: "
            "how surprised they are, the less the better."
        )
        return
    left, right = st.columns(2, gap="small")
    with left:
        _losses(learner)
    with right:
        try:
            _letter(learner)
        except ValueError as error:  # raised here it would not reach the page
            st.error(literal(str(error)), icon=":material/block:")
    if not running:
        _closer(learner)


def _buttons(learner: Learner, running: bool) -> None:
    if running:
        st.button("Pause", on_click=_run, args=(False,), icon=":material/pause:", key="tiny_pause")
        rate = learner.step / max(learner.seconds, 1e-9)
        st.progress(
            learner.step / learner.budget_steps,
            text=f"{learner.step:,} of {learner.budget_steps:,} steps, {rate:.0f} a second "
            "while it computes",
        )
        return
    if not learner.is_done:
        st.button(
            "Go on" if learner.step else "Learn",
            on_click=_run,
            args=(True,),
            type="primary",
            key="tiny_learn",
            icon=":material/play_arrow:",
        )
    if learner.step:
        st.button("Start over", on_click=_forget, key="tiny_again", icon=":material/undo:")
    st.caption(
        f"{learner.num_parameters:,} parameters, {learner.step:,} of {learner.budget_steps:,} "
        f"steps ({learner.seconds:.1f} s of computing), seed {learner.seed}; learns from "
        f"{len(learner.train):,} characters, {len(learner.held_out):,} others are held out."
    )


def _run(running: bool) -> None:
    run_queue.prioritize()
    state()["transformer"]["running"] = running


def _forget() -> None:
    forget("transformer")


def _losses(learner: Learner) -> None:
    last = learner.looks[-1]
    ahead = learner.bigram_loss - last.held_out
    title = (
        f"At step {last.step:,} the held-out loss is {last.held_out:.3f}, {abs(ahead):.3f} "
        f"{'below' if ahead > 0 else 'above'} the bigram model's"
    )
    every = max(1, len(learner.losses) // 250)
    steps = range(1, len(learner.losses) + 1, every)
    chart(
        learning_figure(
            list(steps),
            learner.losses[::every],
            [(one.step, one.held_out) for one in learner.looks],
            learner.bigram_loss,
            title,
            chart_colours(),
        ),
        key="tiny_losses",
    )
    st.caption("In nats a character, both models on the same text that neither has seen.")


def _letter(learner: Learner) -> None:
    letter = (setting("common") or DEFAULTS["common"])[:1]
    made_of = (learner.seed, learner.step, letter)
    found = cached("separation", made_of, lambda: learner.separation(letter))
    label = learner.vocabulary.label
    following = [place.following for place in found.places]
    often = [
        token
        for token, _ in sorted(
            {token: following.count(token) for token in following}.items(), key=lambda one: -one[1]
        )
    ][:GROUPS]
    chosen = [k for k, token in enumerate(following) if token in often]
    chosen.sort(key=lambda k: often.index(following[k]))
    points = plane(found.vectors[-1])[chosen].numpy()
    words = [_around(learner, found.places[k].context, found.places[k].position) for k in chosen]
    name = escape(label(found.letter), quote=False)
    within, across = found.within[-1], found.across[-1]
    title = f"{name} at {len(chosen)} places"
    if within is not None and across is not None:
        title += f": before the same character cosine {within:.2f}, before others {across:.2f}"
    chart(
        places_figure(points, [label(following[k]) for k in chosen], words, title, chart_colours()),
        key="tiny_places",
    )
    st.caption(
        f"Its row of the table is one and the same at all of them. Drawn are the {GROUPS} "
        "characters that follow most often, along the two directions in which the vectors "
        "differ most; the cosines are means over all pairs."
    )


def _around(learner: Learner, context: torch.Tensor, place: int) -> str:
    """The text around a place, the letter in brackets."""
    label = learner.vocabulary.label
    before = "".join(label(token) for token in context[max(0, place - 12) : place].tolist())
    after = "".join(label(token) for token in context[place + 1 : place + 2].tolist())
    return f"{before}[{label(int(context[place]))}]{after}"


def _closer(learner: Learner) -> None:
    """Another letter, a text of one's own, and what the model writes."""
    left, right = st.columns([1, 3], gap="medium")
    with left:
        st.text_input("Letter", DEFAULTS["common"], key="common", max_chars=1, **BOUND)
    with right:
        text_line(
            "Who looks at whom in this text",
            "probe",
            "the cat sat on a mat",
            label_visibility="visible",
            max_chars=CONTEXT,
        )
    left, right = st.columns(2, gap="small")
    with left:
        try:
            _looks(learner, setting("probe")[:CONTEXT])
        except ValueError as error:
            st.error(literal(str(error)), icon=":material/block:")
    with right:
        words = learner.vocabulary
        written = cached(
            "written",
            (learner.seed, learner.step),
            lambda: words.decode(learner.sample(words.encode("The "), SAMPLE, 0.8, seed=0)),
        )
        st.caption(
            "The model writes on after “The ” (temperature 0.8: a little less daring than "
            "its own chances):"
        )
        st.code("".join(written), language=None, wrap_lines=True)


def _looks(learner: Learner, text: str) -> None:
    ids = torch.tensor(learner.vocabulary.encode(text), dtype=torch.int64)
    if not len(ids):
        st.info("Type a text: there is nothing to look at.")
        return
    (weights,) = learner.attention(ids)
    own = weights.mean(dim=0).double().numpy()
    labels = [learner.vocabulary.label(token) for token in ids.tolist()]
    near = sum(own[k, max(0, k - 1) : k + 1].sum() for k in range(len(own))) / len(own)
    title = f"{near:.0%} of the looks go to the character itself and the one before"
    chart(
        attention_figure(own, labels, title, (page_colour(), chart_colours()[0])), key="tiny_looks"
    )
    st.caption(f"The mean of its {len(weights)} heads.")
