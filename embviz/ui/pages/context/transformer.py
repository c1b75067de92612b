"""A tiny causal transformer on the page: it learns English, and one letter's vectors separate by
what follows it.

Its text is that of the training page.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from html import escape

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from embviz.context.letters import plane
from embviz.context.tiny import CONTEXT
from embviz.context.transformer import BUDGET_STEPS, Evaluation, Learner
from embviz.core import bounds
from embviz.figures.context import attention_grid, learning_figure, places_figure
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.parts.chart import chart
from embviz.ui.parts.corpus import PRINTABLE, library
from embviz.ui.parts.grid import draw_grids
from embviz.ui.parts.live_training import LiveTraining, live_training
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import say
from embviz.ui.parts.theme import chart_colours
from embviz.ui.parts.widgets import BOUND, opens, text_line
from embviz.ui.state.session import cached, forget, setting

REDRAW_S = 0.3
BUDGET_S = 0.2
SAMPLE = 240  # characters written by the model
GROUPS = 6  # following characters, marked differently in the picture
SHOWN_POINTS = 250


def draw(_given: Inputs) -> None:
    """The training, and what the model does with one letter."""
    steps = min(BUDGET_STEPS, bounds.STEPS.value())
    seed = setting("seed")
    learner = cached("transformer", seed, lambda: Learner(seed, library(), PRINTABLE, steps))
    live = live_training("tiny", learner, goal=steps, redraw_s=REDRAW_S, budget_s=BUDGET_S)
    live.show(partial(_draw_live, live))


def _draw_live(live: LiveTraining[Learner], row: DeltaGenerator) -> None:
    learner = live.model
    with row:
        _buttons(live)
    try:
        _letter(learner, picks=not live.is_running)
    except ValueError as error:  # raised in a fragment, it would not reach the page
        refuse(error)
    with st.container(gap="xsmall"):
        _folds(live)


def _folds(live: LiveTraining[Learner]) -> None:
    learner = live.model
    question = "Does it learn more than pairs?"
    folded = st.expander(question, key="tiny_learns", on_change="rerun")
    if folded.open:
        with folded:
            _losses(learner)
    if not live.is_running:
        with st.expander(
            "Another letter, and attention", expanded=opens("tiny_more", "common", "probe")
        ):
            _closer(learner)


def _buttons(live: LiveTraining[Learner]) -> None:
    learner = live.model
    of = f"{learner.steps:,} of {learner.budget_steps:,} steps"
    if not learner.finished:
        live.play_button("Go on" if learner.steps else "Learn")
    if live.is_running:
        rate = learner.steps / max(learner.seconds, 1e-9)
        st.progress(
            learner.steps / learner.budget_steps,
            text=f"{of}, {rate:.0f} a second while it computes",
        )
        return
    if learner.steps:
        live.reset_button("Start over", partial(forget, "transformer"))
    st.caption(f"{of}, {learner.seconds:.1f} s of computing" if learner.steps else of)


def _losses(learner: Learner) -> None:
    start = partial(learner.held_out_loss)
    evaluations = learner.evaluations or [Evaluation(0, cached("tiny_start", learner, start))]
    last = evaluations[-1]
    ahead = learner.bigram_loss - last.held_out
    title = (
        f"At step {last.step:,} the held-out loss is {last.held_out:.3f}, {abs(ahead):.3f} "
        f"{'below' if ahead > 0 else 'above'} the bigram model's"
    )
    every = max(1, len(learner.losses) // SHOWN_POINTS)
    say(
        f"It guesses the next character from up to {CONTEXT} before it; "
        "a {{bigram}} model sees one. Both are judged on {{held-out}} text by their {{loss}}."
    )
    chart(
        learning_figure(
            range(1, len(learner.losses) + 1, every),
            learner.losses[::every],
            [(one.step, one.held_out) for one in evaluations],
            learner.bigram_loss,
            title,
            chart_colours(),
        ),
        key="tiny_losses",
    )
    st.caption(
        f"{learner.num_parameters:,} parameters, seed {learner.seed}; learns from "
        f"{len(learner.train):,} characters, {len(learner.held_out):,} others are held out."
    )


def _letter(learner: Learner, picks: bool) -> None:
    letter = (setting("common") or DEFAULTS["common"])[:1]
    made_of = (learner.seed, learner.steps, letter)
    found = cached("separation", made_of, lambda: learner.separation(letter))
    label = learner.vocabulary.label
    following = [place.following for place in found.places]
    groups = [token for token, _ in Counter(following).most_common(GROUPS)]
    chosen = [k for k, token in enumerate(following) if token in groups]
    chosen.sort(key=lambda k: groups.index(following[k]))
    points = plane(found.vectors[-1])[chosen].numpy()
    around = [_around(learner, found.places[k].context, found.places[k].position) for k in chosen]
    within, across = found.within[-1], found.across[-1]
    if within is not None and across is not None:
        st.markdown(
            f"**{literal(label(found.letter))}**: mean cosine **{within:.2f}** before the same "
            f"character, **{across:.2f}** before others."
            + (" Press *Learn*: do they part?" if not learner.steps else "")
        )
    title = f"{escape(label(found.letter), quote=False)} at {len(chosen)} places"
    names = [label(following[k]) for k in chosen]
    figure = places_figure(points, names, around, title, chart_colours())
    chart(figure, key="tiny_places", picks=picks)


def _around(learner: Learner, context: torch.Tensor, place: int) -> str:
    """The text around a place, the letter in brackets."""
    label = learner.vocabulary.label
    before = "".join(label(token) for token in context[max(0, place - 12) : place].tolist())
    after = "".join(label(token) for token in context[place + 1 : place + 2].tolist())
    return f"{before}[{label(int(context[place]))}]{after}"


def _closer(learner: Learner) -> None:
    """Another letter, the attention in the user's text, and a text that the model writes."""
    say(
        f"The picture shows the {GROUPS} characters that follow most often, along the two "
        "directions in which the vectors differ most. Each {{cosine}} is a mean over all pairs."
    )
    left, right = st.columns([1, 3], gap="medium")
    with left:
        st.text_input("Letter", DEFAULTS["common"], key="common", max_chars=1, **BOUND)
    with right:
        text_line(
            "Who looks at whom in this text",
            "probe",
            DEFAULTS["probe"],
            label_visibility="visible",
            max_chars=CONTEXT,
        )
    left, right = st.columns(2, gap="small")
    with left:
        try:
            _attention(learner, setting("probe")[:CONTEXT])
        except ValueError as error:
            refuse(error)
    with right:
        words = learner.vocabulary
        written = cached(
            "written",
            (learner.seed, learner.steps),
            lambda: words.decode(learner.sample(words.encode("The "), SAMPLE, 0.8, seed=0)),
        )
        st.caption(
            "The model continues “The ” (temperature 0.8: likely characters are drawn a little "
            "more often than their probability):"
        )
        st.code("".join(written), language=None, wrap_lines=True)


def _attention(learner: Learner, text: str) -> None:
    ids = torch.tensor(learner.vocabulary.encode(text), dtype=torch.int64)
    if not len(ids):
        st.info("Type a text: there is nothing to look at.")
        return
    (weights,) = learner.model.look(ids)[1]
    mean = weights.mean(dim=0).double().numpy()
    labels = [learner.vocabulary.label(token) for token in ids.tolist()]
    near = sum(mean[k, max(0, k - 1) : k + 1].sum() for k in range(len(mean))) / len(mean)
    title = f"{near:.0%} of the attention goes to the character itself and the one before"
    draw_grids([attention_grid(mean, labels, title)], "tiny_looks")
    st.caption(f"The mean of its {len(weights)} heads.")
